/** The servers that the workers of a test run share: one for each worker, a process of its own, started on demand. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startChild } from '../../src/embedded/child';
import { findFreePort } from '../../src/embedded/free-port';
import { toEnvironment } from './environment';
import { MAIN, waitUntilReady } from './launch';
import { findServices, runOnServer } from './services';
import { copyTemplate } from './template';

interface SharedServers {
  /** A GET of `{address}/{worker}` answers with the base of the server of that worker. */
  readonly address: string;
  stop(): Promise<void>;
}

async function start(worker: string): Promise<{ base: string; stop(): Promise<void> }> {
  const database = await copyTemplate(`shared_${worker}`);
  const port = await findFreePort();
  const child = await startChild(process.execPath, [MAIN, `worker-${worker}`], {
    cwd: '/',
    env: { PATH: process.env['PATH'], ...toEnvironment(database), PORT: String(port) },
    stdio: 'ignore',
    lastSignal: 'SIGKILL',
  });
  const base = `http://127.0.0.1:${port}`;
  if (!(await waitUntilReady(base, child))) throw new Error('The shared server did not become ready');
  return {
    base,
    async stop() {
      await child.stop('SIGKILL', 5_000);
      const { server } = findServices();
      await runOnServer(server, `drop database if exists "${database.settings.database}" with (force)`);
    },
  };
}

export async function openSharedServers(): Promise<SharedServers> {
  const started = new Map<string, ReturnType<typeof start>>();
  const http = createServer((request, response) => {
    const worker = (request.url ?? '/').slice(1);
    const server = started.get(worker) ?? start(worker);
    started.set(worker, server);
    server.then(
      ({ base }) => response.end(base),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    async stop() {
      http.closeAllConnections();
      http.close();
      for (const server of started.values()) {
        const running = await server.catch(() => undefined);
        await running?.stop();
      }
    },
  };
}
