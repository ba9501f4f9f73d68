import { sql, type Kysely } from 'kysely';

/** Policies of a tenant by their names, as they were put: what its clients may do (docs/access-rules.md). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table andiron.tenant add column policies jsonb not null default '{}'`.execute(db);
}
