import type { Kysely } from 'kysely';
import { dropFunctions } from './sql-files';

/** Drops the function with which programs before schema 62 wrote. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await dropFunctions(db, '0064-functions-of-before');
}
