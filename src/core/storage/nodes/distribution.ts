/** `andiron distribute`: checks what a distributed database needs, and distributes its tables. */
import { sql } from 'kysely';
import type { Client } from 'pg';
import type { Log } from '../../context';
import type { DatabaseOptions } from '../connection/database';
import { closeClient, openClient } from '../connection/open-client';
import { refuseTransactionPool } from '../connection/transaction-pool';
import { takeMigrationLock } from '../schema/migration-lock';
import { PROGRAM_SCHEMA, readDatabaseSchema } from '../schema/program-schema';
import { describeUntested, readCluster, rowsOf } from './cluster';
import { distributeTables, readRenumberedContent } from './distribute';
import { requireNodeSettings } from './node-settings';

/** A process without a beat for so long has ended. */
const SILENCE_SECONDS = 15;
const NAMED = 3;

export interface DistributionOptions {
  readonly database: DatabaseOptions;
  readonly log: Log;
  /** Milliseconds to wait for the migration lock. */
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Number of shard groups. */
  readonly shards: number;
  /** True: untested versions are accepted. */
  readonly isForced: boolean;
  /** Called after each table. */
  told(table: string): void;
}

export interface Distribution {
  readonly tables: number;
  readonly rows: number;
}

/**
 * Distributes the tables of the database over the nodes of Citus, in one transaction, after checks that change nothing.
 *
 * **Throws** Error that says what is missing and what to do; the database is then as it was. **Cost**: copies all rows of tenants.
 */
export async function distribute(options: DistributionOptions): Promise<Distribution> {
  const { database, log, waitMs, signal, shards, told } = options;
  const client = await openClient(database);
  try {
    await refuseTransactionPool(client, database);
    // A process that starts meanwhile waits for it, and then finds the nodes.
    await takeMigrationLock(client, { log, waitMs, ...(signal === undefined ? {} : { signal }) });
    await checkDatabase(client, options);
    await rowsOf(client, sql`set statement_timeout = 0`);
    return await distributeTables(client, { shards, told });
  } finally {
    await closeClient(client);
  }
}

async function checkDatabase(client: Client, { database, isForced }: DistributionOptions): Promise<void> {
  const cluster = await readCluster(client);
  if (cluster === undefined)
    throw new Error(
      'The database has no extension citus: install Citus on each node, and run create extension citus there in this database',
    );
  if (!cluster.isCoordinator)
    throw new Error(
      'The database is a worker node of Citus: FHIR_DATABASE_HOST and FHIR_DATABASE_PORT must name the coordinator',
    );
  if (cluster.isDistributed)
    throw new Error('The database is distributed already: npx --no-install andiron nodes shows its nodes');
  const untested = describeUntested(cluster);
  if (untested !== undefined && !isForced) throw new Error(`${untested}; --force distributes all the same`);
  if (!cluster.nodes.some(({ role }) => role === 'coordinator'))
    throw new Error(
      `The coordinator has no address for its nodes: run there select citus_set_coordinator_host('HOST', PORT)`,
    );
  const workers = cluster.nodes.filter(({ role, takesShards }) => role === 'worker' && takesShards);
  if (workers.length === 0)
    throw new Error(
      `The database has no worker node: run on the coordinator select citus_add_node('HOST', PORT) for each`,
    );
  await requireNodeSettings(database, cluster);
  const schema = (await readDatabaseSchema(client)).number;
  if (schema < PROGRAM_SCHEMA)
    throw new Error(
      `The database has schema ${schema}, and this program ${PROGRAM_SCHEMA}: run npx --no-install andiron migrate first`,
    );
  if (schema > PROGRAM_SCHEMA)
    throw new Error(
      `The database has schema ${schema}, and this program ${PROGRAM_SCHEMA}: distribute it with the newer version`,
    );
  const [processes] = await rowsOf<{ count: number }>(
    client,
    sql`select count(*)::int as count from andiron.server_process s
        where s.beat >= now() - make_interval(secs => ${sql.lit(SILENCE_SECONDS)})`,
  );
  if (processes !== undefined && processes.count > 0)
    throw new Error(
      `${processes.count} server processes use the database: stop all, and try again after ${SILENCE_SECONDS} seconds`,
    );
  const tenants = await readRenumberedContent(client);
  if (tenants.length > 0) {
    const more = tenants.length > NAMED ? ` and ${tenants.length - NAMED} more` : '';
    throw new Error(
      `Large content of ${tenants.slice(0, NAMED).join(', ')}${more} is in a folder or bucket under old numbers: export, delete and import these tenants first`,
    );
  }
}
