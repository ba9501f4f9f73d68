/**
 * Two processes, of which one writes and the other reads from a standby: no answer is older than what was acknowledged, whatever
 * becomes of the standby and of Redis.
 */
import { databaseOf, makeBackupFolder, type BackupFolder, type Cluster } from '../support/debian-postgres';
import { eventually } from '../support/eventually';
import { startTestRedis, type TestRedis } from '../support/redis';
import { runOnServer } from '../support/services';
import { startMeasured, type MeasuredServer } from './two-servers';

jest.setTimeout(600_000);

const OWNER = 'andiron_owner';
const OWNER_PASSWORD = 'owner-of-the-test';
const JSON_TYPE = { 'content-type': 'application/json' };

let backup: BackupFolder;
let primary: Cluster;
let standby: Cluster;
let redis: TestRedis;
let writer: MeasuredServer;
let reader: MeasuredServer;
let made = 0;

beforeAll(async () => {
  backup = await makeBackupFolder();
  primary = await backup.startCluster('primary');
  for (const statement of [
    `create role ${OWNER} login password '${OWNER_PASSWORD}'`,
    'create role andiron_application nologin',
    `grant andiron_application to ${OWNER}`,
    `create database andiron owner ${OWNER}`,
  ])
    await runOnServer(primary.settings, statement);
  redis = await startTestRedis();
  standby = await backup.startStandby(primary, 'standby');
  const environment = {
    REDIS_HOST: redis.host,
    REDIS_PORT: String(redis.port),
    PURGE_OPEN: 'on',
    AUDIT: 'off',
  };
  writer = await startMeasured(databaseOf(primary, OWNER, OWNER_PASSWORD), environment);
  reader = await startMeasured(databaseOf(primary, OWNER, OWNER_PASSWORD), {
    ...environment,
    // The database itself gives no notice: after a failover a standby of the list is the database.
    FHIR_DATABASE_REPLICAS: `127.0.0.1:${standby.settings.port},127.0.0.1:${primary.settings.port}`,
  });
});
afterAll(async () => {
  await Promise.all([writer.close(), reader.close()]);
  await redis.stop();
});

const answered = (outcome = 'answered'): Promise<number> =>
  reader.metric(`andiron_replica_reads_total{outcome="${outcome}"}`);

/**
 * Writes by one process and reads by the other, by id, by searches and by GraphQL; returns the answers that are older than
 * the write that was acknowledged before them.
 */
async function findStale(rounds: number): Promise<readonly string[]> {
  const path = `${writer.path('system', 'r4')}/Patient`;
  const stale: string[] = [];
  for (let round = 0; round < rounds; round++) {
    made += 1;
    const family = `family-${made}`;
    const id = `p${made % 7}`;
    const put = await writer.request('PUT', `${path}/${id}`, {
      resourceType: 'Patient',
      id,
      name: [{ family }],
      link: [{ other: { reference: `Patient/${id}` }, type: 'seealso' }],
    });
    expect([200, 201]).toContain(put.status);
    const answers = await Promise.all([
      reader.request('GET', `${path}/${id}`),
      reader.request('GET', `${path}?family=${family}`),
      reader.request('GET', `${path}?family=${family}&_include=Patient:link&_total=accurate`),
      reader.request('GET', `${path}/${id}/_history`),
      reader.request(
        'POST',
        '/w/system/api/v1/graphql/r4',
        {
          query: `{ PatientList(family: "${family}") { id name { family } link { other { resource { ... on Patient { name { family } } } } } } }`,
        },
        JSON_TYPE,
      ),
    ]);
    for (const { status, text } of answers)
      if (status !== 200 || !text.includes(`"${family}"`)) stale.push(`${status} ${text.slice(0, 200)}`);
  }
  return stale;
}

/** Searches for what was written last; returns the answers without it. */
async function findLastFamily(rounds: number): Promise<readonly string[]> {
  const family = `family-${made}`;
  const path = `${reader.path('system', 'r4')}/Patient?family=${family}&_include=Patient:link&_total=accurate`;
  const wrong: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const { status, text } = await reader.request('GET', path);
    if (status !== 200 || !text.includes(`"${family}"`)) wrong.push(`${status} ${text.slice(0, 200)}`);
  }
  return wrong;
}

/** Purges by one process and reads by the other; returns the answers that still have what was purged. */
async function findPurged(rounds: number): Promise<readonly string[]> {
  const path = `${writer.path('system', 'r4')}/Patient`;
  const found: string[] = [];
  for (let round = 0; round < rounds; round++) {
    made += 1;
    const [id, family] = [`gone${made}`, `purged-${made}`];
    await writer.request('PUT', `${path}/${id}`, { resourceType: 'Patient', id, name: [{ family }] });
    const purged = await writer.request('POST', `${path}/${id}/$purge`);
    expect(purged.status).toBe(200);
    const answers = await Promise.all([
      reader.request('GET', `${path}/${id}`),
      reader.request('GET', `${path}?family=${family}`),
    ]);
    for (const { text } of answers) if (text.includes(`"${family}"`)) found.push(text.slice(0, 200));
  }
  return found;
}

