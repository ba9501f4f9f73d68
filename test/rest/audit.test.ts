/** The actor of each change is recorded, and auditors find it as AuditEvents (docs/run/audit.md). */
import type { Access, JsonObject, Release, RequestContext } from '../../src/core';
import { makeClient } from '../support/access';
import { silentLog } from '../support/log';
import { patientDeadline } from '../support/patience';
import { runOnServer } from '../support/services';
import { startServer, type TestServer } from '../support/server';
import { TESTED_RELEASES } from '../support/releases';

const JSON_TYPE = { 'content-type': 'application/json' };
const AUDITOR: Access = {
  client: 'auditor',
  scopes: [],
  policies: [],
  isAdministrator: false,
  isAuditor: true,
};

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ because: 'AUDIT', environment: { AUDIT: 'on' } });
  await server.createTenant('other');
});
afterAll(async () => server.close());

async function contextOf(release: Release, tenant = 'system', access?: Access): Promise<RequestContext> {
  const space = await server.app.core.access.findSpace(tenant, release);
  if (space === undefined) throw new Error(`The tenant '${tenant}' does not exist`);
  const context = {
    space,
    actor: 'anonymous',
    deadline: patientDeadline(),
    requestId: 'x',
    log: silentLog,
  };
  return access === undefined ? context : { ...context, access };
}

/** The AuditEvents that a search finds, oldest first. */
async function eventsBy(
  release: Release,
  parameters: readonly (readonly [string, string])[],
  tenant?: string,
): Promise<JsonObject[]> {
  const context = await contextOf(release, tenant, AUDITOR);
  const page = await server.app.core.interactions.search(context, { type: 'AuditEvent', parameters });
  expect(page.issues).toEqual([]);
  return page.matches.map(({ text }) => JSON.parse(text) as JsonObject).reverse();
}

const eventsOf = (release: Release, requestId: string, tenant?: string): Promise<JsonObject[]> =>
  eventsBy(release, [['entity:identifier', `|${requestId}`]], tenant);

interface RecordedEvent {
  readonly subtype?: { code: string }[];
  readonly action: string;
  readonly outcome: string;
  readonly agent: { altId: string; network?: { address: string } }[];
  readonly entity: { what?: { reference?: string }; query?: string }[];
}

/** An event in short: `interaction action outcome: references | queries`. */
function shortly(event: JsonObject): string {
  const { subtype, action, outcome, entity } = event as unknown as RecordedEvent;
  const references = entity.flatMap(({ what }) => what?.reference ?? []);
  const queries = entity.flatMap(({ query = '' }) =>
    query === '' ? [] : Buffer.from(query, 'base64').toString(),
  );
  return `${subtype?.[0]?.code ?? ''} ${action} ${outcome}: ${references.join(' ')} | ${queries.join(' ')}`;
}

async function faultsOf(release: Release, resource: JsonObject): Promise<string[]> {
  const { json } = await server.request(
    'POST',
    `${server.path('system', release)}/AuditEvent/$validate`,
    resource,
    JSON_TYPE,
  );
  const { issue } = json as { issue: { severity: string; diagnostics: string }[] };
  return issue
    .map(({ severity, diagnostics }) => `${severity}: ${diagnostics}`)
    .filter((found) => !/^information|dom-6/.test(found));
}

const PATIENT = { resourceType: 'Patient', active: true };
const observationOf = (patient: string): object => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'weight' },
  subject: { reference: `Patient/${patient}` },
});

it('the patient of a version is not recorded for one that was purged and created again for another patient', async () => {
  const { basic: authorization } = await makeClient(server.app.core, 'other', { isAdministrator: true });
  const root = server.path('other', 'r4');
  const headers = (id: string): Record<string, string> => ({ ...JSON_TYPE, 'x-request-id': id });
  const expectRecorded = async (patient: string): Promise<void> => {
    const observation = { ...observationOf(patient), id: 'anew' };
    await server.request('PUT', `${root}/Observation/anew`, observation, headers('anew'));
    await server.request('GET', `${root}/Observation?_id=anew`, undefined, headers(`of-${patient}`));
    const expected = `search-type E 0: Patient/${patient} Observation/anew/_history/1 | Observation?_id=anew`;
    expect((await eventsOf('r4', `of-${patient}`, 'other')).map(shortly)).toEqual([expected]);
  };
  await expectRecorded('first');
  const purge = `${root}/Observation/anew/$purge`;
  expect((await server.request('POST', purge, undefined, { authorization })).status).toBe(200);
  await expectRecorded('second');
});

