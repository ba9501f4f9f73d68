import { sql, type Kysely } from 'kysely';
import { dropFunctions } from './sql-files';

/** In the order in which writes lock the tables. */
const TRIGGERS = {
  note_removed_content: 'content',
  compare_search_parameters: 'change_counter',
  mirror_space_state: 'space_state',
  mirror_space: 'space',
};

/**
 * Drops what 0056 to 0058 replaced: triggers, the columns of `space` that `space_state` took over, the identity columns, and the
 * accounts that a connection without `andiron.tenant` sees. The version before uses none of it.
 *
 * The process that creates a space chooses its counter: for AuditEvents the number of the space (docs/understand/storage.md, Tables).
 * Counters of spaces that exist stay. The version before does not choose, and looks for the negated number: until no process of it
 * is left, a trigger chooses that one for the spaces that it creates.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The step gives up long before PostgreSQL looks for a deadlock (1 s), which would end a statement of a client in its place.
  await sql`set local lock_timeout = 100`.execute(db);
  for (const [trigger, table] of Object.entries(TRIGGERS))
    await sql`drop trigger ${sql.id(trigger)} on ${sql.table(`andiron.${table}`)}`.execute(db);
  await sql`
    alter table andiron.space
      drop column rows_made_with, drop column last_parameter, drop column unversioned_changes, drop column purged_to,
      alter column number drop identity, alter column counter drop expression`.execute(db);
  await sql`
    create trigger choose_counter before insert on andiron.space
      for each row when (new.counter is null and new.tenant is not null)
      execute function andiron.choose_counter()`.execute(db);
  await sql`alter table andiron.tenant alter column number drop identity`.execute(db);
  const policies = await sql<{ table: string; isChecked: boolean }>`
    select p.tablename as table, p.with_check is not null as "isChecked" from pg_policies p
    where p.schemaname = 'andiron' and p.policyname = 'own_tenant'`.execute(db);
  const own = sql`tenant = nullif(current_setting('andiron.tenant', true), '')::int`;
  for (const { table, isChecked } of policies.rows)
    await sql`
      alter policy own_tenant on ${sql.table(`andiron.${table}`)}
        using (${own}) ${isChecked ? sql`with check (${own})` : sql``}`.execute(db);
  await dropFunctions(db, '0060-spaces-of-before');
}
