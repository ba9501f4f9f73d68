import { sql, type RawBuilder } from 'kysely';
import type { ContainedKeys } from '../../../search/predicate';
import { BinaryArray } from '../../connection/binary-array';
import type { ValueReference } from '../predicate-parts';
import type { CompiledPredicate } from './compiled';
import type { Scope } from './scope';

/** Compiles a predicate for contained resources by the type and key of their containers and their blocks in them. */
export function compileBlock(
  containers: readonly ContainedKeys[],
  prefix: string,
  { type, contained }: Scope,
): CompiledPredicate {
  if (contained === undefined) throw new Error('Only contained resources have a block');
  const { block } = contained;
  const types = new BinaryArray('int4');
  const keys = new BinaryArray('int8');
  const blocks = new BinaryArray('int4');
  for (const container of containers) {
    for (const [place, key] of container.keys.entries()) {
      types.pushInt4(container.type);
      keys.pushInt8(key.high, key.low);
      blocks.pushInt4(container.blocks[place] ?? 0);
    }
  }
  const names = { types: `${prefix}types`, keys: `${prefix}keys`, blocks: `${prefix}blocks` };
  const found = (value: ValueReference): RawBuilder<unknown> => sql`
    unnest(${value(names.types)}::int[], ${value(names.keys)}::bigint[], ${value(names.blocks)}::int[])
      as x (resource_type, resource_key, block)
    where x.resource_type = ${type(value)}`;
  return {
    shape: 'b',
    values: [
      { name: names.types, type: 'int[]', value: types.finish() },
      { name: names.keys, type: 'bigint[]', value: keys.finish() },
      { name: names.blocks, type: 'int[]', value: blocks.finish() },
    ],
    rows: undefined,
    keys: (value) => sql`select x.resource_key from ${found(value)} and x.block = ${block}`,
    // The set is computed once, as in `isAmong`.
    test: (row, value) =>
      sql`(((${row.key}, ${block}) in (select x.resource_key, x.block from ${found(value)})) is true)`,
  };
}
