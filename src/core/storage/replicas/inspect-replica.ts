import { identifyBackend } from '../connection/backend';
import type { DatabaseOptions, ReplicaAddress } from '../connection/database';
import { codeOf } from '../connection/database-error';
import { closeClient, openClient, withinLimit } from '../connection/open-client';
import { refuseTransactionPool } from '../connection/transaction-pool';
import { PROGRAM_SCHEMA, readDatabaseSchema } from '../schema/program-schema';

const TIME_LIMIT_MS = 5_000;

/** Why a replica that can be reached is not used. */
export class UnfitReplica extends Error {
  constructor(
    message: string,
    /** True: it is no standby. */
    readonly isStandby: boolean,
  ) {
    super(message);
    this.name = 'UnfitReplica';
  }
}

/**
 * Checks what does not change while a standby runs. Returns its history (`Backend.history`). Cost: two connections and some twenty
 * statements. **Throws** UnfitReplica, Error behind a transaction pool, and as pg does if it cannot be reached.
 */
export async function inspectReplica(options: DatabaseOptions): Promise<string> {
  const client = await openClient(options);
  try {
    return await withinLimit(client, TIME_LIMIT_MS, async () => {
      await refuseTransactionPool(client, options);
      const { server, history } = await identifyBackend(client);
      if (server !== undefined) throw new UnfitReplica('it is not a standby', false);
      // Steps may change rows without a change of the position.
      const { number } = await readDatabaseSchema(client);
      if (number < PROGRAM_SCHEMA)
        throw new UnfitReplica(`it has the schema ${number}, and this program ${PROGRAM_SCHEMA}`, true);
      return history;
    });
  } finally {
    await closeClient(client);
  }
}

/**
 * Inspects the replicas of the options. `fault`: why it is not used; undefined: it is a standby of the database. Cost: of
 * `inspectReplica`, for each. **Throws** as pg does if the database itself cannot be reached.
 */
export async function inspectReplicas(
  options: DatabaseOptions,
): Promise<readonly (ReplicaAddress & { readonly fault: string | undefined })[]> {
  const { replicas = [] } = options;
  if (replicas.length === 0) return [];
  const client = await openClient(options);
  try {
    const { history } = await identifyBackend(client);
    return await Promise.all(
      replicas.map(async ({ host, port }) => {
        const found = await inspectReplica({ ...options, host, port }).then(
          (of) => (of === history ? undefined : 'it is a standby of another database or timeline'),
          (error: unknown) => (error instanceof UnfitReplica ? error.message : codeOf(error)),
        );
        return { host, port, fault: found };
      }),
    );
  } finally {
    await closeClient(client);
  }
}
