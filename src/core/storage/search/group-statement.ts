/** Counts the matches of a search that have each value of a parameter, from its index rows. */
import { sql, type RawBuilder } from 'kysely';
import type { NamedRange } from '../../search/values/date-bucket';
import { ROW_SCHEME } from '../../search/rows/index-rows';
import type { Database, Row } from '../connection/database';
import type { SearchStatementRequest } from './search-order';
import { matchesPart } from './search-statement';
import { bind, type Bound } from '../connection/statement';
import { StatementShapes } from '../connection/statement-shapes';

/** Index rows with this parameter number; for references only those to `targetType`, unless it is 0. */
export interface GroupSource {
  readonly number: number;
  readonly targetType: number;
}

export interface GroupRequest {
  readonly space: number;
  readonly type: number;
  /** Undefined: all resources of the type. */
  readonly matches: Omit<SearchStatementRequest, 'limit'> | undefined;
  readonly kind: 'token' | 'reference' | 'canonical' | 'date' | 'updated' | 'number';
  readonly sources: readonly GroupSource[];
  /** True if a resource may have several rows of one group. */
  readonly repeats: boolean;
  /** Limit on the rows, and on the matches, that are read; beyond it there is no result. */
  readonly mostRows: number;
}

export interface CountedGroup {
  /**
   * Identifies the group in its rows: for `token` and `reference` by a hash or key and `number`, for `uri` by the uri.
   */
  readonly place: 'token' | 'reference' | 'uri';
  readonly value: string;
  readonly number: number;
  readonly count: number;
  /** Key of one of its resources, in decimal form. */
  readonly exampleKey: string;
}

const shapes = new StatementShapes();

/**
 * Returns the groups, the largest first, up to `mostGroups`; undefined if there are more rows or matches than
 * `mostRows`. Cost: one statement, which reads the matches and all rows of the parameter in the space: about a second
 * for a million.
 */
export async function countGroups(
  database: Database,
  request: GroupRequest,
  mostGroups: number,
): Promise<readonly CountedGroup[] | undefined> {
  const rows = await runGrouping(database, request, {
    form: 'groups',
    further: { most_groups: mostGroups },
    answer: sql`
      select k.place, k.value::text, k.number, ${countSql(request)}, min(k.resource_key)::text
      from kept k group by k.place, k.value, k.number
      order by 4 desc limit ${bind('most_groups')}::int`,
  });
  return rows?.map((row) => {
    const [place, value, number, count, exampleKey] = row as [number, string, number, number, string];
    return { place: PLACES[place] ?? 'token', value, number, count, exampleKey };
  });
}

/**
 * Returns the periods of `length` milliseconds in which dates begin, by their numbers since 1970, in order, up to
 * `most`. Undefined and cost: as `countGroups`.
 */
export async function findDatePieces(
  database: Database,
  request: GroupRequest,
  length: number,
  most: number,
): Promise<readonly number[] | undefined> {
  const rows = await runGrouping(database, request, {
    form: 'pieces',
    further: { piece: length, most_groups: most },
    answer: sql`
      select distinct floor(k.low / ${bind('piece')}::float8)::float8 from kept k
      where k.low > '-Infinity' order by 1 limit ${bind('most_groups')}::int`,
  });
  return rows?.map(([piece]) => Number(piece));
}

/**
 * Counts the resources with a date that begins in each of the buckets, which are in order, or that equals one of the
 * ranges of `whole`, which count in no bucket. The counts are by name; names without resources are absent. Undefined
 * and cost: as `countGroups`.
 */
export async function countDates(
  database: Database,
  request: GroupRequest,
  buckets: readonly NamedRange[],
  whole: readonly NamedRange[],
): Promise<ReadonlyMap<string, number> | undefined> {
  // Two buckets may have a gap between them.
  const limits: number[] = [];
  const names: (string | undefined)[] = [];
  for (const { name, low, high } of buckets) {
    if (limits.at(-1) === low) names[names.length - 1] = name;
    else {
      limits.push(low);
      names.push(name);
    }
    limits.push(high);
    names.push(undefined);
  }
  const bound = {
    limits,
    whole_lows: whole.map(({ low }) => low),
    whole_highs: whole.map(({ high }) => high),
  };
  const rows = await runGrouping(database, request, {
    form: 'dates',
    further: bound,
    answer: sql`
      select d.bucket, ${countSql(request, sql`d`)}
      from (
        select k.resource_key,
               coalesce(-w.ordinal::int, width_bucket(k.low, ${bind('limits')}::float8[])) as bucket
        from kept k
        left join unnest(${bind('whole_lows')}::float8[], ${bind('whole_highs')}::float8[]) with ordinality
          as w (low, high, ordinal) on w.low = k.low and w.high = k.high
        where k.low > '-Infinity'
      ) d
      group by d.bucket`,
  });
  if (rows === undefined) return undefined;
  const counts = new Map<string, number>();
  for (const row of rows) {
    const [bucket, count] = row as [number, number];
    const name = bucket < 0 ? whole[-bucket - 1]?.name : names[bucket - 1];
    if (name !== undefined) counts.set(name, count);
  }
  return counts;
}

