/** Exact numbers: values of 18 digits and factors of units are not rounded. */

export interface Rational {
  readonly top: bigint;
  /** Greater than 0. */
  readonly bottom: bigint;
}

const NUMBER = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

export const isNumberText = (text: string): boolean => NUMBER.test(text);

const powerOfTen = (exponent: number): Rational =>
  exponent >= 0
    ? { top: 10n ** BigInt(exponent), bottom: 1n }
    : { top: 1n, bottom: 10n ** BigInt(-exponent) };

/** @param text such as -5.40e-3 or 5/9 */
export function rational(text: string): Rational {
  const [over, under] = text.split('/');
  if (under !== undefined) return divide(rational(over ?? ''), rational(under));
  const match = NUMBER.exec(text);
  if (match === null) throw new Error(`${text} is not a number`);
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = { top: BigInt(whole + fraction) * (sign === '-' ? -1n : 1n), bottom: 1n };
  return multiply(digits, powerOfTen(Number(exponent) - fraction.length));
}

export const multiply = (a: Rational, b: Rational): Rational => ({
  top: a.top * b.top,
  bottom: a.bottom * b.bottom,
});
export const divide = (a: Rational, b: Rational): Rational => {
  const sign = b.top < 0n ? -1n : 1n;
  return { top: a.top * b.bottom * sign, bottom: a.bottom * b.top * sign };
};
export const add = (a: Rational, b: Rational): Rational => ({
  top: a.top * b.bottom + b.top * a.bottom,
  bottom: a.bottom * b.bottom,
});
export const negate = (a: Rational): Rational => ({ top: -a.top, bottom: a.bottom });
export const subtract = (a: Rational, b: Rational): Rational => add(a, negate(b));
export const magnitude = (a: Rational): Rational => (a.top < 0n ? negate(a) : a);
export function compare(a: Rational, b: Rational): number {
  const left = a.top * b.bottom;
  const right = b.top * a.bottom;
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * Half a unit of the last digit that is written: 100 has 0.5, 100.00 has 0.005, 5.40e-3 has 0.000005. The
 * specification's own example gives 1e2 the range [95, 105): a whole number with a positive exponent counts as written
 * with one digit more.
 */
export function halfOfLastDigit(text: string): Rational {
  const match = NUMBER.exec(text);
  if (match === null) throw new Error(`${text} is not a number`);
  const [, , , fraction = '', exponentText] = match;
  const exponent = Number(exponentText ?? '0');
  const last = fraction === '' && exponent > 0 ? exponent - 1 : exponent - fraction.length;
  return multiply(rational('0.5'), powerOfTen(last));
}
