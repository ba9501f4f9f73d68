import { sql, type Kysely } from 'kysely';

/**
 * Purged versions leave their numbers used: `purged_to` is the greatest version-sequence of those that were purged from a space, so
 * that the last change of the space is known though the version of it is gone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table andiron.space add column purged_to int not null default 0`.execute(db);
}
