import { sql } from 'kysely';
import type { Client } from 'pg';
import { identifyBackend, query } from '../connection/backend';
import type { DatabaseOptions, ReplicaAddress } from '../connection/database';
import { codeOf } from '../connection/database-error';
import { closeClient, openClient, withinLimit } from '../connection/open-client';
import { defineStatement, template } from '../connection/statement';
import { refuseTransactionPool } from '../connection/transaction-pool';
import { PROGRAM_SCHEMA, readDatabaseSchema } from '../schema/program-schema';

const TIME_LIMIT_MS = 5_000;

/** Distinguishes a running server from all others, also from its own standby and from itself before a restart. */
const SERVER = defineStatement(
  template(sql`
    select system_identifier || ' ' || extract(epoch from pg_postmaster_start_time())
    from pg_control_system() limit 1`),
  { named: false },
);

/** What is at the address of a replica: a standby, the database itself (after a failover), or another primary. */
export type ReplicaRole = 'standby' | 'database' | 'other';

/** Why a replica that can be reached is not used. */
export class UnfitReplica extends Error {
  constructor(
    message: string,
    readonly role: ReplicaRole,
  ) {
    super(message);
    this.name = 'UnfitReplica';
  }
}

/**
 * Checks what does not change while a standby of the database runs. Returns its history (`Backend.history`). Cost: two connections
 * and some twenty statements. **Throws** UnfitReplica, Error behind a transaction pool, and as pg does if it cannot be reached.
 */
export async function inspectReplica(
  database: DatabaseOptions,
  { host, port }: ReplicaAddress,
): Promise<string> {
  const options = { ...database, host, port };
  const client = await openClient(options);
  try {
    return await withinLimit(client, TIME_LIMIT_MS, async () => {
      await refuseTransactionPool(client, options);
      const { server, history } = await identifyBackend(client);
      if (server !== undefined)
        throw (await isSameServer(client, database))
          ? new UnfitReplica('it is the database itself', 'database')
          : new UnfitReplica('it is not a standby', 'other');
      // Steps may change rows without a change of the position.
      const { number } = await readDatabaseSchema(client);
      if (number < PROGRAM_SCHEMA)
        throw new UnfitReplica(`it has the schema ${number}, and this program ${PROGRAM_SCHEMA}`, 'standby');
      return history;
    });
  } finally {
    await closeClient(client);
  }
}

async function isSameServer(client: Client, database: DatabaseOptions): Promise<boolean> {
  const other = await openClient(database);
  try {
    const [[one], [same]] = await withinLimit(other, TIME_LIMIT_MS, () =>
      Promise.all([query(client, SERVER, {}), query(other, SERVER, {})]),
    );
    return one?.[0] === same?.[0];
  } finally {
    await closeClient(other);
  }
}

export interface ReplicaInspection extends ReplicaAddress {
  readonly isDatabase: boolean;
  /** Why it is not used; undefined: it is a standby of the database, or the database itself. */
  readonly fault: string | undefined;
}

/** Inspects the replicas. Cost: of `inspectReplica`, for each. **Throws** as pg does if the database cannot be reached. */
export async function inspectReplicas(options: DatabaseOptions): Promise<readonly ReplicaInspection[]> {
  const { replicas = [] } = options;
  if (replicas.length === 0) return [];
  const client = await openClient(options);
  try {
    const { history } = await identifyBackend(client);
    return await Promise.all(
      replicas.map(async ({ host, port }) => {
        const found = await inspectReplica(options, { host, port }).catch((error: unknown) => error);
        const isDatabase = found instanceof UnfitReplica && found.role === 'database';
        const fault =
          found === history || isDatabase
            ? undefined
            : typeof found === 'string'
              ? 'it is a standby of another database or timeline'
              : found instanceof UnfitReplica
                ? found.message
                : codeOf(found);
        return { host, port, isDatabase, fault };
      }),
    );
  } finally {
    await closeClient(client);
  }
}
