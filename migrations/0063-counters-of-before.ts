import { sql, type Kysely } from 'kysely';
import { dropFunctions } from './sql-files';

/** Drops the trigger that chose the counters of spaces for programs before schema 60. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // See 0060-spaces-of-before.
  await sql`set local lock_timeout = 100`.execute(db);
  await sql`drop trigger choose_counter on andiron.space`.execute(db);
  await dropFunctions(db, '0063-counters-of-before');
}
