/** PostgreSQL and Redis of one test run: started by jest's global setup, passed to its workers by the environment. */
import { Client } from 'pg';

/** The connection settings of one database. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export interface Services {
  /** A database from which others can be created and dropped. */
  readonly server: Connection;
  /** Name of the migrated database that each test database is a copy of. */
  readonly template: string;
  /** The other nodes of a distributed database (CITUS_WORKERS), which have databases of the same names; else none. */
  readonly workers: readonly { readonly host: string; readonly port: number }[];
  readonly redis: { readonly host: string; readonly port: number };
  /** The address at which a worker gets the address of its shared server (shared-servers.ts). */
  readonly sharedServers: string;
}

/** Holds `Services` as JSON. */
export const VARIABLE = 'ANDIRON_TEST_SERVICES';

/**
 * The services of this run.
 * @throws Error in a test that jest.config.js counts among the pure ones
 */
export function findServices(): Services {
  const text = process.env[VARIABLE];
  if (text === undefined) {
    throw new Error(
      'This test needs PostgreSQL: it belongs outside the folders of pure tests (jest.config.js)',
    );
  }
  return JSON.parse(text) as Services;
}

export async function withClient<Result>(
  server: Connection,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(server);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function runOnServer(server: Connection, statement: string): Promise<void> {
  await withClient(server, (client) => client.query(statement));
}

/** Runs a statement on the server, and on each other node of a distributed database. */
export async function runOnNodes(
  server: Connection,
  workers: Services['workers'],
  statement: string,
): Promise<void> {
  await Promise.all(
    [server, ...workers.map((worker) => ({ ...server, ...worker }))].map((node) =>
      runOnServer(node, statement),
    ),
  );
}

/** The workers of a Citus cluster that CITUS_WORKERS lists: `host:port,…`. */
export function readWorkers(): Services['workers'] {
  return (process.env['CITUS_WORKERS'] ?? '')
    .split(',')
    .filter((each) => each !== '')
    .map((each) => {
      const { hostname, port } = new URL(`postgres://${each}`);
      return { host: hostname, port: Number(port) };
    });
}
