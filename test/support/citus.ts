/** Databases on a cluster of Citus, for `npm run test:citus`. */
import { randomBytes } from 'node:crypto';
import { distributeTables } from '../../src/core/storage/nodes/distribute';
import { runHere } from './command-here';
import type { TestDatabase } from './database';
import { toEnvironment } from './environment';
import { closedAtEnd } from './left-open';
import { readWorkers, runOnServer, withClient, type Connection } from './services';
import { openStoppableAddress, type StoppableAddress } from './stoppable-address';
import { toAddress } from './template';

/** A worker, reached at an address of the test. */
export interface CitusNode extends StoppableAddress {
  /** The database there, without the address in between. */
  readonly settings: Connection;
}

export interface CitusDatabase extends TestDatabase {
  readonly nodes: readonly CitusNode[];
}

interface CitusOptions {
  /** Tenants beside `system`. */
  readonly tenants?: readonly string[];
  /** Number of shard groups; undefined: the database is migrated, and not distributed. */
  readonly shards?: number;
  /** False: the nodes are not added. */
  readonly hasNodes?: boolean;
}

const url = new URL(process.env['CITUS_URL'] ?? 'postgres://localhost');
const COORDINATOR: Connection = {
  host: url.hostname,
  port: Number(url.port === '' ? 5432 : url.port),
  user: decodeURIComponent(url.username),
  password: decodeURIComponent(url.password),
  database: url.pathname.slice(1),
};

/** The workers of CITUS_WORKERS (host:port,…), or those of the database of CITUS_URL. */
async function findWorkers(): Promise<readonly Connection[]> {
  const listed = readWorkers();
  const workers =
    listed.length > 0
      ? listed
      : await withClient(COORDINATOR, async (client) => {
          const { rows } = await client.query<{ host: string; port: number }>(
            `select nodename as host, nodeport as port from pg_dist_node where groupid > 0 and noderole = 'primary'`,
          );
          return rows;
        });
  return workers.map((worker) => ({ ...COORDINATOR, ...worker }));
}

/** A database of the caller's own on all nodes. Cost: some seconds, and half a minute or more where it is distributed. */
export async function createCitusDatabase({
  tenants = [],
  shards,
  hasNodes = true,
}: CitusOptions = {}): Promise<CitusDatabase> {
  const name = `andiron_citus_${process.pid}_${randomBytes(4).toString('hex')}`;
  const workers = await findWorkers();
  const servers = [COORDINATOR, ...workers];
  const settings = { ...COORDINATOR, database: name };
  const nodes = await Promise.all(
    workers.map(async (worker) => ({
      ...(await openStoppableAddress(worker)),
      settings: { ...worker, database: name },
    })),
  );
  const drop = closedAtEnd(async () => {
    for (const server of servers)
      await runOnServer(server, `drop database if exists "${name}" with (force)`).catch(() => undefined);
    await Promise.all(nodes.map((node) => node.stop()));
  });
  const database: CitusDatabase = {
    ...toAddress(settings),
    nodes,
    drop,
  };
  for (const server of servers) {
    await runOnServer(server, `create database "${name}"`);
    await runOnServer({ ...server, database: name }, 'create extension citus');
  }
  await runOnServer(settings, `select citus_set_coordinator_host('${settings.host}', ${settings.port})`);
  if (hasNodes)
    for (const { port } of nodes) await runOnServer(settings, `select citus_add_node('127.0.0.1', ${port})`);
  await andiron(database, ['migrate']);
  if (tenants.length > 0) await andiron(database, ['tenant', 'create', ...tenants]);
  if (shards !== undefined)
    await withClient(settings, (client) => distributeTables(client, { shards, told: () => undefined }));
  return database;
}

/** Runs `andiron …words` on the database; returns what it printed. **Throws** Error with its messages. */
export async function andiron(database: CitusDatabase, words: readonly string[]): Promise<string> {
  const { code, output, errors } = await runHere(words, { environment: toEnvironment(database) });
  if (code !== 0) throw new Error(errors);
  return output;
}
