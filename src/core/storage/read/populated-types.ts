import { sql } from 'kysely';
import { BinaryArray } from '../connection/binary-array';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import type { KeyHalves } from '../key-halves';

// The index of live resources answers with one probe for each type, however many resources are deleted.
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

// `target_keys` of the head has the targets of all references; one probe of reference_index for each key selects those
// of the parameters.
const LISTED = defineStatement(
  template(sql`
    select distinct x.target_type
    from unnest(${bind('keys')}::bigint[]) as k (resource_key)
    cross join lateral (
      select r.resource_key, r.sort_date, r.target_keys from andiron.resource r
      where r.space = ${bind('space')}::int and r.resource_type = ${bind('type')}::smallint
        and r.resource_key = k.resource_key and not r.deleted
      offset 0
    ) h
    cross join lateral unnest(h.target_keys) as t (target_key)
    cross join lateral (
      select f.target_type from andiron.reference_index f
      where f.space = ${bind('space')}::int and f.parameter = any(${bind('parameters')}::int[])
        and f.target_key = t.target_key and f.sort_date = h.sort_date and f.resource_key = h.resource_key
      offset 0
    ) x
    limit ${bind('limit')}::int`),
);

/**
 * Returns the types that some resources refer to by these parameters, at most `limit`.
 * Cost: one statement with a probe for each target key.
 */
export async function findTypesReferredTo(
  database: Database,
  space: number,
  from: {
    readonly type: number;
    readonly keys: readonly KeyHalves[];
    readonly parameters: readonly number[];
  },
  limit: number,
): Promise<ReadonlySet<number>> {
  const keys = new BinaryArray('int8');
  const parameters = new BinaryArray('int4');
  for (const key of from.keys) keys.pushInt8(key.high, key.low);
  for (const parameter of from.parameters) parameters.pushInt4(parameter);
  const bound = { space, type: from.type, keys: keys.finish(), parameters: parameters.finish(), limit };
  const rows = await database.run({ lane: 'search', space }, LISTED, bound);
  return new Set(rows.map((row) => Number(row[0])));
}

/**
 * Returns those of `types` that have live resources in the space. Cost: one statement with an index probe for each
 * type.
 */
export async function findPopulatedTypes(
  database: Database,
  space: number,
  types: readonly number[],
): Promise<ReadonlySet<number>> {
  const numbers = new BinaryArray('int2');
  for (const type of types) numbers.pushInt2(type);
  const bound = { space, types: numbers.finish(), limit: types.length };
  const rows = await database.run({ lane: 'search', space }, POPULATED, bound);
  return new Set(rows.map((row) => Number(row[0])));
}

/** As `findPopulatedTypes`, but only for live resources with these types and keys. */
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
  const rows = await database.run({ lane: 'search', space }, HOLDING, bound);
  return new Set(rows.map((row) => Number(row[0])));
}