const isReady = async (notice?: RegExp): Promise<boolean> => {
  const { status, text } = await reader.request('GET', '/health/ready');
  return status === 200 && (notice === undefined || notice.test(text));
};

it('what another process has written is there in each answer, and a standby gives answers', async () => {
  expect(await findStale(60)).toEqual([]);
  await eventually(async () => {
    expect(await findStale(1)).toEqual([]);
    const path = `${reader.path('system', 'r4')}/Patient?family=none-${made}&_total=accurate`;
    const before = await answered();
    expect((await reader.request('GET', path)).status).toBe(200);
    return (await answered()) > before;
  });
  expect(await findPurged(5)).toEqual([]);
});

it('while the standby replays nothing, the database answers, and no purged resource is shown', async () => {
  await runOnServer(standby.settings, 'select pg_wal_replay_pause()');
  expect(await findStale(60)).toEqual([]);
  expect(await findPurged(5)).toEqual([]);
  expect(await answered('behind')).toBeGreaterThan(0);
  await eventually(() => isReady(/Replica 1 .* is behind/));
  await runOnServer(standby.settings, 'select pg_wal_replay_resume()');
  await eventually(async () => {
    expect(await findStale(1)).toEqual([]);
    return !(await isReady(/Replica/));
  });
});

it('without Redis, and with an empty one, nothing stale is shown', async () => {
  await runOnServer(standby.settings, 'select pg_wal_replay_pause()');
  await redis.stop();
  expect(await findStale(30)).toEqual([]);
  await redis.restart();
  expect(await findStale(30)).toEqual([]);
  expect(await findPurged(2)).toEqual([]);
  await runOnServer(standby.settings, 'select pg_wal_replay_resume()');
});

it('statements that recovery cancels are answered by the database', async () => {
  await backup.runScript(
    `echo "max_standby_streaming_delay = 0" >>"$PGDATA/postgresql.conf" && pg_ctl reload`,
    standby.variables,
  );
  const database = { ...primary.settings, database: 'andiron' };
  const before = await answered('cancelled');
  await eventually(async () => {
    expect(await findStale(2)).toEqual([]);
    await runOnServer(standby.settings, 'select pg_wal_replay_pause()');
    // Rows are replaced and removed, and the tenant's position stays, so that the standby is read meanwhile.
    await runOnServer(database, 'update andiron.string_index set space = space');
    await runOnServer(database, 'vacuum andiron.string_index');
    const searches = Promise.all(Array.from({ length: 8 }, () => findLastFamily(10)));
    await runOnServer(standby.settings, 'select pg_wal_replay_resume()');
    expect((await searches).flat()).toEqual([]);
    return (await answered('cancelled')) > before;
  });
});

it('a standby that is killed is named by the readiness, and used again when it is back', async () => {
  await backup.runScript('pg_ctl -m immediate stop', standby.variables);
  expect(await findStale(20)).toEqual([]);
  expect(await isReady(/Replica 1 of FHIR_DATABASE_REPLICAS cannot be used/)).toBe(true);
  await backup.runScript('pg_ctl -w -l "$PGDATA/log" start', standby.variables);
  const before = await answered();
  await eventually(async () => {
    expect(await findStale(1)).toEqual([]);
    return (await answered()) > before;
  });
});

it('the metrics have the connections to each replica', async () => {
  const of = (replica: number, state: string): Promise<number> =>
    reader.metric(`andiron_replica_connections{replica="${replica}",state="${state}"}`);
  expect(await of(1, 'total')).toBeGreaterThan(0);
  expect([await of(1, 'limit'), await of(2, 'limit'), await of(2, 'total')]).toEqual([6, 6, 0]);
});

it('a standby that is stopped in the middle delays no answer for long', async () => {
  const [line] = (await backup.runScript('head -1 "$PGDATA/postmaster.pid"', standby.variables)).split('\n');
  const stopped = `for p in $(pgrep -P ${line}) ${line}; do kill -STOP $p; done`;
  await backup.runScript(stopped, standby.variables);
  expect(await findStale(10)).toEqual([]);
  await backup.runScript(stopped.replaceAll('-STOP', '-CONT'), standby.variables);
  const before = await answered();
  await eventually(async () => {
    expect(await findStale(1)).toEqual([]);
    return (await answered()) > before;
  }, 60_000);
});

it('a standby that was promoted is not read any more', async () => {
  await backup.runScript('pg_ctl -w promote', standby.variables);
  expect(await findStale(20)).toEqual([]);
  await eventually(async () => {
    expect(await findStale(1)).toEqual([]);
    return isReady(/Replica 1 .* is not a standby of the database/);
  });
  const before = await answered();
  expect(await findStale(10)).toEqual([]);
  expect(await answered()).toBe(before);
});