describe.each(TESTED_RELEASES)('in %s', (release) => {
  const root = rootOf(release);
  const sendWithId = (
    method: string,
    path: string,
    id: string,
    body?: unknown,
  ): Promise<{ status: number }> =>
    server.request(method, `${root}${path}`, body, { ...JSON_TYPE, 'x-request-id': `${id}.${release}` });

  it('each interaction leaves one valid AuditEvent, with the patient that it was about', async () => {
    const bundle = (type: string): object => ({
      resourceType: 'Bundle',
      type,
      entry: [
        { request: { method: 'PUT', url: `Patient/in-${type}` }, resource: { ...PATIENT, id: `in-${type}` } },
        { request: { method: 'GET', url: 'Patient/a' } },
      ],
    });
    const version = 'Observation/o/_history/';
    // prettier-ignore
    const rows: [id: string, method: string, path: string, body: unknown, told: string[]][] = [
      ['update', 'PUT', '/Patient/a', { ...PATIENT, id: 'a' }, ['update U 0: Patient/a Patient/a/_history/1 | ']],
      ['made', 'PUT', '/Observation/o', { ...observationOf('a'), id: 'o' }, [`update U 0: Patient/a ${version}1 | `]],
      ['read', 'GET', '/Observation/o', undefined, [`read R 0: Patient/a ${version}1 | `]],
      ['vread', 'GET', '/Observation/o/_history/1', undefined, [`vread R 0: Patient/a ${version}1 | `]],
      ['miss', 'GET', '/Observation/none', undefined, ['read R 4: Observation/none | ']],
      ['patch', 'PATCH', '/Observation/o', [{ op: 'replace', path: '/status', value: 'amended' }], [`patch U 0: Patient/a ${version}2 | `]],
      ['stale', 'PATCH', '/Observation/o', [{ op: 'test', path: '/status', value: 'final' }], ['patch U 4: Observation/o | ']],
      ['search', 'GET', '/Observation?patient=a&status=amended', undefined, [`search-type E 0: Patient/a ${version}2 | Observation?patient=a&status=amended`]],
      ['matches', 'GET', '/Observation?status=amended', undefined, [`search-type E 0: Patient/a ${version}2 | Observation?status=amended`]],
      ['compartment', 'GET', '/Patient/a/Observation', undefined, [`search-type E 0: Patient/a ${version}2 | Patient/a/Observation?`]],
      ['history', 'GET', '/Observation/o/_history', undefined, [`history-instance R 0: Patient/a Observation/o ${version}2 ${version}1 | Observation/o/_history`]],
      ['everything', 'GET', '/Patient/a/$everything', undefined, ['operation E 0: Patient/a Patient/a | Patient/a/$everything?']],
      ['delete', 'DELETE', '/Observation/o', undefined, [`delete D 0: Patient/a ${version}3 | `]],
      ['batch', 'POST', '', bundle('batch'), ['read R 0: Patient/a Patient/a/_history/1 | ', 'update U 0: Patient/in-batch Patient/in-batch/_history/1 | ']],
      ['transaction', 'POST', '', bundle('transaction'), ['read R 0: Patient/a Patient/a/_history/1 | ', 'update U 0: Patient/in-transaction Patient/in-transaction/_history/1 | ']],
      ['refused', 'POST', '', { ...bundle('transaction'), entry: [{}] }, ['transaction E 4:  | ']],
      ['unless', 'DELETE', '/Observation/o', undefined, ['delete D 0: Observation/o | ']],
    ];
    for (const [id, method, path, body] of rows) await sendWithId(method, path, id, body);
    for (const [id, , , , expected] of rows) {
      const events = await eventsOf(release, `${id}.${release}`);
      expect([id, events.map(shortly).sort()]).toEqual([id, expected]);
      for (const event of events) expect([id, await faultsOf(release, event)]).toEqual([id, []]);
    }
    const { agent } = (await eventsOf(release, `read.${release}`))[0] as unknown as RecordedEvent;
    expect(agent).toMatchObject([{ altId: 'anonymous', network: { address: '127.0.0.1' } }]);
    const found = await eventsBy(release, [
      ['patient', 'Patient/a'],
      ['date', `ge${new Date(Date.now() - 60_000).toISOString()}`],
      ['action', 'D'],
      ['outcome', '0'],
      ['altid', 'anonymous'],
    ]);
    expect(found.map(shortly)).toEqual([`delete D 0: Patient/a ${version}3 | `]);
  });

  it('reads of a GraphQL request are recorded by one event, and its writes by their own', async () => {
    const path = `/w/system/api/v1/graphql/${release}`;
    const send = (id: string, query: string): Promise<{ status: number }> =>
      server.request('POST', path, { query }, { ...JSON_TYPE, 'x-request-id': `${id}.${release}` });
    await sendWithId('PUT', '/Patient/g', 'g', { ...PATIENT, id: 'g' });
    await send('gql', '{ Patient(id: "g") { id } }');
    const [event, ...others] = await eventsOf(release, `gql.${release}`);
    expect(others).toEqual([]);
    expect(shortly(event ?? {})).toBe(
      'operation E 0: Patient/g Patient/g/_history/1 | $graphql?query=%7B+Patient%28id%3A+%22g%22%29+%7B+id+%7D+%7D',
    );
    expect(await faultsOf(release, event ?? {})).toEqual([]);
  });

  it('a difference is recorded with the two versions that it compares, and with none when it fails', async () => {
    const { core } = server.app;
    const context = await contextOf(release);
    for (const gender of ['male', 'female'])
      await sendWithId('PUT', '/Patient/d', 'd', { ...PATIENT, id: 'd', gender });
    const request = { type: 'Patient', id: 'd', from: '1' };
    await core.interactions.difference(
      { ...context, requestId: `differs.${release}` },
      { ...request, to: '2' },
    );
    const failing = core.interactions.difference(
      { ...context, requestId: `fails.${release}` },
      { ...request, to: '9' },
    );
    await expect(failing).rejects.toMatchObject({ status: 404 });
    const shown = async (id: string): Promise<string[]> =>
      (await eventsOf(release, `${id}.${release}`)).map(shortly);
    expect(await shown('differs')).toEqual([
      'vread R 0: Patient/d Patient/d Patient/d/_history/1 Patient/d/_history/2 | ',
    ]);
    expect(await shown('fails')).toEqual(['vread R 4: Patient/d Patient/d | ']);
  });

  it('answers from the cache are recorded like answers of the database', async () => {
    const { core } = server.app;
    const context = await contextOf(release);
    await sendWithId('PUT', '/Patient/remembered', 'remembered', { ...PATIENT, id: 'remembered' });
    const request = { type: 'Patient', parameters: [['_id', 'remembered']] } as const;
    const isRecordedFor = (requestId: string): Promise<boolean> =>
      core.access.recordAsOneAccess(
        { ...context, requestId },
        '$graphql',
        async (sendRequest) => {
          const found = await core.interactions.fromCache(sendRequest, (within) =>
            core.interactions.search(within, request),
          );
          if (typeof found === 'string') await core.interactions.search(sendRequest, request);
          return typeof found !== 'string';
        },
        () => 200,
      );
    let sendRequest = 0;
    while (!(await isRecordedFor(`memory-${sendRequest}.${release}`))) expect(++sendRequest).toBeLessThan(10);
    expect(sendRequest).toBeGreaterThan(0);
    for (const number of [0, sendRequest]) {
      const events = await eventsOf(release, `memory-${number}.${release}`);
      expect(events.map(shortly)).toEqual([
        'operation E 0: Patient/remembered Patient/remembered/_history/1 | $graphql Patient?_id=remembered',
      ]);
    }
  });

  it('a request that the cache could only partly answer, and was restarted, is recorded once', async () => {
    const { core } = server.app;
    const access: Access = { ...AUDITOR, isAuditor: false, client: 'reader', scopes: ['system/Patient.rs'] };
    const requestId = `anew.${release}`;
    const context = { ...(await contextOf(release, 'system', access)), requestId };
    const search = (within: RequestContext, type: string): Promise<unknown> =>
      core.interactions.search(within, { type, parameters: [['_id', 'anew']] });
    const both = async (within: RequestContext): Promise<void> => {
      await expect(search(within, 'Observation')).rejects.toThrow('Observation');
      await search(within, 'Patient');
    };
    const attempts: unknown[] = [];
    const work = async (sendRequest: RequestContext): Promise<void> => {
      attempts.push(await core.interactions.fromCache(sendRequest, both).catch((error: unknown) => error));
      await both(sendRequest);
    };
    await core.access.recordAsOneAccess(context, '$graphql', work, () => 200);
    expect(attempts).toEqual([expect.stringMatching(/^un/)]);
    expect((await eventsOf(release, requestId)).map(shortly).sort()).toEqual([
      'operation E 0: Patient/anew | $graphql Patient?_id=anew',
      'search-type E 4:  | Observation?_id=anew',
    ]);
  });

  it('an AuditEvent is never changed, not by clients and not by the application role', async () => {
    const event = {
      resourceType: 'AuditEvent',
      id: 'mine',
      type: { code: 'rest' },
      recorded: '2026-01-01T00:00:00Z',
      agent: [{ requestor: true }],
      source: { observer: { display: 'A client' } },
    };
    const sent: [method: string, path: string, body: unknown, status: number][] = [
      ['PUT', '/AuditEvent/mine', event, 201],
      ['GET', '/AuditEvent/mine', undefined, 200],
      ['PUT', '/AuditEvent/mine', event, 405],
      ['PATCH', '/AuditEvent/mine', [{ op: 'remove', path: '/type' }], 405],
      ['DELETE', '/AuditEvent/mine', undefined, 405],
      ['DELETE', '/AuditEvent?_id=mine', undefined, 405],
      ['GET', '/AuditEvent?_include=AuditEvent:patient', undefined, 400],
      ['GET', '/Patient?_has:AuditEvent:patient:action=R', undefined, 400],
      ['GET', '/AuditEvent/mine/_history/2', undefined, 404],
    ];
    for (const [method, path, body, status] of sent)
      expect([method, path, (await sendWithId(method, path, 'own', body)).status]).toEqual([
        method,
        path,
        status,
      ]);
    const { space } = await contextOf(release);
    const altered = runOnServer(
      server.database.settings,
      `set role andiron_application; select set_config('andiron.space', '${space.auditSpace}', false);
       update andiron.access_record set accesses = ''`,
    );
    await expect(altered).rejects.toThrow('permission denied');
  });

  it('metadata says that an AuditEvent is made and never changed, and leads nowhere', async () => {
    const { json } = await server.request('GET', `${root}/metadata`);
    const { resource } = json.rest[0] as { resource: Record<string, unknown>[] };
    const expected = resource.find(({ type }) => type === 'AuditEvent') ?? {};
    const codes = (expected['interaction'] as { code: string }[]).map(({ code }) => code).sort();
    const made = ['create', 'history-instance', 'history-type', 'read', 'search-type', 'vread'];
    expect([codes, expected['conditionalUpdate'], expected['conditionalDelete']]).toEqual([
      made,
      false,
      'not-supported',
    ]);
    expect(JSON.stringify(resource)).not.toContain('"AuditEvent:');
  });

  it('AuditEvents are for auditors, and in the tenant where it happened alone', async () => {
    const { core } = server.app;
    await sendWithId('GET', '/Patient/secret', 'elsewhere');
    expect(await eventsOf(release, `elsewhere.${release}`)).toHaveLength(1);
    expect(await eventsOf(release, `elsewhere.${release}`, 'other')).toEqual([]);
    const other = await contextOf(release, 'system', {
      ...AUDITOR,
      isAuditor: false,
      scopes: ['system/*.cruds'],
    });
    for (const sendRequest of [
      core.interactions.search(other, { type: 'AuditEvent', parameters: [] }),
      core.interactions.read(other, 'AuditEvent', 'mine'),
      core.interactions.history(other, { type: 'AuditEvent' }),
      core.interactions.createIfNoneExist(other, 'AuditEvent', { value: {}, marked: false }, [
        ['_id', 'mine'],
      ]),
    ])
      await expect(sendRequest).rejects.toMatchObject({ status: 403 });
  });
});

