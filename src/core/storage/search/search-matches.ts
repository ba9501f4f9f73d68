import { sql, type RawBuilder } from 'kysely';
import { ROW_SCHEME } from '../../search/rows/index-rows';
import type { AccessPath } from '../../search/access-paths/access-path';
import type { Order, ValueOrder } from '../../search/sort/order';
import type { SortRows } from '../../search/sort/sort-rows';
import { criterionKeys, type CompiledCriteria } from './criteria/compiled';
import { HEAD_COLUMNS, lowToSortDate } from './criteria/head';
import type { TestedRow } from './criteria/tested-row';
import type { PredicateValue, ValueReference } from './predicate-parts';
import {
  directionSql,
  isDescending,
  keysetCondition,
  phaseCondition,
  probes,
  type SearchStatementRequest,
} from './search-order';
import { targetsSql, valuesOfTargets } from './search-targets';
import { bind } from '../connection/statement';
import { keyText } from '../read/version-row';
import { EXTREMES } from '../write/version-write';

const KEY = sql`t.resource_key`;
/** A head under the alias `t`. */
const HEAD: TestedRow = { key: KEY, sortDate: sql`t.sort_date`, head: 't' };

/** Returns the bound values of the order and the access path. */
export function valuesOfOrder(request: SearchStatementRequest): PredicateValue[] {
  const { order, phase, accessPath } = request;
  if (order.by !== 'value') return valuesOfTargets(request);
  if (accessPath.kind === 'compositeScan' && phase !== 'unvalued')
    return accessPath.ranges.flatMap(({ parameter, qualifier, system }, place): PredicateValue[] => [
      { name: `code_parameter_${place}`, type: 'int', value: parameter },
      { name: `code_qualifier_${place}`, type: 'bigint', value: keyText(qualifier) },
      ...(system === undefined
        ? []
        : [{ name: `code_system_${place}`, type: 'int', value: system } as const]),
    ]);
  const { parameter, ordinal } = order.rows;
  return phase === 'unvalued'
    ? [
        { name: 'value_ordinal', type: 'int', value: ordinal },
        { name: 'unsorted_parameter', type: 'int', value: parameter + ROW_SCHEME.unsorted },
      ]
    : [{ name: 'value_parameter', type: 'int', value: parameter }];
}

/**
 * Selects the sort value and key of the matches of one page, in order. `areAll`: the limit is so high that the page has
 * all matches.
 */
export function matchesSql(
  request: SearchStatementRequest,
  compiled: CompiledCriteria,
  value: ValueReference,
  areAll = false,
): RawBuilder<unknown> {
  const { accessPath, phase, order } = request;
  if (order.by === 'value') {
    if (accessPath.kind !== 'sortIndexScan' && accessPath.kind !== 'compositeScan')
      throw new Error('an order by values needs a scan of their index rows');
    if (phase === 'unvalued') return unvaluedSql(request, order, compiled, value);
    return accessPath.kind === 'sortIndexScan'
      ? valuesSql(request, order, compiled, value)
      : codesSql(request, accessPath, compiled, value);
  }
  switch (accessPath.kind) {
    case 'indexScan':
      return indexScanSql(request, compiled, accessPath.criterion, value);
    case 'headScan':
      return headsSql(request, compiled, value);
    case 'dateScan':
      return phase === 'unvalued' ? headsSql(request, compiled, value) : datesSql(request, compiled, value);
    case 'fetchAndSort':
      return fetchAndSortSql(request, { compiled, driver: accessPath.criterion, reference: value, areAll });
    case 'targetMerge':
      return targetsSql(request, compiled, accessPath.criterion, value);
    case 'sortIndexScan':
    case 'compositeScan':
      throw new Error('rows of values are scanned for their own order only');
  }
}

