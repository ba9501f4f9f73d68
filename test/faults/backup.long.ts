/** The commands of docs/run/backup.md, as they stand there: what was saved is there again, and answers as before. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { readSchema } from '../support/database-schema';
import { databaseOf, makeBackupFolder, type BackupFolder, type Cluster } from '../support/debian-postgres';
import { OPEN, toEnvironment } from '../support/environment';
import { readBlock } from '../support/page-blocks';
import { startProcess, type ServerProcess } from '../support/process';
import { runOnServer } from '../support/services';
import { fillTenants, readAll, type Acknowledged } from './backup-data';

jest.setTimeout(600_000);

const OWNER = 'andiron_owner';
const OWNER_PASSWORD = 'owner-of-the-test';
/** One address for all processes: it is in the index and in every answer. */
const ENVIRONMENT = { ...OPEN, PUBLIC_URL: 'http://fhir.hospital.example' };

/** Runs a block of the page; `variables` beside those of the cluster. */
async function runBlock(
  backup: BackupFolder,
  cluster: Cluster,
  [heading, variables = {}]: readonly [heading: string, variables?: Readonly<Record<string, string>>],
): Promise<string> {
  const block = await readBlock('run/backup.md', heading);
  return backup.runScript(block, {
    ...cluster.variables,
    ...toEnvironment(databaseOf(cluster, OWNER, OWNER_PASSWORD)),
    ...ENVIRONMENT,
    BACKUP: backup.folder,
    ...variables,
  });
}

/** The roles and the database as docs/run/postgresql.md has them. */
async function createAndiron({ settings }: Cluster): Promise<void> {
  await runOnServer(settings, `create role ${OWNER} login password '${OWNER_PASSWORD}'`);
  await runOnServer(settings, 'create role andiron_application nologin');
  await runOnServer(settings, `grant andiron_application to ${OWNER}`);
  await runOnServer(settings, 'create database andiron');
  await runOnServer(settings, `grant create on database andiron to ${OWNER}`);
}

const start = (cluster: Cluster): Promise<ServerProcess> =>
  startProcess({ database: databaseOf(cluster, OWNER, OWNER_PASSWORD), environment: ENVIRONMENT });

async function expectReady(server: ServerProcess): Promise<void> {
  const { status, json } = await server.request('GET', '/health/ready');
  expect([status, json]).toEqual([200, { status: 'ready', notices: [] }]);
}

/** Resources that the role of requests sees without a space, and with each of the tenants'. */
async function countVisible(cluster: Cluster): Promise<readonly number[]> {
  const client = new Client(databaseOf(cluster, OWNER, OWNER_PASSWORD).settings);
  await client.connect();
  try {
    const { rows: spaces } = await client.query<{ number: string }>(
      'select number::text from andiron.space where tenant is not null order by 1',
    );
    await client.query('set role andiron_application');
    const counts: number[] = [];
    for (const space of ['', ...spaces.map(({ number }) => number)]) {
      await client.query(`select set_config('andiron.space', $1, false)`, [space]);
      const { rows } = await client.query<{ n: number }>('select count(*)::int as n from andiron.resource');
      counts.push(rows[0]?.n ?? -1);
    }
    return counts;
  } finally {
    await client.end();
  }
}

async function expectStored(server: ServerProcess, acknowledged: Acknowledged): Promise<void> {
  const found: Acknowledged = new Map();
  for (const address of acknowledged.keys()) found.set(address, (await server.request('GET', address)).text);
  expect(found).toEqual(acknowledged);
}

it('a dump is restored into an empty cluster with every version, search, tenant, role and policy', async () => {
  const backup = await makeBackupFolder();
  const first = await backup.startCluster('first');
  await createAndiron(first);
  const server = await start(first);
  await expectReady(server);
  const acknowledged = await fillTenants(server);
  const before = await readAll(server);
  const visible = await countVisible(first);
  expect(visible[0]).toBe(0);
  // Two tenants of two releases; their AuditEvents have spaces of their own.
  expect(visible.filter((count) => count > 0)).toHaveLength(4);
  const page = await server.request('GET', `${server.path('acme', 'r4')}/Patient?_count=2&_sort=_id`);
  const next = new URL(page.json.link.find((link: { relation: string }) => link.relation === 'next').url);

  await runBlock(backup, first, ['Dump']);
  const checked = await runBlock(backup, first, ['Check a dump']);
  expect(checked).toContain('The index matches the stored versions');
  await runBlock(backup, first, ['One tenant']);
  const ofTenant = `Patient/_history?_count=1000`;
  const [original, imported] = await Promise.all(
    ['acme', 'acme-restored'].map((name) => server.request('GET', `${server.path(name, 'r4')}/${ofTenant}`)),
  );
  expect(imported?.text.replaceAll('/w/acme-restored/', '/w/acme/')).toBe(original?.text);
  await server.terminate();
  await server.close();

  const second = await backup.startCluster('second');
  await runBlock(backup, second, ['Restore a dump']);
  const restored = await start(second);
  await expectReady(restored);
  await expectStored(restored, acknowledged);
  expect(await readAll(restored)).toEqual(before);
  const [schema, wanted] = await Promise.all(
    [second, first].map((cluster) => readSchema(databaseOf(cluster, OWNER, OWNER_PASSWORD).settings)),
  );
  expect(schema).toEqual(wanted);
  expect(await countVisible(second)).toEqual(visible);
  const following = await restored.request('GET', next.pathname + next.search);
  expect(following.status).toBe(200);
  expect(following.json.entry).toHaveLength(2);
  const looked = await runBlock(backup, second, ['After a restore']);
  expect(looked).toContain('The index matches the stored versions');
  expect(looked).toContain('acme');
  await expectStored(restored, await fillTenants(restored, 'later'));
  await restored.close();
});

