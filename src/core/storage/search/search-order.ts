/**
 * Requests for a page of matches, and the SQL that all access paths share: direction, keyset condition, and tests of a
 * row.
 */
import { sql, type RawBuilder } from 'kysely';
import type { AccessPath } from '../../search/access-paths/access-path';
import type { Order } from '../../search/sort/order';
import type { Criterion } from '../../search/predicate';
import { criterionTest, type CompiledCriteria } from './criteria/compiled';
import { NO_DATE } from './criteria/head';
import type { TestedRow } from './criteria/tested-row';
import type { PredicateValue, ValueReference } from './predicate-parts';

/** Part of an order: resources with a sort value, or those without one, which come last. */
export type Phase = 'all' | 'valued' | 'unvalued';

/** Position of the last match of the previous page. */
export interface After {
  /** Null: the match has none. */
  readonly sortValue: StoredSortValue;
  /** Decimal form of the 64-bit key. */
  readonly key: string;
}

/** A sort value as in its column: milliseconds since 1970, the start of a range, or a text; null: there is none. */
export type StoredSortValue = number | string | null;

export interface SearchStatementRequest {
  readonly space: number;
  readonly type: number;
  /** The parameter whose low bound is the clinical date of the type. */
  readonly sortDateParameter: number | undefined;
  readonly criteria: readonly Criterion[];
  readonly order: Order;
  readonly accessPath: AccessPath;
  readonly phase: Phase;
  readonly after: After | undefined;
  /** True: reads from the end, or from `after`, towards the beginning; the sort values stay the same. */
  readonly isBackward?: boolean;
  readonly limit: number;
}

/** Returns the position after which the page begins, as bound values. */
export function valuesOfPlace(request: SearchStatementRequest): PredicateValue[] {
  const { after, order, phase } = request;
  if (after === undefined) return [];
  const key: PredicateValue = { name: 'after_key', type: 'bigint', value: after.key };
  if (order.by === 'value' && phase === 'unvalued') return [key];
  const type = typeOfSortValue(request);
  const value = after.sortValue === null ? ABSENT[type] : String(after.sortValue);
  return [{ name: 'after_value', type, value }, key];
}

/** Value of the column if there is no sort value. */
const ABSENT = { float8: '-Infinity', bigint: NO_DATE, text: '' } as const;

/** Range rows have the sort value as a float with infinities, heads and token rows as a bigint. */
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

/** True if the rows are scanned in descending order. */
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

/** Condition that a row follows the last match of the previous page, wherever that match is now. */
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

/** Returns all criteria except the driving one as conditions on a row. */
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
