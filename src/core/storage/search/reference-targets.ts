import { sql } from 'kysely';
import type { Predicate } from '../../search/predicate';
import { BinaryArray } from '../connection/binary-array';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';

type ReferencePredicate = Extract<Predicate, { index: 'reference' }>;

const TARGET_TYPES = defineStatement(
  template(sql`
    select distinct x.place, x.target_type
    from unnest(${bind('places')}::int[], ${bind('parameters')}::int[], ${bind('keys')}::bigint[], ${bind('types')}::smallint[])
      as x (place, parameter, target_key, target_type)
    where exists (
      select 1 from andiron.reference_index t
      where t.space = ${bind('space')}::int and t.parameter = x.parameter and t.target_key = x.target_key
        and t.target_type = x.target_type
      offset 0)`),
);

/**
 * Returns, for each group, the numbers of the target types that some resource refers to by one of its predicates.
 * Cost: one statement with an index probe for each predicate.
 */
export async function findTargetTypes(
  database: Database,
  space: number,
  groups: readonly (readonly ReferencePredicate[])[],
): Promise<number[][]> {
  const places = new BinaryArray('int4');
  const parameters = new BinaryArray('int4');
  const keys = new BinaryArray('int8');
  const types = new BinaryArray('int2');
  for (const [place, predicates] of groups.entries()) {
    for (const { parameter, target, targetType } of predicates) {
      if (targetType === undefined) continue;
      places.pushInt4(place);
      parameters.pushInt4(parameter);
      keys.pushInt8(target.high, target.low);
      types.pushInt2(targetType);
    }
  }
  const rows = await database.run({ lane: 'search', space }, TARGET_TYPES, {
    space,
    places: places.finish(),
    parameters: parameters.finish(),
    keys: keys.finish(),
    types: types.finish(),
  });
  const found = groups.map((): number[] => []);
  for (const [place, type] of rows) found[Number(place)]?.push(Number(type));
  return found;
}
