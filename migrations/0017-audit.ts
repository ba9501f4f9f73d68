import { sql, type Kysely } from 'kysely';

/**
 * The record of who did what (docs/audit.md).
 *
 * - `access_record` holds what has happened and is no AuditEvent yet: one small row for each access, written with the
 *   change that it tells of, or gathered. `space` is where it happened, `event_key` the key of the AuditEvent to be, so
 *   that what is written twice is one. The application role may add rows and nothing else; the owner takes them away in
 *   the transaction that writes their AuditEvents.
 * - AuditEvents are in a space of their own beside each tenant's data of a release (`space.kind`), with a counter of its
 *   own (`space.counter`, which names the row of `change_counter`; those below 0 are of such spaces). So they stand in
 *   nobody's history, feed or sequence, and their writing waits for no change of the tenant's data.
 * - In such a space `write_versions` makes resources, and neither changes nor deletes any, whoever asks.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table andiron.space
      add column kind text not null default 'data' check (kind in ('data', 'audit')),
      add column counter int generated always as (case when kind = 'audit' then -number else tenant end) stored,
      drop constraint space_tenant_release_key,
      add constraint space_tenant_release_kind_key unique nulls not distinct (tenant, release, kind)`.execute(
    db,
  );
  await sql`
    insert into andiron.space (tenant, release, kind)
    select s.tenant, s.release, 'audit' from andiron.space s where s.tenant is not null`.execute(db);
  await sql`
    insert into andiron.change_counter (tenant)
    select s.counter from andiron.space s where s.kind = 'audit'`.execute(db);

  await sql`
    create table andiron.access_record (
      space int not null,
      event_key bigint not null,
      recorded bigint not null,
      interaction text not null,
      status smallint not null,
      reason text,
      request_id text not null,
      client text,
      person text,
      address text,
      resource_type text,
      resource_id text,
      resource_version int,
      patient text,
      query text,
      details text,
      primary key (space, event_key)
    )`.execute(db);
  await sql`alter table andiron.access_record enable row level security`.execute(db);
  await sql`
    create policy own_space on andiron.access_record for insert
      with check (space = nullif(current_setting('andiron.space', true), '')::int)`.execute(db);
  await sql`
    create function andiron.have_access_records() returns boolean
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
    as $function$
      select exists (select 1 from andiron.access_record)
    $function$`.execute(db);
  await sql`revoke execute on function andiron.have_access_records from public`.execute(db);

  await replaceInWriteVersions(db, 'c.tenant = s.tenant', 'c.tenant = s.counter');
  await replaceInWriteVersions(
    db,
    'if v_creates < v_count then',
    `if v_creates < v_count then
        if exists (select 1 from andiron.space s where s.number = p_space and s.kind = 'audit') then
          raise exception 'what is recorded is not changed' using errcode = 'insufficient_privilege';
        end if;`,
  );
}

/** The function as it is, but for one place: what other steps have made of it stays. */
async function replaceInWriteVersions(db: Kysely<unknown>, found: string, put: string): Promise<void> {
  await sql`
    do $do$
    declare
      v_function constant text := pg_get_functiondef('andiron.write_versions'::regproc);
    begin
      if cardinality(string_to_array(v_function, ${sql.lit(found)})) <> 2 then
        raise exception 'write_versions is not as this step knows it';
      end if;
      execute replace(v_function, ${sql.lit(found)}, ${sql.lit(put)});
    end
    $do$`.execute(db);
}
