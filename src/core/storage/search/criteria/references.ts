import { sql, type RawBuilder } from 'kysely';
import type { Predicate } from '../../../search/predicate';
import { BinaryArray } from '../../connection/binary-array';
import type { ValueReference } from '../predicate-parts';
import { isAmong, type CompiledPredicate } from './compiled';
import { SPACE } from './head';

/**
 * Compiles a predicate for references to hundreds of targets: one index probe for each, and one set of the rows of all
 * of them.
 */
export function compileReferences(
  { parameter, targets, targetType }: Extract<Predicate, { index: 'references' }>,
  prefix: string,
): CompiledPredicate {
  const array = new BinaryArray('int8');
  for (const { high, low } of targets) array.pushInt8(high, low);
  const names = {
    parameter: `${prefix}parameter`,
    targets: `${prefix}targets`,
    type: `${prefix}target_type`,
  };
  const keys = (value: ValueReference): RawBuilder<unknown> => sql`
    select t.resource_key
    from unnest(${value(names.targets)}::bigint[]) as q (target_key)
    cross join lateral (
      select i.resource_key from andiron.reference_index i
      where i.space = ${SPACE} and i.parameter = ${value(names.parameter)}::int and i.target_key = q.target_key
        and i.target_type = ${value(names.type)}::smallint
      offset 0
    ) t`;
  return {
    shape: 'rs',
    values: [
      { name: names.parameter, type: 'int', value: parameter },
      { name: names.targets, type: 'bigint[]', value: array.finish() },
      { name: names.type, type: 'smallint', value: targetType },
    ],
    rows: undefined,
    keys,
    test: (row, value) => isAmong(row.key, keys(value)),
  };
}
