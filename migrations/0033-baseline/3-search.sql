-- Index rows of searches, by the kind of value, and the search parameters of tenants.

create table andiron.token_index (
  space int not null,
  parameter int not null,
  value_hash bigint not null,
  sort_date bigint not null,
  resource_key bigint not null,
  system_hash int not null
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
create index token_index_by_value on andiron.token_index
  (space, parameter, value_hash, sort_date, resource_key, system_hash);

create table andiron.reference_index (
  space int not null,
  parameter int not null,
  target_key bigint not null,
  sort_date bigint not null,
  resource_key bigint not null,
  target_type smallint not null
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
create index reference_index_by_target on andiron.reference_index
  (space, parameter, target_key, sort_date, resource_key, target_type);

-- `qualifier` is the code of a composite, `qualifier_system` its system; -1 in rows from before the column existed.
create table andiron.range_index (
  space int not null,
  parameter int not null,
  qualifier bigint not null,
  low float8 not null,
  high float8 not null,
  resource_key bigint not null,
  unit_system int not null,
  unit_code int not null,
  unit_name int not null,
  extremes smallint not null,
  qualifier_system int not null
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
create index range_index_by_low on andiron.range_index
  (space, parameter, qualifier, low, resource_key) include (high, qualifier_system, extremes);

create table andiron.string_index (
  space int not null,
  parameter int not null,
  resource_key bigint not null,
  exact_hash int not null,
  extremes smallint not null,
  value text collate "C" not null
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
create index string_index_by_value on andiron.string_index (space, parameter, value, resource_key);

-- The index of `:contains`, where the server has both extensions. PostgreSQL collects new strings and sorts them into the index
-- when it has gin_pending_list_limit: the write that does it takes 45 to 60 ms with the default of 4 MB, 4 ms with 256 kB.
do $block$
declare
  v_operators text;
begin
  create extension if not exists btree_gin;
  create extension if not exists pg_trgm;
  select quote_ident(n.nspname) || '.gin_trgm_ops' into v_operators
  from pg_catalog.pg_opclass o join pg_catalog.pg_namespace n on n.oid = o.opcnamespace
  where o.opcname = 'gin_trgm_ops' limit 1;
  execute 'create index string_index_by_trigram on andiron.string_index using gin (space, parameter, value '
    || v_operators || ') with (gin_pending_list_limit = 256)';
exception when undefined_file or insufficient_privilege or feature_not_supported or undefined_object then
  raise notice 'no trigram index: searches with :contains read all strings of a parameter (%)', sqlerrm;
end
$block$;

create table andiron.uri_index (
  space int not null,
  parameter int not null,
  resource_key bigint not null,
  value text collate "C" not null,
  version text collate "C" not null
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
create index uri_index_by_value on andiron.uri_index (space, parameter, value, resource_key);

-- A row for each pair of a resource type and a search parameter that a tenant has made. A number is used once in a space, so
-- that index rows of a removed parameter are never those of another. `slot` is its bit in `resource.presence`, after the
-- built-in parameters; it is free again when the row is gone. `owner` is the id of the SearchParameter.
create table andiron.search_parameter (
  space int not null,
  number int not null check (number between 100000 and 999999),
  resource_type smallint not null,
  slot smallint not null,
  code text collate "C" not null,
  url text collate "C" not null,
  owner text collate "C" not null,
  state text not null check (state in ('indexing', 'active', 'removing')),
  pending boolean not null,
  changed timestamptz not null default now(),
  after_key bigint,
  resources int not null default 0,
  indexed int not null default 0,
  failure text,
  definition jsonb not null,
  primary key (space, number)
);
create unique index search_parameter_by_code on andiron.search_parameter (space, resource_type, code)
  where state <> 'removing';
create unique index search_parameter_by_slot on andiron.search_parameter (space, resource_type, slot);
create index search_parameter_pending on andiron.search_parameter (space, resource_type) where pending;

alter table andiron.token_index enable row level security;
alter table andiron.reference_index enable row level security;
alter table andiron.range_index enable row level security;
alter table andiron.string_index enable row level security;
alter table andiron.uri_index enable row level security;
alter table andiron.search_parameter enable row level security;
create policy own_space on andiron.token_index for select
  using (space = nullif(current_setting('andiron.space', true), '')::int);
create policy own_space on andiron.reference_index for select
  using (space = nullif(current_setting('andiron.space', true), '')::int);
create policy own_space on andiron.range_index for select
  using (space = nullif(current_setting('andiron.space', true), '')::int);
create policy own_space on andiron.string_index for select
  using (space = nullif(current_setting('andiron.space', true), '')::int);
create policy own_space on andiron.uri_index for select
  using (space = nullif(current_setting('andiron.space', true), '')::int);
create policy own_space on andiron.search_parameter for select
  using (space = nullif(current_setting('andiron.space', true), '')::int);
