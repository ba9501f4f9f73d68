import { sql, type Kysely } from 'kysely';

/**
 * Jobs of all kinds (docs/understand/storage.md): asynchronous requests, jobs of administration, and the indexing of search
 * parameters. `job` has what the installation knows of a job: `worker` is the process that executes it and renews `beat`; when it
 * stops, another one begins again, at most `most_runs` times in all (null: without a limit). A job begins at `due` or later, and is
 * removed at `expires`. `job_content` has the request and what came of it, by space. A space has one open job of a kind, and any
 * number of requests.
 *
 * The version before works on `async_job` and `administration_job`. Triggers repeat the changes of either side on the other, so
 * that processes of both versions see, execute and cancel the same jobs, also after a rollback. The next version drops the two
 * tables, their functions and the triggers.
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
  for (const table of ['async_job', 'administration_job']) {
    const name = sql.table(`andiron.${table}`);
    await sql`
      create trigger ${sql.id(`mirror_${table}`)} after insert or update or delete on ${name}
        for each row execute function ${sql.id('andiron', `mirror_${table}`)}()`.execute(db);
    // The trigger copies the rows that exist.
    await sql`update ${name} set runs = runs`.execute(db);
  }
  await sql`
    create trigger mirror_job after insert or update or delete on andiron.job
      for each row execute function andiron.mirror_job()`.execute(db);
  await sql`
    create trigger mirror_job_content after update on andiron.job_content
      for each row execute function andiron.mirror_job_content()`.execute(db);
}
