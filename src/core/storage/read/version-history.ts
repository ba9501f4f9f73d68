/**
 * Versions of many resources, newest change first: http.html#history of a type, of a space, of the resources that a
 * List refers to.
 *
 * The order is that of the version-sequence, which grows with each commit of the tenant. Versions written while a
 * client pages come before the first page, so no page misses or repeats a version.
 */
import { sql, type RawBuilder } from 'kysely';
import { BinaryArray } from '../connection/binary-array';
import type { Database, Row } from '../connection/database';
import { bind, defineStatement, template, type Bound, type Statement } from '../connection/statement';
import { decodePageRow, inlineBytes, PAGE_COLUMNS, type PageRow } from './version-row';
import type { KeyHalves } from '../key-halves';

/** Times in milliseconds since 1970. */
export interface HistoryBounds {
  /** Only versions with a sequence above this one; 0: all. */
  readonly after: number;
  /** Only versions with a sequence below this one. */
  readonly before: number;
  /** Only versions made at this time or later. */
  readonly since?: number;
  /** Only versions that were current at some time in this half-open range. */
  readonly at?: { readonly low: number; readonly high: number };
  /**
   * Versions after this sequence are ignored: they are not in the history and do not end an earlier version. Without
   * it, a range of times that is not over yet would lose versions from one page to the next when resources change.
   */
  readonly newest?: number;
}

/** A resource, with all of its versions or only `version`. */
export interface ListedVersions {
  readonly type: number;
  readonly key: KeyHalves;
  readonly version?: number;
}

export const BEYOND_LAST_SEQUENCE = Number.MAX_SAFE_INTEGER;
const LAST_VERSION = 2 ** 31 - 1;

/** The versions of one type (bound as `type`), or all of the space. */
type Scope = 'type' | 'space';
const SCOPES = ['type', 'space'] as const;

/** Condition that a version `v` is in the scope. */
function isOf(scope: Scope): RawBuilder<unknown> {
  const space = sql`v.space = ${bind('space')}::int`;
  return scope === 'space' ? space : sql`${space} and v.resource_type = ${bind('type')}::smallint`;
}

const IS_BETWEEN = sql`v.sequence > ${bind('after')}::bigint and v.sequence < ${bind('before')}::bigint`;

/** Condition that a version `v` was made, and was current, in the bound times; the next version ends it. */
const IS_IN_TIME = sql`
  v.last_updated >= ${bind('since')}::bigint and v.last_updated < ${bind('at_high')}::bigint
  and (${bind('at_low')}::bigint < 0 or not exists (
    select 1 from andiron.resource_version n
    where n.space = ${bind('space')}::int and n.resource_type = v.resource_type
      and n.resource_key = v.resource_key and n.version = v.version + 1
      and n.last_updated <= ${bind('at_low')}::bigint and n.sequence <= ${bind('newest')}::bigint
    offset 0))`;

/** The columns that `decodeMatching` reads of the rows `kept`, in the order of their sequences. */
const MATCHING_PAGE = sql`
  select k.resource_key::text as key_text, k.resource_type, y.*
  from kept k
  cross join lateral (
    select ${PAGE_COLUMNS} from andiron.resource_version v
    where v.space = ${bind('space')}::int and v.resource_type = k.resource_type
      and v.resource_key = k.resource_key and v.version = k.version
    limit 1
  ) y
  order by k.sequence desc
  limit ${bind('limit')}::int`;

const VERSION_KEY_COLUMNS = sql`v.resource_type, v.resource_key, v.version, v.sequence`;

/** Scans at most `max_scanned` versions, and returns how far it came even if none of them matches. */
const SCAN = perScope(
  (scope) => sql`
    with walked as materialized (
      select ${VERSION_KEY_COLUMNS}, v.last_updated from andiron.resource_version v
      where ${isOf(scope)} and ${IS_BETWEEN}
      order by v.sequence desc
      limit ${bind('max_scanned')}::int
    ), kept as materialized (
      select ${VERSION_KEY_COLUMNS} from walked v where ${IS_IN_TIME}
      order by v.sequence desc
      limit ${bind('limit')}::int
    )
    select reach.walked, reach.lowest, p.*
    from (select count(*)::int as walked, min(w.sequence)::bigint as lowest from walked w) reach
    left join (${MATCHING_PAGE}) p on true
    order by p.sequence desc
    limit ${bind('limit')}::int`,
);

const COUNT = perScope(
  (scope) => sql`
    select count(*) from andiron.resource_version v where ${isOf(scope)} and ${IS_BETWEEN} limit 1`,
);
const COUNT_IN_TIME = perScope(
  (scope) => sql`
    select count(*) from andiron.resource_version v
    where ${isOf(scope)} and ${IS_BETWEEN} and ${IS_IN_TIME}
    limit 1`,
);

