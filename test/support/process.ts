/** The real server as a process of its own, for tests that kill it or need two of them. */
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Release } from '../../src/core';
import { startChild } from '../../src/embedded/child';
import { createHttpClient, type HttpClient } from './http';
import { countStart } from './counts';
import { closedAtEnd } from './left-open';
import { createTestDatabase, type TestDatabase } from './database';
import { toEnvironment, toPath } from './environment';
import { MAIN, waitForPort, waitUntilReady } from './launch';
import type { TestServerOptions } from './server';

export interface ServerProcess extends Pick<HttpClient, 'request'> {
  readonly base: string;
  readonly processId: number;
  /** Its working directory, without a `.env`. */
  readonly folder: string;
  readonly database: TestDatabase;
  path(tenant: string, release: Release): string;
  root(tenant: string, release: Release): string;
  /** Everything that the process has written to its standard output and error. */
  output(): Promise<string>;
  isRunning(): boolean;
  /** Resolves with how the process ended, such as `with code 0` or `by SIGKILL`. */
  readonly ended: Promise<string>;
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with how the process ended. */
  terminate(): Promise<string>;
  /** Ends the process if it still runs, and drops the database unless it was given. */
  close(): Promise<void>;
}

export interface ProcessOptions extends TestServerOptions {
  /** Default: the server chooses a free one, and logs it; without its log a port is needed. */
  readonly port?: number;
  /** Folder of the program, with `dist/src/main.js`; default this one. */
  readonly program?: string;
}

/**
 * Starts `node dist/src/main.js` on a free port and waits until it says that it is ready.
 * @throws Error with the output of the process when it is not ready within two minutes
 */
export async function startProcess(options: ProcessOptions = {}): Promise<ServerProcess> {
  countStart();
  const database = options.database ?? (await createTestDatabase());
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-process-'));
  const logFile = path.join(folder, 'output');
  const log = await open(logFile, 'w');
  const main = options.program === undefined ? MAIN : path.join(options.program, 'dist', 'src', 'main.js');
  const child = await startChild(process.execPath, [main], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      ...toEnvironment(database),
      LOG_LEVEL: 'info',
      // The server chooses: between a look for a free port and its use another test may have taken it.
      PORT: String(options.port ?? 0),
      ...options.environment,
    },
    stdio: ['ignore', log.fd, log.fd],
    lastSignal: 'SIGKILL',
    lastFolder: folder,
  });
  await log.close();
  const output = (): Promise<string> => readFile(logFile, 'utf8');
  const end = async (): Promise<void> => {
    await child.stop('SIGKILL', 5_000);
    await rm(folder, { recursive: true, force: true });
    if (options.database === undefined) await database.drop();
  };

  const port = options.port ?? (await waitForPort(output, child));
  const base = `http://127.0.0.1:${port ?? 0}`;
  if (port === undefined || !(await waitUntilReady(base, child))) {
    const written = await output();
    await end();
    throw new Error(`The server did not become ready:\n${written}`);
  }
  const client = createHttpClient(base);
  const close = closedAtEnd(async () => {
    client.close();
    await end();
  });

  return {
    base,
    processId: child.processId,
    folder,
    database,
    path: toPath,
    root: (tenant, release) => base + toPath(tenant, release),
    request: (...sent) => client.request(...sent),
    output,
    isRunning: () => child.isRunning(),
    ended: child.ended,
    kill: () => child.stop('SIGKILL', 5_000),
    async terminate() {
      await child.stop('SIGTERM', 30_000);
      return child.ended;
    },
    close,
  };
}
