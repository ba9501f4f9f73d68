/** Runs a Redis for the quick start and the tests: the machine's redis-server on loopback, without persistence. */
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Child, startChild } from './child';
import { findFreePort } from './free-port';

export interface EmbeddedRedis {
  readonly host: string;
  readonly port: number;
  readonly processId: number;
  stop(): Promise<void>;
}

/** Returns the file of a program on the PATH; undefined when there is none. */
export async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    const place = path.join(folder, name);
    if (
      folder !== '' &&
      (await access(place, constants.X_OK).then(
        () => true,
        () => false,
      ))
    )
      return place;
  }
  return undefined;
}

/** True when a Redis answers PING at this port of 127.0.0.1. The timeout is one second. */
function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    const finish = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(1_000, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (answer) => finish(answer.toString().startsWith('+PONG')));
  });
}

async function waitUntilReady(server: Child, port: number): Promise<boolean> {
  for (let waited = 0; waited < 10_000 && server.isRunning(); waited += 20) {
    if (await answersPing(port)) return server.isRunning();
    await delay(20);
  }
  return false;
}

/**
 * Starts `program` (a redis-server) on 127.0.0.1 at `port`, or at a free port.
 * @throws Error when it does not answer; each of five attempts takes up to 10 s
 */
export async function startEmbeddedRedis(program: string, port?: number): Promise<EmbeddedRedis> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const chosen = port ?? (await findFreePort());
    const folder = await mkdtemp(path.join(tmpdir(), 'andiron-redis-'));
    const network = ['--bind', '127.0.0.1', '--port', String(chosen)];
    const keepNothing = ['--save', '', '--appendonly', 'no', '--dir', folder, '--daemonize', 'no'];
    const memory = ['--maxmemory', '256mb', '--maxmemory-policy', 'allkeys-lru'];
    const server = await startChild(program, [...network, ...keepNothing, ...memory], {
      cwd: folder,
      stdio: 'ignore',
      lastSignal: 'SIGTERM',
      lastFolder: folder,
    });
    const stop = async (): Promise<void> => {
      await server.stop('SIGTERM', 5_000);
      await rm(folder, { recursive: true, force: true });
    };
    if (await waitUntilReady(server, chosen)) {
      return { host: '127.0.0.1', port: chosen, processId: server.processId, stop };
    }
    await stop();
  }
  throw new Error(`${program} did not start`);
}
