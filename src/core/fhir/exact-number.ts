/**
 * Exact numbers, as fractions of two integers. FHIR decimals may have more digits than a double, and unit conversions
 * give fractions such as 1/60. An index holds doubles, so that each exact number has a place among them; its `rest`
 * tells apart the numbers at one double.
 */
import { DECIMAL_MARK, type JsonValue } from './json';

export interface Exact {
  readonly top: bigint;
  /** Greater than 0. */
  readonly bottom: bigint;
}

/**
 * The place of a number among doubles. A number of up to 15 digits has its own double as its place, without a rest; no
 * other number shares it. For any other number `rest` is its difference from the double `at` (53 bits of it, that is
 * the first 31 digits of the number). The greater of two numbers has the greater double, or the same double and the
 * greater rest.
 */
export interface DoubleWithRest {
  readonly at: number;
  readonly rest: number | undefined;
}

const LITERAL = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,5}))?$/;
/**
 * Limits of searchable numbers: exact arithmetic on longer literals and on exponents further from 0 would take long.
 */
const MAX_LITERAL_LENGTH = 400;
const MAX_EXPONENT = 400;
/** Digits of a fraction that its conversion to a double uses. */
const ROUNDED_DIGITS = 40n;
const SHORT_DIGITS = 15;
/** Doubles nearer to 0 have fewer digits than others; no measured value is there. */
const LEAST = 1e-290;

/** Parses a decimal literal; undefined if it is not a number, or is beyond the range of doubles. */
export function exactOfLiteral(text: string): Exact | undefined {
  if (text.length > MAX_LITERAL_LENGTH) return undefined;
  const match = LITERAL.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const scale = Number(exponent) - fraction.length;
  if (Math.abs(scale) > MAX_EXPONENT + MAX_LITERAL_LENGTH || !Number.isFinite(Number(text))) return undefined;
  const digits = BigInt(whole + fraction);
  return timesPowerOfTen(sign === '-' ? -digits : digits, scale);
}

/** Returns the exact value of a JSON decimal or integer; undefined for anything else. */
export function exactOf(value: JsonValue | undefined): Exact | undefined {
  if (typeof value === 'number') return exactOfLiteral(String(value));
  if (typeof value !== 'string' || !value.startsWith(DECIMAL_MARK)) return undefined;
  return exactOfLiteral(value.slice(1));
}

/** Returns `digits` times ten to the power of `exponent`. */
export function timesPowerOfTen(digits: bigint, exponent: number): Exact {
  return exponent >= 0
    ? { top: digits * 10n ** BigInt(exponent), bottom: 1n }
    : { top: digits, bottom: 10n ** BigInt(-exponent) };
}

export function add(one: Exact, other: Exact): Exact {
  return { top: one.top * other.bottom + other.top * one.bottom, bottom: one.bottom * other.bottom };
}

export function subtract(one: Exact, other: Exact): Exact {
  return { top: one.top * other.bottom - other.top * one.bottom, bottom: one.bottom * other.bottom };
}

export function multiply(one: Exact, other: Exact): Exact {
  return { top: one.top * other.top, bottom: one.bottom * other.bottom };
}

/** Throws RangeError if `other` is 0. */
export function divide(one: Exact, other: Exact): Exact {
  if (other.top === 0n) throw new RangeError('division by zero');
  const sign = other.top < 0n ? -1n : 1n;
  return { top: one.top * other.bottom * sign, bottom: one.bottom * other.top * sign };
}

/** Adds decimals: as `add`, but the bottom of the sum of many is no longer than the longest of theirs. */
export function addDecimal(one: Exact, other: Exact): Exact {
  if (one.bottom === other.bottom) return { top: one.top + other.top, bottom: one.bottom };
  const [coarse, fine] = one.bottom < other.bottom ? [one, other] : [other, one];
  return fine.bottom % coarse.bottom === 0n
    ? { top: coarse.top * (fine.bottom / coarse.bottom) + fine.top, bottom: fine.bottom }
    : add(one, other);
}

