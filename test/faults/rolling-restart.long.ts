/** Two servers behind nginx with its default settings, restarted one after the other: no client notices. */
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../../src/embedded/free-port';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { eventually } from '../support/eventually';
import { createHttpClient, type HttpClient } from '../support/http';
import { startNginx, type Nginx } from '../support/nginx';
import { startProcess, type ServerProcess } from '../support/process';

const CLIENTS = 6;
/** nginx sends nothing to a server for 10 s after one refused connection; then it tries it again. */
const AGAIN_WITHIN_MS = 60_000;
const DELAY_MS = 500;

let database: TestDatabase;
let nginx: Nginx;
let ports: readonly [number, number];
let servers: [ServerProcess, ServerProcess];
const start = (port: number): Promise<ServerProcess> =>
  startProcess({ database, port, environment: { SHUTDOWN_DELAY_MS: String(DELAY_MS) } });

beforeAll(async () => {
  database = await createTestDatabase();
  ports = [await findFreePort(), await findFreePort()];
  servers = [await start(ports[0]), await start(ports[1])];
  nginx = await startNginx(ports);
});
afterAll(async () => {
  await nginx.close();
  await Promise.all(servers.map((server) => server.close()));
  await database.drop();
});

interface Load {
  /** Requests that were answered as they should be. */
  readonly answered: () => number;
  readonly failures: readonly string[];
  /** Resolves with the names of all resources that were acknowledged. */
  stop(): Promise<readonly string[]>;
}

/** Clients that create, update, read and ask by GraphQL, each one request after the other. */
function load(): Load {
  const failures: string[] = [];
  const stored: string[] = [];
  let answered = 0;
  let isStopped = false;
  const root = servers[0].path('system', 'r4');
  const patient = (family: string): object => ({ resourceType: 'Patient', name: [{ family }] });
  async function one(client: HttpClient, number: number, step: number): Promise<void> {
    const id = `restart-${number}-${step - (step % 4)}`;
    const { status, text, headers } = await [
      () => client.request('PUT', `${root}/Patient/${id}`, { ...patient('a'), id }),
      () => client.request('GET', `${root}/Patient/${id}`),
      () => client.request('POST', `${root}/Patient`, patient('b')),
      () => client.request('POST', `${root}/$graphql`, { query: `{ Patient(id: "${id}") { id } }` }),
    ][step % 4]!();
    if (status !== [201, 200, 201, 200][step % 4])
      failures.push(`step ${step % 4}: ${status} ${text.slice(0, 300)}`);
    else answered++;
    const [, name] = /\/(Patient\/[^/]+)\/_history/.exec(headers.location ?? '') ?? [];
    if (name !== undefined) stored.push(name);
  }
  const clients = Array.from({ length: CLIENTS }, async (_, number) => {
    const client = createHttpClient(nginx.base);
    for (let step = 0; !isStopped; step++) {
      await one(client, number, step).catch((error: unknown) => failures.push(String(error)));
      // Clients look at what they got before they ask again.
      await delay(20);
    }
    client.close();
  });
  return {
    failures,
    answered: () => answered,
    async stop() {
      isStopped = true;
      await Promise.all(clients);
      return stored;
    },
  };
}

/** Returns the number of connections to a port of this machine that the kernel has opened for a process. */
async function waitingConnections(port: string): Promise<number> {
  const address = `0100007F:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  return lines.filter(([, local, , state]) => local === address && state === '01').length;
}

/** Resolves when the server has answered requests that nginx gave it. */
async function isUsed(server: ServerProcess): Promise<void> {
  await eventually(
    async () => /"interaction":"(create|update)"/.test(await server.output()),
    AGAIN_WITHIN_MS,
  );
}

it('loses no request, whichever it was', async () => {
  const clients = load();
  for (const which of [0, 1] as const) {
    const before = clients.answered();
    await eventually(() => clients.answered() > before + 50, 30_000);
    expect(await servers[which].terminate()).toBe('with code 0');
    await servers[which].close();
    servers[which] = await start(ports[which]);
    await isUsed(servers[which]);
  }
  const stored = await clients.stop();
  expect(clients.failures).toEqual([]);
  const client = createHttpClient(nginx.base);
  for (const name of stored) {
    const { status } = await client.request('GET', `${servers[0].path('system', 'r4')}/${name}`);
    expect([name, status]).toEqual([name, 200]);
  }
  client.close();
});

it('says that it is not ready before it refuses connections, and asks clients to use another one', async () => {
  const server = await start(await findFreePort());
  const ready = await server.request('GET', '/health/ready');
  expect([ready.status, ready.headers.connection]).toEqual([200, 'keep-alive']);
  const ended = server.terminate();
  await eventually(async () => (await fetch(`${server.base}/health/ready`)).status === 503, 5_000);
  const notReady = await fetch(`${server.base}/health/ready`);
  expect(await notReady.json()).toEqual({
    status: 'not ready',
    notices: ['The server is being stopped: send requests to another one'],
  });
  const read = await fetch(`${server.root('system', 'r4')}/metadata`);
  expect([read.status, read.headers.get('connection')]).toEqual([200, 'close']);
  await read.arrayBuffer();
  expect(await ended).toBe('with code 0');
  await expect(fetch(`${server.base}/health/ready`)).rejects.toThrow();
  await server.close();
});

it('resets no connection of clients that ask without a pause', async () => {
  const server = await startProcess({ database });
  const address = `${server.root('system', 'r4')}/Patient/$validate`;
  // Work for milliseconds, so that others always wait to be accepted.
  const patient = JSON.stringify({ resourceType: 'Patient', name: Array(3000).fill({ family: 'a' }) });
  let answered = 0;
  // Each request has a connection of its own, as those of nginx.
  const ask = (): Promise<string> =>
    new Promise((resolve) => {
      const asked = request(
        address,
        { method: 'POST', agent: false, headers: { 'content-type': 'application/json' } },
        (response) => {
          answered++;
          response.resume().on('end', () => resolve(String(response.statusCode)));
        },
      );
      asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      asked.end(patient);
    });
  const clients = Array.from({ length: 48 }, async () => {
    let outcome = '200';
    while (outcome === '200') outcome = await ask();
    return outcome;
  });
  await eventually(() => answered > 100, 30_000);
  expect(await server.terminate()).toBe('with code 0');
  expect(await Promise.all(clients)).toEqual(clients.map(() => 'ECONNREFUSED'));
  await server.close();
});

it('answers requests whose connections waited to be accepted when it was stopped', async () => {
  const server = await startProcess({ database });
  process.kill(server.processId, 'SIGSTOP');
  const answers = Array.from({ length: 50 }, () =>
    fetch(`${server.root('system', 'r4')}/metadata?_format=json`),
  );
  // The kernel has accepted them: the process knows none of them yet.
  await eventually(
    async () => (await waitingConnections(new URL(server.base).port)) >= answers.length,
    10_000,
  );
  process.kill(server.processId, 'SIGTERM');
  process.kill(server.processId, 'SIGCONT');
  expect(await Promise.all(answers.map(async (answer) => (await answer).status))).toEqual(
    answers.map(() => 200),
  );
  expect(await server.ended).toBe('with code 0');
  await server.close();
});
