/** Exact arithmetic on decimals: FHIRPath's 1.8 - 1.2 is 0.6, and a resource's 1.00 keeps its digits. */
import { DECIMAL_MARK, decimalText, type JsonValue } from '../json';

/** unscaled × 10^-scale */
export interface Exact {
  readonly unscaled: bigint;
  readonly scale: number;
}

const LITERAL = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;
/** FHIRPath requires at least 8 digits after the point. */
const DIVISION_DIGITS = 16;
const MAX_LITERAL_LENGTH = 400;

/** Undefined if the value is not a decimal, or has too many digits. */
export function toExact(value: JsonValue | undefined): Exact | undefined {
  const text = decimalText(value);
  return text === undefined ? undefined : parseExact(text);
}

/**
 * Steps of computing with a number. Most are JSON numbers; the cost of others grows with the square of their digits.
 */
export function numberSteps(value: JsonValue): number {
  return typeof value === 'string' ? 1 + Math.floor((value.length * value.length) / 256) : 1;
}

export function parseExact(text: string): Exact | undefined {
  const match = text.length > MAX_LITERAL_LENGTH ? null : LITERAL.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent] = match;
  const scale = fraction.length - Number(exponent ?? 0);
  if (Math.abs(scale) > 2 * MAX_LITERAL_LENGTH) return undefined;
  const digits = BigInt(sign + whole + fraction);
  return scale < 0 ? { unscaled: digits * 10n ** BigInt(-scale), scale: 0 } : { unscaled: digits, scale };
}

/** Returns a JSON value: a number if it has the same digits, else a marked decimal. */
export function fromExact(exact: Exact): JsonValue {
  return toJsonNumber(exactText(exact));
}

/** Returns the JSON value of a number's literal. */
export function toJsonNumber(text: string): JsonValue {
  const number = Number(text);
  return String(number) === text ? number : DECIMAL_MARK + text;
}

export function exactText({ unscaled, scale }: Exact): string {
  if (scale === 0) return unscaled.toString();
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function align(first: Exact, second: Exact): [first: bigint, second: bigint, scale: number] {
  const scale = Math.max(first.scale, second.scale);
  return [
    first.unscaled * 10n ** BigInt(scale - first.scale),
    second.unscaled * 10n ** BigInt(scale - second.scale),
    scale,
  ];
}

export function compareExact(first: Exact, second: Exact): number {
  const [one, other] = align(first, second);
  return one < other ? -1 : one > other ? 1 : 0;
}

export function add(first: Exact, second: Exact): Exact {
  const [one, other, scale] = align(first, second);
  return { unscaled: one + other, scale };
}

export function negate({ unscaled, scale }: Exact): Exact {
  return { unscaled: -unscaled, scale };
}

export function multiply(first: Exact, second: Exact): Exact {
  return { unscaled: first.unscaled * second.unscaled, scale: first.scale + second.scale };
}

/** Undefined for a division by zero. */
export function divide(first: Exact, second: Exact): Exact | undefined {
  const [one, other] = align(first, second);
  if (other === 0n) return undefined;
  return trim({ unscaled: (one * 10n ** BigInt(DIVISION_DIGITS)) / other, scale: DIVISION_DIGITS });
}

/**
 * Returns the integer part of the quotient, truncated towards zero, and the remainder; undefined for a division by
 * zero.
 */
export function divideWhole(first: Exact, second: Exact): { quotient: Exact; remainder: Exact } | undefined {
  const [one, other, scale] = align(first, second);
  if (other === 0n) return undefined;
  return { quotient: { unscaled: one / other, scale: 0 }, remainder: trim({ unscaled: one % other, scale }) };
}

/** Rounds half away from zero, as round() and `~` require. */
export function round(exact: Exact, scale: number): Exact {
  if (exact.scale <= scale) return exact;
  const factor = 10n ** BigInt(exact.scale - scale);
  const half = exact.unscaled < 0n ? -factor / 2n : factor / 2n;
  return { unscaled: (exact.unscaled + half) / factor, scale };
}

/** Removes zeros at the end of the fraction. */
export function trim(exact: Exact): Exact {
  let { unscaled, scale } = exact;
  while (scale > 0 && unscaled % 10n === 0n) {
    unscaled /= 10n;
    scale -= 1;
  }
  return { unscaled, scale };
}
