/**
 * Versions of many resources, newest change first: http.html#history of a type, of a space, of what a List refers to.
 *
 * The order is that of the version-sequence, which grows with each commit of the tenant: what is written while somebody
 * pages stands before the first page, so that no page misses or repeats anything.
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
  /** Only versions that were current at some moment of this time; half open. */
  readonly at?: { readonly low: number; readonly high: number };
  /**
   * What was written after this sequence is as if it was not: it neither stands in the history nor ends a version before it.
   * Times that are not past yet would else lose, from one page to the next, what somebody changes meanwhile.
   */
  readonly newest?: number;
}

/** A resource of which all versions are meant, or one. */
export interface ListedVersions {
  readonly type: number;
  readonly key: KeyHalves;
  readonly version?: number;
}

export const BEYOND_LAST_SEQUENCE = 2 ** 31;
const LAST_VERSION = 2 ** 31 - 1;

/** Of what the versions are: of one type (bound as `type`), or of all of the space. */
type Scope = 'type' | 'space';
const SCOPES = ['type', 'space'] as const;

/** The versions `v` of the scope, whenever they were made. */
function isOf(scope: Scope): RawBuilder<unknown> {
  const space = sql`v.space = ${bind('space')}::int`;
  return scope === 'space' ? space : sql`${space} and v.resource_type = ${bind('type')}::smallint`;
}

const IS_BETWEEN = sql`v.sequence > ${bind('after')}::bigint and v.sequence < ${bind('before')}::bigint`;

/** Whether a version `v` was made, and current, at the times asked for: the next one ended it. */
const IS_IN_TIME = sql`
  v.last_updated >= ${bind('since')}::bigint and v.last_updated < ${bind('at_high')}::bigint
  and (${bind('at_low')}::bigint < 0 or not exists (
    select 1 from andiron.resource_version n
    where n.space = ${bind('space')}::int and n.resource_type = v.resource_type
      and n.resource_key = v.resource_key and n.version = v.version + 1
      and n.last_updated <= ${bind('at_low')}::bigint and n.sequence <= ${bind('newest')}::bigint
    offset 0))`;

