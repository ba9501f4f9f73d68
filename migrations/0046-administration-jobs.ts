import { sql, type Kysely } from 'kysely';

/**
 * Work on a whole tenant that an administrator has asked for over HTTP (docs/run/operations.md): the import of a package, a
 * reindex. `worker` is the process that executes it and renews `beat`; when it stops, another one begins again, as both can be
 * repeated. `content` is a package file that was sent, until the end. A tenant has one open job of a kind.
 *
 * It is not a row of `async_job`, because a process of an earlier version executes every waiting row there as a FHIR request.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table andiron.administration_job (
      tenant int not null references andiron.tenant on delete cascade,
      id text collate "C" not null,
      kind text collate "C" not null,
      state text collate "C" not null default 'queued'
        check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
      cancelled boolean not null default false,
      request jsonb not null,
      content bytea,
      progress jsonb,
      result jsonb,
      failure text,
      created timestamptz not null default now(),
      started timestamptz,
      ended timestamptz,
      worker text collate "C",
      beat timestamptz,
      runs int not null default 0,
      primary key (tenant, id)
    )`.execute(db);
  // It is compressed already, and is read in pieces.
  await sql`alter table andiron.administration_job alter column content set storage external`.execute(db);
  await sql`
    create unique index administration_job_open on andiron.administration_job (tenant, kind)
      where state in ('queued', 'running')`.execute(db);
  await sql`
    create index administration_job_by_end on andiron.administration_job (ended) where ended is not null`.execute(
    db,
  );
  await sql`alter table andiron.administration_job enable row level security`.execute(db);
  await sql`
    create policy own_tenant on andiron.administration_job for select
      using (tenant = (select andiron.own_tenant()))`.execute(db);
}
