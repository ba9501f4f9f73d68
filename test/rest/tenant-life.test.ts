/** The life of a tenant: renamed, disabled, enabled, removed with all its data. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { RELEASE_NAMES } from '../../src/core';
import { OwnerSession } from '../../src/core/storage/connection/owner-session';
import { readOwnedTables } from '../../src/core/storage/schema/owned-tables';
import { lockTenant } from '../../src/core/storage/tenants/tenant-removal';
import { patientDeadline } from '../support/patience';
import { startServer, type TestServer } from '../support/server';

const JSON_TYPE = { 'content-type': 'application/json' };
/** Tables of the whole installation, not of a tenant; those that identify tenants themselves. */
const OF_ALL = [
  'content_removal',
  'erasure',
  'installation',
  'server_process',
  'space',
  'tenant',
  'token_bucket',
];

let server: TestServer;
let owner: Client;
beforeAll(async () => {
  server = await startServer({ because: 'the tests look into its database' });
  owner = new Client(server.database.settings);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

const administer = (method: string, path: string, body?: unknown) =>
  server.request(method, `/w/system/api/v1/tenants/${path}`, body, JSON_TYPE);

/** Everything that the database keeps of some spaces and a tenant, by table: rows as text. */
async function rowCounts(tenant: number, spaces: readonly number[]): Promise<Record<string, number>> {
  const { rows } = await owner.query<{ name: string; column: string }>(
    `select c.relname as name, a.attname as column from pg_attribute a
     join pg_class c on c.oid = a.attrelid and c.relkind = 'r'
     join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'andiron'
     where a.attname in ('space', 'tenant') and not a.attisdropped`,
  );
  const counts: Record<string, number> = {};
  for (const { name, column } of rows) {
    const { rowCount } = await owner.query(
      `select 1 from andiron."${name}" where "${column}" = any ($1::int[]) limit 1`,
      [column === 'space' ? spaces : [tenant]],
    );
    if (rowCount !== 0) counts[`${name}.${column}`] = rowCount ?? 0;
  }
  return counts;
}

async function numbersOf(name: string): Promise<{ tenant: number; spaces: number[] }> {
  const { rows } = await owner.query<{ tenant: number; spaces: number[] }>(
    `select t.number as tenant, array_agg(s.number) as spaces from andiron.tenant t
     join andiron.space s on s.tenant = t.number where t.name = $1 group by t.number`,
    [name],
  );
  if (rows[0] === undefined) throw new Error(`there is no tenant ${name}`);
  return rows[0];
}

/** Resources of several kinds in both releases, with histories, a deletion, and a search parameter of its own. */
async function fill(name: string): Promise<void> {
  await server.createTenant(name);
  for (const release of RELEASE_NAMES) {
    const path = server.path(name, release);
    for (const birthDate of ['1970', '1970-01']) {
      const patient = { resourceType: 'Patient', id: 'ann', name: [{ family: 'Secret' }], birthDate };
      expect((await server.request('PUT', `${path}/Patient/ann`, patient)).status).toBeLessThan(300);
    }
    const observation = {
      resourceType: 'Observation',
      status: 'final',
      code: { coding: [{ system: 'http://loinc.org', code: '718-7' }] },
      subject: { reference: 'Patient/ann' },
      effectiveDateTime: '2020-01-01',
      valueQuantity: { value: 7, unit: 'g', system: 'http://unitsofmeasure.org', code: 'g' },
    };
    const { json } = await server.request('POST', `${path}/Observation`, observation);
    await server.request('POST', `${path}/Observation`, observation);
    expect((await server.request('DELETE', `${path}/Observation/${json.id}`)).status).toBe(200);
    const parameter = {
      resourceType: 'SearchParameter',
      url: 'http://example.org/nickname',
      name: 'Nickname',
      status: 'active',
      description: 'Nicknames',
      code: 'nickname',
      base: ['Patient'],
      type: 'string',
      expression: 'Patient.name.given',
    };
    expect((await server.request('POST', `${path}/SearchParameter`, parameter)).status).toBe(201);
    const later = { prefer: 'respond-async' };
    expect((await server.request('GET', `${path}/Patient?name=secret`, undefined, later)).status).toBe(202);
  }
}

it('Each table has a column "space" or "tenant", or belongs to the whole installation', async () => {
  const session = await OwnerSession.open(server.database.settings);
  const owned = (await readOwnedTables(session)).map(({ name }) => name);
  await session.close();
  const { rows } = await owner.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'andiron' and c.relkind in ('r', 'p')`,
  );
  expect([...owned, ...OF_ALL].sort()).toEqual(rows.map(({ name }) => name).sort());
});

/** The characters that change the direction of text around them (Unicode, Bidi_Control). */
const BIDIRECTIONAL = [...'\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'];

it('A tenant is renamed, disabled, and enabled again', async () => {
  await server.createTenant('renamed');
  const path = `${server.path('renamed', 'r4')}/Patient`;
  const renamed = await administer('PATCH', 'renamed', { display: 'St. Mary’s', status: 'disabled' });
  expect(renamed.json).toMatchObject({ name: 'renamed', display: 'St. Mary’s', status: 'disabled' });
  expect((await server.request('GET', path)).status).toBe(404);
  expect((await administer('PATCH', 'renamed', { status: 'active', display: null })).json).toMatchObject({
    display: 'renamed',
    status: 'active',
  });
  expect((await server.request('GET', path)).status).toBe(200);
  for (const body of [
    { status: 'deleting' },
    { display: '' },
    { display: 'a\nb' },
    { display: 'a\u2028b' },
    ...BIDIRECTIONAL.map((mark) => ({ display: `St. ${mark}Mary` })),
    { display: 7 },
    { named: 'x' },
    {},
  ])
    expect((await administer('PATCH', 'renamed', body)).status).toBe(400);
  expect((await administer('PATCH', 'system', { status: 'disabled' })).status).toBe(403);
  expect((await administer('PATCH', 'nobody', { status: 'disabled' })).status).toBe(404);
});

it('An imported tenant whose display name misleads its reader is shown by its name', async () => {
  await server.createTenant('misnamed');
  await owner.query('update andiron.tenant set display = $1 where name = $2', ['St. \u202eMary', 'misnamed']);
  const { text } = await administer('GET', 'misnamed/export');
  expect(text).toContain('\u202eMary');
  const type = { 'content-type': 'application/x-ndjson' };
  const place = '/w/system/api/v1/tenants';
  expect((await server.request('POST', `${place}/renamed-2/import`, text, type)).status).toBe(201);
  expect((await administer('GET', 'renamed-2')).json).toMatchObject({ display: 'renamed-2' });
});

it('A tenant is removed with all its data, and nothing else is', async () => {
  await fill('acme');
  await fill('globex');
  const { tenant, spaces } = await numbersOf('acme');
  const other = await numbersOf('globex');
  const before = await rowCounts(other.tenant, other.spaces);
  expect(Object.keys(before)).toEqual(expect.arrayContaining(['job.space', 'search_parameter.space']));
  expect((await administer('DELETE', 'acme')).status).toBe(400);
  expect((await administer('DELETE', 'acme?confirm=globex')).status).toBe(400);
  expect((await administer('DELETE', 'system?confirm=system')).status).toBe(403);
  expect((await administer('DELETE', 'nobody?confirm=nobody')).status).toBe(404);
  const { status, json } = await administer('DELETE', 'acme?confirm=acme');
  expect(status).toBe(200);
  expect(json).toMatchObject({ name: 'acme', isComplete: true, processes: 1, silentProcesses: 0 });
  const ofTable = (name: string) => json.tables.find(({ table }: { table: string }) => table === name);
  expect(ofTable('resource_version')).toEqual({ table: 'resource_version', removed: 12, left: 0 });
  expect(ofTable('search_parameter')).toEqual({ table: 'search_parameter', removed: 2, left: 0 });
  expect(await rowCounts(tenant, spaces)).toEqual({});
  expect(await rowCounts(other.tenant, other.spaces)).toEqual(before);
  expect((await server.request('GET', `${server.path('acme', 'r4')}/Patient/ann`)).status).toBe(404);
  expect((await administer('GET', 'acme')).status).toBe(404);
  await server.createTenant('acme');
  expect((await server.request('GET', `${server.path('acme', 'r4')}/Patient`)).json.entry).toBeUndefined();
  expect((await server.request('GET', `${server.path('globex', 'r4')}/Patient/ann`)).status).toBe(200);
});

it('A removal that was interrupted is resumed; meanwhile the tenant is not served and refuses writes', async () => {
  await fill('umbra');
  const { tenant, spaces } = await numbersOf('umbra');
  const { core } = server.app;
  const space = await core.access.findSpace('umbra', 'r4');
  expect(await core.tenants.remove('umbra', 0)).toMatchObject({ isComplete: false });
  expect(Object.keys(await rowCounts(tenant, spaces))).toContain('resource_version.space');
  expect((await administer('GET', 'umbra')).json.status).toBe('deleting');
  expect((await administer('PATCH', 'umbra', { status: 'active' })).status).toBe(409);
  expect((await server.request('GET', `${server.path('umbra', 'r4')}/Patient/ann`)).status).toBe(404);
  // A request of a client that was admitted before.
  const late = core.interactions.create(
    {
      space: space ?? (await Promise.reject(new Error('no space'))),
      actor: 'late',
      deadline: patientDeadline(),
      requestId: 'late',
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    },
    'Patient',
    { text: '{"resourceType":"Patient"}' },
  );
  await expect(late).rejects.toThrow();
  expect(await core.tenants.remove('umbra')).toMatchObject({ isComplete: true });
  expect(await rowCounts(tenant, spaces)).toEqual({});
  expect(await core.tenants.remove('umbra')).toBeUndefined();
});

describe('A tenant that another process works on', () => {
  /** As the process that removes or imports it holds it. */
  const hold = async (tenant: number): Promise<OwnerSession> => {
    const session = await OwnerSession.open(server.database.settings);
    expect(await lockTenant(session, tenant)).toBe(true);
    return session;
  };

  it('is removed as soon as PostgreSQL has finished the work of a killed process', async () => {
    await server.createTenant('orphaned');
    const { tenant, spaces } = await numbersOf('orphaned');
    const session = await hold(tenant);
    const removal = administer('DELETE', 'orphaned?confirm=orphaned');
    await delay(300);
    await session.close();
    const { status, json } = await removal;
    expect([status, json.isComplete]).toEqual([200, true]);
    expect(await rowCounts(tenant, spaces)).toEqual({});
  });

  it('is left to it while it continues', async () => {
    await server.createTenant('held');
    const session = await hold((await numbersOf('held')).tenant);
    expect((await administer('DELETE', 'held?confirm=held')).status).toBe(409);
    expect((await server.request('GET', `${server.path('held', 'r4')}/Patient`)).status).toBe(200);
    await session.close();
    expect((await administer('DELETE', 'held?confirm=held')).status).toBe(200);
  });

  it('is removed once by two requests; the second finds that it does not exist', async () => {
    await server.createTenant('twice');
    const session = await hold((await numbersOf('twice')).tenant);
    const removals = [1, 2].map(() => administer('DELETE', 'twice?confirm=twice'));
    await delay(300);
    await session.close();
    const statuses = (await Promise.all(removals)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 404]);
    await server.createTenant('twice');
    expect((await server.request('GET', `${server.path('twice', 'r4')}/Patient`)).status).toBe(200);
  });
});

describe('where access is enforced and recorded', () => {
  let closed: TestServer;
  let db: Client;
  const headersOf = async (tenant: string, isAdministrator: boolean): Promise<Record<string, string>> => {
    const { clients } = closed.app.core.tenants;
    const { id } = await clients.create(tenant, { name: 'c', scopes: ['system/*.cruds'], isAdministrator });
    const secret = await clients.addSecret(tenant, id);
    const credentials = Buffer.from(`${id}:${secret?.secret ?? ''}`).toString('base64');
    return { authorization: `Basic ${credentials}`, 'content-type': 'application/json' };
  };
  beforeAll(async () => {
    closed = await startServer({
      because: 'AUDIT where access is enforced',
      environment: { AUTH_MODE: 'enforced', AUDIT: 'on' },
    });
    db = new Client(closed.database.settings);
    await db.connect();
  });
  afterAll(async () => {
    await db.end();
    await closed.close();
  });

  it('only administrators of the tenant system make, change and remove tenants', async () => {
    const path = '/w/system/api/v1/tenants';
    const administrator = await headersOf('system', true);
    expect((await closed.request('GET', path)).status).toBe(401);
    expect((await closed.request('GET', path, undefined, await headersOf('system', false))).status).toBe(403);
    expect((await closed.request('POST', path, { name: 'nord' }, administrator)).status).toBe(201);
    const ofNord = await headersOf('nord', true);
    for (const method of ['GET', 'DELETE'])
      expect([401, 403]).toContain(
        (await closed.request(method, `${path}/nord?confirm=nord`, undefined, ofNord)).status,
      );
    expect((await closed.request('GET', `${path}/nord`, undefined, administrator)).status).toBe(200);
  });

  it('administrators export a tenant over HTTP and import another one of it, of the same bytes', async () => {
    const administrator = await headersOf('system', true);
    const ofNord = await headersOf('nord', false);
    const patient = { resourceType: 'Patient', id: 'moved' };
    const fhir = { ...ofNord, 'content-type': 'application/fhir+json' };
    await closed.request('PUT', `${closed.path('nord', 'r4')}/Patient/moved`, patient, fhir);
    const at = (name: string, what: string): string => `/w/system/api/v1/tenants/${name}/${what}`;
    const lines = { ...administrator, 'content-type': 'application/x-ndjson' };
    for (const [method, what] of [
      ['GET', 'export'],
      ['POST', 'import'],
    ] as const) {
      expect((await closed.request(method, at('nord', what))).status).toBe(401);
      expect([401, 403]).toContain(
        (await closed.request(method, at('nord', what), undefined, ofNord)).status,
      );
    }
    expect((await closed.request('GET', at('nobody', 'export'), undefined, administrator)).status).toBe(404);
    expect((await closed.request('GET', at('nord', 'export?current=1'), undefined, lines)).status).toBe(400);
    expect((await closed.request('POST', at('x', 'import'), '{}', administrator)).status).toBe(415);
    const out = await closed.request('GET', at('nord', 'export'), undefined, administrator);
    expect(out.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'cache-control': 'no-store',
    });
    expect(out.text).toContain('"type":"AuditEvent"');
    const cut = out.text.slice(0, out.text.lastIndexOf('{"end"'));
    const refused = await closed.request('POST', at('cut', 'import'), cut, lines);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('ends too early')]);
    const made = await closed.request('POST', at('sued', 'import'), out.text, lines);
    expect([made.status, made.json.name]).toEqual([201, 'sued']);
    const again = await closed.request('GET', at('sued', 'export'), undefined, administrator);
    expect(again.text.replace('"name":"sued"', '"name":"nord"')).toBe(out.text);
    // The clients came with it, and prove themselves as before.
    const read = await closed.request('GET', `${closed.path('sued', 'r4')}/Patient/moved`, undefined, ofNord);
    expect(read.status).toBe(200);
  });

  it('in open mode a purge requires the credentials of an administrator', async () => {
    const root = server.path('system', 'r4');
    const patient = { resourceType: 'Patient', id: 'kept' };
    await server.request('PUT', `${root}/Patient/kept`, patient);
    const refused = await server.request('POST', `${root}/Patient/kept/$purge`);
    expect([refused.status, refused.json.issue[0].code]).toEqual([403, 'forbidden']);
    expect(refused.text).toContain('PURGE_OPEN');
    expect((await server.request('GET', `${root}/Patient/kept`)).status).toBe(200);
  });

  it('a purge removes the audit records of the resource; only the record of the purge itself remains', async () => {
    const headers = { ...(await headersOf('system', true)), 'content-type': 'application/fhir+json' };
    const root = closed.path('system', 'r4');
    for (const id of ['anna', 'ann'])
      await closed.request('PUT', `${root}/Patient/${id}`, { resourceType: 'Patient', id }, headers);
    for (const query of ['Patient/ann', 'Patient/ann/_history', 'Patient/anna'])
      expect((await closed.request('GET', `${root}/${query}`, undefined, headers)).status).toBe(200);
    const recorded = async (name: string, besides: string): Promise<number> => {
      const { rows } = await db.query<{ count: number }>(
        `select (select count(*) from andiron.resource_version t where t::text ~ $1 and t::text !~ $2)::int
              + (select count(*) from andiron.access_record t, regexp_split_to_table(t.accesses, '\n') as line
                 where line ~ $1 and line !~ $2)::int as count`,
        [`${name}([^A-Za-z0-9.-]|$)`, besides],
      );
      return rows[0]?.count ?? 0;
    };
    // The resource itself, its making, and the reads.
    for (let attempt = 0; attempt < 200 && (await recorded('Patient/ann', 'nothing')) < 3; attempt++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await recorded('Patient/ann', 'nothing')).toBeGreaterThanOrEqual(3);
    const { status, json } = await closed.request('POST', `${root}/Patient/ann/$purge`, undefined, headers);
    expect([status, json.parameter[0]]).toEqual([200, { name: 'complete', valueBoolean: true }]);
    expect(await recorded('Patient/ann', 'purge')).toBe(0);
    expect(await recorded('Patient/anna', 'nothing')).toBeGreaterThanOrEqual(2);
  });
});
