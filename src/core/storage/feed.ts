import { sql } from 'kysely';
import type { Database } from './database';
import { bind, defineStatement, template } from './statement';
import { decodePageRow, inlineBytes, PAGE_COLUMNS, type PageRow } from './version-row';

const READ_FEED = defineStatement(
  template(sql`
    select v.resource_key::text, v.resource_type, ${PAGE_COLUMNS}
    from andiron.resource_version v
    where v.space = ${bind('space')}::int and v.sequence > ${bind('since')}::int
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
  since: number,
  limit: number,
): Promise<PageRow[]> {
  const rows = await database.run('search', space, READ_FEED, {
    space,
    since,
    limit,
    inline_bytes: inlineBytes(limit),
  });
  return rows.map((row) => {
    const [key, type] = row as [string, number];
    return decodePageRow(row, 2, type, key);
  });
}
