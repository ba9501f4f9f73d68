-- Resources and their versions. Every table of resources and index rows begins with `space`. There is no foreign key between
-- them: write_versions makes all rows of a write.
--
-- Rows are mostly inserted. The vacuum setting keeps the visibility map current, so that index-only scans stay index-only.

-- The head of a resource. `presence` has a bit for each search parameter of the type. `target_keys` are the keys of all
-- resources of the space that it refers to, by any parameter; a search confirms each by reference_index.
create table andiron.resource (
  space int not null,
  resource_type smallint not null,
  deleted boolean not null,
  resource_key bigint not null,
  last_updated bigint not null,
  sort_date bigint not null,
  version int not null,
  id text collate "C",
  presence bytea not null,
  target_keys bigint[] not null default '{}',
  primary key (space, resource_type, resource_key)
) with (fillfactor = 85, autovacuum_vacuum_insert_scale_factor = 0.05);
create index resource_by_last_updated on andiron.resource (space, resource_type, last_updated, resource_key)
  where not deleted;

-- `change` is 1 for a create, 2 for an update, 3 for a delete.
create table andiron.resource_version (
  space int not null,
  version int not null,
  resource_key bigint not null,
  last_updated bigint not null,
  sequence int not null,
  meta_offset int not null,
  resource_type smallint not null,
  change smallint not null,
  id text collate "C",
  author text,
  body text,
  primary key (space, resource_type, resource_key, version)
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
create index resource_version_by_sequence on andiron.resource_version (space, resource_type, sequence);
-- The history of a whole space: 7.7 ms for a page of 50 by the index above with 100 types, 0.04 ms by this one.
create index resource_version_by_space_sequence on andiron.resource_version (space, sequence);

create trigger uncount_versions after delete on andiron.resource_version
  referencing old table as gone for each statement execute function andiron.uncount_versions();

alter table andiron.resource enable row level security;
alter table andiron.resource_version enable row level security;
create policy own_space on andiron.resource for select
  using (space = nullif(current_setting('andiron.space', true), '')::int);
create policy own_space on andiron.resource_version for select
  using (space = nullif(current_setting('andiron.space', true), '')::int);
