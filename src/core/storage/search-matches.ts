import { sql, type RawBuilder } from 'kysely';
import { ROW_SCHEME } from '../search/index-rows';
import type { Drive, Order, ValueOrder } from '../search/plan';
import type { Criterion } from '../search/predicate';
import type { SortRows } from '../search/sort-rows';
import { criterionKeys, criterionTest, type CompiledCriteria } from './criteria/compiled';
import { HEAD_COLUMNS, lowToSortDate, NO_DATE, type TestedRow } from './criteria/head';
import type { PredicateValue, ValueReference } from './predicate-parts';
import { bind } from './statement';
import { EXTREMES } from './version-write';

const KEY = sql`t.resource_key`;
/** A head under the alias `t`. */
const HEAD: TestedRow = { key: KEY, sortDate: sql`t.sort_date`, head: 't' };

/** Which part of an order is asked for: those that have a sort value, or those that have none, which come last. */
export type Phase = 'all' | 'valued' | 'unvalued';

/** Where the previous page ended. */
export interface After {
  /** Null: it has none. */
  readonly sortValue: StoredSortValue;
  /** Decimal form of the 64-bit key. */
  readonly key: string;
}

/** As columns have it: milliseconds since 1970, the beginning of a range, or a text; null: there is none. */
export type StoredSortValue = number | string | null;

export interface SearchStatementRequest {
  readonly space: number;
  readonly type: number;
  /** The parameter of which the low bound is the clinical date of the type. */
  readonly sortDateParameter: number | undefined;
  readonly criteria: readonly Criterion[];
  readonly order: Order;
  readonly drive: Drive;
  readonly phase: Phase;
  readonly after: After | undefined;
  /** True: from the end, or from `after`, towards the beginning; what each is sorted by stays the same. */
  readonly isBackward?: boolean;
  readonly limit: number;
}

/** The place after which the page begins, as values of the statement. */
export function valuesOfPlace(request: SearchStatementRequest): PredicateValue[] {
  const { after, order, phase } = request;
  if (after === undefined) return [];
  const key: PredicateValue = { name: 'after_key', type: 'bigint', value: after.key };
  if (order.by === 'value' && phase === 'unvalued') return [key];
  const type = typeOfSortValue(request);
  const value = after.sortValue === null ? ABSENT[type] : String(after.sortValue);
  return [{ name: 'after_value', type, value }, key];
}

/** What the order and the drive are told by. */
export function valuesOfOrder(request: SearchStatementRequest): PredicateValue[] {
  const { order, phase } = request;
  if (order.by !== 'value') return valuesOfTargets(request);
  const { parameter, ordinal } = order.rows;
  return phase === 'unvalued'
    ? [
        { name: 'value_ordinal', type: 'int', value: ordinal },
        { name: 'unsorted_parameter', type: 'int', value: parameter + ROW_SCHEME.unsorted },
      ]
    : [{ name: 'value_parameter', type: 'int', value: parameter }];
}

/** What stands in the column where there is no sort value. */
const ABSENT = { float8: '-Infinity', bigint: NO_DATE, text: '' } as const;

/** From range rows the sort value comes as a float with infinities, from heads and token rows as a bigint. */
function typeOfSortValue(request: SearchStatementRequest): keyof typeof ABSENT {
  const { drive, criteria, phase, order } = request;
  if (order.by === 'value') return order.rows.index === 'range' ? 'float8' : 'text';
  if (order.by === 'low') return 'float8';
  if (drive.kind === 'dates') return phase === 'unvalued' ? 'bigint' : 'float8';
  if (drive.kind !== 'walk') return 'bigint';
  const isRange = criteria[drive.criterion]?.anyOf.every((predicate) => predicate.index === 'range');
  return isRange === true ? 'float8' : 'bigint';
}

/** Sort value and key of the matches of one page, in order. */
export function matchesSql(
  request: SearchStatementRequest,
  compiled: CompiledCriteria,
  value: ValueReference,
): RawBuilder<unknown> {
  const { drive, phase, order } = request;
  if (order.by === 'value') {
    if (drive.kind !== 'values') throw new Error('an order by values is found by walking their rows');
    return phase === 'unvalued'
      ? unvaluedSql(request, order, compiled, value)
      : valuesSql(request, order, compiled, value);
  }
  switch (drive.kind) {
    case 'walk':
      return walkSql(request, compiled, drive.criterion, value);
    case 'heads':
      return headsSql(request, compiled, value);
    case 'dates':
      return phase === 'unvalued' ? headsSql(request, compiled, value) : datesSql(request, compiled, value);
    case 'gather':
      return gatherSql(request, compiled, drive.criterion, value);
    case 'targets':
      return targetsSql(request, compiled, drive.criterion, value);
    case 'values':
      throw new Error('rows of values are walked for their own order only');
  }
}

