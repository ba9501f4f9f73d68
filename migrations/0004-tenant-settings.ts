import { sql, type Kysely } from 'kysely';

/**
 * What a tenant sets for itself, as an object of names and words (src/core/tenant-settings.ts). A server's own settings
 * stand for what is not in it; names that a program does not know are left alone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table andiron.tenant
      add column settings jsonb not null default '{}' check (jsonb_typeof(settings) = 'object')`.execute(db);
}
