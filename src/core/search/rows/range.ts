/**
 * Range rows of dates, numbers and quantities. A date is the range of its precision; a stored decimal is a point;
 * Range, SampledData and a Quantity with a comparator are ranges, open where the comparator says.
 * Source: https://hl7.org/fhir/R4/search.html#date, #number and #quantity
 */
import { periodRange, timingRange } from '../../fhir/periods';
import { dateRange, type DateRange, type Zone } from '../../../../packages/fhir-values/date';
import { toNumber } from '../../fhir/decimal';
import {
  nextAbove,
  nextBelow,
  toDoubleWithRest,
  placeOfJson,
  type Exact,
  type DoubleWithRest,
} from '../../fhir/exact-number';
import { isJsonObject, type JsonObject, type JsonValue } from '../../fhir/json';
import type { PathValue } from '../../fhir/path';
import { canonicalUnit, UCUM_SYSTEM } from '../../fhir/quantity';
import type { Hasher } from './hash';
import { isLong, ROW_SCHEME, type RangeRow } from './index-rows';
import type { RowCollector, RowSettings } from './collector';
import { sampleLimits } from './sampled-data';

/** The unit of a range as in range rows: hashes, 0 where there is none. */
export interface RangeUnit extends Pick<RangeRow, 'unitSystem' | 'unitCode' | 'unitName'> {
  /** True: in canonical UCUM. */
  readonly isCanonical: boolean;
}

const NO_UNIT: RangeUnit = { unitSystem: 0, unitCode: 0, unitName: 0, isCanonical: false };

/**
 * Visits a range of a value. `rest`: of a number with more digits than its double holds (fhir/exact-number.ts).
 */
export type VisitRange = (low: number, high: number, unit: RangeUnit, rest: number | undefined) => void;

export type RangeKind = 'date' | 'number' | 'quantity';

/** A choice may also be a string such as "every second day", which is never a date, whatever its form. */
const DATE_TYPES: ReadonlySet<string> = new Set(['date', 'dateTime', 'instant']);
/** The system of Money, whose units are currencies. */
export const CURRENCY_SYSTEM = 'urn:iso:std:iso:4217';

/** The components before the range in a composite, as in range rows. */
export interface Qualifier {
  /** Undefined: the range is not part of a composite. */
  readonly text: string | undefined;
  /** Hash of the system of a code; 0: it has none, or is no code. */
  readonly system: number;
}

const NO_COMPOSITE: readonly Qualifier[] = [{ text: undefined, system: 0 }];

/** The parameter whose rows are added, and where they go. */
export interface RangeTarget {
  readonly parameter: number;
  readonly kind: RangeKind;
  readonly settings: RowSettings;
  readonly rows: RowCollector;
  readonly qualifiers?: readonly Qualifier[];
}

/**
 * Adds the rows of one value of a date, number or quantity: of a parameter, or for each of the qualifiers of a
 * composite.
 */
export function addRangeRows(
  found: PathValue,
  { parameter, kind, settings, rows, qualifiers = NO_COMPOSITE }: RangeTarget,
): void {
  const { hasher } = settings;
  visitRanges(found, kind, settings, (low, high, { unitSystem, unitCode, unitName, isCanonical }, rest) => {
    const number = isCanonical ? parameter + ROW_SCHEME.canonicalUnit : parameter;
    for (const { text, system: qualifierSystem } of qualifiers) {
      let qualifierHigh = 0;
      if (isCanonical) qualifierHigh = unitQualifier(hasher, unitCode, text);
      else if (text !== undefined) qualifierHigh = qualifierHash(hasher, undefined, text);
      const qualifierLow = isCanonical || text !== undefined ? hasher.low : 0;
      addRange(rows, kind, {
        parameter: number,
        qualifierHigh,
        qualifierLow,
        qualifierSystem,
        low,
        high,
        unitSystem,
        unitCode,
        unitName,
      });
      if (rest === undefined) continue;
      const restHigh = restQualifier(hasher, low, text);
      rows.range({
        parameter: number + ROW_SCHEME.rest,
        qualifierHigh: restHigh,
        qualifierLow: hasher.low,
        qualifierSystem,
        low: rest,
        high: rest,
        unitSystem,
        unitCode,
        unitName,
      });
    }
  });
}

