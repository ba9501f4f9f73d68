/**
 * Quantities in canonical UCUM: the value in base units, so that 5.4 mg and 5400 ug are the same number of grams. The
 * UCUM library is loaded at the first use of a unit (about 30 ms and 2 MB) and called once for each unit; afterwards a
 * conversion is one multiplication.
 * Source: https://hl7.org/fhir/R4/search.html#quantity, https://ucum.org/ucum
 */
import { createRequire } from 'node:module';
import {
  add,
  exactOf,
  exactOfLiteral,
  multiply,
  toDoubleWithRest,
  toDouble,
  type Exact,
  type DoubleWithRest,
} from './exact-number';
import { findArbitraryUnit } from './arbitrary-unit';
import type { JsonValue } from './json';

export const UCUM_SYSTEM = 'http://unitsofmeasure.org';

/** The conversion of a unit into its base units. */
export interface CanonicalUnit {
  /**
   * Base units with exponents in alphabetical order, such as `g.m-3`; `1` for pure numbers. An arbitrary unit is a base unit
   * of its own: `[iU].m-3`.
   */
  readonly unit: string;
  /** Converts a value to base units, with 12 significant digits, so that equal quantities have equal numbers. */
  toCanonical(value: number): number;
  /**
   * As `toCanonical`, but exact if the unit is a fraction of base units, as all but the logarithmic ones are. Undefined
   * for a value without a logarithm.
   */
  toExact(value: Exact): Exact | undefined;
  /** A value in base units is `factor` times the value, plus `offset`; undefined for logarithmic units. */
  readonly scale: { readonly factor: Exact; readonly offset: Exact } | undefined;
  /** Returns the place of a JSON decimal in base units; undefined if it is not a number. */
  placeOf(value: JsonValue | undefined): DoubleWithRest | undefined;
  /** True if a greater value is a smaller one in base units, as with [pH]. */
  readonly isDescending: boolean;
  /** True for an arbitrary unit such as `[IU]/L`. */
  readonly isArbitrary: boolean;
}

/** The part of @lhncbc/ucum-lhc that this file uses; the library has no types. */
interface UcumLibrary {
  readonly UcumLhcUtils: {
    getInstance(): {
      convertToBaseUnits(unit: string, value: number): BaseUnits;
      validateUnitString(unit: string): { readonly status: string };
      readonly uStrParser_: { parseString: UnitParser };
    };
  };
}

/** Returns unit, text and messages. */
type UnitParser = (...given: readonly unknown[]) => readonly unknown[];

type Library = ReturnType<UcumLibrary['UcumLhcUtils']['getInstance']>;

interface BaseUnits {
  readonly status: string;
  readonly magnitude?: number;
  readonly unitToExp?: Readonly<Record<string, number>>;
  readonly fromUnitIsSpecial?: boolean;
}

const MAX_UNIT_LENGTH = 64;
/** Maximum number of cached units, because clients choose them. */
const MAX_UNITS = 2000;
const SIGNIFICANT_DIGITS = 12;

const requireModule = createRequire(__filename);
const units = new Map<string, CanonicalUnit | null>();
/** Codes without a canonical form; true if they are units nevertheless. */
const otherUnits = new Map<string, boolean>();
let library: Library | undefined;

function loadLibrary(): Library {
  library ??= silence((requireModule('@lhncbc/ucum-lhc') as UcumLibrary).UcumLhcUtils.getInstance());
  return library;
}

/** Prevents the library from writing a client's text to the console when its parser throws. */
function silence(ucum: Library): Library {
  const parser = ucum.uStrParser_;
  const parse = parser.parseString.bind(parser);
  parser.parseString = (...given) => {
    try {
      return parse(...given);
    } catch {
      return NO_UNIT;
    }
  };
  return ucum;
}

const NO_UNIT: readonly unknown[] = [null, '', ['not a unit']];

/**
 * Returns the canonical form of a UCUM unit code; undefined for any other text and for codes with two different arbitrary
 * units. Cost: a Map lookup, but up to 1 ms for the first use of a unit.
 */
