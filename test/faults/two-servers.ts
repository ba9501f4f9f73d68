import { findFreePort } from '../../src/embedded/free-port';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createHttpClient } from '../support/http';
import { startProcess, type ServerProcess } from '../support/process';

export interface MeasuredServer extends ServerProcess {
  /** Value of a counter or gauge with exactly these labels, such as `andiron_cache_lookups_total{outcome="hit"}`; 0 while it is unknown. */
  metric(name: string): Promise<number>;
}

/** A server process with metrics that can be read. */
export async function startMeasured(
  database: TestDatabase,
  environment: Readonly<Record<string, string>> = {},
): Promise<MeasuredServer> {
  const port = await findFreePort();
  const server = await startProcess({
    database,
    environment: { METRICS_ADDRESS: `127.0.0.1:${port}`, ...environment },
  });
  const client = createHttpClient(`http://127.0.0.1:${port}`);
  return {
    ...server,
    async metric(name) {
      const { text } = await client.request('GET', '/metrics');
      const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
      return line === undefined ? 0 : Number(line.slice(name.length + 1));
    },
    async close() {
      client.close();
      await server.close();
    },
  };
}

export interface TwoServers {
  readonly database: TestDatabase;
  readonly first: MeasuredServer;
  readonly second: MeasuredServer;
  close(): Promise<void>;
}

/** Two server processes on one database. */
export async function startTwoServers(
  environment: Readonly<Record<string, string>> = {},
): Promise<TwoServers> {
  const database = await createTestDatabase();
  const [first, second] = await Promise.all([
    startMeasured(database, environment),
    startMeasured(database, environment),
  ]);
  return {
    database,
    first,
    second,
    async close() {
      await Promise.all([first.close(), second.close()]);
      await database.drop();
    },
  };
}