function rootOf(release: Release): string {
  return `/w/system/api/v1/fhir/${release}`;
}

it('a caller without rights leaves an event, in enforced mode by default', async () => {
  const enforced = await startServer({
    because: 'AUDIT where access is enforced',
    database: server.database,
    environment: { AUTH_MODE: 'enforced' },
  });
  const path = `${enforced.path('system', 'r4')}/Patient/a?x=1`;
  const long = `${path}&note=${'x'.repeat(6_000)}`;
  for (const [sendRequest, id] of [
    [path, 'no-token'],
    [long, 'long'],
  ] as const)
    expect((await enforced.request('GET', sendRequest, undefined, { 'x-request-id': id })).status).toBe(401);
  await enforced.close();
  // A part of a text that may be endless is stored.
  const [, query = ''] = /\| (.*)$/.exec((await eventsOf('r4', 'long')).map(shortly).join()) ?? [];
  expect([query.length, query.slice(0, 20)]).toEqual([4_000, 'Patient/a?x=1&note=x']);
  const [event, ...others] = await eventsOf('r4', 'no-token');
  expect(others).toEqual([]);
  expect(shortly(event ?? {})).toBe(' E 4: Patient/a | Patient/a?x=1');
  expect(event).toMatchObject({ outcomeDesc: 'HTTP 401: unauthorized' });
  expect(await faultsOf('r4', event ?? {})).toEqual([]);
});
