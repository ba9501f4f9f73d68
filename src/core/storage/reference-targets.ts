import { sql } from 'kysely';
import type { Predicate } from '../search/predicate';
import { BinaryArray } from './binary-array';
import type { Database } from './database';
import { bind, defineStatement, template } from './statement';

type ReferencePredicate = Extract<Predicate, { index: 'reference' }>;

const TARGET_TYPES = defineStatement(
  template(sql`
    select distinct x.target_type
    from unnest(${bind('parameters')}::int[], ${bind('keys')}::bigint[], ${bind('types')}::smallint[])
      as x (parameter, target_key, target_type)
    where exists (
      select 1 from andiron.reference_index t
      where t.space = ${bind('space')}::int and t.parameter = x.parameter and t.target_key = x.target_key
        and t.target_type = x.target_type
      offset 0)
    limit ${bind('limit')}::int`),
);

/** Numbers of the types of targets that some resource refers to by one of the predicates; at most two. */
export async function findTargetTypes(
  database: Database,
  space: number,
  predicates: readonly ReferencePredicate[],
): Promise<number[]> {
  const parameters = new BinaryArray('int4');
  const keys = new BinaryArray('int8');
  const types = new BinaryArray('int2');
  for (const { parameter, target, targetType } of predicates) {
    if (targetType === undefined) continue;
    parameters.pushInt4(parameter);
    keys.pushInt8(target.high, target.low);
    types.pushInt2(targetType);
  }
  const rows = await database.run('search', space, TARGET_TYPES, {
    space,
    parameters: parameters.finish(),
    keys: keys.finish(),
    types: types.finish(),
    limit: 2,
  });
  return rows.map((row) => Number(row[0]));
}
