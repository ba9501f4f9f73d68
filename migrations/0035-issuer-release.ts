import { sql, type Kysely } from 'kysely';

/**
 * The release of the ids in an issuer's tokens: `r4`, `r4b` or `both`. Null means `r4`; earlier rows and those of a
 * program without this column are null, until a start of the server names the issuer in its log.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table andiron.token_issuer add column release text`.execute(db);
}
