import { sql, type Kysely } from 'kysely';

/**
 * Share of dead rows at which autovacuum comes, and the number of dead rows below which it does not; instead of PostgreSQL's 20 %
 * (docs/understand/storage.md, Growing). An update leaves several dead index rows, and searches read them until then.
 */
export const VACUUMED_EARLIER: Readonly<Record<string, number>> = {
  token_index: 0.02,
  reference_index: 0.02,
  range_index: 0.02,
  string_index: 0.02,
  uri_index: 0.02,
  resource: 0.02,
};

/** Only a lock against other changes of the table is taken, and nothing is rewritten. A value that an operator has set stays. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, share] of Object.entries(VACUUMED_EARLIER)) {
    const { rows } = await sql<{ options: readonly string[] | null }>`
      select c.reloptions as options from pg_class c
      where c.oid = ${sql.lit(`andiron.${table}`)}::regclass`.execute(db);
    const isSet = rows[0]?.options?.some((each) => each.startsWith('autovacuum_vacuum_scale_factor='));
    if (isSet === true) continue;
    await sql`
      alter table ${sql.table(`andiron.${table}`)} set (autovacuum_vacuum_scale_factor = ${sql.lit(share)})`.execute(
      db,
    );
  }
  // Updates of `resource` are never HOT, because `last_updated` is indexed: free space on its pages gains nothing.
  await sql`alter table andiron.resource set (fillfactor = 100)`.execute(db);
}
