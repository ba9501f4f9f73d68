import { sql, type Kysely } from 'kysely';

/**
 * What is recorded of accesses lies in one row for some of them that were gathered, not in one for each: most of what a record
 * cost was its row (docs/bench/access.md). `accesses` has one JSON array a line (src/core/storage/access-line.ts), `records`
 * says how many, `batch` is about the order in which they came. What is there becomes rows of one.
 *
 * The text is not compressed, which would cost more than it saves: it is there for seconds.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table andiron.gathered_record (
      space int not null,
      batch bigint generated always as identity,
      records int not null,
      accesses text not null,
      primary key (space, batch)
    )`.execute(db);
  await sql`alter table andiron.gathered_record alter column accesses set storage external`.execute(db);
  await sql`
    insert into andiron.gathered_record (space, records, accesses)
    select r.space, 1, json_build_array(
      (r.event_key >> 32)::int, ((r.event_key << 32) >> 32)::int, r.recorded, r.interaction, r.status, r.reason,
      r.request_id, r.client, r.person, r.address,
      case when r.resource_id is null then r.resource_type else r.resource_type || '/' || r.resource_id end,
      r.query, replace(r.details, E'\\n', ' '), r.resource_version)::text
    from andiron.access_record r order by r.event_key`.execute(db);
  await sql`drop table andiron.access_record`.execute(db);
  await sql`alter table andiron.gathered_record rename to access_record`.execute(db);
  await sql`
    alter table andiron.access_record
      rename constraint gathered_record_pkey to access_record_pkey`.execute(db);
  await sql`alter table andiron.access_record enable row level security`.execute(db);
  await sql`
    create policy own_space on andiron.access_record for insert
      with check (space = nullif(current_setting('andiron.space', true), '')::int)`.execute(db);
}