/** Of the rows `kept`, in the order of their sequences, what `decodeKept` reads. */
const KEPT_PAGE = sql`
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

const KEPT_COLUMNS = sql`v.resource_type, v.resource_key, v.version, v.sequence`;

/** Looks at `walk` versions at most, and tells how far it came, even where it keeps none. */
const WALK = perScope(
  (scope) => sql`
    with walked as materialized (
      select ${KEPT_COLUMNS}, v.last_updated from andiron.resource_version v
      where ${isOf(scope)} and ${IS_BETWEEN}
      order by v.sequence desc
      limit ${bind('walk')}::int
    ), kept as materialized (
      select ${KEPT_COLUMNS} from walked v where ${IS_IN_TIME}
      order by v.sequence desc
      limit ${bind('limit')}::int
    )
    select reach.walked, reach.lowest, p.*
    from (select count(*)::int as walked, min(w.sequence) as lowest from walked w) reach
    left join (${KEPT_PAGE}) p on true
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
    select ${KEPT_COLUMNS} from andiron.resource_version v
    where v.space = ${bind('space')}::int and v.resource_type = x.resource_type
      and v.resource_key = x.resource_key and v.version >= x.first and v.version <= x.last
      and ${IS_BETWEEN} and ${IS_IN_TIME}
    order by v.version desc
    limit ${bind('limit')}::bigint
  ) y`;

const LISTED_PAGE = defineStatement(
  template(sql`
    with kept as materialized (${LISTED} order by y.sequence desc limit ${bind('limit')}::bigint)
    ${KEPT_PAGE}`),
);
const LISTED_COUNT = defineStatement(template(sql`select count(*) from (${LISTED}) found limit 1`));

/**
 * The highest sequence up to which all versions were made before a time, and the lowest from which on all were made at a
 * time or later, by halving (`CLOCK_SLACK`). Both are between `after` and `before`.
 */
const FLOOR = perScope(
  (scope) => sql`
    with recursive narrowed (low, high) as (
      select ${bind('after')}::bigint, ${bind('before')}::bigint
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
      select ${bind('after')}::bigint, ${bind('before')}::bigint
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
    select v.sequence from andiron.resource_version v where ${isOf(scope)} order by v.sequence desc limit 1`,
);

function perScope(statement: (scope: Scope) => RawBuilder<unknown>): Readonly<Record<Scope, Statement>> {
  const [type, space] = SCOPES.map((scope) => defineStatement(template(statement(scope))));
  if (type === undefined || space === undefined) throw new Error('there are two scopes');
  return { type, space };
}

/**
 * A version's time is read from the clock before its sequence is taken: while it waits for other writers, later ones may
 * overtake it, for as long as a statement may take at most. By so much, and by what the database's clock may be set back,
 * times may run against the sequence.
 */
const CLOCK_SLACK = 300_000;

/** Some of the versions that were walked over. */
export interface HistoryWalk {
  readonly rows: readonly PageRow[];
  /** How many were looked at; fewer than asked for: there are no more. */
  readonly walked: number;
  /** The sequence of the last of them. */
  readonly lowest: number;
}

/** The history of one type of a space, or of all of it. */
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
   * The bounds with sequences that leave out what `since` and `at` would refuse anyway. Cost: a statement for each of the
   * two, some 30 index probes.
   */
  async narrow(bounds: HistoryBounds): Promise<HistoryBounds> {
    const { since, at } = bounds;
    const [after, before] = await Promise.all([
      since === undefined ? bounds.after : this.find(FLOOR, bounds, since - CLOCK_SLACK),
      // Below the first page nothing is too new.
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

  /** The sequence of the newest version; 0 without any. Cost: one statement, an index entry. */
  async newest(): Promise<number> {
    const [row] = await this.run(NEWEST, {});
    return Number(row?.[0] ?? 0);
  }

  /** At most `limit` (1 or more) of the first `walk` versions between the sequences, newest change first. */
  async walk(bounds: HistoryBounds, walk: number, limit: number): Promise<HistoryWalk> {
    const rows = await this.run(WALK, {
      ...toBound(bounds),
      walk,
      limit,
      inline_bytes: inlineBytes(limit),
    });
    const [first] = rows;
    const kept = rows.filter((row) => row[2] !== null);
    return {
      rows: kept.map((row) => decodeKept(row, 2)),
      walked: Number(first?.[0] ?? 0),
      lowest: Number(first?.[1] ?? 0),
    };
  }

  /** Cost: one statement that reads an index entry, and with times a row, of each version between the sequences. */
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
    return this.database.run('search', space, statements[this.scope], { ...bound, space, type });
  }
}

/** Versions of these resources, newest change first, at most `limit`. Cost: one statement, an index range for each. */
export async function readListedVersions(
  database: Database,
  space: number,
  listed: readonly ListedVersions[],
  bounds: HistoryBounds,
  limit: number,
): Promise<PageRow[]> {
  const bound = {
    ...toBound(bounds),
    ...encodeListed(listed),
    space,
    limit,
    inline_bytes: inlineBytes(limit),
  };
  const rows = await database.run('search', space, LISTED_PAGE, bound);
  return rows.map((row) => decodeKept(row, 0));
}

/** How many versions of these resources there are. Cost: one statement, an index range for each. */
export async function countListedVersions(
  database: Database,
  space: number,
  listed: readonly ListedVersions[],
  bounds: HistoryBounds,
): Promise<number> {
  const bound = { ...toBound(bounds), ...encodeListed(listed), space, limit: LAST_VERSION };
  const [row] = await database.run('search', space, LISTED_COUNT, bound);
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

/** The version in a row that has the columns of KEPT_PAGE from position `start` on. */
function decodeKept(row: Row, start: number): PageRow {
  return decodePageRow(row, start + 2, Number(row[start + 1]), String(row[start]));
}
