import { sql, type RawBuilder } from 'kysely';
import { BinaryArray } from '../connection/binary-array';
import type { Database, Row } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import { decodePageRow, inlineBytes, PAGE_COLUMNS, type PageRow } from '../read/version-row';
import type { KeyHalves } from '../key-halves';

/** Resources of a type whose texts are scanned. */
export interface TextScan {
  readonly space: number;
  readonly type: number;
  /** Only resources with a value for the parameter of this ordinal; undefined: all. */
  readonly ordinal: number | undefined;
  /** Regular expressions that the text must all match, ignoring the case of ASCII letters. */
  readonly patterns: readonly string[];
}

export interface ScannedText {
  readonly keyText: string;
  readonly row: PageRow;
}

export interface ScannedChunk {
  /** In no order. */
  readonly texts: readonly ScannedText[];
  /** Key at which the next chunk begins; undefined: this was the last. */
  readonly next: string | undefined;
}

/** Key at which the first chunk begins. */
export const FIRST_KEY = '-9223372036854775808';
const LAST_KEY = 9223372036854775807n;

/**
 * Selects the current texts of the resources of `chunk` (resource_key) that match the patterns. LIMIT makes PostgreSQL
 * fetch each text once for all patterns. Collation "C" compares bytes, which is fastest, and correct for ASCII
 * patterns.
 */
function matching(chunk: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select c.resource_key::text as key_text, ${PAGE_COLUMNS}
    from ${chunk} c
    cross join lateral (
      select w.id, w.version, w.last_updated, w.sequence, w.meta_offset, w.change, w.author, w.body || '' as body
      from andiron.resource_version w
      where w.space = ${bind('space')}::int and w.resource_type = ${bind('type')}::smallint
        and w.resource_key = c.resource_key
      order by w.version desc limit 1
    ) v
    where v.body collate "C" ~* all (${bind('patterns')}::text[])`;
}

const HAS_VALUE = sql`(${bind('ordinal')}::int < 0
  or ${bind('ordinal')}::int / 8 < length(r.presence) and get_bit(r.presence, ${bind('ordinal')}::int) = 1)`;

/** A cached plan from a time with few resources of the type is very slow later (seen: 10 s for 10,000). */
const PLANNED_EACH_TIME = { named: false };

const SCAN_RANGE = defineStatement(
  template(sql`
    with chunk as materialized (
      select r.resource_key from andiron.resource r
      where r.space = ${bind('space')}::int and r.resource_type = ${bind('type')}::smallint and not r.deleted
        and r.resource_key >= ${bind('from')}::bigint and ${HAS_VALUE}
      order by r.resource_key
      limit ${bind('limit')}::int
    )
    select e.last_key, e.heads, m.*
    from (select max(resource_key)::text as last_key, count(*)::int as heads from chunk) e
    left join lateral (${matching(sql`chunk`)}) m on true`),
  PLANNED_EACH_TIME,
);

const SCAN_KEYS = defineStatement(
  template(sql`
    with chunk as materialized (
      select r.resource_key
      from unnest(${bind('keys')}::bigint[]) as x (resource_key)
      cross join lateral (
        select h.resource_key from andiron.resource h
        where h.space = ${bind('space')}::int and h.resource_type = ${bind('type')}::smallint
          and h.resource_key = x.resource_key and not h.deleted
        offset 0
      ) r
      limit ${bind('limit')}::int
    )
    select null, null, m.* from (${matching(sql`chunk`)}) m`),
  PLANNED_EACH_TIME,
);

/** Scans the next `limit` resources by key, starting at `from`. Cost: one statement, which reads their texts. */
export async function scanRange(
  database: Database,
  { space, type, ordinal, patterns }: TextScan,
  from: string,
  limit: number,
): Promise<ScannedChunk> {
  const rows = await database.run({ lane: 'search', space }, SCAN_RANGE, {
    space,
    type,
    ordinal: ordinal ?? -1,
    patterns,
    from,
    limit,
    inline_bytes: inlineBytes(limit),
  });
  const [lastKey, heads] = rows[0] ?? [];
  const isWhole = Number(heads ?? 0) < limit || BigInt(String(lastKey)) === LAST_KEY;
  const next = isWhole ? undefined : String(BigInt(String(lastKey)) + 1n);
  return { texts: rows.flatMap((row) => toText(row, type)), next };
}

/** Scans the resources with these keys. Cost: one statement, which reads their texts. */
export async function scanKeys(
  database: Database,
  { space, type, patterns }: TextScan,
  keys: readonly KeyHalves[],
): Promise<readonly ScannedText[]> {
  const array = new BinaryArray('int8');
  for (const key of keys) array.pushInt8(key.high, key.low);
  const rows = await database.run({ lane: 'search', space }, SCAN_KEYS, {
    space,
    type,
    patterns,
    keys: array.finish(),
    limit: keys.length,
    inline_bytes: inlineBytes(keys.length),
  });
  return rows.flatMap((row) => toText(row, type));
}

function toText(row: Row, type: number): ScannedText[] {
  const key = row[2];
  return typeof key === 'string' ? [{ keyText: key, row: decodePageRow(row, 3, type, key) }] : [];
}
