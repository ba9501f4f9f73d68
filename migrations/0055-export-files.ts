import { sql, type Kysely } from 'kysely';

/**
 * Files of jobs in the store of content (docs/understand/storage.md, Large content): `file` says which one a content is, and a job
 * has one content of each. The version before has none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table andiron.content add column file text collate "C"`.execute(db);
  await sql`
    create unique index content_by_job on andiron.content (space, job, file)
      where job is not null and not dead`.execute(db);
}
