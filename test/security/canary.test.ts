/**
 * The content of clients, also when PostgreSQL quotes it, reaches neither log nor metrics: by every kind of failure.
 */
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { findFreePort } from '../../src/embedded/free-port';
import { toGatewayAnswer } from '../graphql/gateway-client';
import { eventually } from '../support/eventually';
import { createHttpClient } from '../support/http';
import { startProcess, type ProcessOptions, type ServerProcess } from '../support/process';
import { OPEN } from '../support/server';

const CANARY = 'Canary9417';
const PATCH = { 'content-type': 'application/json-patch+json' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };

interface Observed extends ServerProcess {
  readonly metricsPort: number;
}

let server: Observed;
let owner: Client;

async function start(options: ProcessOptions = {}): Promise<Observed> {
  const metricsPort = await findFreePort();
  const started = await startProcess({
    because: 'LOG_LEVEL and METRICS_ADDRESS of a process',
    ...options,
    environment: {
      LOG_LEVEL: 'trace',
      METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
      ...OPEN,
      PUBLIC_URL: 'https://fhir.example',
      ...options.environment,
    },
  });
  return { ...started, metricsPort };
}

beforeAll(async () => {
  server = await start();
  owner = new Client(server.database.settings);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

const root = '/w/system/api/v1/fhir/r4';
const patient = (id: string) => ({
  resourceType: 'Patient',
  id,
  name: [{ family: CANARY }],
  identifier: [{ system: `urn:${CANARY}`, value: CANARY }],
  birthDate: '1970-01-01',
});
const graphql = (query: string, variables: object = {}) =>
  server.request('POST', '/w/system/api/v1/graphql/r4', { query, variables }, JSON_TYPE);

async function expectSilence(of = server): Promise<void> {
  // Lines leave in blocks, in their order.
  const last = randomUUID();
  await of.request('GET', `${root}/Patient/nobody`, undefined, { 'x-request-id': last });
  await eventually(async () => (await of.output()).includes(last));
  const output = await of.output();
  expect(output).toContain('"msg":"request"');
  expect(output.toLowerCase()).not.toContain(CANARY.toLowerCase());
  const client = createHttpClient(`http://127.0.0.1:${of.metricsPort}`);
  const { status, text } = await client.request('GET', '/metrics');
  client.close();
  expect(status).toBe(200);
  expect(text.toLowerCase()).not.toContain(CANARY.toLowerCase());
  for (const label of ['tenant=', '="system"']) expect(text).not.toContain(label);
}

it('mistakes of clients stay out of log and metrics', async () => {
  const path = `${root}/Patient/${CANARY}`;
  const answers = [
    await server.request('PUT', path, patient(CANARY)),
    await server.request('POST', `${root}/Patient`, `{"resourceType":"Patient","name":"${CANARY}"`),
    await server.request('POST', `${root}/Patient`, { resourceType: CANARY }),
    await server.request('POST', `${root}/Patient`, `{"${CANARY}":1,"${CANARY}":2}`),
    await server.request('PATCH', path, [{ op: 'test', path: '/name/0/family', value: `${CANARY}x` }], PATCH),
    await server.request('PATCH', path, [{ op: CANARY, path: `/${CANARY}` }], PATCH),
    await server.request('PATCH', path, [{ op: 'remove', path: `/${CANARY}` }], PATCH),
    await server.request('PATCH', path, [{ op: 'replace', path: '/id', value: CANARY }], PATCH),
    await server.request('GET', `${root}/Patient?birthdate=${CANARY}`),
    await server.request('GET', `${root}/Patient?${CANARY}=1`),
    await server.request('GET', `${root}/Patient?name:${CANARY}=1`),
    await server.request(
      'GET',
      `${root}/Patient?name=${CANARY}&identifier=urn:${CANARY}|${CANARY}&_sort=name`,
    ),
    await server.request('GET', `${root}/Patient?_cursor=${CANARY}`),
    await server.request('GET', `${root}?_id=${CANARY}&_tag=urn:${CANARY}|${CANARY}`),
    await server.request('GET', `${root}?_type=${CANARY}`),
    await server.request('GET', `${root}?_type=Patient,Observation&${CANARY}=1`),
    await server.request('GET', `${path}/*`),
    await server.request('GET', `${path}/Observation?code=${CANARY}`),
    await server.request('GET', `${path}/${CANARY}`),
    await server.request('POST', `${path}/_search`, `${CANARY}=1`, FORM),
    await server.request('GET', `${root}/Condition?patient=${CANARY}&_list=$${CANARY}`),
    await server.request('GET', `${root}/Condition?patient=${CANARY}&_list=$current-problems`),
    await server.request('PUT', path, patient(CANARY), { 'if-match': `W/"7${CANARY}"` }),
    await server.request('PUT', path, patient(CANARY), { 'if-none-match': '*' }),
    await server.request('POST', `${root}/Observation`, {
      resourceType: 'Observation',
      status: 'final',
      code: { text: CANARY },
      subject: {
        reference: `https://fhir.example/w/${CANARY.toLowerCase()}/api/v1/fhir/r4/Patient/${CANARY}`,
      },
    }),
    await server.request('GET', `${root}/ValueSet/$expand?url=${CANARY}&filter=${CANARY}`),
    await server.request('GET', `${path}/$everything?_type=${CANARY}&_cursor=${CANARY}`),
    await server.request('GET', `${root}/Observation/$lastn?patient=${CANARY}&code=${CANARY}`),
    await server.request('GET', `${root}/ConceptMap/$translate?system=urn:${CANARY}&code=${CANARY}`),
    await server.request('POST', `${root}/ValueSet/$validate-code`, {
      resourceType: 'Parameters',
      parameter: [{ name: CANARY, valueString: CANARY }],
    }),
    await graphql(`{ ${CANARY} }`),
    await graphql(`{ read(type: Patient, id: "${CANARY} ") { id } }`),
    await graphql(`{ search(type: Patient, query: "birthdate=${CANARY}") { total } }`),
    await graphql(`query(${'$'}x: ${CANARY}) { metadata { json } }`, { x: CANARY }),
    await graphql('mutation($r: ResourceInput!) { create(resource: $r) { created } }', {
      r: { resourceType: 'Patient', name: CANARY, id: [CANARY] },
    }),
    await graphql(`mutation { invoke(code: "${CANARY}") { json } }`),
    await graphql(
      `mutation { patch(type: Patient, id: "${CANARY}", patch: [{op: remove, path: "/${CANARY}"}]) { versionId } }`,
    ),
  ];
  expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
  await expectSilence();
});

it('quotations of PostgreSQL in errors stay out of log, metrics and answer', async () => {
  await owner.query(
    `alter table andiron.string_index add constraint refuse_canary check (value <> '${CANARY.toLowerCase()}') not valid`,
  );
  await owner.query(
    `alter table andiron.resource_version add constraint refuse_body check (body not like '%${CANARY}%') not valid`,
  );
  const answers = [
    await server.request('POST', `${root}/Patient`, patient('x')),
    await server.request('PUT', `${root}/Patient/${CANARY}-2`, patient(`${CANARY}-2`)),
    toGatewayAnswer(
      await graphql('mutation($r: ResourceInput!) { create(resource: $r) { created } }', { r: patient('x') }),
    ),
  ];
  await owner.query('alter table andiron.string_index drop constraint refuse_canary');
  await owner.query('alter table andiron.resource_version drop constraint refuse_body');
  for (const { status, text } of answers) {
    expect(status).toBe(500);
    expect(text).not.toMatch(/constraint|refuse|string_index|resource_version|23514|PostgreSQL/);
  }
  expect((await server.request('POST', `${root}/Patient`, patient('x'))).status).toBe(201);
  await expectSilence();
});

it('statements that time out, and connections that are cut, disclose nothing of their values', async () => {
  const hasty = await start({ database: server.database, environment: { STATEMENT_TIMEOUT_MS: '1000' } });
  await owner.query('begin; lock table andiron.resource, andiron.string_index in access exclusive mode');
  const late = await Promise.all([
    hasty.request('POST', `${root}/Patient`, patient('x')),
    hasty.request('GET', `${root}/Patient?name=${CANARY}`),
    hasty.request('GET', `${root}/Patient/${CANARY}`),
  ]);
  await owner.query('rollback');
  expect(late.map(({ status }) => status).filter((status) => status !== 503 && status !== 200)).toEqual([]);
  expect(late.map(({ status }) => status)).toContain(503);

  await owner.query('begin; lock table andiron.resource, andiron.string_index in access exclusive mode');
  const cut = [
    server.request('POST', `${root}/Patient`, patient('x')),
    server.request('GET', `${root}/Patient?name=${CANARY}`),
  ];
  const waiting = `select pid from pg_stat_activity where application_name = 'andiron' and datname = current_database()
    and wait_event_type = 'Lock'`;
  await eventually(async () => (await owner.query(waiting)).rows.length >= cut.length);
  await owner.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'andiron' and datname = current_database()`,
  );
  await owner.query('rollback');
  for (const { status } of await Promise.all(cut)) expect(status).toBe(503);
  expect((await server.request('POST', `${root}/Patient`, patient('x'))).status).toBe(201);
  await expectSilence();
  await expectSilence(hasty);
  await hasty.close();
});
