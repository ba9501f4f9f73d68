import { sql, type Kysely } from 'kysely';

/**
 * What changes with the data of a space gets a table of its own, so that `space` changes only when a tenant is created or removed
 * (docs/understand/storage.md, Tables). The version before changes and reads the columns of `space`: until no process of it is left,
 * triggers repeat each change in the other table.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table andiron.space_state (
      space int primary key,
      rows_made_with text[] not null default '{}',
      last_parameter int not null default 99999,
      unversioned_changes int not null default 0,
      purged_to int not null default 0
    )`.execute(db);
  await sql`alter table andiron.space_state enable row level security`.execute(db);
  await sql`
    create policy own_space on andiron.space_state for select
      using (space = nullif(current_setting('andiron.space', true), '')::int)`.execute(db);
  await sql`lock table andiron.space in exclusive mode`.execute(db);
  await sql`
    insert into andiron.space_state (space, rows_made_with, last_parameter, unversioned_changes, purged_to)
    select s.number, s.rows_made_with, s.last_parameter, s.unversioned_changes, s.purged_to from andiron.space s`.execute(
    db,
  );
  await sql`
    create trigger mirror_space after insert or update of rows_made_with, last_parameter, unversioned_changes, purged_to
      on andiron.space for each row execute function andiron.mirror_space()`.execute(db);
  await sql`
    create trigger mirror_space_state after update on andiron.space_state
      for each row execute function andiron.mirror_space_state()`.execute(db);
}
