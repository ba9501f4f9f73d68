import { sql, type Kysely } from 'kysely';
import { dropFunctions } from './sql-files';

/**
 * Drops what only programs before schema 60 use: the trigger that chose the counter of their spaces, and the number of changes of search
 * parameters beside the counter's.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // See 0060-spaces-of-before.
  await sql`set local lock_timeout = 100`.execute(db);
  await sql`drop trigger choose_counter on andiron.space`.execute(db);
  await sql`alter table andiron.tenant drop column search_parameters`.execute(db);
  await dropFunctions(db, '0063-counters-of-before');
}
