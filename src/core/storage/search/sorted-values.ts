/** Values that resources are sorted by and that index rows do not have: hashes and keys stand for texts. */
import { sql } from 'kysely';
import { SPACE } from './criteria/head';
import type { Database } from '../connection/database';
import type { HeadlessTarget } from './search-values';
import { bind, defineStatement, template } from '../connection/statement';

/** Each step of the recursion enters the index after the last hash. */
const DISTINCT_HASHES = defineStatement(
  template(sql`
    with recursive step as (
      (select t.value_hash from andiron.token_index t
        where t.space = ${SPACE} and t.parameter = ${bind('parameter')}::int
        order by t.value_hash limit 1)
      union all
      select (
        select t.value_hash from andiron.token_index t
        where t.space = ${SPACE} and t.parameter = ${bind('parameter')}::int and t.value_hash > s.value_hash
        order by t.value_hash limit 1)
      from step s where s.value_hash is not null
    )
    select s.value_hash::text, x.resource_key::text
    from (select value_hash from step where value_hash is not null limit ${bind('limit')}::int) s
    cross join lateral (
      select t.resource_key from andiron.token_index t
      where t.space = ${SPACE} and t.parameter = ${bind('parameter')}::int and t.value_hash = s.value_hash
      limit 1
    ) x
    limit ${bind('limit')}::int`),
);

/** A hash in the token rows of a parameter, and a resource that has it, both in decimal form. */
export interface StoredHash {
  readonly hash: string;
  readonly key: string;
}

/** Returns the hashes of a parameter in a space, up to `limit`. Cost: one statement, two index probes for each. */
export async function findHashes(
  database: Database,
  space: number,
  parameter: number,
  limit: number,
): Promise<StoredHash[]> {
  const rows = await database.run({ lane: 'search', space }, DISTINCT_HASHES, { space, parameter, limit });
  return rows.map(([hash, key]) => ({ hash: String(hash), key: String(key) }));
}

const OPEN_LOWS = defineStatement(
  template(sql`
    select distinct t.low from andiron.range_index t
    where t.space = ${SPACE} and t.parameter = any(${bind('parameters')}::int[]) and t.qualifier = 0
      and t.extremes <> 0 and t.high = 'Infinity' and t.low > '-Infinity'
    limit ${bind('limit')}::int`),
);

/**
 * Returns the least doubles of ranges without an end, up to `limit`. Cost: one statement, which reads the rows of the
 * parameters.
 */
export async function findOpenLows(
  database: Database,
  space: number,
  parameters: readonly number[],
  limit: number,
): Promise<number[]> {
  const rows = await database.run({ lane: 'search', space }, OPEN_LOWS, { space, parameters, limit });
  return rows.map(([low]) => Number(low));
}

/** A key that is not negative gives the id by itself (search/rows/resource-key.ts). */
const HEADLESS_TARGETS = defineStatement(
  template(sql`
    select x.target_type, x.target_key::text, x.resource_key::text
    from (
      select t.target_type, t.target_key, min(t.resource_key) as resource_key
      from andiron.reference_index t
      where t.space = ${SPACE} and t.parameter = ${bind('parameter')}::int and t.target_key < 0
      group by t.target_type, t.target_key
      offset 0
    ) x
    where not exists (
      select 1 from andiron.resource r
      where r.space = ${SPACE} and r.resource_type = x.target_type and r.resource_key = x.target_key
    )
    limit ${bind('limit')}::int`),
);

/**
 * Returns targets of references whose id no head has, with a resource that refers to each, up to `limit`. Cost: one
 * statement, a probe for each target whose id a client chose.
 */
export async function findHeadlessTargets(
  database: Database,
  space: number,
  parameter: number,
  limit: number,
): Promise<HeadlessTarget<string>[]> {
  const rows = await database.run({ lane: 'search', space }, HEADLESS_TARGETS, { space, parameter, limit });
  return rows.map(([type, key, referrer]) => ({
    type: Number(type),
    key: String(key),
    detail: String(referrer),
  }));
}
