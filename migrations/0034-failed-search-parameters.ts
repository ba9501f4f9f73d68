import { sql, type Kysely } from 'kysely';

/**
 * Search parameters that have failed (docs/understand/storage.md, "Search parameters of tenants").
 *
 * - State `failed`: no write makes rows of the parameter and no search uses it, until its SearchParameter changes or
 *   is reindexed by its id.
 * - `attempted_by` is set before an indexing scan makes rows and cleared when the scan ends. A value of a stopped
 *   process means that the process died. `attempts` counts scans since the last progress.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table andiron.search_parameter add column attempts int not null default 0`.execute(db);
  await sql`alter table andiron.search_parameter add column attempted_by text`.execute(db);
  await sql`alter table andiron.search_parameter drop constraint search_parameter_state_check`.execute(db);
  await sql`
    alter table andiron.search_parameter add constraint search_parameter_state_check
      check (state in ('indexing', 'active', 'removing', 'failed'))`.execute(db);
}