const LISTED = sql`
  select y.*
  from unnest(${bind('types')}::smallint[], ${bind('keys')}::bigint[], ${bind('first')}::int[], ${bind('last')}::int[])
    as x (resource_type, resource_key, first, last)
  cross join lateral (
    select ${VERSION_KEY_COLUMNS} from andiron.resource_version v
    where v.space = ${bind('space')}::int and v.resource_type = x.resource_type
      and v.resource_key = x.resource_key and v.version >= x.first and v.version <= x.last
      and ${IS_BETWEEN} and ${IS_IN_TIME}
    order by v.version desc
    limit ${bind('limit')}::bigint
  ) y`;

const LISTED_PAGE = defineStatement(
  template(sql`
    with kept as materialized (${LISTED} order by y.sequence desc limit ${bind('limit')}::bigint)
    ${MATCHING_PAGE}`),
);
const LISTED_COUNT = defineStatement(template(sql`select count(*) from (${LISTED}) found limit 1`));

/** The first range of a binary search: nothing is above the newest version. */
const firstRange = (scope: Scope): RawBuilder<unknown> => sql`
  select ${bind('after')}::bigint, least(${bind('before')}::bigint, 1 + coalesce((
    select v.sequence::bigint from andiron.resource_version v where ${isOf(scope)} order by v.sequence desc limit 1), 0))`;

/**
 * Two binary searches between the sequences `after` and `before`. FLOOR finds the highest sequence up to which all
 * versions were made before `time`. CEILING finds the lowest from which on all were made at `time` or later. Times may
 * run against the sequence, so callers widen `time` by `CLOCK_SLACK`.
 */
const FLOOR = perScope(
  (scope) => sql`
    with recursive narrowed (low, high) as (
      ${firstRange(scope)}
      union all
      select coalesce(p.sequence, n.low), case when p.sequence is null then n.middle else n.high end
      from (select low, high, (low + high) / 2 as middle from narrowed where high - low > 1) n
      left join lateral (
        select f.sequence
        from (
          select v.sequence, v.last_updated from andiron.resource_version v
          where ${isOf(scope)} and v.sequence >= n.middle and v.sequence < n.high
          order by v.sequence limit 1
        ) f
        where f.last_updated < ${bind('time')}::bigint
      ) p on true
    )
    select low from narrowed order by high - low limit 1`,
);
const CEILING = perScope(
  (scope) => sql`
    with recursive narrowed (low, high) as (
      ${firstRange(scope)}
      union all
      select case when p.sequence is null then n.middle else n.low end, coalesce(p.sequence, n.high)
      from (select low, high, (low + high) / 2 as middle from narrowed where high - low > 1) n
      left join lateral (
        select f.sequence
        from (
          select v.sequence, v.last_updated from andiron.resource_version v
          where ${isOf(scope)} and v.sequence <= n.middle and v.sequence > n.low
          order by v.sequence desc limit 1
        ) f
        where f.last_updated >= ${bind('time')}::bigint
      ) p on true
    )
    select high from narrowed order by high - low limit 1`,
);

const NEWEST = perScope(
  (scope) => sql`
    select v.sequence::bigint from andiron.resource_version v where ${isOf(scope)} order by v.sequence desc limit 1`,
);

function perScope(statement: (scope: Scope) => RawBuilder<unknown>): Readonly<Record<Scope, Statement>> {
  const [type, space] = SCOPES.map((scope) => defineStatement(template(statement(scope))));
  if (type === undefined || space === undefined) throw new Error('there are two scopes');
  return { type, space };
}

/**
 * Milliseconds by which times may run against the sequence. A version's time is read from the clock before its sequence
 * is assigned. While a write waits for others, later ones may overtake it, for at most the time limit of a statement.
 * The database's clock may also be set back.
 */
const CLOCK_SLACK = 300_000;

/** Matching versions among those that were scanned. */
export interface HistoryScan {
  readonly rows: readonly PageRow[];
  /** Number of versions that were scanned; fewer than requested: there are no more. */
  readonly scanned: number;
  /** Sequence of the last version that was scanned. */
  readonly lowest: number;
}

/** Reads the history of one type of a space, or of the whole space. */
export class HistoryReader {
  private readonly scope: Scope;

  constructor(
    private readonly database: Database,
    private readonly space: number,
    /** Undefined: all types. */
    private readonly type: number | undefined,
  ) {
    this.scope = type === undefined ? 'space' : 'type';
  }

