import { sql, type Kysely } from 'kysely';

/**
 * Jobs of all kinds (docs/understand/storage.md): asynchronous requests, jobs of administration, and the indexing of search
 * parameters. `job` has what the installation knows of a job: `worker` is the process that executes it and renews `beat`; when it
 * stops, another one begins again, at most `most_runs` times in all (null: without a limit). A job begins at `due` or later, and is
 * removed at `expires`. `job_content` has the request and what came of it, by space. A space has one open job of a kind, and any
 * number of requests.
 *
 * It takes over the rows of `async_job` and `administration_job`, which 0054 drops. Where this step ran before 0054 existed, triggers
 * repeated the changes of either side on the other for the version before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table andiron.job (
      space int not null,
      id text collate "C" not null,
      tenant int not null references andiron.tenant on delete cascade,
      kind text collate "C" not null,
      state text collate "C" not null default 'queued'
        check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
      cancelled boolean not null default false,
      most_runs int,
      runs int not null default 0,
      worker text collate "C",
      beat timestamptz,
      created timestamptz not null default now(),
      due timestamptz not null default now(),
      started timestamptz,
      ended timestamptz,
      expires timestamptz,
      primary key (space, id)
    )`.execute(db);
  await sql`
    create unique index job_open on andiron.job (space, kind)
      where kind <> 'request' and state in ('queued', 'running')`.execute(db);
  await sql`create index job_by_tenant on andiron.job (tenant)`.execute(db);
  await sql`create index job_queued on andiron.job (due) where state = 'queued'`.execute(db);
  await sql`create index job_running on andiron.job (beat) where state = 'running'`.execute(db);
  await sql`create index job_by_expiry on andiron.job (expires) where expires is not null`.execute(db);
  await sql`
    create table andiron.job_content (
      space int not null,
      id text collate "C" not null,
      request jsonb not null,
      body text,
      content bytea,
      progress jsonb,
      result jsonb,
      failure text,
      status int,
      answer text,
      primary key (space, id)
    )`.execute(db);
  // It is compressed already, and is read in pieces.
  await sql`alter table andiron.job_content alter column content set storage external`.execute(db);
  for (const table of ['job', 'job_content']) {
    const name = sql.table(`andiron.${table}`);
    await sql`alter table ${name} enable row level security`.execute(db);
    await sql`
      create policy own_space on ${name} for select
        using (space = nullif(current_setting('andiron.space', true), '')::int)`.execute(db);
  }
  await sql`
    insert into andiron.job_content (space, id, request, body, status, answer)
    select j.space, j.id, j.request, j.body, j.status, j.answer from andiron.async_job j`.execute(db);
  await sql`
    insert into andiron.job (space, id, tenant, kind, state, most_runs, runs, worker, beat, created, expires)
    select j.space, j.id, j.tenant, 'request', case j.state when 'waiting' then 'queued' else j.state end,
           case when j.repeatable then 3 else 1 end, j.runs, j.worker, j.beat, j.created, j.expires
    from andiron.async_job j`.execute(db);
  const firstSpace = sql`(select min(s.number) from andiron.space s where s.tenant = j.tenant and s.kind = 'data')`;
  await sql`
    insert into andiron.job_content (space, id, request, content, progress, result, failure)
    select ${firstSpace}, j.id, j.request, j.content, j.progress, j.result, j.failure
    from andiron.administration_job j where ${firstSpace} is not null`.execute(db);
  await sql`
    insert into andiron.job
      (space, id, tenant, kind, state, cancelled, most_runs, runs, worker, beat, created, started, ended, expires)
    select ${firstSpace}, j.id, j.tenant, j.kind, j.state, j.cancelled, 3, j.runs, j.worker, j.beat, j.created,
           j.started, j.ended, j.ended + interval '7 days'
    from andiron.administration_job j where ${firstSpace} is not null`.execute(db);
}
