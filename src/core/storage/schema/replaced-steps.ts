/** Updates the recorded step names of a database that an earlier version migrated with steps that no longer exist. */
import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import { BASELINE, STEPS_OF_BASELINE, STEPS_OF_FUNCTIONS } from '../../../../migrations';
import { builder } from '../connection/statement';
import { schemaNumber, type DatabaseSchema } from './program-schema';

const REPLACED = [...STEPS_OF_BASELINE, ...STEPS_OF_FUNCTIONS];

/**
 * Replaces the names of the baseline's steps by the name of the baseline in the record of steps, in one statement,
 * because kysely rejects names of unknown steps. A program with those steps can no longer start on the database; a
 * running one does not read the record.
 *
 * **Throws** Error if the database lacks some of them.
 */
export async function recordBaseline(client: ClientBase, { steps, number }: DatabaseSchema): Promise<void> {
  if (number === 0 || steps.has(BASELINE)) return;
  if (!STEPS_OF_BASELINE.every((name) => steps.has(name)))
    throw new Error(
      `The database has schema ${number}, and this program upgrades from schema ${schemaNumber([BASELINE])} or later: start an earlier version on it first`,
    );
  await client.query(
    sql`
      with replaced as (
        delete from andiron_migration.kysely_migration m
        where m.name in (${sql.join(REPLACED.map((name) => sql.lit(name)))})
        returning m.name, m.timestamp
      )
      insert into andiron_migration.kysely_migration (name, timestamp)
      select ${sql.lit(BASELINE)}, max(r.timestamp) from replaced r
      where r.name in (${sql.join(STEPS_OF_BASELINE.map((name) => sql.lit(name)))})`.compile(builder).sql,
  );
}
