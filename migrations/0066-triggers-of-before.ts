import { sql, type Kysely } from 'kysely';
import { dropFunctions } from './sql-files';

/** In the order in which writes lock the tables. */
const TRIGGERS = { import_ended: 'job', fill_space: 'content_removal' };

/**
 * Drops what only programs before schema 65 use: triggers that did a part of their statements, the number of changes of search
 * parameters at the tenant, and the default by which their rows of access records were numbered.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // See 0060-spaces-of-before.
  await sql`set local lock_timeout = 100`.execute(db);
  await sql`alter table andiron.tenant drop column search_parameters`.execute(db);
  for (const [trigger, table] of Object.entries(TRIGGERS)) {
    // A distributed database lost them with its distribution, and Citus refuses statements about triggers.
    const { rows } = await sql`
      select from pg_trigger t
      where t.tgrelid = ${sql.lit(`andiron.${table}`)}::regclass and t.tgname = ${sql.lit(trigger)}`.execute(
      db,
    );
    if (rows.length > 0)
      await sql`drop trigger ${sql.id(trigger)} on ${sql.table(`andiron.${table}`)}`.execute(db);
  }
  await sql`alter table andiron.access_record alter column batch drop default`.execute(db);
  await dropFunctions(db, '0066-triggers-of-before');
}
