import { sql } from 'kysely';
import { ROW_SCHEME } from '../../search/rows/index-rows';
import type { Database } from '../connection/database';
import { asPlanningQuery, bind, defineStatement, template } from '../connection/statement';

const LONG_NUMBERS = asPlanningQuery(
  defineStatement(
    template(sql`
      select 1 as found from andiron.range_index t
      where t.space = ${bind('space')}::int and t.parameter = ${bind('parameter')}::int
      limit 1`),
  ),
);

/** True if some number of the parameter has more digits than its index row (fhir/exact-number.ts). Cost: one probe. */
export async function hasLongNumbers(database: Database, space: number, parameter: number): Promise<boolean> {
  const bound = { space, parameter: parameter + ROW_SCHEME.rest };
  return (await database.run({ lane: 'search', space }, LONG_NUMBERS, bound)).length > 0;
}
