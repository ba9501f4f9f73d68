/** Changes the version-sequences of a database with data from 32 to 64 bits (docs/run/upgrades.md). */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import type { Client, ClientBase } from 'pg';
import { SEQUENCE_COLUMNS } from '../../../../migrations';
import type { Log } from '../../context';
import type { DatabaseOptions } from '../connection/database';
import { closeClient, openClient } from '../connection/open-client';
import { builder } from '../connection/statement';
import { refuseTransactionPool } from '../connection/transaction-pool';
import { takeMigrationLock } from './migration-lock';
import { LOCK_TIMEOUT_MS, isLocked } from './migration-steps';

export interface LongSequenceOptions {
  readonly database: DatabaseOptions;
  readonly log: Log;
  /** Milliseconds to wait for the migration lock, and for the tables. */
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** How far the version-sequences of a database reach. */
export interface SequenceRange {
  readonly bits: 32 | 64;
  /** The largest number of a tenant. */
  readonly last: number;
}

const PAUSE_MS = 1_000;

const READ_RANGE = sql`
  select c.last_sequence::text as last from andiron.change_counter c
  order by c.last_sequence desc limit 1`;
const READ_TYPE = sql`
  select format_type(a.atttypid, null) as type from pg_attribute a
  where a.attrelid = 'andiron.change_counter'::regclass and a.attname = 'last_sequence' limit 1`;

/** Reads how far version-sequences reach. Cost: two statements, which read a row of each tenant. */
export async function readSequenceRange(client: ClientBase): Promise<SequenceRange> {
  const { rows: types } = await client.query<{ type: string }>(READ_TYPE.compile(builder).sql);
  const { rows } = await client.query<{ last: string }>(READ_RANGE.compile(builder).sql);
  return { bits: types[0]?.type === 'bigint' ? 64 : 32, last: Number(rows[0]?.last ?? 0) };
}

/**
 * Changes the columns with version-sequences to 64 bits. Requests wait meanwhile, because `resource_version` is rewritten with its
 * indexes in one transaction. Returns false if there was nothing to do.
 *
 * **Throws** Error if the tables are not free in time.
 */
export async function lengthenSequences(options: LongSequenceOptions): Promise<boolean> {
  const { database, log, waitMs, signal } = options;
  const client = await openClient(database);
  try {
    await refuseTransactionPool(client, database);
    await takeMigrationLock(client, { log, waitMs, ...(signal === undefined ? {} : { signal }) });
    if ((await readSequenceRange(client)).bits === 64) return false;
    await changeColumns(client, waitMs);
    return true;
  } finally {
    await closeClient(client);
  }
}

async function changeColumns(client: Client, waitMs: number): Promise<void> {
  const run = (statement: RawBuilder<unknown>): Promise<unknown> =>
    client.query(statement.compile(builder).sql);
  const tables = SEQUENCE_COLUMNS.map(([table]) => sql.table(`andiron.${table}`));
  await run(sql`set statement_timeout = 0`);
  for (const began = performance.now(); ;) {
    await run(sql`begin`);
    try {
      await run(sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`);
      await run(sql`lock table ${sql.join(tables)} in access exclusive mode`);
      for (const [table, column] of SEQUENCE_COLUMNS)
        await run(
          sql`alter table ${sql.table(`andiron.${table}`)} alter column ${sql.ref(column)} type bigint`,
        );
      await run(sql`commit`);
      break;
    } catch (error) {
      await run(sql`rollback`);
      if (!isLocked(error)) throw error;
      if (performance.now() - began >= waitMs)
        throw new Error(
          `The tables could not be locked within ${waitMs} ms (MIGRATION_WAIT_MS): transactions of others use them`,
          { cause: error },
        );
      await sleep(PAUSE_MS);
    }
  }
  await run(sql`analyze ${sql.join(tables)}`);
}
