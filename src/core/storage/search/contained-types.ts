import { sql } from 'kysely';
import { containedBase, MAX_CONTAINED } from '../../search/rows/index-rows';
import { BinaryArray } from '../connection/binary-array';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';

/** A type of containers, by its number, and a block in them that has the contained type. */
export interface ContainingBlock {
  readonly container: number;
  readonly block: number;
}

const CONTAINING = defineStatement(
  template(sql`
    select x.container, b.block
    from unnest(${bind('containers')}::smallint[], ${bind('parameters')}::int[]) as x (container, parameter)
    cross join lateral (
      select 1 from andiron.token_index t
      where t.space = ${bind('space')}::int and t.parameter = x.parameter
        and t.value_hash > ${bind('type')}::bigint << 32
        and t.value_hash <= (${bind('type')}::bigint << 32) + ${bind('blocks')}::int
      limit 1
    ) y
    cross join lateral (
      select g.block from generate_series(1, ${bind('blocks')}::int) as g (block)
      where exists (
        select 1 from andiron.token_index t
        where t.space = ${bind('space')}::int and t.parameter = x.parameter
          and t.value_hash = (${bind('type')}::bigint << 32) + g.block
        offset 0)
    ) b
    order by x.container, b.block
    limit ${bind('limit')}::int`),
);

/**
 * Returns the container types and blocks that contain resources of a type in the space, in order. Cost: one statement
 * with a probe for each container type.
 */
export async function findContaining(
  database: Database,
  space: number,
  type: number,
  containers: readonly number[],
): Promise<readonly ContainingBlock[]> {
  const types = new BinaryArray('int2');
  const parameters = new BinaryArray('int4');
  for (const container of containers) {
    types.pushInt2(container);
    parameters.pushInt4(containedBase(container, 0));
  }
  const limit = containers.length * MAX_CONTAINED;
  const bound = { space, type, blocks: MAX_CONTAINED, limit };
  const arrays = { containers: types.finish(), parameters: parameters.finish() };
  const rows = await database.run({ lane: 'search', space }, CONTAINING, { ...bound, ...arrays });
  return rows.map(([container, block]) => ({ container: Number(container), block: Number(block) }));
}
