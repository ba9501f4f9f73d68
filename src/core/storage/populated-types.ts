import { sql } from 'kysely';
import { BinaryArray } from './binary-array';
import type { Database } from './database';
import { bind, defineStatement, template } from './statement';
import type { KeyHalves } from './version-write';

// The index of what is not deleted tells with one probe for each type, however many deleted ones there are.
const POPULATED = defineStatement(
  template(sql`
    select x.resource_type
    from unnest(${bind('types')}::smallint[]) as x (resource_type)
    where exists (
      select 1 from andiron.resource r
      where r.space = ${bind('space')}::int and r.resource_type = x.resource_type and not r.deleted
      offset 0)
    limit ${bind('limit')}::int`),
);

const HOLDING = defineStatement(
  template(sql`
    select distinct x.resource_type
    from unnest(${bind('types')}::smallint[], ${bind('keys')}::bigint[]) as x (resource_type, resource_key)
    where exists (
      select 1 from andiron.resource r
      where r.space = ${bind('space')}::int and r.resource_type = x.resource_type
        and r.resource_key = x.resource_key and not r.deleted
      offset 0)
    limit ${bind('limit')}::int`),
);

/** Those of the types of which the space has resources. Cost: one statement with an index probe for each. */
export async function findPopulatedTypes(
  database: Database,
  space: number,
  types: readonly number[],
): Promise<ReadonlySet<number>> {
  const numbers = new BinaryArray('int2');
  for (const type of types) numbers.pushInt2(type);
  const bound = { space, types: numbers.finish(), limit: types.length };
  const rows = await database.run('search', space, POPULATED, bound);
  return new Set(rows.map((row) => Number(row[0])));
}

/** As `findPopulatedTypes`, of resources with one of these keys. */
export async function findTypesHolding(
  database: Database,
  space: number,
  addresses: readonly { readonly type: number; readonly key: KeyHalves }[],
): Promise<ReadonlySet<number>> {
  const types = new BinaryArray('int2');
  const keys = new BinaryArray('int8');
  for (const { type, key } of addresses) {
    types.pushInt2(type);
    keys.pushInt8(key.high, key.low);
  }
  const bound = { space, types: types.finish(), keys: keys.finish(), limit: addresses.length };
  const rows = await database.run('search', space, HOLDING, bound);
  return new Set(rows.map((row) => Number(row[0])));
}