/** The alternatives of one criterion, each an ordered index range, merged in order. */
function walkSql(
  request: SearchStatementRequest,
  compiled: CompiledCriteria,
  driver: number,
  reference: ValueReference,
): RawBuilder<unknown> {
  const alternatives = (compiled[driver]?.alternatives ?? []).flatMap(({ rows }) =>
    rows === undefined ? [] : [rows],
  );
  const mixed = new Set(alternatives.map((alternative) => alternative.dateColumn)).size > 1;
  const branches = alternatives.map((alternative) => {
    const dateColumn = request.order.by === 'low' ? 'low' : alternative.dateColumn;
    const column = sql.ref(`t.${dateColumn ?? 'sort_date'}`);
    // A missing date is a number of its own in each column; where both meet, one form must serve.
    const value = mixed && dateColumn === 'low' ? lowToSortDate(column) : column;
    const conditions = [
      alternative.condition(reference),
      ...phaseCondition(request, column, dateColumn === 'low'),
      ...keysetCondition(request, value, sql`t.resource_key`, reference),
      ...probes(
        compiled,
        driver,
        dateColumn === 'low' ? { key: KEY, low: column } : { key: KEY, sortDate: column },
        reference,
      ),
    ];
    return ordered(
      request,
      alternative.repeats ? sql`select distinct` : sql`select`,
      sql`${value} as sort_value, t.resource_key`,
      sql`${sql.table(alternative.table)} t where ${sql.join(conditions, sql` and `)}`,
    );
  });
  const [only, ...others] = branches;
  if (only === undefined) return sql`select 0::bigint as sort_value, 0::bigint as resource_key where false`;
  if (others.length === 0) return only;
  const union = sql.join(
    branches.map((branch) => sql`(${branch})`),
    sql` union all `,
  );
  return ordered(request, sql`select distinct`, sql`u.sort_value, u.resource_key`, sql`(${union}) u`);
}

function headsSql(
  request: SearchStatementRequest,
  compiled: CompiledCriteria,
  reference: ValueReference,
): RawBuilder<unknown> {
  const value = sortColumn(request);
  const conditions = [
    sql`t.space = ${bind('space')}::int and t.resource_type = ${bind('type')}::smallint and not t.deleted`,
    ...phaseCondition(request, sql`t.sort_date`, false),
    ...keysetCondition(request, value, sql`t.resource_key`, reference),
    ...probes(compiled, -1, HEAD, reference),
  ];
  return ordered(
    request,
    sql`select`,
    sql`${value} as sort_value, t.resource_key`,
    sql`andiron.resource t where ${sql.join(conditions, sql` and `)}`,
  );
}

function datesSql(
  request: SearchStatementRequest,
  compiled: CompiledCriteria,
  reference: ValueReference,
): RawBuilder<unknown> {
  const conditions = [
    sql`t.space = ${bind('space')}::int and t.parameter = ${reference('date_parameter')}::int and t.qualifier = 0`,
    ...phaseCondition(request, sql`t.low`, true),
    ...keysetCondition(request, sql`t.low`, sql`t.resource_key`, reference),
    ...probes(compiled, -1, { key: KEY, low: sql`t.low` }, reference),
  ];
  return ordered(
    request,
    sql`select`,
    sql`t.low as sort_value, t.resource_key`,
    sql`andiron.range_index t where ${sql.join(conditions, sql` and `)}`,
  );
}

const VALUES_OF: Readonly<Record<SortRows['index'], { readonly table: string; readonly column: string }>> = {
  range: { table: 'andiron.range_index', column: 't.low' },
  string: { table: 'andiron.string_index', column: 't.value' },
  uri: { table: 'andiron.uri_index', column: 't.value' },
};

/** The rows that resources are sorted by, as they lie in the index of their values. */
function valuesSql(
  request: SearchStatementRequest,
  { rows: { index }, descending }: ValueOrder,
  compiled: CompiledCriteria,
  reference: ValueReference,
): RawBuilder<unknown> {
  const { table, column } = VALUES_OF[index];
  const value = sql.ref(column);
  const mark = sql.lit(descending ? EXTREMES.highest : EXTREMES.lowest);
  const conditions = [
    sql`t.space = ${bind('space')}::int and t.parameter = ${reference('value_parameter')}::int`,
    ...(index === 'range' ? [sql`t.qualifier = 0`] : []),
    ...(index === 'uri' ? [] : [sql`t.extremes & ${mark} <> 0`]),
    ...keysetCondition(request, value, KEY, reference),
    ...probes(compiled, -1, { key: KEY }, reference),
  ];
  return ordered(
    request,
    sql`select`,
    sql`${value} as sort_value, t.resource_key`,
    sql`${sql.table(table)} t where ${sql.join(conditions, sql` and `)}`,
  );
}