/** Returns a negative number if `one` is smaller, 0 if both are equal. */
export function compare(one: Exact, other: Exact): number {
  const left = one.top * other.bottom;
  const right = other.top * one.bottom;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Numbers below it have at most `SHORT_DIGITS` digits. */
const SHORT_LIMIT = 10n ** BigInt(SHORT_DIGITS);
/** The powers of ten that a double represents exactly. */
const DECIMAL_BOTTOMS: ReadonlyMap<bigint, number> = new Map(
  Array.from({ length: 23 }, (_empty, exponent) => [10n ** BigInt(exponent), Number(`1e${exponent}`)]),
);

/**
 * Returns the place of a number. Cost: below a microsecond for decimals of up to 15 digits, some microseconds for
 * others.
 */
export function toDoubleWithRest(exact: Exact): DoubleWithRest {
  const bottom = DECIMAL_BOTTOMS.get(exact.bottom);
  // Both are doubles, so that their quotient is the double nearest to the number.
  if (bottom !== undefined && exact.top < SHORT_LIMIT && exact.top > -SHORT_LIMIT)
    return { at: Number(exact.top) / bottom, rest: undefined };
  const near = toDouble(exact);
  if (!Number.isFinite(near) || Math.abs(near) < LEAST) return { at: near, rest: undefined };
  const short = exactOfLiteral(near.toPrecision(SHORT_DIGITS));
  let at = near;
  if (short !== undefined && toDouble(short) === near) {
    const order = compare(exact, short);
    if (order === 0) return { at: near, rest: undefined };
    at = order > 0 ? nextAbove(near) : nextBelow(near);
  }
  return { at, rest: toDouble(subtract(exact, exactOfDouble(at))) };
}

/** Returns the place of a double's decimal form. Cost: below a microsecond for up to 15 digits. */
export function placeOfNumber(number: number): DoubleWithRest {
  if (
    Number.isInteger(number)
      ? Math.abs(number) < 1e15
      : // It is written with so few digits, or is one of them all the same.
        String(number).length <= SHORT_DIGITS || Number(number.toPrecision(SHORT_DIGITS)) === number
  )
    return { at: number, rest: undefined };
  const exact = exactOfLiteral(String(number));
  return exact === undefined ? { at: number, rest: undefined } : toDoubleWithRest(exact);
}

/** Returns the place of a JSON decimal or integer; undefined for anything else. */
export function placeOfJson(value: JsonValue | undefined): DoubleWithRest | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? placeOfNumber(value) : undefined;
  const exact = exactOf(value);
  return exact === undefined ? undefined : toDoubleWithRest(exact);
}

const doubles = new Float64Array(1);
const bits = new BigInt64Array(doubles.buffer);

/** Returns the least double above a finite one. */
export function nextAbove(number: number): number {
  if (number === 0) return Number.MIN_VALUE;
  doubles[0] = number;
  bits[0] = (bits[0] ?? 0n) + (number > 0 ? 1n : -1n);
  return doubles[0];
}

/** Returns the greatest double below a finite one. */
export function nextBelow(number: number): number {
  return -nextAbove(-number);
}

function exactOfDouble(number: number): Exact {
  doubles[0] = Math.abs(number);
  const pattern = bits[0] ?? 0n;
  const power = Number(pattern >> 52n);
  const fraction = pattern & 0xfffffffffffffn;
  const digits = power === 0 ? fraction : fraction | 0x10000000000000n;
  const exponent = Math.max(power, 1) - 1075;
  const top = number < 0 ? -digits : digits;
  return exponent >= 0
    ? { top: top << BigInt(exponent), bottom: 1n }
    : { top, bottom: 1n << BigInt(-exponent) };
}

/** Returns the nearest double. It is monotonic, and right to the last bit for numbers of up to 40 digits. */
export function toDouble({ top, bottom }: Exact): number {
  if (top === 0n) return 0;
  const magnitude = top < 0n ? -top : top;
  const shift = ROUNDED_DIGITS - BigInt(magnitude.toString().length - bottom.toString().length);
  const scaled = shift >= 0n ? (magnitude * 10n ** shift) / bottom : magnitude / (bottom * 10n ** -shift);
  const number = Number(`${scaled}e${-shift}`);
  return top < 0n ? -number : number;
}

const EXPONENT_ZERO = 50_000;
/** Sorts before every digit, and so between a number and the next greater one. */
const ABOVE = '!';

/**
 * Returns the sort text of a double without a rest. If the double is the next above a number of at most 15 digits, the
 * text is that of a number just above it (`>5`).
 */
export function sortTextOfDouble(at: number): string {
  const begins = beginningOfDouble(at);
  const short = shortNumberAt(begins);
  if (short === undefined) return sortText(exactOfDouble(at));
  return begins === at ? sortText(short) : sortText(short) + ABOVE;
}

