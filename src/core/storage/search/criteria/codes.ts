import { sql, type RawBuilder } from 'kysely';
import type { HashedCode } from '../../../search/predicate';
import { BinaryArray } from '../../connection/binary-array';
import type { ValueReference } from '../predicate-parts';
import { isAmong, type CompiledPredicate } from './compiled';
import { SPACE } from './head';

/** Compiles a predicate for hundreds of codes: one index probe for each, and one set of the rows of all of them. */
export function compileCodes(
  parameter: number,
  codes: readonly HashedCode[],
  prefix: string,
): CompiledPredicate {
  const hashes = new BinaryArray('int8');
  const systems = new BinaryArray('int4');
  for (const { value, system } of codes) {
    hashes.pushInt8(value.high, value.low);
    if (system === undefined) systems.pushNull();
    else systems.pushInt4(system);
  }
  const names = { parameter: `${prefix}parameter`, hashes: `${prefix}hashes`, systems: `${prefix}systems` };
  const keys = (value: ValueReference): RawBuilder<unknown> => sql`
    select t.resource_key
    from unnest(${value(names.hashes)}::bigint[], ${value(names.systems)}::int[]) as q (value_hash, system_hash)
    cross join lateral (
      select i.resource_key from andiron.token_index i
      where i.space = ${SPACE} and i.parameter = ${value(names.parameter)}::int and i.value_hash = q.value_hash
        and (q.system_hash is null or i.system_hash = q.system_hash)
      offset 0
    ) t`;
  return {
    shape: 'cs',
    values: [
      { name: names.parameter, type: 'int', value: parameter },
      { name: names.hashes, type: 'bigint[]', value: hashes.finish() },
      { name: names.systems, type: 'int[]', value: systems.finish() },
    ],
    rows: undefined,
    keys,
    test: (row, value) => isAmong(row.key, keys(value)),
  };
}
