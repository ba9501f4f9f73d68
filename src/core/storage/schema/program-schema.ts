/** The schemas of this program and of a database, and the programs that may write to it (docs/run/operations.md). */
import { sql, type Migration } from 'kysely';
import type { ClientBase } from 'pg';
import {
  LEAST_SCHEMA,
  MIGRATIONS,
  readDroppingSteps,
  readEarlierFunctions,
  readFunctions,
  type DatabaseFunction,
} from '../../../../migrations';
import { builder } from '../connection/statement';

export interface ProgramSchema {
  /** All steps, by names that begin with their numbers. */
  readonly steps: Readonly<Record<string, Migration>>;
  /** Least schema number of a program that may write to a database with all of `steps`. */
  readonly least: number;
  /** Reads the functions of a database with all of `steps`. */
  readFunctions(): Promise<readonly DatabaseFunction[]>;
}

export const THIS_SCHEMA: ProgramSchema = { steps: MIGRATIONS, least: LEAST_SCHEMA, readFunctions };

/**
 * Milliseconds between the moment when outdated programs become not ready and a change that they cannot work with: load balancers
 * need them to remove such processes.
 */
export const NOTICE_MS = 15_000;

/** The number of the last step: 39 of `0039-least-schema`; 0 without steps. */
export function schemaNumber(steps: readonly string[]): number {
  return steps.reduce((last, name) => Math.max(last, Number.parseInt(name, 10)), 0);
}

/** The schema number of this program. */
export const PROGRAM_SCHEMA = schemaNumber(Object.keys(THIS_SCHEMA.steps));

export interface DatabaseSchema {
  /** Names of the steps that have run. */
  readonly steps: ReadonlySet<string>;
  readonly number: number;
  /** Least schema number of a program that may write; undefined: the database is older than this setting. */
  readonly least: number | undefined;
}

/** Reads the schema of a database. **Cost**: up to three statements. */
export async function readDatabaseSchema(client: ClientBase): Promise<DatabaseSchema> {
  const exists = await client.query<{ exists: boolean }>(
    sql`select to_regclass('andiron_migration.kysely_migration') is not null as exists`.compile(builder).sql,
  );
  if (exists.rows[0]?.exists !== true) return { steps: new Set(), number: 0, least: undefined };
  const { rows } = await client.query<{ name: string }>(
    sql`select m.name from andiron_migration.kysely_migration m limit 10000`.compile(builder).sql,
  );
  const steps = rows.map(({ name }) => name);
  return {
    steps: new Set(steps),
    number: schemaNumber(steps),
    least: steps.includes('0039-least-schema') ? await readLeast(client) : undefined,
  };
}

async function readLeast(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ least: number }>(
    sql`select i.least_schema as least from andiron.installation i limit 1`.compile(builder).sql,
  );
  return rows[0]?.least ?? 0;
}

/** Reads the functions that only steps use, and that a step drops which the database lacks. */
export async function readFunctionsOfSteps({ steps }: DatabaseSchema): Promise<readonly DatabaseFunction[]> {
  const dropping = (await readDroppingSteps()).filter((step) => !steps.has(step));
  return (await Promise.all(dropping.map(readEarlierFunctions))).flat();
}

/** Raises the least schema number. From the commit on, readiness of running programs with a smaller one is 503. */
export async function raiseLeastSchema(client: ClientBase, least: number): Promise<void> {
  const { rowCount } = await client.query(
    sql`select 1 from andiron.installation i where i.least_schema < ${sql.lit(least)} limit 1`.compile(
      builder,
    ).sql,
  );
  // A change reaches all nodes of a distributed database, and fails while one is away.
  if (rowCount === 0) return;
  await client.query(
    sql`
      update andiron.installation set least_schema = ${sql.lit(least)}
      where only_row and least_schema < ${sql.lit(least)}`.compile(builder).sql,
  );
}

/** True if other sessions of the program are connected to this database. */
export async function areOthersConnected(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ others: boolean }>(
    sql`
      select exists (
        select from pg_stat_activity a
        where a.datname = current_database() and a.application_name = 'andiron' and a.pid <> pg_backend_pid()
      ) as others`.compile(builder).sql,
  );
  return rows[0]?.others === true;
}