/** Merges the alternatives of one criterion, each an ordered index range, in order. */
function indexScanSql(
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
    // Each column stores a missing date as another number; a mix of both columns needs one form.
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

/** Scans the rows that resources are sorted by in the index of their values. */
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

/** Scans the rows that resources are sorted by under each code; a resource with several of the codes appears once. */
function codesSql(
  request: SearchStatementRequest,
  { criterion, ranges }: Extract<AccessPath, { kind: 'compositeScan' }>,
  compiled: CompiledCriteria,
  reference: ValueReference,
): RawBuilder<unknown> {
  const branches = ranges.map(({ system }, place) => {
    const conditions = [
      sql`t.space = ${bind('space')}::int and t.parameter = ${reference(`code_parameter_${place}`)}::int`,
      sql`t.qualifier = ${reference(`code_qualifier_${place}`)}::bigint and t.low > '-Infinity'::float8`,
      ...(system === undefined ? [] : [sql`t.qualifier_system = ${reference(`code_system_${place}`)}::int`]),
      ...keysetCondition(request, sql`t.low`, KEY, reference),
      ...probes(compiled, criterion, { key: KEY }, reference),
    ];
    // The same code of two systems has two rows.
    return sql`(${ordered(
      request,
      system === undefined ? sql`select distinct` : sql`select`,
      sql`t.low as sort_value, t.resource_key`,
      sql`andiron.range_index t where ${sql.join(conditions, sql` and `)}`,
    )})`;
  });
  const union = sql.join(branches, sql` union all `);
  return ordered(request, sql`select distinct`, sql`u.sort_value, u.resource_key`, sql`(${union}) u`);
}

/** Scans, by key, the heads of resources without a value, or without one to sort by. */
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

/** Fetches all resources that match one criterion, then their heads, tests the other criteria, and sorts. */
function fetchAndSortSql(
  request: SearchStatementRequest,
  {
    compiled,
    driver,
    reference,
    areAll,
  }: {
    readonly compiled: CompiledCriteria;
    readonly driver: number;
    readonly reference: ValueReference;
    readonly areAll: boolean;
  },
): RawBuilder<unknown> {
  const driving = compiled[driver];
  const keys =
    driving === undefined
      ? sql`select 0::bigint as resource_key where false`
      : criterionKeys(driving, reference);
  if (request.order.by === 'key' && compiled.length === 1) {
    // Index rows belong to live resources of the type, and no other criterion needs their heads.
    return areAll ? allKeysSql(request, keys, reference) : firstKeysSql(request, keys, reference);
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

/** Selects each key once, in order. */
function allKeysSql(
  request: SearchStatementRequest,
  keys: RawBuilder<unknown>,
  reference: ValueReference,
): RawBuilder<unknown> {
  const conditions = [sql`true`, ...keysetCondition(request, sql`0::bigint`, KEY, reference)];
  return ordered(
    request,
    sql`select distinct`,
    sql`0::bigint as sort_value, t.resource_key`,
    sql`(${keys}) t where ${sql.join(conditions, sql` and `)}`,
  );
}

/** Index rows that are read first for each match of a page; they almost always have enough distinct matches. */
const ROWS_PER_MATCH = 4;

/**
 * As `allKeysSql`, for a page of few among many keys. It sorts the first rows by key, and removes duplicates among the
 * later rows only if the first ones have too few distinct keys. OFFSET 0: with the last condition inside the index
 * scan, PostgreSQL estimates a generic plan as expensive and plans each search anew (measured 0.5 ms).
 */
function firstKeysSql(
  request: SearchStatementRequest,
  keys: RawBuilder<unknown>,
  reference: ValueReference,
): RawBuilder<unknown> {
  const direction = directionSql(request);
  const limit = sql`${bind('limit')}::int`;
  const rows = sql`${limit}::bigint * ${sql.lit(ROWS_PER_MATCH)}`;
  const [behind, last] = isDescending(request) ? [sql`<`, sql`min`] : [sql`>`, sql`max`];
  const conditions = [sql`true`, ...keysetCondition(request, sql`0::bigint`, KEY, reference)];
  const found = sql`(${keys}) t where ${sql.join(conditions, sql` and `)}`;
  return sql`
    with first_rows as materialized (
      select t.resource_key from ${found} order by t.resource_key ${direction} limit ${rows}
    ),
    first_matches as materialized (select distinct f.resource_key from first_rows f)
    select 0::bigint as sort_value, u.resource_key
    from (
      select f.resource_key from first_matches f
      union all
      select d.resource_key from (select distinct t.resource_key from ${found} offset 0) d
      where (select count(*) from first_matches) < ${limit} and (select count(*) from first_rows) = ${rows}
        and d.resource_key ${behind} (select ${last}(f.resource_key) from first_rows f)
    ) u
    order by sort_value ${direction}, resource_key ${direction} limit ${limit}`;
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

function sortColumn({ order }: SearchStatementRequest): RawBuilder<unknown> {
  const columns: Readonly<Record<Order['by'], RawBuilder<unknown> | undefined>> = {
    key: sql`0::bigint`,
    sort_date: sql`t.sort_date`,
    last_updated: sql`t.last_updated`,
    low: undefined,
    value: undefined,
  };
  const column = columns[order.by];
  if (column === undefined) throw new Error('heads do not have this order');
  return column;
}
