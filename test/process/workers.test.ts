/** A server of several worker processes, as `andiron serve --workers 2` runs it. */
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../../src/embedded/free-port';
import { subscribeByEvents, subscribeBySocket } from '../graphql/live/subscriber';
import { ASYNC, pathOf, waitForExport } from '../support/bulk';
import { eventually } from '../support/eventually';
import type { Answer } from '../support/http';
import { type ServerProcess, startProcess } from '../support/process';

const WORKERS = 2;
/** Each request has a connection of its own: connections go to the workers in turn. */
const ALONE = { connection: 'close' };

let server: ServerProcess;
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
});
afterAll(() => server.close());

function ask(method: string, path: string, body?: unknown, headers = {}): Promise<Answer> {
  return server.request(method, path, body, { ...ALONE, ...headers });
}

/** The numbers of the processes that have logged such a line, each as often as it has. */
async function loggedBy(message: string, since = 0, words = ''): Promise<readonly number[]> {
  const lines = (await server.output()).slice(since).split('\n');
  return lines
    .filter((line) => line.includes(`"msg":"${message}"`) && line.includes(words))
    .map((line) => (JSON.parse(line) as { readonly pid: number }).pid);
}

async function outputLength(): Promise<number> {
  return (await server.output()).length;
}

/** The workers that answer requests now, with how many of `requests` each has answered. */
async function answering(requests = 20): Promise<ReadonlyMap<number, number>> {
  const since = await outputLength();
  const path = `${server.path('system', 'r4')}/Patient?_count=0`;
  for (let sent = 0; sent < requests; sent++) expect((await ask('GET', path)).status).toBe(200);
  const counts = new Map<number, number>();
  const answered = (): Promise<readonly number[]> => loggedBy('request', since, '"search-type"');
  await eventually(async () => (await answered()).length >= requests);
  for (const pid of await answered()) counts.set(pid, (counts.get(pid) ?? 0) + 1);
  return counts;
}

/** A worker that is still taking a connection misses its turn. */
function expectTurns(counts: ReadonlyMap<number, number>): void {
  expect(counts.size).toBe(WORKERS);
  for (const count of counts.values()) expect(count).toBeGreaterThanOrEqual(5);
}

/** Sends a Basic whose end waits, on a connection that the client would keep. */
function postSlowly(
  path: string,
  end: Promise<unknown>,
): Promise<{ readonly status: number | undefined; readonly connection: string | undefined }> {
  const body = JSON.stringify({ resourceType: 'Basic', code: { text: 'slow' } });
  const headers = { 'content-type': 'application/fhir+json', 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: true });
    const sent = request(server.base + path, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().once('end', () => {
        agent.destroy();
        resolve({ status: answer.statusCode, connection: answer.headers.connection });
      });
    });
    sent.once('error', reject);
    sent.write(body.slice(0, 5));
    void end.then(() => sent.end(body.slice(5)));
  });
}

async function readMetric(pattern: RegExp): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(pattern.exec(text)?.[1]);
}

const SEARCHES = /^andiron_request_duration_seconds_count\{interaction="search-type",status="2xx"\} (\d+)$/m;

it('says once that it listens, and all workers answer at its port in turn', async () => {
  expect(await loggedBy('listening')).toEqual([server.processId]);
  expectTurns(await answering(20));
});

it('the metrics of all workers are at one address, as sums', async () => {
  const before = await readMetric(SEARCHES);
  await answering(20);
  expect((await readMetric(SEARCHES)) - before).toBe(20);
  expect(await readMetric(/^andiron_workers\{state="serving"\} (\d+)$/m)).toBe(WORKERS);
  expect(await readMetric(/^andiron_ready (\d+)$/m)).toBe(1);
  expect(await readMetric(/^andiron_build_info\{.*\} (\d+)$/m)).toBe(1);
});

it('live queries by events and by WebSockets hear of writes at every worker', async () => {
  const options = { base: server.base, variables: { type: 'Basic' } };
  const subscribers = await Promise.all([
    ...Array.from({ length: 4 }, () => subscribeByEvents(options)),
    ...Array.from({ length: 4 }, () => subscribeBySocket(options)),
  ]);
  try {
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
  await eventually(async () => (await readMetric(/^andiron_workers\{state="serving"\} (\d+)$/m)) === WORKERS);
  const counts = await answering(20);
  expect(counts.has(killed)).toBe(false);
  expectTurns(counts);
  expect(await readMetric(SEARCHES)).toBeGreaterThanOrEqual(before + 20);
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
  const replaced = eventually(async () => (await loggedBy('stopping', since, '"replaced"')).length > 0);
  const slow = Array.from({ length: 8 }, () => postSlowly(path, replaced));
  const clients = Promise.all([...Array.from({ length: 8 }, (_, number) => client(number)), ready()]);
  process.kill(server.processId, 'SIGUSR2');
  await eventually(async () => (await loggedBy('all workers are replaced', since)).length === 1);
  isOver = true;
  await clients;
  expect([...statuses.keys()]).toEqual([201]);
  const late = await Promise.all(slow);
  expect(late.map(({ status }) => status)).toEqual(late.map(() => 201));
  // Those of the worker that was replaced meanwhile.
  expect(late.filter(({ connection }) => connection === 'close').length).toBeGreaterThan(0);
  const after = await answering(20);
  expect([...after.keys()].filter((pid) => before.has(pid))).toEqual([]);
  expectTurns(after);
  expect(await readMetric(SEARCHES)).toBe(sums + 20);
});

it('SIGTERM ends it with code 0 when all workers have answered what they had begun', async () => {
  const body = { resourceType: 'Patient', id: 'late' };
  const writes = Array.from({ length: 50 }, () =>
    ask('PUT', `${server.path('system', 'r4')}/Patient/late`, body),
  );
  await Promise.race(writes);
  const workers = new Set(await loggedBy('request'));
  expect(await server.terminate()).toBe('with code 0');
  const answered = (await Promise.allSettled(writes)).flatMap((one) =>
    one.status === 'fulfilled' ? [one.value.status] : [],
  );
  expect(answered.filter((status) => status !== 200 && status !== 201)).toEqual([]);
  for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
