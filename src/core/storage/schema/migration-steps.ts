import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, Migrator, PostgresDialect, sql, type MigrationResultSet } from 'kysely';
import type { Log } from '../../context';
import { identifyBackend } from '../connection/backend';
import { watchConnection } from '../connection/connection-watch';
import type { DatabaseOptions } from '../connection/database';
import { openPool } from '../connection/open-client';
import type { ProgramSchema } from './program-schema';

/**
 * Milliseconds of one wait for a table. Statements on the table, reads included, queue behind the step, so that a wait
 * must be short; they run when it ends.
 */
export const LOCK_TIMEOUT_MS = 1_000;
const PAUSE_MS = 1_000;
const LOG_EVERY_MS = 5_000;

export interface StepOptions {
  readonly database: DatabaseOptions;
  readonly schema: ProgramSchema;
  /** True: the database has no schema yet, and so no users. */
  readonly isEmpty: boolean;
  /** Milliseconds that a step may wait for tables that others use. */
  readonly waitMs: number;
  readonly log: Log;
}

/**
 * Runs the steps that the database lacks, each in a transaction of its own, so that its locks are released before the
 * next.
 *
 * **Throws** Error of the failed step; earlier steps stay.
 */
export async function runSteps(options: StepOptions): Promise<void> {
  const { database, schema, isEmpty, log } = options;
  const pool = openPool(database, { max: 1 }, async (client) =>
    watchConnection(database, client, await identifyBackend(client)),
  );
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({
      pool,
      async onCreateConnection(connection) {
        for (const setting of [
          sql`set lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`,
          sql`set statement_timeout = 0`,
        ])
          await connection.executeQuery(setting.compile(db));
      },
    }),
  });
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...schema.steps }) },
    migrationTableSchema: 'andiron_migration',
  });
  try {
    let isDone = false;
    while (!isDone) {
      const results = await repeatWhileLocked(
        () => (isEmpty ? migrator.migrateToLatest() : migrator.migrateUp()),
        options,
      );
      for (const result of results)
        log.info({ step: result.migrationName, status: result.status }, 'migration');
      isDone = isEmpty || results.length === 0;
    }
  } finally {
    await db.destroy();
  }
}

type Results = NonNullable<MigrationResultSet['results']>;

async function repeatWhileLocked(
  step: () => Promise<MigrationResultSet>,
  { waitMs, log }: StepOptions,
): Promise<Results> {
  const began = performance.now();
  let nextLine = LOG_EVERY_MS;
  for (;;) {
    const { error, results = [] } = await step();
    if (error === undefined) return results;
    const name = results.find(({ status }) => status === 'Error')?.migrationName;
    if (!isLocked(error)) throw error instanceof Error ? error : new Error('a migration failed');
    const waited = performance.now() - began;
    if (waited >= waitMs)
      throw new Error(
        `The step ${name ?? ''} of the migration could not lock a table within ${waitMs} ms (MIGRATION_WAIT_MS): transactions of others use it`,
        { cause: error },
      );
    if (waited >= nextLine) {
      nextLine += LOG_EVERY_MS;
      log.warn({ step: name, waitedMs: Math.round(waited) }, 'a migration waits for a lock on a table');
    }
    await sleep(PAUSE_MS);
  }
}

/** lock_not_available, deadlock_detected: the step was rolled back and can run again. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '55P03' || error.code === '40P01');
}