/**
 * Returns the start of a range whose least double is `at`: the range `>5` has the next double above 5, and starts at 5.
 */
export function beginningOfDouble(at: number): number {
  // The double next to 0 also has a decimal form of 15 digits.
  if (at === Number.MIN_VALUE) return 0;
  if (shortNumberAt(at) !== undefined) return at;
  const below = nextBelow(at);
  return shortNumberAt(below) === undefined ? at : below;
}

/** Returns the number of at most 15 digits whose place is a double; undefined if there is none. */
function shortNumberAt(at: number): Exact | undefined {
  const short = Number.isFinite(at) ? exactOfLiteral(at.toPrecision(SHORT_DIGITS)) : undefined;
  return short !== undefined && toDouble(short) === at ? short : undefined;
}

/** Returns the double at the place of a sort text; undefined for any other text. */
export function doubleOfSortText(text: string): number | undefined {
  const match = /^(?:1|([02])(\d{6})(\d+)~?)(!?)$/.exec(text);
  if (match === null) return undefined;
  const [, sign, written = '', digits = '0', above] = match;
  const isNegative = sign === '0';
  const turned = (part: string): string =>
    isNegative ? part.replace(/\d/g, (digit) => String(9 - Number(digit))) : part;
  const exponent = sign === undefined ? 0 : Number(turned(written)) - EXPONENT_ZERO;
  const magnitude = Number(`0.${turned(digits)}e${exponent}`);
  const at = isNegative ? -magnitude : magnitude;
  return above === ABOVE ? nextAbove(at) : at;
}

/** Returns a text that sorts, by code units, as the number does; it is as long as its digits. */
export function sortText(exact: Exact): string {
  if (exact.top === 0n) return '1';
  const isNegative = exact.top < 0n;
  const magnitude = isNegative ? -exact.top : exact.top;
  // A decimal fraction becomes an integer; other fractions have `ROUNDED_DIGITS` digits.
  const places = exact.bottom.toString().length + Number(ROUNDED_DIGITS);
  const digits = ((magnitude * 10n ** BigInt(places)) / exact.bottom).toString();
  const exponent = String(digits.length - places + EXPONENT_ZERO).padStart(6, '0');
  const text = `${exponent}${digits.replace(/0+$/, '')}`;
  if (!isNegative) return `2${text}`;
  return `0${text.replace(/\d/g, (digit) => String(9 - Number(digit)))}~`;
}

/** FHIR's decimals have up to so many digits (datatypes.html#decimal). */
const MOST_DIGITS = 18;
/** An exponent is written beyond it. */
const MOST_ZEROS = 30;

/** Returns a decimal literal: all digits if they are at most 18, else rounded to 15. */
export function toDecimalText(exact: Exact): string {
  const whole = scaled(exact, MOST_DIGITS);
  const { digits, exponent } = whole.isExact ? whole : scaled(exact, SHORT_DIGITS);
  if (digits === 0n) return '0';
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString();
  const short = text.replace(/0+$/, '');
  const power = exponent + text.length - short.length;
  if (power > MOST_ZEROS || power < -MOST_ZEROS - short.length) return `${sign}${short}e${power}`;
  if (power >= 0) return sign + short + '0'.repeat(power);
  const padded = short.padStart(1 - power, '0');
  return `${sign}${padded.slice(0, power)}.${padded.slice(power)}`;
}

interface ScaledNumber {
  /** The number is `digits` times ten to the power of `exponent`. */
  readonly digits: bigint;
  readonly exponent: number;
  readonly isExact: boolean;
}

/** Rounds to a number of digits, half away from zero. */
function scaled({ top, bottom }: Exact, count: number): ScaledNumber {
  const isNegative = top < 0n;
  const absolute = isNegative ? -top : top;
  let exponent = absolute.toString().length - bottom.toString().length - count;
  for (;;) {
    const [over, under] =
      exponent < 0
        ? [absolute * 10n ** BigInt(-exponent), bottom]
        : [absolute, bottom * 10n ** BigInt(exponent)];
    const digits = (2n * over + under) / (2n * under);
    if (digits.toString().length > count) exponent++;
    else return { digits: isNegative ? -digits : digits, exponent, isExact: digits * under === over };
  }
}