/** The heads of resources that have no value, or none to be sorted by, by key. */
function unvaluedSql(
  request: SearchStatementRequest,
  order: ValueOrder,
  compiled: CompiledCriteria,
  reference: ValueReference,
): RawBuilder<unknown> {
  const ordinal = sql`${reference('value_ordinal')}::int`;
  const comparison = isDescending(request) ? sql`<` : sql`>`;
  const conditions = [
    sql`t.space = ${bind('space')}::int and t.resource_type = ${bind('type')}::smallint and not t.deleted`,
    sql`(not (${ordinal} / 8 < length(t.presence) and get_bit(t.presence, ${ordinal}) = 1)
      or (t.resource_key in (
        select u.resource_key from andiron.token_index u
        where u.space = ${bind('space')}::int and u.value_hash = 0
          and u.parameter = ${reference('unsorted_parameter')}::int) is true))`,
    ...(request.after === undefined
      ? []
      : [sql`t.resource_key ${comparison} ${reference('after_key')}::bigint`]),
    ...probes(compiled, -1, HEAD, reference),
  ];
  const none = order.rows.index === 'range' ? sql`null::float8` : sql`null::text`;
  return sql`
    select ${none} as sort_value, t.resource_key from andiron.resource t where ${sql.join(conditions, sql` and `)}
    order by t.resource_key ${directionSql(request)} limit ${bind('limit')}::int`;
}

/** All resources of one criterion, then their heads, the other criteria, and a sort. */
function gatherSql(
  request: SearchStatementRequest,
  compiled: CompiledCriteria,
  driver: number,
  reference: ValueReference,
): RawBuilder<unknown> {
  const driving = compiled[driver];
  const keys =
    driving === undefined
      ? sql`select 0::bigint as resource_key where false`
      : criterionKeys(driving, reference);
  if (request.order.by === 'key' && compiled.length === 1) {
    // Index rows stand for live resources of the type, and there is nothing else to ask of their heads.
    return ordered(
      request,
      sql`select distinct`,
      sql`0::bigint as sort_value, t.resource_key`,
      sql`(${keys}) t where ${sql.join([sql`true`, ...keysetCondition(request, sql`0::bigint`, KEY, reference)], sql` and `)}`,
    );
  }
  const value = sortColumn(request);
  const conditions = [
    sql`true`,
    ...phaseCondition(request, sql`t.sort_date`, false),
    ...keysetCondition(request, value, sql`t.resource_key`, reference),
    ...probes(compiled, driver, HEAD, reference),
  ];
  return ordered(
    request,
    sql`select`,
    sql`${value} as sort_value, t.resource_key`,
    sql`(select distinct k.resource_key from (${keys}) k) d
      cross join lateral (
        select ${sql.join(HEAD_COLUMNS.map((column) => sql.ref(`r.${column}`)))} from andiron.resource r
        where r.space = ${bind('space')}::int and r.resource_type = ${bind('type')}::smallint
          and r.resource_key = d.resource_key
        offset 0
      ) t
      where ${sql.join(conditions, sql` and `)}`,
  );
}

/**
 * Who refers to any of the targets. Of each target the first few are read; where those do not reach as far down as the
 * page does, as many more as the page needs. So the cost is that of the targets and the page, however many refer.
 */
