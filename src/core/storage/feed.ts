import { sql } from 'kysely';
import type { Database } from './database';
import { bind, defineStatement, template } from './statement';
import { keyOfText, type VersionRow } from './version-read';
import { CHANGES } from './version-write';

/** One index range for each type, merged: the index leads with the type, because type histories are read more often. */
const READ_FEED = defineStatement(
  template(sql`
    select x.id, x.resource_key::text, x.resource_type, x.version, x.last_updated, x.sequence, x.meta_offset, x.change,
           x.author, x.body
    from (
      select v.* from unnest(${bind('types')}::smallint[]) as t (resource_type)
      cross join lateral (
        select * from andiron.resource_version w
        where w.space = ${bind('space')}::int and w.resource_type = t.resource_type
          and w.sequence > ${bind('since')}::int
        order by w.sequence limit ${bind('limit')}::int
      ) v
      order by v.sequence limit ${bind('limit')}::int
    ) x
    order by x.sequence
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
): Promise<VersionRow[]> {
  const rows = await database.run('search', space, READ_FEED, { space, types, since, limit });
  return rows.map((row) => {
    const [id, key, type, version, lastUpdated, sequence, metaOffset, change, author, body] = row as [
      string | null,
      string,
      number,
      number,
      number,
      number,
      number,
      number,
      string | null,
      string | null,
    ];
    return {
      id,
      key: keyOfText(key),
      type,
      version,
      lastUpdated,
      sequence,
      metaOffset,
      change: CHANGES[change] ?? 'update',
      author,
      body: body ?? '',
    };
  });
}
