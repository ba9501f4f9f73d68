import { sql, type RawBuilder } from 'kysely';
import { BinaryArray } from '../connection/binary-array';
import type { Database, Row } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import { MAX_PAGE_BYTES } from './version-read';
import { decodePageRow, inlineBytes, PAGE_COLUMNS, type PageRow } from './version-row';

function readAfter(columns: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select v.resource_key::text, v.resource_type, ${columns}
    from andiron.resource_version v
    where v.space = ${bind('space')}::int and v.sequence > ${bind('since')}::bigint
    order by v.sequence
    limit ${bind('limit')}::int`;
}

const READ_FEED = defineStatement(template(readAfter(PAGE_COLUMNS)));

const IS_WANTED = sql`v.resource_type = any(${bind('types')}::smallint[])`;
/** PAGE_COLUMNS; the text is null unless the type is wanted. */
const WANTED_COLUMNS = sql`v.id, v.version, v.last_updated, v.sequence::bigint, v.meta_offset, v.change, v.author,
  case when ${IS_WANTED} and octet_length(v.body) <= ${bind('inline_bytes')}::int then v.body end as inline_body,
  case when ${IS_WANTED} and octet_length(v.body) > ${bind('inline_bytes')}::int then octet_length(v.body) end as omitted_bytes`;
const READ_WANTED = defineStatement(template(readAfter(WANTED_COLUMNS)));

const READ_LAST = defineStatement(
  template(sql`
    select greatest(
      coalesce((select v.sequence from andiron.resource_version v where v.space = ${bind('space')}::int
                order by v.sequence desc limit 1), 0),
      (select t.purged_to from andiron.space_state t where t.space = ${bind('space')}::int))::bigint`),
);

/**
 * Returns the changes of a space with a version-sequence above `since`, in the order of the sequence, at most `limit`.
 * A reader that continues from the last sequence it received misses nothing: sequences become visible in commit order,
 * because store_versions locks the tenant's counter until its commit is flushed.
 */
export async function readFeed(
  database: Database,
  space: number,
  since: number,
  limit: number,
): Promise<PageRow[]> {
  const rows = await database.run({ lane: 'search', space }, READ_FEED, {
    space,
    since,
    limit,
    inline_bytes: inlineBytes(limit),
  });
  return rows.map(toPageRow);
}

/** As `readFeed`, but versions of other types than `types` have an empty text. Undefined: all types. */
export async function readFeedOf(
  database: Database,
  space: number,
  {
    types,
    since,
    limit,
  }: { readonly types: ReadonlySet<number> | undefined; readonly since: number; readonly limit: number },
): Promise<PageRow[]> {
  if (types === undefined) return readFeed(database, space, since, limit);
  const wanted = new BinaryArray('int2');
  for (const type of types) wanted.pushInt2(type);
  const rows = await database.run({ lane: 'search', space }, READ_WANTED, {
    space,
    since,
    limit,
    types: wanted.finish(),
    inline_bytes: inlineBytes(limit),
  });
  return rows.map(toPageRow);
}

/** Returns the version-sequence of the last change of a space, even if that version was purged; 0: there is none. */
export async function readLastSequence(database: Database, space: number): Promise<number> {
  const [row] = await database.run({ lane: 'search', space }, READ_LAST, { space });
  return row === undefined ? 0 : (row[0] as number);
}

function toPageRow(row: Row): PageRow {
  const [key, type] = row as [string, number];
  return decodePageRow(row, 2, type, key);
}

/** The first rows whose texts fit into one page; at least one row. */
export function cutToBytes(rows: readonly PageRow[]): readonly PageRow[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += row.omittedBytes ?? row.body.length;
    return index > 0 && bytes > MAX_PAGE_BYTES;
  });
  return end === -1 ? rows : rows.slice(0, end);
}
