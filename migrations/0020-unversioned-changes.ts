import { sql, type Kysely } from 'kysely';

/**
 * `space.unversioned_changes` counts what changes the answers of searches and has no version-sequence: rows that a reindex
 * puts right, resources that are purged. With the last version-sequence it tells whether an answer that a process
 * remembers still stands (src/core/storage/space-changes.ts).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table andiron.space add column unversioned_changes int not null default 0`.execute(db);
}
