import { sql, type Kysely } from 'kysely';

/**
 * Large content apart from the texts of versions (docs/understand/storage.md, Large content). A row of `content` belongs to nothing
 * while it is written: its process renews `beat`, and after a silence the row is `dead` and removed. Then it belongs to a version of
 * a resource, or to a job. `store` says where its bytes are: in `content_chunk`, or in an object of a folder or a bucket. When a row
 * of such a store is deleted, a trigger adds a row of `content_removal`, by which a process deletes the object; it has no owner, so
 * that it outlives the tenant.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table andiron.content (
      space int not null,
      id uuid not null,
      store text collate "C" not null check (store in ('database', 'folder', 'bucket')),
      size bigint,
      digest bytea,
      beat timestamptz not null default now(),
      dead boolean not null default false,
      resource_type smallint,
      resource_key bigint,
      version int,
      job text collate "C",
      primary key (space, id),
      check (version is null or (size is not null and resource_type is not null and resource_key is not null))
    )`.execute(db);
  await sql`
    create unique index content_by_version on andiron.content (space, resource_type, resource_key, version)
      where version is not null`.execute(db);
  await sql`create index content_unowned on andiron.content (beat) where version is null`.execute(db);
  await sql`
    create table andiron.content_chunk (
      space int not null,
      content uuid not null,
      number int not null,
      bytes bytea not null,
      primary key (space, content, number),
      foreign key (space, content) references andiron.content
    )`.execute(db);
  // Ranges are read in pieces, and content is mostly compressed already.
  await sql`alter table andiron.content_chunk alter column bytes set storage external`.execute(db);
  await sql`
    create table andiron.content_removal (
      store text collate "C" not null,
      object text collate "C" not null,
      due timestamptz not null default now(),
      again boolean not null default false,
      primary key (store, object)
    )`.execute(db);
  await sql`create index content_removal_by_due on andiron.content_removal (due)`.execute(db);
  for (const table of ['content', 'content_chunk']) {
    const name = sql.table(`andiron.${table}`);
    await sql`alter table ${name} enable row level security`.execute(db);
    await sql`
      create policy own_space on ${name}
        using (space = nullif(current_setting('andiron.space', true), '')::int)
        with check (space = nullif(current_setting('andiron.space', true), '')::int)`.execute(db);
  }
  await sql`
    create trigger note_removed_content after delete on andiron.content
      referencing old table as gone for each statement execute function andiron.note_removed_content()`.execute(
    db,
  );
}
