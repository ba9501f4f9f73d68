import { sql, type Kysely } from 'kysely';

/**
 * The refresh tokens of a grant beside the newest one, as hashes: those that are not used yet, and the used ones that may
 * still be sent again (src/core/storage/accounts/refresh-family.ts). Null, also in rows of a program without this column: there are none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table andiron.user_grant add column refresh_uses jsonb`.execute(db);
}
