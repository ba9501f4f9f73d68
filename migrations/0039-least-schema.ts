import { sql, type Kysely } from 'kysely';

/**
 * Only programs with a schema number of at least `least_schema` may write to the database. The start of a newer program
 * raises it before the steps that remove something (src/core/storage/schema/migrate.ts).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table andiron.installation add column least_schema int not null default 0`.execute(db);
}
