/** Quantities of FHIRPath: literals, and FHIR's own Quantity, which converts to them (fhirpath.html#quantity). */
import type { JsonValue } from '../json';
import { canonicalUnit, isKnownUnit, UCUM_SYSTEM, type CanonicalUnit } from '../quantity';
import type { Meter } from './allowance';
import { compareExact, exactText, round, toExact, trim, type Exact } from './number';
import { isObject, type PathNode } from './value';

export interface PathQuantity {
  readonly value: Exact;
  /** UCUM code, or a calendar word without its plural s (`day`). */
  readonly unit: string;
  readonly isCalendar: boolean;
}

/**
 * Calendar durations that equal a UCUM unit; `year` and `month` do not
 * (http://hl7.org/fhirpath/N1/#time-valued-quantities).
 */
const DEFINITE: Readonly<Record<string, string>> = {
  week: 'wk',
  day: 'd',
  hour: 'h',
  minute: 'min',
  second: 's',
  millisecond: 'ms',
};
/** Calendar durations that are equivalent (`~`) to a UCUM unit but not equal. */
const AVERAGE: Readonly<Record<string, string>> = { year: 'a', month: 'mo' };

/** Returns the quantity that a value is or converts to; undefined if there is none. */
export function toQuantity(node: PathNode): PathQuantity | undefined {
  const { kind } = node.node;
  if (kind === 'Integer' || kind === 'Decimal') {
    const value = toExact(node.value);
    return value && { value, unit: '1', isCalendar: false };
  }
  if (kind !== 'Quantity' || !isObject(node.value)) return undefined;
  const value = toExact(node.value['value']);
  if (!value) return undefined;
  const { system, code, unit } = node.value;
  if (node.node.namespace === 'System') {
    return { value, unit: text(code) ?? text(unit) ?? '1', isCalendar: code === undefined };
  }
  if (node.value['comparator'] !== undefined) return undefined;
  // Codes of other systems compare as themselves; a quantity without a code has only its unit.
  if (system === UCUM_SYSTEM) return { value, unit: text(code) ?? '1', isCalendar: false };
  return { value, unit: text(code) ?? text(unit) ?? '1', isCalendar: false };
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Steps of the first conversion of a unit. */
const UNIT_STEPS = 1_000;

function unitFor(code: string, meter: Meter): CanonicalUnit | undefined {
  meter.spend(isKnownUnit(code) ? 1 : UNIT_STEPS);
  return canonicalUnit(code);
}

/**
 * Compares two quantities; undefined if their units cannot be compared. `isLoose` is the rule of `~`: calendar and UCUM
 * durations are alike.
 */
export function compareQuantities(
  first: PathQuantity,
  second: PathQuantity,
  meter: Meter,
  isLoose = false,
): number | undefined {
  const one = unitOf(first, isLoose);
  const other = unitOf(second, isLoose);
  meter.spend(stepsOf(first) + stepsOf(second));
  if (one === other)
    return isLoose ? compareRounded(first.value, second.value) : compareExact(first.value, second.value);
  const from = unitFor(one, meter);
  const to = unitFor(other, meter);
  if (!from || !to || from.unit !== to.unit) return undefined;
  const left = from.toCanonical(toNumber(first));
  const right = to.toCanonical(toNumber(second));
  if (!isLoose) return left - right;
  // Equal to the precision of the less precise of the two, in its own unit.
  const tolerance = Math.max(
    from.toCanonical(0.5 / 10 ** first.value.scale),
    to.toCanonical(0.5 / 10 ** second.value.scale),
  );
  return Math.abs(left - right) <= tolerance ? 0 : left - right;
}

/** Steps of reading and comparing a quantity. */
function stepsOf({ value: { scale } }: PathQuantity): number {
  return 4 + ((scale * scale) >> 8);
}

function toNumber({ value }: PathQuantity): number {
  return Number(value.unscaled) / 10 ** value.scale;
}

/** Key of a quantity in strict comparisons: quantities of one unit are equal exactly if their `exact` texts are. */
export interface QuantityKey {
  readonly unit: string;
  readonly exact: string;
  /** Quantities of different units are equal exactly if these are; undefined: never equal. */
  readonly canonical: string | undefined;
}

export function keyOfQuantity(quantity: PathQuantity, meter: Meter): QuantityKey {
  const unit = unitOf(quantity, false);
  meter.spend(stepsOf(quantity));
  const found = unitFor(unit, meter);
  const number = found?.toCanonical(toNumber(quantity)) ?? NaN;
  return {
    unit,
    exact: exactText(trim(quantity.value)),
    canonical: found && Number.isFinite(number) ? `${number} ${found.unit}` : undefined,
  };
}

function compareRounded(first: Exact, second: Exact): number {
  const scale = Math.min(first.scale, second.scale);
  return compareExact(round(first, scale), round(second, scale));
}

function unitOf({ unit, isCalendar }: PathQuantity, isLoose: boolean): string {
  if (!isCalendar) return unit;
  // The exact comparison of a year with 'a' must fail: no UCUM code begins with a hash.
  return DEFINITE[unit] ?? (isLoose ? AVERAGE[unit] : undefined) ?? `#${unit}`;
}
