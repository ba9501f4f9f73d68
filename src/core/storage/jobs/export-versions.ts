/**
 * The versions of a type that were current at the moment of an export. One without filter, compartment and Group has all of them,
 * so that it needs no list of members: they are read in the order of the index by version-sequence.
 */
import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import { inlineBytes, PAGE_COLUMNS } from '../read/version-row';
import { bulk } from './bulk-statements';
import {
  bindBounds,
  IN_BOUNDS,
  toMemberPage,
  type FileSize,
  type MemberBounds,
  type MemberPage,
} from './export-members';

/** Versions that are looked at for each line of a file, old versions included: a bound on the statement that divides them. */
const SCANNED_PER_LINE = 4;

/** True for a version `v` within the bounds that was no deletion, and that no other had followed by the moment. */
const IS_CURRENT = sql`${IN_BOUNDS} and v.change <> 3 and not exists (
  select from andiron.resource_version n
  where n.space = ${bind('space')}::int and n.resource_type = v.resource_type and n.resource_key = v.resource_key
    and n.version > v.version and n.sequence <= ${bind('last')}::bigint)`;

/** The next versions of the type, `v`, in the order of their sequences. */
const NEXT = sql`
  select v.* from andiron.resource_version v
  where v.space = ${bind('space')}::int and v.resource_type = ${bind('type')}::smallint
    and v.sequence > ${bind('after')}::bigint and v.sequence <= ${bind('to')}::bigint
  order by v.sequence limit ${bind('limit')}::int`;

const READ = defineStatement(
  template(sql`
    select w.sequence::bigint, w.resource_key::text, c.*
    from (${NEXT}) w
    left join lateral (select ${PAGE_COLUMNS} from (select w.*) v where ${IS_CURRENT} limit 1) c on true
    order by w.sequence
    limit ${bind('limit')}::int`),
);

/** The versions of one type with sequences above `after`, up to `to`. */
export interface VersionRange {
  readonly type: number;
  readonly after: number;
  readonly to: number;
  readonly bounds: MemberBounds;
}

/** Reads versions in the order of their sequences; those that were not current are undefined. Cost: one statement. */
export async function readCurrentVersions(
  database: Database,
  space: number,
  { type, after, to, bounds }: VersionRange,
  limit: number,
): Promise<MemberPage> {
  const bound = {
    ...{ space, type, after, to, limit, inline_bytes: inlineBytes(limit) },
    ...bindBounds(bounds),
  };
  return toMemberPage(await database.run(bulk(space), READ, bound), type);
}

const NEXT_FILE = defineStatement(
  template(sql`
    select count(*) filter (where x.is_current)::int, max(x.sequence)::bigint
    from (select l.sequence, l.is_current, sum(l.bytes) over (order by l.sequence) as bytes,
                 sum(l.is_current::int) over (order by l.sequence) as place
          from (select v.sequence, c.bytes is not null as is_current, coalesce(c.bytes, 0) as bytes
                from (${NEXT}) v
                left join lateral (select octet_length(v.body)::bigint as bytes where ${IS_CURRENT} limit 1) c on true) l) x
    where (x.bytes <= ${bind('bytes')}::bigint and x.place <= ${bind('lines')}::int) or x.place <= 1
    limit 1`),
);

/**
 * Returns the next versions that fit into one file, and how many of them were current: none of a part of the history that has old
 * ones only. Undefined: there are no more.
 */
export async function findNextVersions(
  database: Database,
  space: number,
  { type, after, bounds }: Omit<VersionRange, 'to'>,
  { lines, bytes }: FileSize,
): Promise<{ readonly count: number; readonly to: number } | undefined> {
  const [row] = await database.run(bulk(space), NEXT_FILE, {
    ...{ space, type, after, to: bounds.last, lines, bytes, limit: lines * SCANNED_PER_LINE },
    ...bindBounds(bounds),
  });
  const [count, to] = (row ?? [0, null]) as [number, number | null];
  return to === null ? undefined : { count, to };
}
