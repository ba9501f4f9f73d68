import { sql, type Kysely } from 'kysely';

/**
 * The release of which the ids in an issuer's tokens are: `r4`, `r4b` or `both`. Null, as in rows that were there before and
 * in those of a program that does not know the column: `r4`, until a start of the server names the issuer in its log.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table andiron.token_issuer add column release text`.execute(db);
}
