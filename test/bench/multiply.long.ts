/** bench/multiply.mjs, by which a bench gets a million resources: two patients and their records, three times. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startServer, type TestServer } from '../support/server';
import { withClient } from '../support/services';

const run = promisify(execFile);
const ROOT = path.resolve(__dirname, '..', '..');
const R4 = '/w/system/api/v1/fhir/r4';
const COPIES = 3;
/** The distance of the keys of two copies, as in bench/multiply.mjs. */
const KEY_STEP = 2n ** 22n * 86_400_000n;
/** Columns in which a copy may differ from its original. */
const OWN = ['resource_key', 'target_key', 'target_keys', 'value_hash', 'low', 'high']
  .concat(['sort_date', 'last_updated', 'sequence'])
  .map((name) => `'${name}'`);
const TABLES = [
  'resource',
  'resource_version',
  'token_index',
  'reference_index',
  'range_index',
  'string_index',
  'uri_index',
];

let server: TestServer;
let space: number;
let usage: { readonly resources: number; readonly bytes: number };
let indexes: readonly unknown[];

async function get(address: string) {
  const { status, text } = await server.request('GET', `${R4}/${address}`);
  expect([status, text]).toEqual([200, expect.any(String)]);
  return JSON.parse(text);
}

const count = async (search: string): Promise<number> =>
  (await get(`${search}${search.includes('?') ? '&' : '?'}_summary=count`)).total;

const read = (statement: string): Promise<readonly Record<string, unknown>[]> =>
  withClient(server.database.settings, async (client) => (await client.query(statement)).rows);

const readIndexes = (): Promise<readonly unknown[]> =>
  read("select indexdef from pg_indexes where schemaname = 'andiron' order by indexname");

async function readUsage(): Promise<typeof usage> {
  const { status, text } = await server.request('GET', '/w/system/api/v1/tenants/system');
  expect(status).toBe(200);
  return JSON.parse(text).usage;
}

async function load(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-multiply-'));
  try {
    const generate = `import { generate } from './bench/generate.mjs';
      generate({ folder: process.argv[1], patients: 2, extra: 0 });`;
    await run(process.execPath, ['--input-type=module', '-e', generate, folder], { cwd: ROOT });
    const patients = await readFile(path.join(folder, 'patients.ndjson'), 'utf8');
    const shared = await readFile(path.join(folder, 'shared.json'), 'utf8');
    for (const bundle of [shared, ...patients.trim().split('\n')]) {
      const { status, text } = await server.request('POST', R4, JSON.parse(bundle));
      expect([status, text]).toEqual([200, expect.any(String)]);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

beforeAll(async () => {
  server = await startServer();
  await load();
  usage = await readUsage();
  indexes = await readIndexes();
  const [largest] = await read(
    'select space from andiron.resource group by space order by max(last_updated) desc limit 1',
  );
  space = Number(largest?.['space']);
  for (const table of TABLES)
    await read(`create table original_${table} as select * from andiron.${table} where space = ${space}`);
  const { host, port, user, password, database } = server.database.settings;
  const env = {
    ...process.env,
    ...{ PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: password, PGDATABASE: database },
  };
  await run(process.execPath, [path.join(__dirname, 'multiply-database.mjs'), String(COPIES)], { env });
});
afterAll(() => server.close());

it('searches find the copies, by names, dates, quantities and references', async () => {
  expect(await count('Patient')).toBe(2 * COPIES);
  const patients = await get('Patient?_sort=-_lastUpdated');
  const [copy] = patients.entry;
  const id = copy.fullUrl.split('/').at(-1);
  const { family } = copy.resource.name[0];
  expect(await count(`Patient?family:exact=${encodeURIComponent(family)}`)).toBe(COPIES);
  const observations = await count('Observation');
  const ofCopies = await Promise.all(
    patients.entry.map(({ fullUrl }: { fullUrl: string }) =>
      count(`Observation?subject=Patient/${fullUrl.split('/').at(-1)}`),
    ),
  );
  expect(ofCopies.reduce((sum, each) => sum + each, 0)).toBe(observations);
  expect(Math.min(...ofCopies)).toBeGreaterThan(0);
  expect(observations % COPIES).toBe(0);
  expect((await count('Observation?value-quantity=gt0')) % COPIES).toBe(0);
  expect(await count(`Observation?subject=Patient/${id}&date=gt1900`)).toBeGreaterThan(0);
});

it('each copy has all rows of its original, with the same values in the other columns', async () => {
  for (const table of TABLES) {
    const summary = `count(*)::int as rows, sum(hashtext((to_jsonb(t) - array[${OWN.join(', ')}])::text)) as values from`;
    const [original] = await read(`select ${summary} original_${table} t`);
    expect([table, original?.['rows']]).toEqual([table, expect.any(Number)]);
    for (let copy = 1; copy < COPIES; copy += 1) {
      const keys = `select resource_key + ${copy} * ${KEY_STEP} from original_${table}`;
      const copied = await read(
        `select ${summary} andiron.${table} t where space = ${space} and resource_key in (${keys})`,
      );
      expect([table, copied]).toEqual([table, [original]]);
    }
    expect(await read(`select count(*)::int as rows from andiron.${table} where space = ${space}`)).toEqual([
      { rows: Number(original?.['rows']) * COPIES },
    ]);
  }
  expect(await readIndexes()).toEqual(indexes);
});

it('each copy has an identifier of its own, and one version', async () => {
  const { entry } = await get('Patient');
  const [{ system, value }] = entry[0].resource.identifier;
  expect(await count(`Patient?identifier=${encodeURIComponent(`${system}|${value}`)}`)).toBe(1);
  for (const { fullUrl } of entry)
    expect((await get(`Patient/${fullUrl.split('/').at(-1)}/_history`)).total).toBe(1);
  expect((await get('Patient/_history')).total).toBe(2 * COPIES);
});

it('the tenant counts the copies, and its next write is the newest of its history', async () => {
  expect(await readUsage()).toEqual({ resources: usage.resources * COPIES, bytes: usage.bytes * COPIES });
  const patient = { resourceType: 'Patient', name: [{ family: 'Next' }] };
  expect((await server.request('POST', `${R4}/Patient`, patient)).status).toBe(201);
  const { entry } = await get('Patient/_history?_count=1');
  expect(entry[0].resource.name).toEqual(patient.name);
  expect(await readUsage()).toMatchObject({ resources: usage.resources * COPIES + 1 });
});
