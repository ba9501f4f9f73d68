-- The database itself, its tenants and their spaces.

-- One row. `id` is random and begins the keys in Redis. `hash_key` is the key of the hashes in index rows. `cursor_key` signs
-- cursors where no setting does.
create table andiron.installation (
  only_row boolean primary key default true check (only_row),
  id uuid not null default gen_random_uuid(),
  hash_key bytea not null,
  cursor_key bytea not null,
  definitions_digest text,
  created timestamptz not null default now()
);

-- `settings` is an object of names and words (src/core/tenants/tenant-settings.ts); programs ignore names that they do not have.
-- `search_parameters` counts the changes of the tenant's own search parameters. `policies` are access policies by name.
create table andiron.tenant (
  number int generated always as identity primary key,
  name text collate "C" not null unique check (name ~ '^[a-z0-9-]{1,63}$'),
  status text not null default 'active' check (status in ('active', 'disabled', 'importing', 'deleting')),
  created timestamptz not null default now(),
  settings jsonb not null default '{}' check (jsonb_typeof(settings) = 'object'),
  search_parameters int not null default 0,
  display text check (length(display) between 1 and 200),
  policies jsonb not null default '{}'
);

-- A space holds one tenant's data of one release. Spaces 1 and 2 hold the base conformance resources and have no tenant.
-- AuditEvents have a space of their own (`kind`), with a counter of its own: the row -number of change_counter.
-- `rows_made_with` holds the fingerprints of the indexing rules that may have made its index rows since the last reindex.
-- `last_parameter` is the last number of a search parameter. `unversioned_changes` counts changes of search results that have
-- no version. `purged_to` is the last sequence number of a purged version.
create table andiron.space (
  number int generated always as identity (start with 3) primary key,
  tenant int references andiron.tenant,
  release text not null,
  rows_made_with text[] not null default '{}',
  last_parameter int not null default 99999,
  kind text not null default 'data' check (kind in ('data', 'audit')),
  counter int generated always as (case when kind = 'audit' then -number else tenant end) stored,
  unversioned_changes int not null default 0,
  purged_to int not null default 0,
  constraint space_tenant_release_kind_key unique nulls not distinct (tenant, release, kind)
);

-- Each write locks and changes the row of its tenant last, so the pages stay almost empty and a new row fits on its page.
-- `resources` and `bytes` are exact: resources that are not deleted, bytes of the texts of all versions.
create table andiron.change_counter (
  tenant int primary key,
  last_sequence int not null default 0,
  search_parameters int not null default 0,
  resources bigint not null default 0,
  bytes bigint not null default 0
) with (fillfactor = 10);
alter table andiron.change_counter enable row level security;

create trigger compare_search_parameters after update of last_sequence on andiron.change_counter
  for each row when (new.search_parameters <> 0) execute function andiron.compare_search_parameters();