/** Adds a range, and its second row where it is long. */
function addRange(rows: RowCollector, kind: RangeKind, row: Omit<RangeRow, 'isLowest' | 'isHighest'>): void {
  rows.range(row);
  if (isLong(kind === 'date' ? 'date' : 'number', row.low, row.high))
    rows.range({ ...row, parameter: row.parameter + ROW_SCHEME.long });
}

/** Returns the high half of the hash that qualifies the rows of a composite; the low half is in `hasher.low`. */
export function qualifierHash(hasher: Hasher, system: string | undefined, text: string): number {
  return hasher.parts(system, text);
}

/**
 * Returns the high half of the hash that qualifies a row in canonical UCUM: its unit, so that the index is searched by
 * unit, and in a composite the text of the key before it. The low half is in `hasher.low`.
 */
export function unitQualifier(hasher: Hasher, unitCode: number, text: string | undefined): number {
  return hasher.parts('unit', String(unitCode), undefined, text);
}

/**
 * Returns the high half of the hash that qualifies the row of the rest of a number: its double, and in a composite the
 * text of the key before it. The low half is in `hasher.low`.
 */
export function restQualifier(hasher: Hasher, at: number, text: string | undefined): number {
  return hasher.parts('rest', String(at), undefined, text);
}

/** Visits the ranges of a value of a parameter or composite part; values of a wrong shape have none. */
export function visitRanges(
  { value, type }: PathValue,
  kind: RangeKind,
  settings: RowSettings,
  visit: VisitRange,
): void {
  if (kind === 'date') {
    const range = dateValueRange(value, type, settings.zone);
    if (range !== undefined) visit(range.low, range.high, NO_UNIT, undefined);
  } else if (!isJsonObject(value)) {
    const place = placeOfJson(value);
    if (place !== undefined) visit(place.at, place.at, NO_UNIT, place.rest);
  } else if (type === 'Range') {
    visitLimits(value['low'], value['high'], settings.hasher, visit);
  } else if (type === 'SampledData') {
    visitSampledData(value, settings.hasher, visit);
  } else if (type === 'Money') {
    const place = placeOfJson(value['value']);
    if (place === undefined) return;
    const currency = value['currency'];
    const hasCurrency = typeof currency === 'string';
    const system = hasCurrency ? settings.hasher.cachedShort(CURRENCY_SYSTEM) : 0;
    const code = hasCurrency ? settings.hasher.cachedShort(currency) : 0;
    const unit = { unitSystem: system, unitCode: code, unitName: 0, isCanonical: false };
    visit(place.at, place.at, unit, place.rest);
  } else {
    visitQuantity(value, settings.hasher, visit);
  }
}

/** Returns the range of a value of a date parameter, by its type. */
export function dateValueRange(value: JsonValue, type: string, zone: Zone): DateRange | undefined {
  if (typeof value === 'string') return DATE_TYPES.has(type) ? dateRange(value, zone) : undefined;
  if (!isJsonObject(value)) return undefined;
  if (type === 'Period') return periodRange(value['start'], value['end'], zone);
  return type === 'Timing' ? timingRange(value, zone) : undefined;
}

/** Converts numbers to their sort positions: as written, or in base units. */
interface NumberConversion {
  ofJson(value: JsonValue | undefined): DoubleWithRest | undefined;
  ofExact(value: Exact): DoubleWithRest | undefined;
}

const AS_STATED: NumberConversion = { ofJson: placeOfJson, ofExact: toDoubleWithRest };

/** A range from `low` to `high`; `rest` belongs to a point. */
interface NumberRange {
  readonly low: number;
  readonly high: number;
  readonly rest?: number | undefined;
}

