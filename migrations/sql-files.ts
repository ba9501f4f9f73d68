/** The .sql files of this folder: the baseline, and the database functions of today and of earlier steps. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql, type Kysely } from 'kysely';

const FUNCTIONS = path.join(__dirname, 'functions');
/** A folder for each step that drops functions, by its name. */
const EARLIER_FUNCTIONS = path.join(__dirname, 'earlier-functions');

/** A database function in its current form, or its last. */
export interface DatabaseFunction {
  /** Without the schema `andiron`; no two functions have the same name. */
  readonly name: string;
  /** A `create or replace function` statement. */
  readonly text: string;
}

/** Reads a file by its path in this folder. */
export async function readSqlFile(name: string): Promise<string> {
  return readFile(path.join(__dirname, name), 'utf8');
}

/** Reads all files of `functions/`, by name. */
export async function readFunctions(): Promise<readonly DatabaseFunction[]> {
  return readFolder(FUNCTIONS);
}

/** Names of the steps that drop functions. */
export async function readDroppingSteps(): Promise<readonly string[]> {
  return readdir(EARLIER_FUNCTIONS);
}

/** Reads the functions that steps before this one use, and that it drops. */
export async function readEarlierFunctions(step: string): Promise<readonly DatabaseFunction[]> {
  return readFolder(path.join(EARLIER_FUNCTIONS, step));
}

/** Drops the functions that a step drops. */
export async function dropFunctions(db: Kysely<unknown>, step: string): Promise<void> {
  for (const { name } of await readEarlierFunctions(step)) {
    await sql`drop function ${sql.id('andiron', name)}`.execute(db);
    await sql`delete from andiron_migration.database_function f where f.name = ${name}`.execute(db);
  }
}

async function readFolder(folder: string): Promise<readonly DatabaseFunction[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => ({
      name: path.basename(file, '.sql'),
      text: await readFile(path.join(folder, file), 'utf8'),
    })),
  );
}