describe('a recovery to a moment', () => {
  const ROOT = '/w/system/api/v1/fhir/r4';
  const patient = (family: string) => ({ resourceType: 'Patient', id: 'turning', name: [{ family }] });
  const system = 'http://hospital.example/wards';
  const valueSet = (code: string) => ({
    resourceType: 'ValueSet',
    id: 'wards',
    url: 'http://hospital.example/ValueSet/wards',
    status: 'active',
    compose: { include: [{ system, concept: [{ code }] }] },
  });

  /** Returns a process's answers: the patient, a search for it, the value set (which is in Redis) and the capabilities. */
  async function look(server: ServerProcess): Promise<readonly unknown[]> {
    const get = (address: string) => server.request('GET', `${ROOT}/${address}`);
    const [read, found, expanded, late] = [
      await get('Patient/turning'),
      await get('Patient?_id=turning,late'),
      await get('ValueSet/wards/$expand'),
      await get('Patient/late'),
    ];
    return [
      read.json.meta.versionId,
      read.json.name[0].family,
      found.json.entry.map((entry: ReturnType<typeof JSON.parse>) => entry.resource.name?.[0].family),
      expanded.json.expansion.contains.map(({ code }: { code: string }) => code),
      late.status,
    ];
  }

  async function put(server: ServerProcess, body: { readonly resourceType: string; readonly id: string }) {
    const { status } = await server.request('PUT', `${ROOT}/${body.resourceType}/${body.id}`, body);
    expect([200, 201]).toContain(status);
  }

  async function askTwice(server: ServerProcess): Promise<readonly unknown[]> {
    await look(server);
    return look(server);
  }

  it('has what was written before it and nothing of what came after, and no process and no Redis shows the lost time', async () => {
    const backup = await makeBackupFolder();
    const cluster = await backup.startCluster('cluster');
    await createAndiron(cluster);
    const variables = { ARCHIVE: `${backup.folder}/wal` };
    await runBlock(backup, cluster, ['Archive the WAL', variables]);
    const server = await start(cluster);
    const ofBase = await fillTenants(server, 'base');
    await runBlock(backup, cluster, ['Make a base backup', variables]);
    const ofArchive = await fillTenants(server, 'archived');
    await put(server, patient('Before'));
    await put(server, valueSet('before'));
    const running = await start(cluster);
    const before = ['1', 'Before', ['Before'], ['before'], 404];
    expect(await askTwice(running)).toEqual(before);
    const all = await readAll(server);

    const target = await findMoment(cluster);
    await put(server, patient('Lost'));
    await put(server, valueSet('lost'));
    await put(server, { resourceType: 'Patient', id: 'late' });
    const lost = await fillTenants(server, 'lost');
    expect(await askTwice(running)).toEqual([
      ...['2', 'Lost'],
      expect.arrayContaining(['Lost', undefined]),
      ...[['lost'], 200],
    ]);
    await server.terminate();
    await server.close();

    await runBlock(backup, cluster, ['Recover to a moment', { ...variables, TARGET: target }]);
    const recovered = await start(cluster);
    await expectReady(recovered);
    await expectStored(recovered, new Map([...ofBase, ...ofArchive]));
    expect(await readAll(recovered)).toEqual(all);
    for (const address of lost.keys()) expect((await recovered.request('GET', address)).status).toBe(404);
    expect(await askTwice(recovered)).toEqual(before);
    expect(await askTwice(running)).toEqual(before);

    // The same version ids and numbers as in the lost time, with another content.
    await put(recovered, patient('Again'));
    await put(recovered, valueSet('again'));
    const again = ['2', 'Again', ['Again'], ['again'], 404];
    expect(await askTwice(running)).toEqual(again);
    expect(await askTwice(recovered)).toEqual(again);
    await expectStored(recovered, await fillTenants(recovered, 'again'));
    await Promise.all([recovered.close(), running.close()]);
  });

  /** A moment of PostgreSQL's clock, with a pause on both sides. */
  async function findMoment({ settings }: Cluster): Promise<string> {
    await delay(200);
    const client = new Client(settings);
    await client.connect();
    const { rows } = await client.query<{ moment: string }>('select clock_timestamp()::text as moment');
    await client.end();
    await delay(200);
    return rows[0]?.moment ?? '';
  }
});
