/** Number and quantity: which stored points and ranges meet which prefix and value. */
import { Unclear } from './refusal';
import {
  add,
  compare,
  halfOfLastDigit,
  magnitude,
  multiply,
  rational,
  subtract,
  type Rational,
} from './rational';

export interface Bound {
  /** undefined: unbounded */
  readonly at: Rational | undefined;
  readonly isOpen: boolean;
}
export interface Interval {
  readonly low: Bound;
  readonly high: Bound;
}

export const UNBOUNDED: Bound = { at: undefined, isOpen: true };
export const closedAt = (at: Rational): Bound => ({ at, isOpen: false });
export const openAt = (at: Rational): Bound => ({ at, isOpen: true });
export const pointAt = (at: Rational): Interval => ({ low: closedAt(at), high: closedAt(at) });

/** The range of a Quantity: its value, or with a comparator all values below or above. */
export function compared(at: Rational, comparator: string | undefined): Interval {
  switch (comparator) {
    case '<':
      return { low: UNBOUNDED, high: openAt(at) };
    case '<=':
      return { low: UNBOUNDED, high: closedAt(at) };
    case '>':
      return { low: openAt(at), high: UNBOUNDED };
    case '>=':
      return { low: closedAt(at), high: UNBOUNDED };
    default:
      return pointAt(at);
  }
}

/** True when [from, to) contains the whole stored interval. */
function isWithin({ low, high }: Interval, from: Rational, to: Rational): boolean {
  if (low.at === undefined || high.at === undefined) return false;
  const end = compare(high.at, to);
  return compare(low.at, from) >= 0 && (end < 0 || (end === 0 && high.isOpen));
}

const reachesAbove = ({ high }: Interval, value: Rational): boolean =>
  high.at === undefined || compare(high.at, value) > 0;
const reachesBelow = ({ low }: Interval, value: Rational): boolean =>
  low.at === undefined || compare(low.at, value) < 0;
const isExactly = ({ low, high }: Interval, value: Rational): boolean =>
  low.at !== undefined &&
  high.at !== undefined &&
  compare(low.at, value) === 0 &&
  compare(high.at, value) === 0;
function isAfter({ low }: Interval, value: Rational): boolean {
  if (low.at === undefined) return false;
  const order = compare(low.at, value);
  return order > 0 || (order === 0 && low.isOpen);
}
function isBefore({ high }: Interval, value: Rational): boolean {
  if (high.at === undefined) return false;
  const order = compare(high.at, value);
  return order < 0 || (order === 0 && high.isOpen);
}

/** The rules do not define whether a range that ends with the value itself is `ge` or `le`. */
function atBorder({ at, isOpen }: Bound, value: Rational, reaches: boolean): boolean {
  if (!isOpen && at !== undefined && compare(at, value) === 0) throw new Unclear('a range up to the value');
  return reaches;
}

/** The precision of doubles. */
const SHORT_DIGITS = 15;
const OF_A_DOUBLE = rational('0.0000000000000005');

/** Ends of ranges are compared as doubles where the value has more digits: the order is then undefined. */
function requireApart({ low, high }: Interval, text: string, bounds: readonly Rational[]): void {
  if (text.replace(/e.*$/i, '').replace(/\D/g, '').length <= SHORT_DIGITS) return;
  if (low.at !== undefined && high.at !== undefined && compare(low.at, high.at) === 0) return;
  for (const { at } of [low, high])
    for (const bound of bounds)
      if (
        at !== undefined &&
        compare(magnitude(subtract(at, bound)), multiply(magnitude(bound), OF_A_DOUBLE)) < 0
      )
        throw new Unclear('an end of a range nearer to the value than doubles tell');
}

/**
 * Only `eq` and `ne` know the precision of the search value; `ap` reaches 10 % to both sides; the others are exact.
 * @param prefix such as 'ge'; '' is eq
 * @param text the number as it was written in the search
 */
export function meetsNumber(stored: Interval, prefix: string, text: string): boolean {
  const value = rational(text);
  const half = halfOfLastDigit(text);
  const tenth = multiply(magnitude(value), rational('0.1'));
  const [lowest, highest] =
    prefix === 'ap' ? [subtract(value, tenth), add(value, tenth)] : [subtract(value, half), add(value, half)];
  requireApart(stored, text, [value, lowest, highest]);
  switch (prefix) {
    case 'ne':
      return !isWithin(stored, lowest, highest);
    case 'gt':
      return reachesAbove(stored, value);
    case 'lt':
      return reachesBelow(stored, value);
    case 'ge':
      return isExactly(stored, value) || atBorder(stored.high, value, reachesAbove(stored, value));
    case 'le':
      return isExactly(stored, value) || atBorder(stored.low, value, reachesBelow(stored, value));
    case 'sa':
      return isAfter(stored, value);
    case 'eb':
      return isBefore(stored, value);
    case 'ap':
      return !isBefore(stored, lowest) && !isAfter(stored, highest);
    default:
      return isWithin(stored, lowest, highest);
  }
}
