/** A server of several worker processes, as `andiron serve --workers 2` runs it. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../../src/embedded/free-port';
import { subscribeByEvents, subscribeBySocket } from '../graphql/live/subscriber';
import { ASYNC, pathOf, waitForExport } from '../support/bulk';
import { eventually } from '../support/eventually';
import { type ServerProcess, startProcess } from '../support/process';
import { ALONE, type WorkerServer, workersOf } from '../support/worker-server';

const WORKERS = 2;

let server: ServerProcess;
let ask: WorkerServer['ask'];
let loggedBy: WorkerServer['loggedBy'];
let outputLength: WorkerServer['outputLength'];
let answering: WorkerServer['answering'];
let sendSlowly: WorkerServer['sendSlowly'];
let metricsPort: number;
beforeAll(async () => {
  metricsPort = await findFreePort();
  server = await startProcess({
    because: 'WORKERS',
    environment: {
      WORKERS: String(WORKERS),
      METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
      SHUTDOWN_TIMEOUT_MS: '60000',
    },
  });
  ({ ask, loggedBy, outputLength, answering, sendSlowly } = workersOf(server));
});
afterAll(() => server.close());

/** A worker that is still taking a connection misses its turn. */
function expectTurns(counts: ReadonlyMap<number, number>): void {
  expect(counts.size).toBe(WORKERS);
  for (const count of counts.values()) expect(count).toBeGreaterThanOrEqual(5);
}

async function readMetric(pattern: RegExp): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(pattern.exec(text)?.[1]);
}

const SERVING = /^andiron_workers\{state="serving"\} (\d+)$/m;
const LIVE_QUERIES = /^andiron_live_queries (\d+)$/m;
const SEARCHES = /^andiron_request_duration_seconds_count\{interaction="search-type",status="2xx"\} (\d+)$/m;

it('says once that it listens, and all workers answer at its port in turn', async () => {
  expect(await loggedBy('listening')).toEqual([server.processId]);
  expectTurns(await answering(20));
});

it('the metrics of all workers are at one address, as sums', async () => {
  const before = await readMetric(SEARCHES);
  await answering(20);
  expect((await readMetric(SEARCHES)) - before).toBe(20);
  expect(await readMetric(SERVING)).toBe(WORKERS);
  expect(await readMetric(/^andiron_ready (\d+)$/m)).toBe(1);
  expect(await readMetric(/^andiron_build_info\{.*\} (\d+)$/m)).toBe(1);
});

it('the metrics have the processor time and files of the process that starts the workers, apart from theirs', async () => {
  const PROCESS = 'process="first"';
  for (const labels of ['', `\\{${PROCESS}\\}`]) {
    expect(await readMetric(new RegExp(`^process_cpu_seconds_total${labels} (\\S+)$`, 'm'))).toBeGreaterThan(
      0,
    );
    const open = await readMetric(new RegExp(`^process_open_fds${labels} (\\d+)$`, 'm'));
    expect(open).toBeGreaterThan(0);
    expect(await readMetric(new RegExp(`^process_max_fds${labels} (\\d+)$`, 'm'))).toBeGreaterThan(open);
  }
});

it('live queries by events and by WebSockets hear of writes at every worker', async () => {
  const options = { base: server.base, variables: { type: 'Basic' } };
  const subscribers = await Promise.all([
    ...Array.from({ length: 4 }, () => subscribeByEvents(options)),
    ...Array.from({ length: 4 }, () => subscribeBySocket(options)),
  ]);
  try {
    await eventually(async () => (await readMetric(LIVE_QUERIES)) === subscribers.length);
    const base = `${server.path('system', 'r4')}/Basic`;
    for (const id of ['one', 'two', 'three', 'four'])
      expect(
        (await ask('PUT', `${base}/${id}`, { resourceType: 'Basic', id, code: { text: id } })).status,
      ).toBe(201);
    for (const subscriber of subscribers)
      expect((await subscriber.received(4)).map(({ id }) => id)).toEqual(['one', 'two', 'three', 'four']);
  } finally {
    for (const subscriber of subscribers) subscriber.close();
  }
});

it('an export that one worker has taken is told, and its files are sent, by each of them', async () => {
  const root = server.path('system', 'r4');
  await ask('PUT', `${root}/Organization/exported`, {
    resourceType: 'Organization',
    id: 'exported',
    name: 'x',
  });
  const begun = await ask('GET', `${root}/$export?_type=Organization`, undefined, ASYNC);
  expect(begun.status).toBe(202);
  const state = await waitForExport(server, pathOf(begun), ALONE);
  const [{ url }] = state.json.output as readonly [{ readonly url: string }];
  const files = await Promise.all(Array.from({ length: 4 }, () => ask('GET', new URL(url).pathname)));
  for (const { status, text } of files) {
    expect(status).toBe(200);
    expect(text).toContain('"id":"exported"');
  }
});

