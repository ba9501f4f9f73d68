import { sql, type Kysely } from 'kysely';

/** The hash of the file that each function of the database was last replaced from (src/core/storage/schema/database-functions.ts). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table andiron_migration.database_function (name text primary key, hash text not null)`.execute(
    db,
  );
}
