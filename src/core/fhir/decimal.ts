/** Decimals as JSON values: a JavaScript number, or the literal after DECIMAL_MARK if a number would lose digits. */
import { exactOfLiteral, timesPowerOfTen, type Exact } from './exact-number';
import { DECIMAL_MARK, type JsonValue } from './json';

/** A search number with its range of implicit precision. */
export interface SearchNumber {
  readonly value: Exact;
  /** The value minus and plus half a unit of its last digit; a value in [low, high) rounds to the search value. */
  readonly low: Exact;
  readonly high: Exact;
}

const LITERAL = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,5}))?$/;

/**
 * Returns a JSON decimal or integer as a number; undefined for anything else and for one beyond the range of doubles.
 */
export function toNumber(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !value.startsWith(DECIMAL_MARK)) return undefined;
  const number = Number(value.slice(1));
  return Number.isFinite(number) && value.length > 1 ? number : undefined;
}

/**
 * Parses a search value such as `5.40` or `1e2` into the number and its range of implicit precision; undefined if it is
 * not a number. `100` is [99.5, 100.5), `100.00` is [99.995, 100.005). An exponent without a fraction counts as having
 * one digit more than it shows. That is the specification's own example: `1e2` is [95, 105).
 * Source: https://hl7.org/fhir/R4/search.html#number
 */
export function parseSearchNumber(text: string): SearchNumber | undefined {
  const value = exactOfLiteral(text);
  const match = LITERAL.exec(text);
  if (value === undefined || match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponentText] = match;
  const exponent = Number(exponentText ?? 0);
  const places = fraction.length === 0 && exponentText !== undefined ? 1 : fraction.length;
  // In tenths of the last digit, so that half a unit is 5.
  const tenths = BigInt(whole + fraction.padEnd(places, '0')) * (sign === '-' ? -10n : 10n);
  const scale = exponent - places - 1;
  return { value, low: timesPowerOfTen(tenths - 5n, scale), high: timesPowerOfTen(tenths + 5n, scale) };
}

/** Returns half a unit of the last digit of a decimal literal; undefined if it is not a number. */
export function halfUnit(text: string): number | undefined {
  const match = LITERAL.exec(text);
  if (match === null) return undefined;
  const places = match[3]?.length ?? (match[4] === undefined ? 0 : 1);
  return Number(`5e${Number(match[4] ?? 0) - places - 1}`);
}
