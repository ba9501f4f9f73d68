import { sql, type Kysely } from 'kysely';

/**
 * Requests that are answered later (docs/async.md): what was asked, who is at it, and the answer until it expires.
 *
 * - `state`: waiting, running (by the process `worker`, which renews `beat` while it lives), done.
 * - `repeatable`: nothing is changed by doing it twice, so that another process may begin anew where one has died.
 * - The application role does what a request asks, in its own space only. The work itself goes over all spaces and is
 *   done as the owner; `have_async_jobs` tells without that whether there is any.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table andiron.async_job (
      space int not null,
      id text collate "C" not null,
      tenant int not null,
      state text not null default 'waiting' check (state in ('waiting', 'running', 'done')),
      repeatable boolean not null,
      created timestamptz not null default now(),
      expires timestamptz not null,
      worker text,
      beat timestamptz,
      runs int not null default 0,
      request jsonb not null,
      body text,
      status int,
      answer text,
      primary key (space, id)
    )`.execute(db);
  await sql`create index async_job_by_tenant on andiron.async_job (tenant)`.execute(db);
  await sql`create index async_job_open on andiron.async_job (created) where state <> 'done'`.execute(db);
  await sql`create index async_job_by_expiry on andiron.async_job (expires)`.execute(db);
  await sql`alter table andiron.async_job enable row level security`.execute(db);
  await sql`
    create policy own_space on andiron.async_job
      using (space = nullif(current_setting('andiron.space', true), '')::int)
      with check (space = nullif(current_setting('andiron.space', true), '')::int)`.execute(db);

  await sql`
    create function andiron.have_async_jobs() returns boolean
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
    as $function$
      select exists (select 1 from andiron.async_job j where j.state <> 'done')
          or exists (select 1 from andiron.async_job j where j.expires < now())
    $function$`.execute(db);
  // Of both releases of a tenant, of which a request sees one.
  await sql`
    create function andiron.count_async_jobs(p_space int) returns int
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
    as $function$
      select count(*)::int from andiron.async_job j
      where j.tenant = (select s.tenant from andiron.space s where s.number = p_space)
        and p_space = nullif(current_setting('andiron.space', true), '')::int
    $function$`.execute(db);
  for (const name of ['have_async_jobs', 'count_async_jobs']) {
    await sql`revoke execute on function ${sql.raw(`andiron.${name}`)} from public`.execute(db);
  }
}
