import { sql, type Kysely } from 'kysely';
import { dropFunctions } from './sql-files';

/** Drops the trigger that counted what a purge removes: the statements of the version before do so. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger uncount_versions on andiron.resource_version`.execute(db);
  await dropFunctions(db, '0059-uncounted-versions');
}
