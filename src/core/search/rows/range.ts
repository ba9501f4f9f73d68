/**
 * Range rows of dates, numbers and quantities. A date is the range of its precision; a stored decimal is a point;
 * Range, SampledData and a Quantity with a comparator are ranges, open where the comparator says.
 * Source: https://hl7.org/fhir/R4/search.html#date, #number and #quantity
 */
import { dateRange, periodRange, timingRange, type DateRange } from '../../fhir/date';
import { toNumber } from '../../fhir/decimal';
import { isJsonObject, type JsonObject, type JsonValue } from '../../fhir/json';
import type { PathValue } from '../../fhir/path';
import { canonicalUnit, UCUM_SYSTEM } from '../../fhir/quantity';
import type { Hasher } from '../hash';
import { ROW_SCHEME } from '../index-rows';
import type { RowCollector, RowSettings } from './collector';

/** A range of a value. Hashes of the unit are 0 where there is none; `isCanonical`: in canonical UCUM. */
export type VisitRange = (
  low: number,
  high: number,
  unitSystem: number,
  unitCode: number,
  unitName: number,
  isCanonical: boolean,
) => void;

export type RangeKind = 'date' | 'number' | 'quantity';

/** A choice may also be a string such as "every second day", which is no date even where it looks like one. */
const DATE_TYPES: ReadonlySet<string> = new Set(['date', 'dateTime', 'instant']);
const CURRENCY_SYSTEM = 'urn:iso:std:iso:4217';

/** Adds the rows of one value of a date, number or quantity parameter. */
export function addRangeRows(
  found: PathValue,
  parameter: number,
  kind: RangeKind,
  settings: RowSettings,
  rows: RowCollector,
): void {
  visitRanges(found, kind, settings, (low, high, unitSystem, unitCode, unitName, isCanonical) =>
    rows.range({
      parameter: isCanonical ? parameter + ROW_SCHEME.canonicalUnit : parameter,
      qualifierHigh: 0,
      qualifierLow: 0,
      low,
      high,
      unitSystem,
      unitCode,
      unitName,
    }),
  );
}

/** The ranges that a value of a parameter or composite part has; values of a wrong shape have none. */
export function visitRanges(
  { value, type }: PathValue,
  kind: RangeKind,
  settings: RowSettings,
  visit: VisitRange,
): void {
  if (kind === 'date') {
    const range = dateValueRange(value, type, settings.zoneOffset);
    if (range !== undefined) visit(range.low, range.high, 0, 0, 0, false);
  } else if (!isJsonObject(value)) {
    const number = toNumber(value);
    if (number !== undefined) visit(number, number, 0, 0, 0, false);
  } else if (type === 'Range') {
    visitLimits(value['low'], value['high'], settings.hasher, visit);
  } else if (type === 'SampledData') {
    visitSampledData(value, settings.hasher, visit);
  } else if (type === 'Money') {
    const amount = toNumber(value['value']);
    const currency = value['currency'];
    if (amount === undefined) return;
    if (typeof currency !== 'string') return visit(amount, amount, 0, 0, 0, false);
    visit(
      amount,
      amount,
      settings.hasher.remembered(CURRENCY_SYSTEM),
      settings.hasher.remembered(currency),
      0,
      false,
    );
  } else {
    visitQuantity(value, settings.hasher, visit);
  }
}

/** The range of a value of a date parameter, by its type. */
export function dateValueRange(value: JsonValue, type: string, zoneOffset: number): DateRange | undefined {
  if (typeof value === 'string') return DATE_TYPES.has(type) ? dateRange(value, zoneOffset) : undefined;
  if (!isJsonObject(value)) return undefined;
  if (type === 'Period') return periodRange(value['start'], value['end'], zoneOffset);
  return type === 'Timing' ? timingRange(value, zoneOffset) : undefined;
}

/** Quantity and its specializations Age, Count, Distance, Duration. */
function visitQuantity(quantity: JsonObject, hasher: Hasher, visit: VisitRange): void {
  const value = toNumber(quantity['value']);
  if (value === undefined) return;
  const comparator = quantity['comparator'];
  const low = comparator === '<' || comparator === '<=' ? -Infinity : value;
  const high = comparator === '>' || comparator === '>=' ? Infinity : value;
  visitWithUnit(low, high, quantity, hasher, visit);
}

/** A Range: the unit of its low limit, or of the high one where there is only that; different units give no row. */
function visitLimits(
  lowLimit: JsonValue | undefined,
  highLimit: JsonValue | undefined,
  hasher: Hasher,
  visit: VisitRange,
): void {
  const first = isJsonObject(lowLimit) ? toNumber(lowLimit['value']) : undefined;
  const last = isJsonObject(highLimit) ? toNumber(highLimit['value']) : undefined;
  const low = first ?? -Infinity;
  const high = last ?? Infinity;
  if ((first === undefined && last === undefined) || low > high) return;
  const unit = first === undefined ? highLimit : lowLimit;
  if (!isJsonObject(unit)) return;
  if (first !== undefined && last !== undefined && isJsonObject(highLimit)) {
    if (unit['code'] !== highLimit['code'] || unit['system'] !== highLimit['system']) return;
  }
  visitWithUnit(low, high, unit, hasher, visit);
}

/** From the least to the greatest of the samples. Source: https://hl7.org/fhir/R4/datatypes.html#SampledData */
function visitSampledData(sampled: JsonObject, hasher: Hasher, visit: VisitRange): void {
  const samples = sampled['data'];
  const origin = sampled['origin'];
  if (typeof samples !== 'string' || !isJsonObject(origin)) return;
  const zero = toNumber(origin['value']) ?? 0;
  const factor = toNumber(sampled['factor']) ?? 1;
  let low = Infinity;
  let high = -Infinity;
  for (const sample of samples.split(' ')) {
    if (sample === 'U') {
      // Above the upper limit of detection, L: below the lower one.
      high = Infinity;
      low = Math.min(low, toNumber(sampled['upperLimit']) ?? low);
    } else if (sample === 'L') {
      low = -Infinity;
      high = Math.max(high, toNumber(sampled['lowerLimit']) ?? high);
    } else if (sample !== 'E' && sample !== '') {
      const value = Number(sample) * factor + zero;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low <= high) visitWithUnit(low, high, origin, hasher, visit);
}

/** The range in the unit as it stands, and once more in canonical UCUM where the unit can be converted. */
function visitWithUnit(
  low: number,
  high: number,
  quantity: JsonObject,
  hasher: Hasher,
  visit: VisitRange,
): void {
  const { system, code, unit } = quantity;
  const codeHash = typeof code === 'string' && code.length > 0 ? hasher.remembered(code) : 0;
  const nameHash = typeof unit === 'string' && unit.length > 0 && unit !== code ? hasher.remembered(unit) : 0;
  const systemHash = typeof system === 'string' && system.length > 0 ? hasher.remembered(system) : 0;
  visit(low, high, systemHash, codeHash, nameHash, false);
  if (system !== UCUM_SYSTEM || typeof code !== 'string') return;
  const canonical = canonicalUnit(code);
  if (canonical === undefined) return;
  const first = Number.isFinite(low) ? canonical.toCanonical(low) : low;
  const last = Number.isFinite(high) ? canonical.toCanonical(high) : high;
  if (Number.isNaN(first) || Number.isNaN(last)) return;
  const unitHash = hasher.remembered(canonical.unit);
  if (canonical.isDescending)
    visit(last === Infinity ? -Infinity : last, first === -Infinity ? Infinity : first, 0, unitHash, 0, true);
  else visit(first, last, 0, unitHash, 0, true);
}
