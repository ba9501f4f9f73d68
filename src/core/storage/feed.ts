import { sql } from 'kysely';
import type { Database } from './database';
import { bind, defineStatement, template } from './statement';
import { decodePageRow, inlineBytes, PAGE_COLUMNS, type PageRow } from './version-row';

/** One index range for each type, merged: the index leads with the type, because type histories are read more often. */
const READ_FEED = defineStatement(
  template(sql`
    select v.resource_key::text, v.resource_type, ${PAGE_COLUMNS}
    from (
      select y.* from unnest(${bind('types')}::smallint[]) as t (resource_type)
      cross join lateral (
        select * from andiron.resource_version w
        where w.space = ${bind('space')}::int and w.resource_type = t.resource_type
          and w.sequence > ${bind('since')}::int
        order by w.sequence limit ${bind('limit')}::int
      ) y
      order by y.sequence limit ${bind('limit')}::int
    ) v
    order by v.sequence
    limit ${bind('limit')}::int`),
);

/**
 * The changes of a space with a version-sequence above `since`, in their order, at most `limit`. A reader that asks
 * again with the last sequence it got misses nothing: sequences become visible in commit order (write_versions holds
 * the tenant's counter through the flush).
 */
export async function readFeed(
  database: Database,
  space: number,
  types: readonly number[],
  since: number,
  limit: number,
): Promise<PageRow[]> {
  const rows = await database.run('search', space, READ_FEED, {
    space,
    types,
    since,
    limit,
    inline_bytes: inlineBytes(limit),
  });
  return rows.map((row) => {
    const [key, type] = row as [string, number];
    return decodePageRow(row, 2, type, key);
  });
}
