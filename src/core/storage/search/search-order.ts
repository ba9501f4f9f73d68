/** Requests for a page of matches, and what all ways to find them have in common: direction, place, and tests of a row. */
import { sql, type RawBuilder } from 'kysely';
import type { AccessPath } from '../../search/access-path';
import type { Order } from '../../search/order';
import type { Criterion } from '../../search/predicate';
import { criterionTest, type CompiledCriteria } from './criteria/compiled';
import { NO_DATE } from './criteria/head';
import type { TestedRow } from './criteria/tested-row';
import type { PredicateValue, ValueReference } from './predicate-parts';

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
  readonly accessPath: AccessPath;
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

/** What stands in the column where there is no sort value. */
const ABSENT = { float8: '-Infinity', bigint: NO_DATE, text: '' } as const;

/** From range rows the sort value comes as a float with infinities, from heads and token rows as a bigint. */
function typeOfSortValue(request: SearchStatementRequest): keyof typeof ABSENT {
  const { accessPath, criteria, phase, order } = request;
  if (order.by === 'value') return order.rows.index === 'range' ? 'float8' : 'text';
  if (order.by === 'low') return 'float8';
  if (accessPath.kind === 'dateScan') return phase === 'unvalued' ? 'bigint' : 'float8';
  if (accessPath.kind !== 'indexScan') return 'bigint';
  const isRange = criteria[accessPath.criterion]?.anyOf.every((predicate) => predicate.index === 'range');
  return isRange === true ? 'float8' : 'bigint';
}

export function directionSql(request: SearchStatementRequest): RawBuilder<unknown> {
  return isDescending(request) ? sql`desc` : sql`asc`;
}

/** The way in which the rows are walked. */
export function isDescending({ order, isBackward }: SearchStatementRequest): boolean {
  return order.descending !== (isBackward === true);
}

export function phaseCondition(
  { phase }: SearchStatementRequest,
  column: RawBuilder<unknown>,
  isLow: boolean,
): RawBuilder<unknown>[] {
  if (phase === 'all') return [];
  const absent = isLow ? sql`'-Infinity'::float8` : sql`${sql.lit(NO_DATE)}::bigint`;
  return [phase === 'valued' ? sql`${column} > ${absent}` : sql`${column} = ${absent}`];
}

/** The page begins after the last match of the one before, wherever that lies now. */
export function keysetCondition(
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
export function probes(
  compiled: CompiledCriteria,
  driver: number,
  row: TestedRow,
  reference: ValueReference,
): RawBuilder<unknown>[] {
  return compiled
    .filter((_criterion, index) => index !== driver)
    .map((criterion) => criterionTest(criterion, row, reference));
}
