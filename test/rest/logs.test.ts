/** The log of requests, and its forbidden content: a canary in every kind of input. */
import { createApp, type App } from '../../src/app';
import type { Log } from '../../src/core';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createHttpClient, type HttpClient } from '../support/http';
import { makeSettings, toPath } from '../support/server';

const CANARY = 'Canary7531';

interface Line {
  readonly level: string;
  readonly details: Record<string, unknown>;
  readonly message: string;
}

let database: TestDatabase;
let app: App;
let client: HttpClient;
const lines: Line[] = [];

function record(level: string): (details: object, message: string) => void {
  return (details, message) => lines.push({ level, details: { ...details }, message });
}

beforeAll(async () => {
  database = await createTestDatabase();
  const log: Log = {
    debug: record('debug'),
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
  };
  app = await createApp(makeSettings(database), log);
  const { port } = await app.listen();
  client = createHttpClient(`http://127.0.0.1:${port}`);
});
afterAll(async () => {
  client.close();
  await app.close();
  await database.drop();
});

/** The line is written when the connection reports that the answer was sent, a moment after the client has it. */
async function lineOf(requestId: string): Promise<Line['details']> {
  for (let tries = 0; tries < 100; tries += 1) {
    const line = lines.find(
      ({ details, message }) => message === 'request' && details.requestId === requestId,
    );
    if (line !== undefined) return line.details;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`no line of request ${requestId}`);
}

it('one line has route pattern, type, interaction, tenant, status and time', async () => {
  const body = { resourceType: 'Patient' };
  await client.request('POST', `${toPath('system', 'r4')}/Patient`, body, { 'x-request-id': 'one' });
  const line = await lineOf('one');
  expect(line).toMatchObject({
    method: 'POST',
    route: '/w/:tenant/api/v1/fhir/:release/:type',
    interaction: 'create',
    tenant: 'system',
    release: 'r4',
    type: 'Patient',
    status: 201,
  });
  expect(line.milliseconds).toBeGreaterThan(0);
  expect(line).not.toHaveProperty('abandoned');
});

it('the content of requests reaches no log', async () => {
  const root = toPath('system', 'r4');
  const patient = { resourceType: 'Patient', id: CANARY, name: [{ family: CANARY }] };
  const sent: [string, string, unknown?, Record<string, string>?][] = [
    ['PUT', `${root}/Patient/${CANARY}`, patient],
    ['POST', `${root}/Patient`, { ...patient, name: CANARY }],
    ['POST', `${root}/Patient`, `{"${CANARY}`],
    ['POST', `${root}/Patient`, { resourceType: CANARY }],
    ['POST', `${root}/Patient`, patient, { 'content-type': `text/${CANARY}` }],
    ['GET', `${root}/Patient/${CANARY}`],
    ['GET', `${root}/Patient/${CANARY}/_history/7`],
    ['GET', `${root}/Patient/${CANARY}/_history`],
    ['GET', `${root}/Patient?name=${CANARY}&_sort=${CANARY}`],
    ['GET', `${root}/Patient?name=${CANARY}`],
    ['GET', `${root}/Patient?birthdate=${CANARY}&${CANARY}=1`],
    ['GET', `${root}/Patient?_cursor=${CANARY}`],
    [
      'POST',
      `${root}/Patient/_search`,
      `name=${CANARY}`,
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    ['PATCH', `${root}/Patient/${CANARY}`, [{ op: 'test', path: `/${CANARY}`, value: CANARY }]],
    ['PUT', `${root}/Patient/${CANARY}`, patient, { 'if-match': `W/"${CANARY}"` }],
    ['GET', `${root}/${CANARY}`],
    ['GET', `/w/${CANARY.toLowerCase()}/api/v1/fhir/r4/Patient`],
    ['GET', `/w/system/api/v1/fhir/${CANARY}/Patient`],
    ['GET', `/${CANARY}`],
    ['GET', `/${CANARY}%`],
    ['POST', `${root}/$${CANARY}`, { resourceType: 'Parameters' }],
    ['GET', `${root}/ValueSet/$expand?url=${CANARY}`],
    ['POST', '/w/system/api/v1/tenants', { name: CANARY }, { 'content-type': 'application/json' }],
    ['DELETE', `${root}/Patient/${CANARY}`],
  ];
  for (const [index, [method, path, body, headers]] of sent.entries()) {
    const { status } = await client.request(method, path, body, {
      ...headers,
      'x-request-id': `canary-${index}`,
    });
    expect(status).toBeLessThan(500);
  }
  await lineOf(`canary-${sent.length - 1}`);
  expect(JSON.stringify(lines).toLowerCase()).not.toContain(CANARY.toLowerCase());
});
