import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, Migrator, PostgresDialect, sql, type MigrationResultSet } from 'kysely';
import type { Log } from '../../context';
import { identifyBackend } from '../connection/backend';
import { watchConnection } from '../connection/connection-watch';
import type { DatabaseOptions } from '../connection/database';
import { openPool } from '../connection/open-client';
import type { ProgramSchema } from './program-schema';

/**
 * How long a step waits for a table at a time. Statements that need the table queue behind the step, reads too, so
 * that the wait must be short; they go first when it ends.
 */
const LOCK_TIMEOUT_MS = 1_000;
const PAUSE_MS = 1_000;
const LOG_EVERY_MS = 5_000;

export interface StepOptions {
  readonly database: DatabaseOptions;
  readonly schema: ProgramSchema;
  /** True: nobody uses the database yet. */
  readonly isEmpty: boolean;
  /** Milliseconds for which a step may wait for tables that others use. */
  readonly waitMs: number;
  readonly log: Log;
}

/**
 * Runs the steps that the database lacks, each in a transaction of its own: what one has locked is free before the next.
 *
 * **Throws** Error of the step that failed; what came before it stays.
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
      log.warn({ step: name, waitedMs: Math.round(waited) }, 'a migration waits for a table that others use');
    }
    await sleep(PAUSE_MS);
  }
}

/** lock_not_available, deadlock_detected: everything that the step did is undone, and it may run again. */
function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '55P03' || error.code === '40P01');
}
