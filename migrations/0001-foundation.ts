import { sql, type Kysely } from 'kysely';

/**
 * Tenants, resources, versions and search indexes. docs/storage.md says what each table and index is for.
 *
 * Every table of resources and index rows leads with `space` (one tenant's data of one release). There is no
 * foreign key between them: all rows of one write are made by one call of `write_versions`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create schema andiron`.execute(db);

  // Control plane ------------------------------------------------------------------------------------------------
  await sql`
    create table andiron.installation (
      only_row boolean primary key default true check (only_row),
      id uuid not null default gen_random_uuid(),
      hash_key bytea not null,
      cursor_key bytea not null,
      definitions_digest text,
      created timestamptz not null default now()
    )`.execute(db);
  await sql`
    create table andiron.tenant (
      number int generated always as identity primary key,
      name text collate "C" not null unique check (name ~ '^[a-z0-9-]{1,63}$'),
      status text not null default 'active' check (status in ('active', 'disabled')),
      created timestamptz not null default now()
    )`.execute(db);
  await sql`
    create table andiron.space (
      number int generated always as identity (start with 3) primary key,
      tenant int references andiron.tenant,
      release text not null,
      unique nulls not distinct (tenant, release)
    )`.execute(db);
  await sql`
    create table andiron.change_counter (
      tenant int primary key,
      last_sequence int not null default 0
    ) with (fillfactor = 10)`.execute(db);

  // Resources ----------------------------------------------------------------------------------------------------
  await sql`
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
      primary key (space, resource_type, resource_key)
    ) with (fillfactor = 85)`.execute(db);
  await sql`
    create index resource_by_last_updated on andiron.resource (space, resource_type, last_updated, resource_key)
    where not deleted`.execute(db);
  await sql`
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
    )`.execute(db);
  await sql`
    create index resource_version_by_sequence on andiron.resource_version (space, resource_type, sequence)`.execute(
    db,
  );

  // Search indexes -----------------------------------------------------------------------------------------------
  await sql`
    create table andiron.token_index (
      space int not null,
      parameter int not null,
      value_hash bigint not null,
      sort_date bigint not null,
      resource_key bigint not null,
      system_hash int not null
    )`.execute(db);
  await sql`
    create index token_index_by_value on andiron.token_index
      (space, parameter, value_hash, sort_date, resource_key, system_hash)`.execute(db);
  await sql`
    create table andiron.reference_index (
      space int not null,
      parameter int not null,
      target_key bigint not null,
      sort_date bigint not null,
      resource_key bigint not null,
      target_type smallint not null
    )`.execute(db);
  await sql`
    create index reference_index_by_target on andiron.reference_index
      (space, parameter, target_key, sort_date, resource_key, target_type)`.execute(db);
  await sql`
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
      extremes smallint not null
    )`.execute(db);
  await sql`
    create index range_index_by_low on andiron.range_index
      (space, parameter, qualifier, low, resource_key) include (high, extremes)`.execute(db);
  await sql`
    create table andiron.string_index (
      space int not null,
      parameter int not null,
      resource_key bigint not null,
      exact_hash int not null,
      extremes smallint not null,
      value text collate "C" not null
    )`.execute(db);
  await sql`
    create index string_index_by_value on andiron.string_index (space, parameter, value, resource_key)`.execute(
    db,
  );
  await sql`
    create table andiron.uri_index (
      space int not null,
      parameter int not null,
      resource_key bigint not null,
      value text collate "C" not null,
      version text collate "C" not null
    )`.execute(db);
  await sql`
    create index uri_index_by_value on andiron.uri_index (space, parameter, value, resource_key)`.execute(db);

  for (const table of [
    'resource',
    'resource_version',
    'token_index',
    'reference_index',
    'range_index',
    'string_index',
    'uri_index',
  ]) {
    const name = sql.table(`andiron.${table}`);
    await sql`alter table ${name} enable row level security`.execute(db);
    await sql`
      create policy own_space on ${name} for select
        using (space = nullif(current_setting('andiron.space', true), '')::int)`.execute(db);
    // Insert-only tables: keep the visibility map fresh, so that index-only scans stay index-only.
    await sql`alter table ${name} set (autovacuum_vacuum_insert_scale_factor = 0.05)`.execute(db);
  }
  await sql`alter table andiron.change_counter enable row level security`.execute(db);

  await sql`
    insert into andiron.installation (hash_key, cursor_key)
    values (decode(replace(gen_random_uuid()::text, '-', ''), 'hex'),
            decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'))`.execute(db);
  await sql`
    insert into andiron.space (number, tenant, release) overriding system value values (1, null, 'r4'), (2, null, 'r4b')
  `.execute(db);
  await sql`
    with t as (insert into andiron.tenant (name) values ('system') returning number),
         c as (insert into andiron.change_counter (tenant) select number from t)
    insert into andiron.space (tenant, release) select number, release from t, (values ('r4'), ('r4b')) r (release)
  `.execute(db);
}