export function canonicalUnit(code: string): CanonicalUnit | undefined {
  const cached = units.get(code);
  if (cached !== undefined) return cached ?? undefined;
  if (code.length === 0 || code.length > MAX_UNIT_LENGTH) return undefined;
  const made = makeCanonicalUnit(code);
  if (units.size >= MAX_UNITS) units.clear();
  units.set(code, made ?? null);
  return made;
}

/** True if `canonicalUnit` costs only a Map lookup. */
export function isKnownUnit(code: string): boolean {
  return units.has(code) || code.length === 0 || code.length > MAX_UNIT_LENGTH;
}

/** True for every UCUM code, also with several arbitrary units. Cost: as `canonicalUnit`. */
export function isUnit(code: string): boolean {
  if (canonicalUnit(code) !== undefined) return true;
  const cached = otherUnits.get(code);
  if (cached !== undefined) return cached;
  if (code.length === 0 || code.length > MAX_UNIT_LENGTH) return false;
  const isValid = loadLibrary().validateUnitString(code).status === 'valid';
  if (otherUnits.size >= MAX_UNITS) otherUnits.clear();
  otherUnits.set(code, isValid);
  return isValid;
}

function makeCanonicalUnit(code: string): CanonicalUnit | undefined {
  const ucum = loadLibrary();
  const one = ucum.convertToBaseUnits(code, 1);
  // The library converts no arbitrary units, and does so for no other reason.
  if (one.status === 'failed') return makeArbitraryUnit(ucum, code);
  if (one.status !== 'succeeded' || one.magnitude === undefined || one.unitToExp === undefined)
    return undefined;
  if (one.fromUnitIsSpecial !== true) return linearUnit(one.unitToExp, one.magnitude);
  const { toCanonical, factor, offset } = specialConversion(ucum, code);
  return {
    unit: baseUnitText(one.unitToExp),
    toCanonical,
    ...exactly(toCanonical, factor, offset),
    isDescending: toCanonical(2) < toCanonical(1),
    isArbitrary: false,
  };
}

/** Converts an arbitrary unit as if it were a base unit: once as candela and once as radian, to know them from others. */
function makeArbitraryUnit(ucum: Library, code: string): CanonicalUnit | undefined {
  const found = findArbitraryUnit(code, (atom) => ucum.convertToBaseUnits(atom, 1).status === 'failed');
  if (found === undefined) return undefined;
  const one = ucum.convertToBaseUnits(found.replacedBy('rad'), 1);
  const other = ucum.convertToBaseUnits(found.replacedBy('cd'), 1);
  if (one.magnitude === undefined || one.unitToExp === undefined || other.unitToExp === undefined)
    return undefined;
  const power = (other.unitToExp['cd'] ?? 0) - (one.unitToExp['cd'] ?? 0);
  const exponents = {
    ...one.unitToExp,
    rad: (one.unitToExp['rad'] ?? 0) - power,
    [found.symbol]: power,
  };
  return { ...linearUnit(exponents, one.magnitude), isArbitrary: true };
}

function linearUnit(exponents: Readonly<Record<string, number>>, magnitude: number): CanonicalUnit {
  const factor = rounded(magnitude);
  const toCanonical = (value: number): number => rounded(value * factor);
  const unit = baseUnitText(exponents);
  return {
    unit,
    toCanonical,
    ...exactly(toCanonical, magnitude, 0),
    isDescending: false,
    isArbitrary: false,
  };
}

const ZERO: Exact = { top: 0n, bottom: 1n };

