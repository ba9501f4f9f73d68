import { sql, type Kysely } from 'kysely';

/**
 * How a client has its ID tokens signed (OpenID Connect Core 1.0, section 2: RS256 unless it says otherwise). Each tenant has
 * a signing key for each algorithm; those of RS256 are made when they are needed, and what ES256 keys have signed stays good.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table andiron.client_application add column id_token_algorithm text not null default 'RS256'
      constraint known_id_token_algorithm check (id_token_algorithm in ('RS256', 'ES256'))`.execute(db);
}