it('a worker that is killed is replaced, and the sums of the metrics do not fall', async () => {
  const [killed = 0] = [...(await answering(4)).keys()];
  const before = await readMetric(SEARCHES);
  const since = await outputLength();
  process.kill(killed, 'SIGKILL');
  await eventually(
    async () => (await loggedBy('a worker has ended; another one takes its place', since)).length === 1,
  );
  await eventually(async () => (await readMetric(SERVING)) === WORKERS);
  const counts = await answering(20);
  expect(counts.has(killed)).toBe(false);
  expectTurns(counts);
  expect(await readMetric(SEARCHES)).toBeGreaterThanOrEqual(before + 20);
});

it('a worker that hangs is given one connection, which ends when it is killed; the other one answers meanwhile', async () => {
  const [hung = 0] = [...(await answering(4)).keys()];
  process.kill(hung, 'SIGSTOP');
  const statuses: number[] = [];
  const requests = Array.from({ length: 10 }, async () => {
    const { status } = await ask('GET', '/health/live');
    statuses.push(status);
  });
  const settled = Promise.allSettled(requests);
  await eventually(() => statuses.length >= 9);
  process.kill(hung, 'SIGKILL');
  const { length: lost } = (await settled).filter(({ status }) => status === 'rejected');
  expect(lost).toBe(1);
  expect(new Set(statuses)).toEqual(new Set([200]));
  await eventually(async () => (await readMetric(SERVING)) === WORKERS);
});

it('SIGUSR2 replaces all workers without a request that fails', async () => {
  const before = await answering(20);
  const sums = await readMetric(SEARCHES);
  const since = await outputLength();
  let isOver = false;
  const path = `${server.path('system', 'r4')}/Basic`;
  const statuses = new Map<number, number>();
  const client = async (number: number): Promise<void> => {
    for (let sent = 0; !isOver; sent++) {
      const body = { resourceType: 'Basic', code: { text: String(number) } };
      // Half of the connections are kept.
      const { status } = await server.request('POST', path, body, sent % 2 === 0 ? ALONE : {});
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const ready = async (): Promise<void> => {
    while (!isOver) {
      expect((await ask('GET', '/health/ready')).status).toBe(200);
      await delay(20);
    }
  };
  // Requests that begin before a worker is replaced, and are answered afterwards.
  const slow = await sendSlowly();
  const replaced = eventually(async () => (await loggedBy('stopping', since, '"replaced"')).length > 0);
  const late = replaced.then(() => slow.finish());
  const clients = Promise.all([...Array.from({ length: 8 }, (_, number) => client(number)), ready()]);
  process.kill(server.processId, 'SIGUSR2');
  await eventually(async () => (await loggedBy('all workers are replaced', since)).length === 1);
  isOver = true;
  await clients;
  expect([...statuses.keys()]).toEqual([201]);
  expect((await late).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201));
  // Those of the worker that was replaced meanwhile.
  expect((await late).filter(({ connection }) => connection === 'close').length).toBeGreaterThan(0);
  const after = await answering(20);
  expect([...after.keys()].filter((pid) => before.has(pid))).toEqual([]);
  expectTurns(after);
  expect(await readMetric(SEARCHES)).toBe(sums + 20);
});

it('a reload with a wrong .env leaves the workers as they are, and one with a right one takes it, but for HOST and PORT', async () => {
  const before = [...(await answering(20)).keys()].sort();
  const since = await outputLength();
  const file = path.join(server.folder, '.env');
  await writeFile(file, 'HOST=127.0.0.2\nMAX_SUBSCRIPTIONS=many\n');
  process.kill(server.processId, 'SIGUSR2');
  const FAILED = 'a new worker did not start: the others serve on, and the reload ends';
  await eventually(async () => (await loggedBy(FAILED, since)).length === 1);
  expect((await server.output()).slice(since)).toMatch(/MAX_SUBSCRIPTIONS.*many/);
  expect([...(await answering(20)).keys()].sort()).toEqual(before);
  await writeFile(file, 'HOST=127.0.0.2\nPORT=1\nPUBLIC_URL=http://127.0.0.1:1\n');
  process.kill(server.processId, 'SIGUSR2');
  await eventually(async () => (await loggedBy('all workers are replaced', since)).length === 1);
  const found = await ask('GET', `${server.path('system', 'r4')}/Patient?_count=0`);
  expect(found.json.link[0].url).toMatch(/^http:\/\/127\.0\.0\.1:1\//);
});

it('SIGTERM during a reload ends it with code 0 when all workers have answered what they had begun', async () => {
  const workers = [...(await answering(20)).keys()];
  const since = await outputLength();
  const slow = await sendSlowly();
  process.kill(server.processId, 'SIGUSR2');
  await eventually(async () => (await loggedBy('stopping', since, '"replaced"')).length === 1);
  // A signal so long after another one would end a process at once.
  await delay(1_500);
  const end = server.terminate();
  await eventually(async () => (await loggedBy('stopping', since, '"SIGTERM"')).length >= WORKERS);
  const answers = await slow.finish();
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201));
  expect(await end).toBe('with code 0');
  for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
