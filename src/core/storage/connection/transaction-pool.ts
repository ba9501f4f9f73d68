import { sql } from 'kysely';
import { DatabaseError, type ClientBase } from 'pg';
import type { DatabaseOptions } from './database';
import { closeClient, openClient } from './open-client';
import { builder } from './statement';

const PID = sql`select pg_backend_pid() as pid`.compile(builder).sql;
const BEGIN = sql`begin`.compile(builder).sql;
const ROLLBACK = sql`rollback`.compile(builder).sql;

const ROUNDS = 3;

/**
 * Rejects a pool that shares PostgreSQL sessions between transactions or statements: the role, the space and the locks
 * of a connection belong to its session. One connection reads its session's pid before and after another one has begun
 * a transaction. Such a pool gives the other one the same session, or moves the first one to another session.
 * **Cost**: a connection and 15 statements. **Throws** Error with a one-line message.
 */
export async function refuseTransactionPool(first: ClientBase, options: DatabaseOptions): Promise<void> {
  const second = await openClient(options);
  try {
    for (let round = 0; round < ROUNDS; round++)
      if (await isShared(first, second))
        throw new Error(
          'The connection to PostgreSQL goes through a pool that shares sessions between transactions or statements, which is not supported: set its pool mode to session (PgBouncer: pool_mode=session), or connect to PostgreSQL itself',
        );
  } finally {
    await closeClient(second);
  }
}

async function isShared(first: ClientBase, second: ClientBase): Promise<boolean> {
  const before = await readPid(first);
  try {
    await second.query(BEGIN);
  } catch (error) {
    // PgBouncer with pool_mode=statement rejects transactions: protocol_violation.
    if (error instanceof DatabaseError && error.code === '08P01') return true;
    throw error;
  }
  const within = await readPid(second);
  const after = await readPid(first);
  await second.query(ROLLBACK);
  return before !== after || within === before;
}

async function readPid(client: ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>(PID);
  return rows[0]?.pid;
}
