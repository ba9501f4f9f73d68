/**
 * True if two number literals of JSON have the same value: `1.0` and `1.00`, `1e2` and `100`. Compares digits, so that
 * neither their number nor the size of an exponent can make it slow or wrong.
 */
export function areEqualDecimals(first: string, second: string): boolean {
  if (first === second) return true;
  const one = normalise(first);
  const other = normalise(second);
  return one.digits === other.digits && one.exponent === other.exponent;
}

interface NormalDecimal {
  /** The sign and the digits without leading and trailing zeros; '' for zero. */
  readonly digits: string;
  /** The value is 0.digits × 10^exponent. */
  readonly exponent: bigint;
}

const ZERO: NormalDecimal = { digits: '', exponent: 0n };
/** Digits of an exponent that are compared; no measured value needs more. */
const LONGEST_EXPONENT = 40;

function normalise(literal: string): NormalDecimal {
  const negative = literal.startsWith('-');
  const [mantissa = '', exponentText = '0'] = (negative ? literal.slice(1) : literal)
    .toLowerCase()
    .split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  const start = digits.search(/[1-9]/);
  if (start < 0) return ZERO;
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end--;
  const exponent =
    BigInt(exponentText.replace('+', '').slice(0, LONGEST_EXPONENT)) + BigInt(whole.length - start);
  return { digits: (negative ? '-' : '') + digits.slice(start, end), exponent };
}
