import { sql, type Kysely } from 'kysely';

/**
 * Exports of bulk data (docs/understand/storage.md). `export_member` has what an export contains: the version of each resource at its
 * moment. `deleted` marks those that were deleted since the moment that the client named. The rows go after their job.
 *
 * The kind of such a job is stored with its id, because the version before needs the index `job_open`, by which a space has one open
 * job of a kind.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table andiron.export_member (
      space int not null,
      sequence int not null,
      resource_key bigint not null,
      version int not null,
      resource_type smallint not null,
      deleted boolean not null,
      job text collate "C" not null,
      primary key (space, job, deleted, resource_type, sequence)
    )`.execute(db);
  await sql`alter table andiron.export_member enable row level security`.execute(db);
  await sql`
    create policy own_space on andiron.export_member
      using (space = nullif(current_setting('andiron.space', true), '')::int)`.execute(db);
}
