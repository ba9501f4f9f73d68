import { sql, type Kysely } from 'kysely';

/**
 * References that an app of a patient has added to a resource and whose targets it did not reach: they open nothing
 * (docs/run/access-rules.md, What a record refers to). A row holds for one version of the resource, so that the next one, by
 * anybody else, has none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table andiron.unopened_reference (
      space int not null,
      resource_type smallint not null,
      resource_key bigint not null,
      version int not null,
      target_type smallint not null,
      target_key bigint not null,
      primary key (space, resource_type, resource_key, version, target_type, target_key)
    )`.execute(db);
  await sql`alter table andiron.unopened_reference enable row level security`.execute(db);
  await sql`
    create policy own_space on andiron.unopened_reference
      using (space = nullif(current_setting('andiron.space', true), '')::int)
      with check (space = nullif(current_setting('andiron.space', true), '')::int)`.execute(db);
}
