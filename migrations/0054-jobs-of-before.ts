import { sql, type Kysely } from 'kysely';

const TRIGGERS = ['mirror_async_job', 'mirror_administration_job', 'mirror_job', 'mirror_job_content'];
const FUNCTIONS = ['add_async_job', 'remove_async_job', 'have_async_jobs', 'have_administration_jobs'];

/** Drops the tables of jobs that 0049 replaced, with what repeated their changes; the version before does not use them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger if exists mirror_job on andiron.job`.execute(db);
  await sql`drop trigger if exists mirror_job_content on andiron.job_content`.execute(db);
  await sql`drop table andiron.async_job, andiron.administration_job`.execute(db);
  for (const name of [...TRIGGERS, ...FUNCTIONS])
    await sql`drop function if exists ${sql.id('andiron', name)}`.execute(db);
  await sql`
    delete from andiron_migration.database_function f where f.name in (${sql.join([...TRIGGERS, ...FUNCTIONS])})`.execute(
    db,
  );
}
