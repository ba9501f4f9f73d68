/** Workers that hang, are suspended with the whole server, or are killed while it reloads. */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import { startProcess, type ServerProcess } from '../support/process';
import { workersOf, type WorkerServer } from '../support/worker-server';

/** Longer than a worker may hang. */
const SUSPENDED_MS = 70_000;
/** Time for several questions to the workers. */
const AFTERWARDS_MS = 5_000;
const PATIENCE_MS = 120_000;

let server: ServerProcess;
let workers: WorkerServer;
beforeAll(async () => {
  server = await startProcess({ environment: { WORKERS: '2' } });
  workers = workersOf(server);
});
afterAll(() => server.close());

async function pids(): Promise<readonly number[]> {
  return [...(await workers.answering()).keys()].sort((one, other) => one - other);
}

/** The processes that the first one has started. */
async function children(): Promise<readonly number[]> {
  const pid = server.processId;
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text
    .split(' ')
    .map(Number)
    .filter((child) => child > 0);
}

function logged(message: string, since: number): Promise<void> {
  return eventually(async () => (await workers.loggedBy(message, since)).length > 0, PATIENCE_MS);
}

it('a worker that hangs for less than a minute is left alone, and the log says when it answers again', async () => {
  const before = await pids();
  const since = await workers.outputLength();
  const [late = 0] = before;
  process.kill(late, 'SIGSTOP');
  await logged('a worker does not answer', since);
  process.kill(late, 'SIGCONT');
  await logged('a worker answers again', since);
  expect(await pids()).toEqual(before);
});

it('a server that was suspended as a whole goes on with the workers that it has', async () => {
  const before = await pids();
  const since = await workers.outputLength();
  for (const pid of [...before, server.processId]) process.kill(pid, 'SIGSTOP');
  await delay(SUSPENDED_MS);
  // The one that asks continues first.
  for (const pid of [server.processId, ...before]) {
    process.kill(pid, 'SIGCONT');
    await delay(1_000);
  }
  await delay(AFTERWARDS_MS);
  expect(await workers.loggedBy('a worker does not answer', since)).toEqual([]);
  expect(await pids()).toEqual(before);
});

it('a worker that hangs for longer is killed and replaced, while the other one answers', async () => {
  const before = await pids();
  const since = await workers.outputLength();
  const [hung = 0] = before;
  process.kill(hung, 'SIGSTOP');
  const statuses: (number | undefined)[] = [];
  const requests: Promise<unknown>[] = [];
  const isReplaced = async (): Promise<boolean> => {
    const sent = workers.ask('GET', '/health/ready').then(
      ({ status }) => status,
      () => undefined,
    );
    requests.push(sent.then((status) => statuses.push(status)));
    return (await workers.loggedBy('a worker has been started again', since)).length > 0;
  };
  await eventually(isReplaced, PATIENCE_MS);
  await Promise.all(requests);
  // It was given one connection.
  expect(statuses.filter((status) => status !== 200)).toEqual([undefined]);
  expect(await workers.loggedBy('a worker does not answer: it is killed', since)).toEqual([server.processId]);
  const after = await pids();
  expect(after).toHaveLength(2);
  expect(after).not.toContain(hung);
});

it('a worker that is killed during a reload is replaced once', async () => {
  const before = await pids();
  const since = await workers.outputLength();
  const slow = await workers.sendSlowly();
  process.kill(server.processId, 'SIGUSR2');
  await logged('stopping', since);
  const [replaced] = await workers.loggedBy('stopping', since);
  process.kill(before.find((pid) => pid !== replaced) ?? 0, 'SIGKILL');
  await logged('a worker has been started again', since);
  // Those of the worker that was killed are lost.
  const statuses = (await slow.finish()).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([201]));
  await logged('all workers are replaced', since);
  const after = await pids();
  expect(after).toHaveLength(2);
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
});

it('a reload also replaces a worker that starts when it is asked for', async () => {
  const [killed = 0] = await pids();
  const since = await workers.outputLength();
  process.kill(killed, 'SIGKILL');
  await logged('a worker has ended; another one takes its place', since);
  process.kill(server.processId, 'SIGUSR2');
  await logged('all workers are replaced', since);
  expect(await workers.loggedBy('stopping', since, '"replaced"')).toHaveLength(2);
  expect(await pids()).toHaveLength(2);
});

it('while a new worker hangs at its start, the others serve on, and the end of the server does not wait for it', async () => {
  const before = await pids();
  process.kill(server.processId, 'SIGUSR2');
  let hung: number | undefined;
  await eventually(async () => {
    hung = (await children()).find((pid) => !before.includes(pid));
    return hung !== undefined;
  });
  process.kill(hung ?? 0, 'SIGSTOP');
  expect(await pids()).toEqual(before);
  expect(await server.terminate()).toBe('with code 0');
  for (const pid of [...before, hung ?? 0]) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
