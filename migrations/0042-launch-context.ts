import { sql, type Kysely } from 'kysely';

/**
 * What an EHR tells an app about its window: whether the app must show the patient, and the address of the EHR's style.
 * Null, also in rows of a program without these columns, is the default: it must, in the style of this server.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['launch_context', 'user_grant'])
    await sql`
      alter table ${sql.table(`andiron.${table}`)}
        add column need_patient_banner boolean, add column smart_style_url text`.execute(db);
}