  /**
   * Returns the bounds with narrower sequences, which skip versions that `since` and `at` exclude anyway.
   * Cost: a statement of some 30 index probes for each of the two.
   */
  async narrow(bounds: HistoryBounds): Promise<HistoryBounds> {
    const { since, at } = bounds;
    const [after, before] = await Promise.all([
      since === undefined ? bounds.after : this.find(FLOOR, bounds, since - CLOCK_SLACK),
      // After the first page no version is too new.
      at === undefined || bounds.before < BEYOND_LAST_SEQUENCE
        ? bounds.before
        : this.find(CEILING, bounds, at.high + CLOCK_SLACK),
    ]);
    return { ...bounds, after, before };
  }

  private async find(
    statements: Readonly<Record<Scope, Statement>>,
    { after, before }: HistoryBounds,
    time: number,
  ): Promise<number> {
    const [row] = await this.run(statements, { after, before, time });
    return Number(row?.[0]);
  }

  /** Returns the sequence of the newest version; 0: there is none. Cost: one statement, one index entry. */
  async newest(): Promise<number> {
    const [row] = await this.run(NEWEST, {});
    return Number(row?.[0] ?? 0);
  }

  /**
   * Scans the first `maxScanned` versions between the sequences, newest change first, and returns at most `limit` (1 or
   * more).
   */
  async scan(bounds: HistoryBounds, maxScanned: number, limit: number): Promise<HistoryScan> {
    const rows = await this.run(SCAN, {
      ...toBound(bounds),
      max_scanned: maxScanned,
      limit,
      inline_bytes: inlineBytes(limit),
    });
    const [first] = rows;
    const matching = rows.filter((row) => row[2] !== null);
    return {
      rows: matching.map((row) => decodeMatching(row, 2)),
      scanned: Number(first?.[0] ?? 0),
      lowest: Number(first?.[1] ?? 0),
    };
  }

  /**
   * Counts the versions. Cost: one statement, which reads an index entry, and with times a row, for each version
   * between the sequences.
   */
  async count(bounds: HistoryBounds): Promise<number> {
    const isTimed = bounds.since !== undefined || bounds.at !== undefined;
    const [row] = await this.run(isTimed ? COUNT_IN_TIME : COUNT, toBound(bounds));
    return Number(row?.[0]);
  }

  private run(
    statements: Readonly<Record<Scope, Statement>>,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<Row[]> {
    const { space, type = 0 } = this;
    return this.database.run({ lane: 'search', space }, statements[this.scope], { ...bound, space, type });
  }
}

/**
 * Returns versions of these resources, newest change first, at most `limit`. Cost: one statement, an index range for
 * each.
 */
export async function readListedVersions(
  database: Database,
  space: number,
  listed: readonly ListedVersions[],
  bounds: HistoryBounds & { readonly limit: number },
): Promise<PageRow[]> {
  const { limit } = bounds;
  const bound = {
    ...toBound(bounds),
    ...encodeListed(listed),
    space,
    limit,
    inline_bytes: inlineBytes(limit),
  };
  const rows = await database.run({ lane: 'search', space }, LISTED_PAGE, bound);
  return rows.map((row) => decodeMatching(row, 0));
}

/** Counts the versions of these resources. Cost: one statement, an index range for each. */
export async function countListedVersions(
  database: Database,
  space: number,
  listed: readonly ListedVersions[],
  bounds: HistoryBounds,
): Promise<number> {
  const bound = { ...toBound(bounds), ...encodeListed(listed), space, limit: LAST_VERSION };
  const [row] = await database.run({ lane: 'search', space }, LISTED_COUNT, bound);
  return Number(row?.[0]);
}

function toBound({
  after,
  before,
  since,
  at,
  newest = BEYOND_LAST_SEQUENCE,
}: HistoryBounds): Readonly<Record<string, Bound>> {
  return {
    after,
    before: Math.min(before, newest + 1),
    newest,
    since: since ?? 0,
    at_low: at?.low ?? -1,
    at_high: at?.high ?? Number.MAX_SAFE_INTEGER,
  };
}

function encodeListed(listed: readonly ListedVersions[]): Readonly<Record<string, Bound>> {
  const types = new BinaryArray('int2');
  const keys = new BinaryArray('int8');
  const first = new BinaryArray('int4');
  const last = new BinaryArray('int4');
  for (const { type, key, version } of listed) {
    types.pushInt2(type);
    keys.pushInt8(key.high, key.low);
    first.pushInt4(version ?? 1);
    last.pushInt4(version ?? LAST_VERSION);
  }
  return { types: types.finish(), keys: keys.finish(), first: first.finish(), last: last.finish() };
}

/** Decodes a row that has the columns of MATCHING_PAGE from position `start` on. */
function decodeMatching(row: Row, start: number): PageRow {
  return decodePageRow(row, start + 2, Number(row[start + 1]), String(row[start]));
}
