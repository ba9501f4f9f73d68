/** The gauges that tell the state of a process: ready, Redis, connections, limits, asynchronous requests, version. */
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { Client } from 'pg';
import { throughForwarder } from '../faults/database-through';
import { startForwarder, type Forwarder } from '../faults/forwarder';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { eventually } from '../support/eventually';
import { startMeasuredServer, type MeasuredServer } from '../support/metrics';
import { startTestRedis, type TestRedis } from '../support/redis';

const ROOT = path.resolve(__dirname, '../..');

let database: TestDatabase;
let forwarder: Forwarder;
let redis: TestRedis;
let server: MeasuredServer;
beforeAll(async () => {
  [database, forwarder, redis] = await Promise.all([
    createTestDatabase(),
    startForwarder(),
    startTestRedis(),
  ]);
  server = await startMeasuredServer({
    database: throughForwarder(database, forwarder),
    environment: {
      REDIS_HOST: redis.host,
      REDIS_PORT: String(redis.port),
      MAX_CONNECTIONS: '20',
      DATABASE_CONNECTIONS: '12',
    },
  });
});
afterAll(async () => {
  await server.close();
  await redis.stop();
  await forwarder.close();
  await database.drop();
});

const has = (series: string, value: number): Promise<void> =>
  eventually(async () => (await server.metric(series)) === value);

it('andiron_redis_reachable follows Redis, and the process stays ready without it', async () => {
  await has('andiron_redis_reachable', 1);
  await redis.stop();
  await has('andiron_redis_reachable', 0);
  // While the database takes longer than half a second, the metric has its last value.
  await has('andiron_ready', 1);
  await redis.restart();
  await has('andiron_redis_reachable', 1);
});

/** The statements of the process until it has renewed its heartbeat once more. */
async function statementsOfBeat(): Promise<number> {
  const owner = new Client(database.settings);
  await owner.connect();
  const beat = async (): Promise<string> =>
    (await owner.query('select max(beat)::text as beat from andiron.server_process')).rows[0]?.beat;
  const nextBeat = async (): Promise<number> => {
    const last = await beat();
    await eventually(async () => (await beat()) !== last);
    const counts = (await server.metrics()).matchAll(
      /^andiron_sql_statement_duration_seconds_count\{lane="\w+"\} (\d+)$/gm,
    );
    return Array.from(counts, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0);
  };
  const before = await nextBeat();
  const after = await nextBeat();
  await owner.end();
  return after - before;
}

it('an idle process sends one statement for all background work: every ten seconds, every two without Redis', async () => {
  await has('andiron_redis_reachable', 1);
  expect(await statementsOfBeat()).toBe(1);
  await redis.stop();
  await has('andiron_redis_reachable', 0);
  // The heartbeat is written when it is older than five seconds.
  const statements = await statementsOfBeat();
  expect(statements).toBeGreaterThanOrEqual(1);
  expect(statements).toBeLessThanOrEqual(3);
  await redis.restart();
  await has('andiron_redis_reachable', 1);
});

it('andiron_ready is 0 while the database is away, and 1 again when it is back', async () => {
  expect(await server.metric('andiron_ready')).toBe(1);
  forwarder.cut();
  await has('andiron_ready', 0);
  expect((await server.request('GET', '/health/ready')).status).toBe(503);
  forwarder.point(database.settings.port);
  await has('andiron_ready', 1);
  expect((await server.request('GET', '/health/ready')).status).toBe(200);
});

it('a database that does not answer delays /metrics by half a second at most, and the next readings say 0', async () => {
  await has('andiron_ready', 1);
  forwarder.hang();
  const ended: string[] = [];
  const note = (what: string) => (): void => void ended.push(what);
  // It takes two seconds.
  const ready = server.request('GET', '/health/ready').then(note('/health/ready'));
  expect(await server.metrics().finally(note('/metrics'))).toContain('andiron_bytes_under_way 0');
  await has('andiron_ready', 0);
  await ready;
  expect(ended).toEqual(['/metrics', '/health/ready']);
  forwarder.breakOpen();
  await has('andiron_ready', 1);
});

it('andiron_client_connections counts the connections of clients, beside their limit', async () => {
  expect(await server.metric('andiron_client_connections_limit')).toBe(20);
  // The connections that the client of the tests keeps open.
  const before = await server.metric('andiron_client_connections');
  const { hostname, port } = new URL(server.base);
  const sockets: readonly Socket[] = Array.from({ length: 5 }, () => connect(Number(port), hostname));
  await has('andiron_client_connections', before + 5);
  for (const socket of sockets) socket.destroy();
  await has('andiron_client_connections', before);
});

it('the limits of the lanes add up to DATABASE_CONNECTIONS, and no lane has more connections', async () => {
  await server.request('GET', `${server.path('system', 'r4')}/Basic`);
  const lanes = ['read', 'write', 'transaction', 'search'];
  const valuesOf = (state: string): Promise<readonly number[]> =>
    Promise.all(
      lanes.map((lane) => server.metric(`andiron_database_connections{lane="${lane}",state="${state}"}`)),
    );
  const limits = await valuesOf('limit');
  expect(limits.reduce((sum, limit) => sum + limit, 0)).toBe(12);
  expect(Math.min(...limits)).toBeGreaterThan(0);
  const totals = await valuesOf('total');
  expect(totals.filter((total, index) => total > limits[index]!)).toEqual([]);
  expect(totals.at(-1)).toBeGreaterThan(0);
});

