import { sql, type Kysely } from 'kysely';

/**
 * The rights of people: an administrator or auditor by their account, as clients are (docs/run/access.md). An account that a
 * program without these columns has created has neither.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table andiron.user_account
      add column administrator boolean not null default false, add column auditor boolean not null default false`.execute(
    db,
  );
}
