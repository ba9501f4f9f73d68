import { sql, type Kysely } from 'kysely';

/** The hash of the file of each database function as last replaced (src/core/storage/schema/database-functions.ts). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table andiron_migration.database_function (name text primary key, hash text not null)`.execute(
    db,
  );
}
