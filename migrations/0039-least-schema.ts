import { sql, type Kysely } from 'kysely';

/**
 * The database says which programs may still write to it: those whose schema number is at least `least_schema`. Each start
 * of a newer program raises it, before the steps that take something away (src/core/storage/schema/migrate.ts).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table andiron.installation add column least_schema int not null default 0`.execute(db);
}
