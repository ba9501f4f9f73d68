import { sql, type Kysely } from 'kysely';
import { readSqlFile } from './sql-files';

/** In this order, because later files refer to tables of earlier ones. */
const FILES = ['1-tenants', '2-resources', '3-search', '4-access', '5-operation', '6-first-rows'];

/**
 * Creates the schema of the landed versions up to step 0033. docs/understand/storage.md has the purpose of each table and index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const file of FILES) await sql.raw(await readSqlFile(`0033-baseline/${file}.sql`)).execute(db);
}
