import { sql, type RawBuilder } from 'kysely';
import type { Drive, Order } from '../search/plan';
import type { Criterion } from '../search/predicate';
import { criterionKeys, criterionTest, type CompiledCriteria } from './criteria/compiled';
import { HEAD_COLUMNS, lowToSortDate, NO_DATE, type TestedRow } from './criteria/head';
import type { ValueReference } from './predicate-parts';
import { bind } from './statement';

const KEY = sql`t.resource_key`;
/** A head under the alias `t`. */
const HEAD: TestedRow = { key: KEY, sortDate: sql`t.sort_date`, head: 't' };

/** Which rows of an ascending order are asked for: those with a clinical date, or those without, which come last. */
export type Phase = 'all' | 'dated' | 'undated';

/** Where the previous page ended. */
export interface After {
  /** Null: no clinical date. */
  readonly sortValue: number | null;
  /** Decimal form of the 64-bit key. */
  readonly key: string;
}

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
  readonly limit: number;
}

export function absentText(request: SearchStatementRequest): string {
  return sortsByLow(request) ? '-Infinity' : NO_DATE;
}

/** True when the sort value comes from range rows, as a float with infinities, rather than from a bigint column. */
export function sortsByLow({ drive, criteria, phase, order }: SearchStatementRequest): boolean {
  if (order.by === 'low') return true;
  if (drive.kind === 'dates') return phase !== 'undated';
  if (drive.kind !== 'walk') return false;
  return criteria[drive.criterion]?.anyOf.every((predicate) => predicate.index === 'range') === true;
}

/** Sort value and key of the matches of one page, in order. */
export function matchesSql(
  request: SearchStatementRequest,
  compiled: CompiledCriteria,
  value: ValueReference,
): RawBuilder<unknown> {
  const { drive, phase } = request;
  switch (drive.kind) {
    case 'walk':
      return walkSql(request, compiled, drive.criterion, value);
    case 'heads':
      return headsSql(request, compiled, value);
    case 'dates':
      return phase === 'undated' ? headsSql(request, compiled, value) : datesSql(request, compiled, value);
    case 'gather':
      return gatherSql(request, compiled, drive.criterion, value);
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
  const value = sortColumn(request.order);
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
  const value = sortColumn(request.order);
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

function ordered(
  request: SearchStatementRequest,
  select: RawBuilder<unknown>,
  columns: RawBuilder<unknown>,
  from: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const direction = directionSql(request.order);
  return sql`${select} ${columns} from ${from}
    order by sort_value ${direction}, resource_key ${direction} limit ${bind('limit')}::int`;
}

export function directionSql(order: Order): RawBuilder<unknown> {
  return order.descending ? sql`desc` : sql`asc`;
}

function sortColumn(order: Order): RawBuilder<unknown> {
  if (order.by === 'key') return sql`0::bigint`;
  return sql.ref(order.by === 'sort_date' ? 't.sort_date' : 't.last_updated');
}

function phaseCondition(
  { phase }: SearchStatementRequest,
  column: RawBuilder<unknown>,
  isLow: boolean,
): RawBuilder<unknown>[] {
  if (phase === 'all') return [];
  const absent = isLow ? sql`'-Infinity'::float8` : sql`${sql.lit(NO_DATE)}::bigint`;
  return [phase === 'dated' ? sql`${column} > ${absent}` : sql`${column} = ${absent}`];
}

/** The page begins after the last match of the one before, wherever that lies now. */
function keysetCondition(
  request: SearchStatementRequest,
  value: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
  reference: ValueReference,
): RawBuilder<unknown>[] {
  const { after, order } = request;
  if (after === undefined) return [];
  const comparison = order.descending ? sql`<` : sql`>`;
  const type = sortsByLow(request) ? sql`float8` : sql`bigint`;
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