function targetsSql(
  request: SearchStatementRequest,
  compiled: CompiledCriteria,
  driver: number,
  reference: ValueReference,
): RawBuilder<unknown> {
  const targets = compiled[driver]?.alternatives[0]?.byTarget;
  if (targets === undefined) throw new Error('who refers to targets is merged for chains only');
  const direction = directionSql(request);
  const [behind, before] = isDescending(request) ? [sql`<`, sql`>`] : [sql`>`, sql`<`];
  const referring = (target: RawBuilder<unknown>, further: readonly RawBuilder<unknown>[]) => {
    const conditions = [
      targets.condition(target, reference),
      ...phaseCondition(request, sql`f.sort_date`, false),
      ...keysetCondition(request, sql`f.sort_date`, sql`f.resource_key`, reference),
      ...further,
    ];
    return sql`
      select f.sort_date, f.resource_key from andiron.reference_index f
      where ${sql.join(conditions, sql` and `)}
      order by f.sort_date ${direction}, f.resource_key ${direction}`;
  };
  const each = sql`${reference(PER_TARGET)}::int`;
  return sql`
    with target as materialized (select distinct u.resource_key from (${targets.keys(reference)}) u),
    first_rows as materialized (
      select t.resource_key as target_key, r.sort_date, r.resource_key, r.place
      from target t
      cross join lateral (
        select g.sort_date, g.resource_key,
          row_number() over (order by g.sort_date ${direction}, g.resource_key ${direction}) as place
        from (${referring(sql`t.resource_key`, [])} limit ${each}) g
      ) r
    ),
    last_of_page as materialized (
      select d.sort_date, d.resource_key from (select distinct sort_date, resource_key from first_rows) d
      order by d.sort_date ${direction}, d.resource_key ${direction}
      limit 1 offset ${bind('limit')}::int - 1
    ),
    further_rows as (
      select r.sort_date, r.resource_key
      from first_rows l
      cross join lateral (
        ${referring(sql`l.target_key`, [
          sql`(f.sort_date, f.resource_key) ${behind} (l.sort_date, l.resource_key)`,
          sql`((f.sort_date, f.resource_key) ${before} (select p.sort_date, p.resource_key from last_of_page p)) is not false`,
        ])} limit ${bind('limit')}::int
      ) r
      where l.place = ${each}
        and ((l.sort_date, l.resource_key) ${before}
          (select p.sort_date, p.resource_key from last_of_page p)) is not false
    )
    select distinct u.sort_date as sort_value, u.resource_key
    from (select sort_date, resource_key from first_rows union all select sort_date, resource_key from further_rows) u
    order by sort_value ${direction}, resource_key ${direction} limit ${bind('limit')}::int`;
}

const PER_TARGET = 'per_target';
/** A target is read in steps: one more costs as much as so many rows do. */
const LEAST_PER_TARGET = 4;

/** How many are read of each target at first: twice its share of the page. */
function valuesOfTargets({ drive, criteria, limit }: SearchStatementRequest): PredicateValue[] {
  if (drive.kind !== 'targets') return [];
  const [chain] = criteria[drive.criterion]?.anyOf ?? [];
  const targets = chain?.index === 'target' ? Math.max(1, chain.target.driverCount ?? 1) : 1;
  const share = Math.max(LEAST_PER_TARGET, Math.ceil((2 * limit) / targets));
  return [{ name: PER_TARGET, type: 'int', value: Math.min(limit, share) }];
}

function ordered(
  request: SearchStatementRequest,
  select: RawBuilder<unknown>,
  columns: RawBuilder<unknown>,
  from: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const direction = directionSql(request);
  return sql`${select} ${columns} from ${from}
    order by sort_value ${direction}, resource_key ${direction} limit ${bind('limit')}::int`;
}

export function directionSql(request: SearchStatementRequest): RawBuilder<unknown> {
  return isDescending(request) ? sql`desc` : sql`asc`;
}

/** The way in which the rows are walked. */
export function isDescending({ order, isBackward }: SearchStatementRequest): boolean {
  return order.descending !== (isBackward === true);
}

function sortColumn({ order }: SearchStatementRequest): RawBuilder<unknown> {
  const columns: Readonly<Record<Order['by'], RawBuilder<unknown> | undefined>> = {
    key: sql`0::bigint`,
    sort_date: sql`t.sort_date`,
    last_updated: sql`t.last_updated`,
    low: undefined,
    value: undefined,
  };
  const column = columns[order.by];
  if (column === undefined) throw new Error('heads do not lie in this order');
  return column;
}

function phaseCondition(
  { phase }: SearchStatementRequest,
  column: RawBuilder<unknown>,
  isLow: boolean,
): RawBuilder<unknown>[] {
  if (phase === 'all') return [];
  const absent = isLow ? sql`'-Infinity'::float8` : sql`${sql.lit(NO_DATE)}::bigint`;
  return [phase === 'valued' ? sql`${column} > ${absent}` : sql`${column} = ${absent}`];
}

/** The page begins after the last match of the one before, wherever that lies now. */
function keysetCondition(
  request: SearchStatementRequest,
  value: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
  reference: ValueReference,
): RawBuilder<unknown>[] {
  const { after } = request;
  if (after === undefined) return [];
  const comparison = isDescending(request) ? sql`<` : sql`>`;
  const type = sql.raw(typeOfSortValue(request));
  return [
    sql`(${value}, ${key}) ${comparison} (${reference('after_value')}::${type}, ${reference('after_key')}::bigint)`,
  ];
}

/** The criteria but the driving one, as conditions on a row. */
function probes(
  compiled: CompiledCriteria,
  driver: number,
  row: TestedRow,
  reference: ValueReference,
): RawBuilder<unknown>[] {
  return compiled
    .filter((_criterion, index) => index !== driver)
    .map((criterion) => criterionTest(criterion, row, reference));
}
