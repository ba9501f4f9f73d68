/**
 * The servers that the workers of a test run share: for each worker one of each kind, a process of its own, started on
 * demand.
 */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { startChild } from '../../src/embedded/child';
import { findFreePort } from '../../src/embedded/free-port';
import { toBasic, WITH_LOCAL_KEYS } from './access';
import { OPEN, toEnvironment } from './environment';
import { CLI, MAIN, waitUntilReady } from './launch';
import { recorder } from './recorded-statements';
import { copyTemplate, type DatabaseAddress } from './template';

/** An address that counts as one of the open servers, as behind a proxy; answers have that of the request. */
export const PUBLIC_ADDRESS = 'https://fhir.example';

/** The origin of an app in browsers, which may read the answers of the enforced servers. */
export const APP_ORIGIN = 'https://app.example';

const UNRESTRICTED = { ...OPEN, ...WITH_LOCAL_KEYS, PURGE_OPEN: 'on' };
const ENFORCED = { AUTH_MODE: 'enforced', ...WITH_LOCAL_KEYS, CORS_ORIGINS: APP_ORIGIN };

/** The settings of each kind of server. */
const KINDS = {
  open: { ...UNRESTRICTED, SEARCH_EXPLAIN: 'on' },
  /** For tests that store what is not valid. */
  structure: { ...UNRESTRICTED, VALIDATION: 'structure' },
  /** Chains and sorts scan indexes; no search fetches all its matches. */
  scanning: { ...UNRESTRICTED, SEARCH_SORT_LIMIT: '0' },
  enforced: { ...ENFORCED, AUDIT: 'off' },
  audited: { ...ENFORCED, AUDIT: 'on' },
} as const;

export type ServerKind = keyof typeof KINDS;

/** A shared server, as its users find it. */
export interface FoundServer {
  readonly base: string;
  readonly database: DatabaseAddress;
  /** Value of the header Authorization of a client that administers an enforced server. */
  readonly administrator?: string;
}

interface SharedServers {
  /** A GET of `{address}/{worker}/{kind}` answers with a FoundServer. */
  readonly address: string;
  /** Ends the servers; their databases go with those of the run (start-services.ts). */
  stop(): Promise<void>;
}

async function makeAdministrator(database: DatabaseAddress): Promise<string> {
  const command = [CLI, 'client', 'create', '--tenant', 'system', '--name', 'Tests', '--administrator'];
  const { stdout } = await promisify(execFile)(process.execPath, [...command, '--json'], {
    cwd: '/',
    env: { PATH: process.env['PATH'], ...toEnvironment(database) },
  });
  const { id, secret } = JSON.parse(stdout) as { id: string; secret: { secret: string } };
  return toBasic(id, secret.secret);
}

async function start(
  worker: string,
  kind: ServerKind,
): Promise<{ found: FoundServer; stop(): Promise<void> }> {
  const database = await copyTemplate(`shared_${worker}_${kind}`);
  const port = await findFreePort();
  const base = `http://127.0.0.1:${port}`;
  const { args, environment } = recorder();
  const child = await startChild(process.execPath, [...args, MAIN, `worker-${worker}`], {
    cwd: '/',
    env: {
      PATH: process.env['PATH'],
      ...toEnvironment(database),
      ...KINDS[kind],
      ...environment,
      PUBLIC_URL: `${base},${PUBLIC_ADDRESS}`,
      PORT: String(port),
    },
    stdio: 'ignore',
    lastSignal: 'SIGKILL',
  });
  if (!(await waitUntilReady(base, child))) throw new Error('The shared server did not become ready');
  const isOpen = KINDS[kind].AUTH_MODE === 'open';
  const administrator = isOpen ? {} : { administrator: await makeAdministrator(database) };
  return {
    found: { base, database, ...administrator },
    async stop() {
      await child.stop('SIGKILL', 5_000);
    },
  };
}

const isKind = (text: string | undefined): text is ServerKind => text !== undefined && text in KINDS;

export async function openSharedServers(): Promise<SharedServers> {
  const started = new Map<string, ReturnType<typeof start>>();
  const http = createServer((request, response) => {
    const url = request.url ?? '/';
    const [, worker = '', kind] = url.split('/');
    if (!isKind(kind)) {
      response.writeHead(404).end();
      return;
    }
    const server = started.get(url) ?? start(worker, kind);
    started.set(url, server);
    server.then(
      ({ found }) => response.end(JSON.stringify(found)),
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