/** Visits the range of a Quantity or its specializations Age, Count, Distance, Duration. */
function visitQuantity(quantity: JsonObject, hasher: Hasher, visit: VisitRange): void {
  const { value, comparator } = quantity;
  visitWithUnit(quantity, hasher, visit, ({ ofJson }): NumberRange | undefined => {
    const place = ofJson(value);
    if (place === undefined) return undefined;
    const { at, rest } = place;
    switch (comparator) {
      case '<':
        return { low: -Infinity, high: rest === undefined ? nextBelow(at) : at };
      case '<=':
        return { low: -Infinity, high: at };
      case '>':
        return { low: rest === undefined ? nextAbove(at) : at, high: Infinity };
      case '>=':
        return { low: at, high: Infinity };
      default:
        return { low: at, high: at, rest };
    }
  });
}

/**
 * Visits a Range in the unit of its low limit, or of the high one if there is no low one; different units give no row.
 */
function visitLimits(
  lowLimit: JsonValue | undefined,
  highLimit: JsonValue | undefined,
  hasher: Hasher,
  visit: VisitRange,
): void {
  const first = isJsonObject(lowLimit) && toNumber(lowLimit['value']) !== undefined ? lowLimit : undefined;
  const last = isJsonObject(highLimit) && toNumber(highLimit['value']) !== undefined ? highLimit : undefined;
  const unit = first ?? last;
  if (unit === undefined) return;
  if (first !== undefined && last !== undefined) {
    if (first['code'] !== last['code'] || first['system'] !== last['system']) return;
  }
  visitWithUnit(unit, hasher, visit, ({ ofJson }) => {
    const low = first === undefined ? -Infinity : ofJson(first['value'])?.at;
    const high = last === undefined ? Infinity : ofJson(last['value'])?.at;
    return low === undefined || high === undefined ? undefined : { low, high };
  });
}

/**
 * Visits the range from the least to the greatest sample. Source: https://hl7.org/fhir/R4/datatypes.html#SampledData
 */
function visitSampledData(sampled: JsonObject, hasher: Hasher, visit: VisitRange): void {
  const origin = sampled['origin'];
  const limits = sampleLimits(sampled);
  if (limits === undefined || !isJsonObject(origin)) return;
  const { low, high } = limits;
  visitWithUnit(origin, hasher, visit, ({ ofExact }) => {
    const first = low === undefined ? -Infinity : ofExact(low)?.at;
    const last = high === undefined ? Infinity : ofExact(high)?.at;
    return first === undefined || last === undefined ? undefined : { low: first, high: last };
  });
}

/** Visits the range in the unit as written, and once more in canonical UCUM where the unit can be converted. */
function visitWithUnit(
  quantity: JsonObject,
  hasher: Hasher,
  visit: VisitRange,
  rangeOf: (placing: NumberConversion) => NumberRange | undefined,
): void {
  const stated = rangeOf(AS_STATED);
  if (stated === undefined || stated.low > stated.high) return;
  const { system, code, unit } = quantity;
  const codeHash = typeof code === 'string' && code.length > 0 ? hasher.cachedShort(code) : 0;
  const nameHash =
    typeof unit === 'string' && unit.length > 0 && unit !== code ? hasher.cachedShort(unit) : 0;
  const systemHash = typeof system === 'string' && system.length > 0 ? hasher.cachedShort(system) : 0;
  visit(
    stated.low,
    stated.high,
    { unitSystem: systemHash, unitCode: codeHash, unitName: nameHash, isCanonical: false },
    stated.rest,
  );
  if (system !== UCUM_SYSTEM || typeof code !== 'string') return;
  const canonical = canonicalUnit(code);
  if (canonical === undefined) return;
  const range = rangeOf({
    ofJson: canonical.placeOf,
    ofExact: (value) => {
      const base = canonical.toExact(value);
      return base && toDoubleWithRest(base);
    },
  });
  if (range === undefined) return;
  const unitCode = hasher.cachedShort(canonical.unit);
  const canonicalUnitHashes = { unitSystem: 0, unitCode, unitName: 0, isCanonical: true };
  if (!canonical.isDescending) visit(range.low, range.high, canonicalUnitHashes, range.rest);
  else {
    const low = range.high === Infinity ? -Infinity : range.high;
    visit(low, range.low === -Infinity ? Infinity : range.low, canonicalUnitHashes, range.rest);
  }
}
