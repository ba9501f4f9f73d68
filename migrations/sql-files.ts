/** The .sql files of this folder: the baseline and the database functions. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const FUNCTIONS = path.join(__dirname, 'functions');

/** A database function in its current form. */
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
  const files = (await readdir(FUNCTIONS)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => ({
      name: path.basename(file, '.sql'),
      text: await readFile(path.join(FUNCTIONS, file), 'utf8'),
    })),
  );
}
