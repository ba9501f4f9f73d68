import { sql, type Kysely } from 'kysely';

/**
 * PostgreSQL puts new strings on a list and sorts them into the trigram index when it has 4 MB: who writes then waits for 45
 * to 60 ms, and with him all who write in the space. With 256 kB he waits for some 4, and writes take no longer in all (docs/benchmark.md, What made writes dearer).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter index if exists andiron.string_index_by_trigram set (gin_pending_list_limit = 256)`.execute(
    db,
  );
}