/** `factor` and `offset` convert into base units; NaN if the unit is not a linear scale. */
function exactly(
  toCanonical: (value: number) => number,
  factor: number,
  offset: number,
): Pick<CanonicalUnit, 'toExact' | 'scale' | 'placeOf'> {
  const ratio = toFraction(factor);
  const start = offset === 0 ? ZERO : toFraction(offset);
  const scale = ratio === undefined || start === undefined ? undefined : { factor: ratio, offset: start };
  const toExact =
    scale === undefined
      ? (value: Exact): Exact | undefined => exactOfLiteral(String(toCanonical(toDouble(value))))
      : (value: Exact): Exact => add(multiply(value, scale.factor), scale.offset);
  const plain = offset === 0 && ratio !== undefined && Number(factor.toPrecision(FRACTION_DIGITS));
  const decimal = plain !== false && isDecimal(ratio.bottom) ? plain : undefined;
  const digits = decimal === undefined ? NaN : digitsOf(decimal);
  const findPlace = (value: JsonValue | undefined): DoubleWithRest | undefined => {
    // With so few digits together, the rounded product of the doubles is the product of the decimals.
    if (decimal !== undefined && typeof value === 'number' && digitsOf(value) + digits <= MAX_DOUBLE_DIGITS)
      return { at: Number((value * decimal).toPrecision(MAX_DOUBLE_DIGITS)), rest: undefined };
    const exact = exactOf(value);
    const base = exact && toExact(exact);
    return base && toDoubleWithRest(base);
  };
  // The search parameters of a resource convert the same number in sequence.
  let last: JsonValue | undefined;
  let place: DoubleWithRest | undefined;
  return {
    toExact,
    scale,
    placeOf(value) {
      if (value !== last) [last, place] = [value, findPlace(value)];
      return place;
    },
  };
}

/** Every decimal of so many digits has a double of its own. */
const MAX_DOUBLE_DIGITS = 15;
/** Factors are doubles that may be wrong in their last bits. */
const FRACTION_DIGITS = 14;
const FRACTION_ERROR = 4e-15;
const MAX_DENOMINATOR = 100_000;

/** Returns the number of digits in the decimal form of a number. */
function digitsOf(number: number): number {
  const text = Math.abs(number).toExponential();
  const end = text.indexOf('e');
  return end > 1 ? end - 1 : 1;
}

/** True for powers of ten. */
function isDecimal(bottom: bigint): boolean {
  return /^10*$/.test(bottom.toString());
}

/** Returns the decimal or common fraction that a double approximates, such as 0.0254, 1/60 or 5/9. */
function toFraction(number: number): Exact | undefined {
  if (!Number.isFinite(number)) return undefined;
  const isClose = (other: number): boolean => Math.abs(other - number) <= Math.abs(number) * FRACTION_ERROR;
  const decimal = number.toPrecision(FRACTION_DIGITS);
  if (isClose(Number(decimal))) return exactOfLiteral(String(Number(decimal)));
  let [top, bottom, lastTop, lastBottom] = [1, 0, 0, 1];
  for (let left = Math.abs(number); Number.isFinite(left); left = 1 / (left - Math.floor(left))) {
    const whole = Math.floor(left);
    [top, lastTop] = [whole * top + lastTop, top];
    [bottom, lastBottom] = [whole * bottom + lastBottom, bottom];
    if (bottom > MAX_DENOMINATOR || top > Number.MAX_SAFE_INTEGER) return undefined;
    if (isClose((Math.sign(number) * top) / bottom))
      return { top: BigInt(Math.sign(number) * top), bottom: BigInt(bottom) };
  }
  return undefined;
}

/**
 * Converts Cel, [degF] and other scales with a zero of their own by a factor and an offset. Only the logarithmic ones
 * ([pH], B[SPL] …) call the library each time.
 */
function specialConversion(
  ucum: Library,
  code: string,
): { toCanonical: (value: number) => number; factor: number; offset: number } {
  const convert = (value: number): number => ucum.convertToBaseUnits(code, value).magnitude ?? NaN;
  const offset = convert(0);
  const factor = (convert(100) - offset) / 100;
  const isScale = [-10, 1, 37].every((value) => rounded(convert(value)) === rounded(value * factor + offset));
  return isScale
    ? { toCanonical: (value) => rounded(value * factor + offset), factor, offset }
    : { toCanonical: (value) => rounded(convert(value)), factor: NaN, offset: NaN };
}

function baseUnitText(exponents: Readonly<Record<string, number>>): string {
  const names = Object.keys(exponents)
    .filter((name) => exponents[name] !== 0)
    .sort();
  if (names.length === 0) return '1';
  return names.map((name) => (exponents[name] === 1 ? name : `${name}${exponents[name]}`)).join('.');
}

function rounded(value: number): number {
  return Number(value.toPrecision(SIGNIFICANT_DIGITS));
}