it('andiron_async_jobs counts the asynchronous requests that this process executes', async () => {
  expect(await server.metric('andiron_async_jobs{state="running"}')).toBe(0);
  const owner = new Client(database.settings);
  await owner.connect();
  await owner.query('begin; lock table andiron.resource in access exclusive mode');
  const wanted = { prefer: 'respond-async' };
  const { status } = await server.request('GET', `${server.path('system', 'r4')}/Basic`, undefined, wanted);
  expect(status).toBe(202);
  await has('andiron_async_jobs{state="running"}', 1);
  await owner.query('rollback');
  await owner.end();
  await has('andiron_async_jobs{state="running"}', 0);
  await has('andiron_async_jobs{state="unsaved"}', 0);
});

it('the heap and the memory have limits, within which the process is', async () => {
  expect(await server.metric('andiron_heap_limit_bytes')).toBe(getHeapStatistics().heap_size_limit);
  const limit = await server.metric('andiron_memory_limit_bytes');
  expect(await server.metric('process_resident_memory_bytes')).toBeLessThan(limit);
  // A limit that is not known would be a number that no machine has.
  expect(limit).toBeLessThan(2 ** 50);
});

it('andiron_build_info names the version, Node.js and the schema number', async () => {
  const { version } = (await import(path.join(ROOT, 'package.json'))) as { version: string };
  const steps = readdirSync(path.join(ROOT, 'migrations')).map((file) => Number.parseInt(file, 10));
  const schema = Math.max(...steps.filter((step) => !Number.isNaN(step)));
  const labels = `version="${version}",node="${process.versions.node}",schema="${schema}"`;
  expect(await server.metric(`andiron_build_info{${labels}}`)).toBe(1);
});

describe('the operator', () => {
  const SERVER = '/w/system/api/v1/server';
  const state = async () => (await server.request('GET', SERVER)).json;
  const portOf = ({ base }: { readonly base: string }): number => Number(new URL(base).port);
  interface Said {
    readonly answers: boolean;
    readonly report?: { readonly port: number; readonly version: string; readonly redis: boolean };
  }

  it('sees all processes with PostgreSQL, Redis and what waits, and without Redis that others say nothing', async () => {
    await has('andiron_redis_reachable', 1);
    const environment = { REDIS_HOST: redis.host, REDIS_PORT: String(redis.port) };
    const other = await startMeasuredServer({ database, environment });
    const ports = async (): Promise<readonly unknown[]> =>
      (await state()).processes.map(({ report }: Said) => report?.port).sort();
    const both = [portOf(server), portOf(other)].sort();
    await eventually(async () => (await ports()).join() === both.join());
    const { processes, database: found, redis: cache, queues } = await state();
    const [own] = processes.filter(({ answers }: Said) => answers);
    expect(own.report).toMatchObject({ port: portOf(server), redis: true, pid: process.pid });
    expect(own.report.connections.read).toMatchObject({ limit: expect.any(Number), waiting: 0 });
    expect(found.version).toMatch(/^\d+/);
    expect(found.connections).toBeGreaterThan(0);
    expect(found.tables[0].bytes).toBeGreaterThan(found.tables.at(-1).bytes);
    expect([cache.version, cache.keys]).toEqual([expect.stringMatching(/^\d/), expect.any(Number)]);
    expect(queues).toMatchObject({ jobs: [], deliveries: { subscriptions: 0, waiting: 0 } });
    await redis.stop();
    await has('andiron_redis_reachable', 0);
    await eventually(async () => !('redis' in (await state())));
    expect((await state()).processes).toHaveLength(2);
    expect(await ports()).toEqual([portOf(server), undefined]);
    await redis.restart();
    await has('andiron_redis_reachable', 1);
    await other.close();
    await eventually(async () => (await ports()).length === 1);
  });

  it('sees which limit a tenant has reached, and how often', async () => {
    await server.createTenant('eager', { 'rate-limit': '1/m' });
    const address = `${server.path('eager', 'r4')}/Patient`;
    const statuses = [];
    for (let time = 0; time < 3; time++) statuses.push((await server.request('GET', address)).status);
    expect(statuses).toEqual([200, 429, 429]);
    const limits = async (): Promise<unknown> =>
      (await state()).processes[0].report.limits.find(({ tenant }: { tenant: string }) => tenant === 'eager');
    await eventually(async () => (await limits()) !== undefined);
    expect(await limits()).toMatchObject({ error: 'tooManyRequests', status: 429, count: 2 });
  });

  it('sees the settings in force, with their sources and without secrets', async () => {
    const { json, text } = await server.request('GET', `${SERVER}/settings`);
    const settings = new Map(json.settings.map((one: { name: string }) => [one.name, one]));
    expect(settings.get('REDIS_PORT')).toMatchObject({ value: String(redis.port), default: '6379' });
    expect(settings.get('FHIR_DATABASE_PASSWORD')).toMatchObject({ value: '********' });
    expect(text).not.toContain(String(database.settings.password));
  });
});

it('andiron_ready is 0 from the moment that a server begins to stop', async () => {
  const stopping = await startMeasuredServer({ database, environment: { SHUTDOWN_DELAY_MS: '1000' } });
  await eventually(async () => (await stopping.metric('andiron_ready')) === 1);
  const closed = stopping.close();
  expect(await stopping.metric('andiron_ready')).toBe(0);
  await closed;
});
