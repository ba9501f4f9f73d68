import { sql, type RawBuilder } from 'kysely';
import { BinaryArray } from '../connection/binary-array';
import type { Database } from '../connection/database';
import { bind, defineStatement, template, type Statement } from '../connection/statement';
import type { KeyHalves } from '../key-halves';

const referring = (order: RawBuilder<unknown>, orderOfAll: RawBuilder<unknown>): Statement =>
  defineStatement(
    template(sql`
    select f.resource_key::text
    from unnest(${bind('parameters')}::int[]) as p (parameter)
    cross join unnest(${bind('keys')}::bigint[]) as k (target_key)
    cross join lateral (
      select t.resource_key, t.sort_date from andiron.reference_index t
      where t.space = ${bind('space')}::int and t.parameter = p.parameter and t.target_key = k.target_key
        and t.target_type = ${bind('target_type')}::smallint
      order by ${order}t.resource_key desc
      limit ${bind('limit')}::int
    ) f
    group by f.resource_key
    order by ${orderOfAll}f.resource_key desc
    limit ${bind('limit')}::int`),
  );

const NEWEST = referring(sql`t.sort_date desc, `, sql`max(f.sort_date) desc, `);
const BY_KEY = referring(sql``, sql``);

/** The parameters and targets of references, and which referring resources are returned. */
export interface ReferringQuery {
  readonly parameters: readonly number[];
  readonly targetType: number;
  readonly targets: readonly KeyHalves[];
  readonly limit: number;
  readonly byKey: boolean;
}

/**
 * Returns the keys, in decimal form, of resources that refer to one of these targets by one of these parameters, at
 * most `limit`: those with the newest clinical date, or with `byKey` those with the highest keys.
 * Cost: one statement, an index range for each parameter and target.
 */
export async function findReferring(
  database: Database,
  space: number,
  { parameters, targetType, targets, limit, byKey }: ReferringQuery,
): Promise<string[]> {
  const keys = new BinaryArray('int8');
  for (const { high, low } of targets) keys.pushInt8(high, low);
  const rows = await database.run({ lane: 'search', space }, byKey ? BY_KEY : NEWEST, {
    space,
    parameters,
    keys: keys.finish(),
    target_type: targetType,
    limit,
  });
  return rows.map((row) => String(row[0]));
}
