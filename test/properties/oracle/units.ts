/** The units of UCUM that the data use, by exact factors; units.test.ts compares them with LHC's library. */
import { add, multiply, rational, type Rational } from './rational';

export const UCUM = 'http://unitsofmeasure.org';

interface Unit {
  /** Units that can be converted into each other. */
  readonly dimension: string;
  /** base = (value + offset) × factor */
  readonly factor: Rational;
  readonly offset: Rational;
}

const unit = (dimension: string, factor: string, offset = '0'): Unit => ({
  dimension,
  factor: rational(factor),
  offset: rational(offset),
});

const UNITS: Readonly<Record<string, Unit>> = {
  g: unit('mass', '1'),
  mg: unit('mass', '0.001'),
  ug: unit('mass', '0.000001'),
  kg: unit('mass', '1000'),
  '[lb_av]': unit('mass', '453.59237'),
  m: unit('length', '1'),
  cm: unit('length', '0.01'),
  mm: unit('length', '0.001'),
  '[in_i]': unit('length', '0.0254'),
  s: unit('time', '1'),
  min: unit('time', '60'),
  h: unit('time', '3600'),
  d: unit('time', '86400'),
  K: unit('temperature', '1'),
  Cel: unit('temperature', '1', '273.15'),
  '[degF]': unit('temperature', '5/9', '459.67'),
  'mg/dL': unit('mass by volume', '0.01'),
  'g/L': unit('mass by volume', '1'),
  'g/dL': unit('mass by volume', '10'),
  '/min': unit('by time', '1/60'),
  a: unit('time', '31557600'),
  mo: unit('time', '2629800'),
};

export const UNIT_CODES: readonly string[] = Object.keys(UNITS);

export const areComparable = (code: string, other: string): boolean =>
  UNITS[code] !== undefined && UNITS[code].dimension === UNITS[other]?.dimension;

/** A value of a unit in the base of its dimension. */
export function toBase(value: Rational, code: string): Rational {
  const found = UNITS[code];
  if (found === undefined) throw new Error(`the oracle does not know the unit ${code}`);
  return multiply(add(value, found.offset), found.factor);
}
