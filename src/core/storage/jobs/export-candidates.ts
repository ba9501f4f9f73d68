/** The resources among which an export finds its members, page by page, in the order of an index. */
import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import { decodePageRow, inlineBytes, PAGE_COLUMNS, type PageRow } from '../read/version-row';
import { sequenceWindowsBack } from '../read/sequence-windows';
import { bulk } from './bulk-statements';
import type { ExportMember } from './export-members';
import type { JobKey } from './jobs';

/** The least 64-bit integer: before all keys and dates. */
export const LEAST = '-9223372036854775808';

const HEADS = defineStatement(
  template(sql`
    select h.resource_key::text from andiron.resource h
    where h.space = ${bind('space')}::int and h.resource_type = ${bind('type')}::smallint and not h.deleted
      and h.resource_key > ${bind('after')}::bigint
    order by h.resource_key limit ${bind('limit')}::int`),
);

/** Returns the keys of live resources of a type behind `after`, in their order. */
export async function readHeadKeys(
  database: Database,
  space: number,
  { type, after, limit }: { readonly type: number; readonly after: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await database.run(bulk(space), HEADS, { space, type, after, limit });
  return rows.map(([key]) => String(key));
}

/** A position among the references of one parameter. */
export interface ReferrerPosition {
  readonly target: string;
  readonly date: string;
  readonly key: string;
}

export interface Referrers {
  readonly parameter: number;
  readonly targetType: number;
  readonly after: ReferrerPosition;
  readonly limit: number;
}

export const FIRST_REFERRER: ReferrerPosition = { target: LEAST, date: LEAST, key: LEAST };

const REFERRERS = defineStatement(
  template(sql`
    select r.target_key::text, r.sort_date::text, r.resource_key::text, r.target_type
    from andiron.reference_index r
    where r.space = ${bind('space')}::int and r.parameter = ${bind('parameter')}::int
      and (r.target_key, r.sort_date, r.resource_key)
        > (${bind('target')}::bigint, ${bind('date')}::bigint, ${bind('key')}::bigint)
    order by r.target_key, r.sort_date, r.resource_key
    limit ${bind('limit')}::int`),
);
const REFERRERS_OF = defineStatement(
  template(sql`
    select r.target_key::text, r.sort_date::text, r.resource_key::text, r.target_type
    from unnest(${bind('targets')}::bigint[], ${bind('dates')}::bigint[], ${bind('keys')}::bigint[]) with ordinality
      as t (target_key, sort_date, resource_key, place)
    cross join lateral (
      select i.* from andiron.reference_index i
      where i.space = ${bind('space')}::int and i.parameter = ${bind('parameter')}::int and i.target_key = t.target_key
        and (i.sort_date, i.resource_key) > (t.sort_date, t.resource_key)
      order by i.sort_date, i.resource_key
      limit ${bind('limit')}::int
    ) r
    order by t.place, r.sort_date, r.resource_key
    limit ${bind('limit')}::int`),
);

export interface ReferrerPage {
  /** Keys of the resources, those that refer to a target of the type. */
  readonly keys: readonly string[];
  /** Undefined: there are no more. */
  readonly next: ReferrerPosition | undefined;
}

/** Returns resources that refer to any resource of a type by a parameter. */
export async function readReferrers(
  database: Database,
  space: number,
  { parameter, targetType, after, limit }: Referrers,
): Promise<ReferrerPage> {
  const bound = { space, parameter, ...after, limit };
  const rows = await database.run(bulk(space), REFERRERS, bound);
  return toPage(rows as unknown as ReferrerRow[], targetType, limit);
}

/** As `readReferrers`, for the targets with these keys, of which the first is that of `after` unless it is the first page. */
export async function readReferrersOf(
  database: Database,
  space: number,
  targets: readonly string[],
  { parameter, targetType, after, limit }: Referrers,
): Promise<ReferrerPage> {
  const start = Math.max(0, targets.indexOf(after.target));
  const left = targets.slice(start);
  const isResumed = targets[start] === after.target;
  const bound = {
    ...{ space, parameter, limit, targets: left },
    dates: left.map((_target, index) => (isResumed && index === 0 ? after.date : LEAST)),
    keys: left.map((_target, index) => (isResumed && index === 0 ? after.key : LEAST)),
  };
  const rows = await database.run(bulk(space), REFERRERS_OF, bound);
  return toPage(rows as unknown as ReferrerRow[], targetType, limit);
}

type ReferrerRow = [target: string, date: string, key: string, targetType: number];

function toPage(rows: readonly ReferrerRow[], targetType: number, limit: number): ReferrerPage {
  const last = rows.at(-1);
  return {
    keys: [...new Set(rows.flatMap(([, , key, type]) => (type === targetType ? [key] : [])))],
    next:
      rows.length < limit || last === undefined
        ? undefined
        : { target: last[0], date: last[1], key: last[2] },
  };
}

const CHANGED = defineStatement(
  template(sql`
    select c.resource_type, c.resource_key::text, ${PAGE_COLUMNS}
    from (select distinct w.resource_type, w.resource_key from andiron.resource_version w
          where w.space = ${bind('space')}::int and w.sequence > ${bind('after')}::bigint and w.sequence <= ${bind('to')}::bigint
            and w.resource_type = any (${bind('types')}::smallint[])) c
    cross join lateral (
      select y.* from andiron.resource_version y
      where y.space = ${bind('space')}::int and y.resource_type = c.resource_type and y.resource_key = c.resource_key
        and y.sequence <= ${bind('last')}::bigint
      order by y.version desc limit 1
    ) v
    where v.change <> 3
    limit ${bind('limit')}::int`),
);

/**
 * Reads the versions up to `last` of the resources that have changed between the version-sequences `after` and `to`; the caller
 * limits how many those are. Long texts are omitted.
 */
export async function readChangedBefore(
  database: Database,
  space: number,
  {
    types,
    ...bounds
  }: {
    readonly types: readonly number[];
    readonly after: number;
    readonly to: number;
    readonly last: number;
  },
): Promise<readonly PageRow[]> {
  const limit = bounds.to - bounds.after;
  const bound = { space, ...bounds, types: [...types], limit, inline_bytes: inlineBytes(limit) };
  const rows = await database.run(bulk(space), CHANGED, bound);
  return rows.map((row) => decodePageRow(row, 2, row[0] as number, String(row[1])));
}

const DELETED = defineStatement(
  template(sql`
    select v.resource_type, v.resource_key::text, v.version, v.sequence::bigint, v.last_updated, v.change
    from andiron.resource_version v
    where v.space = ${bind('space')}::int and v.sequence > ${bind('after')}::bigint and v.sequence <= ${bind('to')}::bigint
      and v.change = 3 and v.resource_type = any (${bind('types')}::smallint[])
      and v.last_updated > ${bind('since')}::bigint and v.last_updated < ${bind('until')}::bigint
      and not exists (
        select 1 from andiron.resource_version w
        where w.space = ${bind('space')}::int and w.resource_type = v.resource_type and w.resource_key = v.resource_key
          and w.version = v.version + 1 and w.sequence <= ${bind('last')}::bigint)
    order by v.sequence limit ${bind('to')}::bigint - ${bind('after')}::bigint`),
);
const LATEST = defineStatement(
  template(sql`
    select max(v.last_updated) from andiron.resource_version v
    where v.space = ${bind('space')}::int and v.sequence > ${bind('after')}::bigint and v.sequence <= ${bind('to')}::bigint
    limit 1`),
);

export interface DeletionBounds {
  readonly types: readonly number[];
  /** The version-sequence of the moment. */
  readonly last: number;
  readonly since: number;
  readonly until: number;
  readonly sinceSequence: number;
  /** Milliseconds by which the times of two versions may contradict the order of their sequences. */
  readonly disorderMs: number;
}

/** Yields the deletions between the bounds whose resources were not made again until the moment, the latest window first. */
export async function* readDeletions(
  database: Database,
  space: number,
  { types, last, since, until, sinceSequence, disorderMs }: DeletionBounds,
): AsyncGenerator<readonly ExportMember[]> {
  const to = bulk(space);
  const windows = sequenceWindowsBack((statement, bound) => database.run(to, statement, bound), space, {
    after: sinceSequence,
    to: last,
  });
  for await (const range of windows) {
    const window = { space, ...range };
    const rows = await database.run(to, DELETED, { ...window, types: [...types], last, since, until });
    yield (rows as unknown as [number, string, number, number][]).map(([type, key, version, sequence]) => ({
      ...{ type, key, version, sequence },
    }));
    const [latest] = await database.run(to, LATEST, window);
    const time = latest?.[0];
    if (typeof time === 'number' && time < since - disorderMs) return;
  }
}

/** Members of one type behind a version-sequence. */
export interface MemberPosition {
  readonly type: number;
  readonly after: number;
  readonly limit: number;
}

const SOME_MEMBERS = sql`
  (select m.resource_type, m.resource_key, m.sequence from andiron.export_member m
   where m.space = ${bind('space')}::int and m.job = ${bind('job')} and not m.deleted
     and m.resource_type = ${bind('type')}::smallint and m.sequence > ${bind('after')}::bigint
   order by m.sequence limit ${bind('members')}::int)`;
const LAST_MEMBER = defineStatement(
  template(sql`select max(m.sequence)::bigint from ${SOME_MEMBERS} m limit 1`),
);
const REFERRED = defineStatement(
  template(sql`
    select distinct t.resource_type, t.resource_key::text
    from ${SOME_MEMBERS} m
    join andiron.resource h on h.space = ${bind('space')}::int and h.resource_type = m.resource_type
      and h.resource_key = m.resource_key
    cross join lateral unnest(h.target_keys) as k (target_key)
    join andiron.resource t on t.space = ${bind('space')}::int and t.resource_type = any (${bind('types')}::smallint[])
      and t.resource_key = k.target_key and not t.deleted
    limit ${bind('limit')}::int`),
);
const REFERRING = defineStatement(
  template(sql`
    select distinct r.resource_key::text
    from ${SOME_MEMBERS} m
    join andiron.reference_index r on r.space = ${bind('space')}::int and r.parameter = ${bind('parameter')}::int
      and r.target_key = m.resource_key and r.target_type = m.resource_type
    limit ${bind('limit')}::int`),
);
const LATEST_REFERRING = defineStatement(
  template(sql`
    select distinct l.resource_key::text
    from ${SOME_MEMBERS} m
    cross join lateral (
      select r.resource_key from andiron.reference_index r
      join andiron.resource h on h.space = ${bind('space')}::int and h.resource_type = ${bind('source')}::smallint
        and h.resource_key = r.resource_key and not h.deleted
      where r.space = ${bind('space')}::int and r.parameter = ${bind('parameter')}::int
        and r.target_key = m.resource_key and r.target_type = m.resource_type
      order by h.last_updated desc, r.resource_key limit 1
    ) l
    limit ${bind('limit')}::int`),
);
/** Resources that one page of members may lead to. */
const MOST_LINKED = 200_000;

/** Returns the version-sequence of the last of some members; undefined: there are none. */
export async function findLastMember(
  database: Database,
  { space, id }: JobKey,
  { type, after, limit }: MemberPosition,
): Promise<number | undefined> {
  const bound = { space, job: id, type, after, members: limit };
  const [row] = await database.run(bulk(space), LAST_MEMBER, bound);
  return (row?.[0] as number | null | undefined) ?? undefined;
}

/** Returns the live resources of some types that the current versions of some members refer to, by the numbers of their types. */
export async function readReferred(
  database: Database,
  { space, id }: JobKey,
  { type, after, limit }: MemberPosition,
  types: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const bound = { space, job: id, type, after, members: limit, types: [...types], limit: MOST_LINKED };
  const rows = await database.run(bulk(space), REFERRED, bound);
  const found = new Map<number, string[]>();
  for (const [targetType, key] of rows as unknown as [number, string][]) {
    const keys = found.get(targetType);
    if (keys === undefined) found.set(targetType, [key]);
    else keys.push(key);
  }
  return found;
}

/** The resources of the type `source` that refer to members by a parameter. */
export interface ReferringMembers extends MemberPosition {
  readonly source: number;
  readonly parameter: number;
  /** True: only the one that was changed last, of each member. */
  readonly isLatest: boolean;
}

/** Returns the keys of the resources that refer to some members. */
export async function readReferring(
  database: Database,
  { space, id }: JobKey,
  { type, after, limit, source, parameter, isLatest }: ReferringMembers,
): Promise<readonly string[]> {
  const bound = { space, job: id, type, after, members: limit, parameter, limit: MOST_LINKED };
  const to = bulk(space);
  const rows = isLatest
    ? await database.run(to, LATEST_REFERRING, { ...bound, source })
    : await database.run(to, REFERRING, bound);
  return rows.map(([key]) => String(key));
}