const PLACES = ['token', 'reference', 'uri'] as const;

function countSql({ repeats }: GroupRequest, of = sql`k`): RawBuilder<unknown> {
  return repeats ? sql`count(distinct ${of}.resource_key)::int` : sql`count(*)::int`;
}

/**
 * Runs a statement whose `answer` selects from `kept`, the rows of the matches. Returns undefined if there are more rows or
 * matches than `mostRows`.
 */
export async function runGrouping(
  database: Database,
  request: GroupRequest,
  {
    form,
    further,
    answer,
  }: {
    readonly form: string;
    readonly further: Readonly<Record<string, Bound>>;
    readonly answer: RawBuilder<unknown>;
  },
): Promise<readonly Row[] | undefined> {
  const { space, type, kind, sources, repeats, matches, mostRows } = request;
  const most = mostRows + 1;
  const part = matches && matchesPart({ ...matches, limit: most });
  const shape = `${form} ${kind} ${repeats} ${part?.shape ?? 'all'}`;
  const statement = shapes.get(shape, () => {
    const matched = part && sql`matched as materialized (select m.resource_key from (${part.sql()}) m),`;
    return sql`
      with scanned as materialized (select s.* from (${rowsSql(kind)}) s limit ${bind('most')}::int),
        ${matched ?? sql``}
        kept as (
          select s.* from scanned s
          ${matched === undefined ? sql`` : sql`join matched m on m.resource_key = s.resource_key`}
        )
      select greatest(
               (select count(*) from scanned),
               ${matched === undefined ? sql`0` : sql`(select count(*) from matched)`})::int,
             a.*
      from (select 1) o left join (${answer}) a on true`;
  });
  const rows = await database.run({ lane: 'search', space }, statement, {
    ...part?.bound,
    ...further,
    space,
    most,
    ...(kind === 'updated'
      ? { type }
      : { numbers: sources.map(({ number }) => number), types: sources.map(({ targetType }) => targetType) }),
  });
  if (Number(rows[0]?.[0] ?? 0) >= most) return undefined;
  // If `answer` has no rows there is one row with only the number of rows read.
  return rows.flatMap(([, ...row]) => (row[0] === null ? [] : [row]));
}

const SPACE = sql`t.space = ${bind('space')}::int`;

/** Selects the rows of the parameter; all of them belong to live resources. */
function rowsSql(kind: GroupRequest['kind']): RawBuilder<unknown> {
  switch (kind) {
    case 'token':
      return ofSources(tokensSql());
    case 'reference':
      return ofSources(sql`
        select 1 as place, t.target_key as value, t.target_type::int as number, t.resource_key from andiron.reference_index t
        where ${SPACE} and t.parameter = p.number and (p.target_type = 0 or t.target_type = p.target_type)
        union all ${tokensSql()}`);
    case 'canonical':
      return ofSources(sql`
        select 2 as place, t.value, 0 as number, t.resource_key from andiron.uri_index t
        where ${SPACE} and t.parameter = p.number`);
    case 'date':
      return ofSources(sql`
        select t.low, t.high, t.resource_key from andiron.range_index t
        where ${SPACE} and t.parameter = p.number and t.qualifier = 0`);
    case 'number':
      return ofSources(sql`
        select t.low, t.high, t.unit_system, t.unit_code, t.unit_name, t.resource_key, false as has_rest
        from andiron.range_index t
        where ${SPACE} and t.parameter = p.number and t.qualifier = 0
        union all
        select t.low, t.high, t.unit_system, t.unit_code, t.unit_name, t.resource_key, true from andiron.range_index t
        where ${SPACE} and t.parameter = p.number + ${sql.lit(ROW_SCHEME.rest)}`);
    case 'updated':
      return sql`
        select t.last_updated::float8 as low, (t.last_updated + 1)::float8 as high, t.resource_key from andiron.resource t
        where ${SPACE} and t.resource_type = ${bind('type')}::smallint and not t.deleted`;
  }
}

function tokensSql(): RawBuilder<unknown> {
  return sql`
    select 0 as place, t.value_hash as value, t.system_hash as number, t.resource_key from andiron.token_index t
    where ${SPACE} and t.parameter = p.number`;
}

function ofSources(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select r.* from unnest(${bind('numbers')}::int[], ${bind('types')}::int[]) as p (number, target_type)
    cross join lateral (${rows} offset 0) r`;
}
