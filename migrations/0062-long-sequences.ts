import { sql, type Kysely } from 'kysely';

/** The columns with version-sequences. */
export const SEQUENCE_COLUMNS: readonly (readonly [table: string, column: string])[] = [
  ['resource_version', 'sequence'],
  ['change_counter', 'last_sequence'],
  ['space_state', 'purged_to'],
  ['subscription_feed', 'position'],
  ['subscription', 'since'],
  ['subscription_event', 'sequence'],
  ['export_member', 'sequence'],
];

/**
 * Version-sequences of 64 bits in an empty database. In one with data, the change of a type would rewrite `resource_version`, and
 * processes of the version before could not read it: there `andiron migrate --long-sequences` does it when the operator says so.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ isEmpty: boolean }>`
    select not exists (select from andiron.resource_version) as "isEmpty"`.execute(db);
  if (rows[0]?.isEmpty !== true) return;
  for (const [table, column] of SEQUENCE_COLUMNS)
    await sql`
      alter table ${sql.table(`andiron.${table}`)} alter column ${sql.ref(column)} type bigint`.execute(db);
}
