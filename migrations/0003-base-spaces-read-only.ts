import { sql, type Kysely } from 'kysely';

/** Tables from which the application role may delete. */
const TABLES = ['token_index', 'reference_index', 'range_index', 'string_index', 'uri_index'];

/**
 * The application role reads the base spaces and never writes them. `with check` of the policy own_space says so for
 * new rows; a deletion makes none, so it needs a policy of its own.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of TABLES) {
    await sql`
      create policy base_spaces_stay on ${sql.table(`andiron.${table}`)} as restrictive for delete
        using (space > 2)`.execute(db);
  }
}
