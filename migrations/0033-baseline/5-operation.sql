-- Requests that are answered later, records of accesses, erasures and rate limits.

-- A request that is answered later (docs/use/http.md), then its answer until it expires. `worker` is the process that runs it and
-- renews `beat`. A `repeatable` one changes nothing by being run twice, so that another process may start it again.
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
);
create index async_job_by_tenant on andiron.async_job (tenant);
create index async_job_open on andiron.async_job (created) where state <> 'done';
create index async_job_by_expiry on andiron.async_job (expires);
alter table andiron.async_job enable row level security;
create policy own_space on andiron.async_job for select
  using (space = nullif(current_setting('andiron.space', true), '')::int);

-- Accesses that are not yet AuditEvents (docs/run/audit.md). `accesses` has a JSON array on each line
-- (src/core/storage/audit/access-line.ts), `records` is their number, `batch` their order. The text is not compressed, because a
-- row exists for seconds. The application role inserts; the owner deletes in the transaction that writes the AuditEvents.
-- Some names are those of the table that it replaced.
create table andiron.access_record (
  space int constraint gathered_record_space_not_null not null,
  batch bigint constraint gathered_record_batch_not_null not null generated always as identity,
  records int constraint gathered_record_records_not_null not null,
  accesses text constraint gathered_record_accesses_not_null not null,
  primary key (space, batch)
);
alter sequence andiron.access_record_batch_seq rename to gathered_record_batch_seq;
alter table andiron.access_record alter column accesses set storage external;
alter table andiron.access_record enable row level security;
create policy own_space on andiron.access_record for insert
  with check (space = nullif(current_setting('andiron.space', true), '')::int);

-- Spaces, or a tenant, of which something was erased, so that processes clear their caches (docs/run/tenants.md). It does not say
-- what. Rows are inserted under a lock of the table, so that none becomes visible after one with a greater number.
create table andiron.erasure (
  number bigint generated always as identity primary key,
  spaces int[] not null,
  made timestamptz not null default now()
);

-- Running server processes. `forgotten` is the last erasure after which a process has cleared its caches.
create table andiron.server_process (
  id text collate "C" primary key,
  beat timestamptz not null,
  forgotten bigint not null
);

-- Rate limits while Redis cannot be reached (docs/run/limits.md). Unlogged: nothing of it matters after a crash. No column that
-- changes is in an index, so an update stays on its page.
create unlogged table andiron.token_bucket (
  key text collate "C" primary key,
  tokens float8 not null,
  told timestamptz not null,
  full_at timestamptz not null
) with (fillfactor = 50);
alter table andiron.token_bucket enable row level security;
