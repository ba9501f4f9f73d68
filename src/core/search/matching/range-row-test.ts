/** The conditions of storage/search/range-sql.ts, for rows in memory. */
import type { RangeRow } from '../rows/index-rows';
import type { NumberTest, RangePredicate, SpanPredicate } from '../predicate';

/** True when a range row has the predicate's parameter, qualifier and unit, and its bounds pass the test. */
export function meetsRange(predicate: RangePredicate, row: RangeRow): boolean {
  const { parameter, qualifier = NO_QUALIFIER, qualifierSystem, unit } = predicate;
  const { domain, test, low, high, value, and = [] } = predicate;
  return (
    row.parameter === parameter &&
    row.qualifierHigh === qualifier.high &&
    row.qualifierLow === qualifier.low &&
    (qualifierSystem === undefined || row.qualifierSystem === qualifierSystem) &&
    (unit?.system === undefined || row.unitSystem === unit.system) &&
    (unit?.code === undefined || row.unitCode === unit.code) &&
    (unit?.codeOrName === undefined ||
      row.unitCode === unit.codeOrName ||
      row.unitName === unit.codeOrName) &&
    (domain === 'date' || test === 'includes'
      ? meetsDate(predicate, row)
      : meetsNumber({ test, low, high, ...(value === undefined ? {} : { value }) }, row.low, row.high)) &&
    and.every((other) => meetsRange(other, row))
  );
}

const NO_QUALIFIER = { high: 0, low: 0 };

/** True when both bounds of a row with the predicate's qualifier pass their tests, each as a point. */
export function meetsSpan(
  { parameter, qualifier, qualifierSystem, start, end }: SpanPredicate,
  row: RangeRow,
): boolean {
  return (
    row.parameter === parameter &&
    row.qualifierHigh === qualifier.high &&
    row.qualifierLow === qualifier.low &&
    (qualifierSystem === undefined || row.qualifierSystem === qualifierSystem) &&
    meetsNumber(start, row.low, row.low) &&
    meetsNumber(end, row.high, row.high)
  );
}

/** Tests a stored range [row.low, row.high) against the search range [low, high), by search.html#prefix. */
function meetsDate(
  { test, low, high }: Pick<RangePredicate, 'test' | 'low' | 'high'>,
  row: RangeRow,
): boolean {
  switch (test) {
    case 'eq':
      return row.low >= low && row.low < high && row.high <= high;
    case 'ne':
      return row.low < low || row.high > high;
    case 'gt':
      return row.high > high;
    case 'lt':
      return row.low < low;
    case 'ge':
      return row.low >= low || row.high > high;
    case 'le':
      return row.low < low || row.high <= high;
    case 'sa':
      return row.low >= high;
    case 'eb':
      return row.high <= low;
    case 'ap':
      return row.low < high && row.high > low;
    case 'includes':
      return row.low <= low && row.high >= high;
  }
}

/** Tests a stored point or range [first, last], both ends included, against a number (search.html#prefix, #number). */
function meetsNumber({ test, low, high, value = NaN }: NumberTest, first: number, last: number): boolean {
  switch (test) {
    case 'eq':
      return first >= low && first < high && last < high;
    case 'ne':
      return first < low || last >= high;
    case 'gt':
      return last > value;
    case 'lt':
      return first < value;
    case 'ge':
      return last > value || (last === value && first === value);
    case 'le':
      return first < value || (first === value && last === value);
    case 'sa':
      return first > value;
    case 'eb':
      return last < value;
    case 'ap':
      return first <= high && last >= low;
  }
}
