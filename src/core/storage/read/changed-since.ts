import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';

const CHANGED = defineStatement(
  template(sql`
    with walked as materialized (
      select v.resource_key, v.last_updated from andiron.resource_version v
      where v.space = ${bind('space')}::int and v.resource_type = ${bind('type')}::smallint
        and v.sequence > ${bind('after')}::bigint
      order by v.sequence desc
      limit ${bind('max_scanned')}::int
    )
    select (select count(*)::int from walked) as walked, c.resource_key::text
    from (select 1) one
    left join (
      select distinct w.resource_key from walked w where w.last_updated > ${bind('moment')}::bigint
      limit ${bind('most')}::int
    ) c on true
    limit ${bind('most')}::int`),
);

export interface ChangedResources {
  /** Number of versions that were scanned; at most `maxScanned`. */
  readonly scanned: number;
  /** Decimal forms of the keys. */
  readonly keys: readonly string[];
}

/** Limits of `findChangedSince`. */
export interface ChangedBounds {
  readonly type: number;
  readonly after: number;
  readonly moment: number;
  readonly maxScanned: number;
  readonly most: number;
}

/**
 * Returns the resources of a type, including deleted ones, that have a version made after `moment` (milliseconds since
 * 1970). It scans the `maxScanned` newest versions with a sequence above `after` and returns at most `most` keys. Cost:
 * one statement.
 */
export async function findChangedSince(
  database: Database,
  space: number,
  { type, after, moment, maxScanned, most }: ChangedBounds,
): Promise<ChangedResources> {
  const rows = await database.run({ lane: 'search', space }, CHANGED, {
    space,
    type,
    after,
    moment,
    max_scanned: maxScanned,
    most,
  });
  return {
    scanned: Number(rows[0]?.[0] ?? 0),
    keys: rows.flatMap(([, key]) => (typeof key === 'string' ? [key] : [])),
  };
}
