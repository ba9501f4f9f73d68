import { sql, type Kysely } from 'kysely';
import { readEarlierFunctions } from './sql-files';

const STEP = '0059-spaces-of-before';
const TRIGGERS = {
  compare_search_parameters: 'change_counter',
  uncount_versions: 'resource_version',
  note_removed_content: 'content',
  mirror_space: 'space',
  mirror_space_state: 'space_state',
};

/**
 * Drops what 0056 to 0058 replaced: triggers, the columns of `space` that `space_state` took over, the identity columns, and the
 * accounts that a connection without `andiron.tenant` sees. The version before uses none of it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [trigger, table] of Object.entries(TRIGGERS))
    await sql`drop trigger ${sql.id(trigger)} on ${sql.table(`andiron.${table}`)}`.execute(db);
  await sql`
    alter table andiron.space
      drop column rows_made_with, drop column last_parameter, drop column unversioned_changes, drop column purged_to,
      alter column number drop identity`.execute(db);
  await sql`alter table andiron.tenant alter column number drop identity`.execute(db);
  const policies = await sql<{ table: string; isChecked: boolean }>`
    select p.tablename as table, p.with_check is not null as "isChecked" from pg_policies p
    where p.schemaname = 'andiron' and p.policyname = 'own_tenant'`.execute(db);
  const own = sql`tenant = nullif(current_setting('andiron.tenant', true), '')::int`;
  for (const { table, isChecked } of policies.rows)
    await sql`
      alter policy own_tenant on ${sql.table(`andiron.${table}`)}
        using (${own}) ${isChecked ? sql`with check (${own})` : sql``}`.execute(db);
  for (const { name } of await readEarlierFunctions(STEP)) {
    await sql`drop function ${sql.id('andiron', name)}`.execute(db);
    await sql`delete from andiron_migration.database_function f where f.name = ${name}`.execute(db);
  }
}
