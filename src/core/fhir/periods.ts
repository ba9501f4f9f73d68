/** Periods and timings as ranges of dates (packages/fhir-values/date.ts). */
import { dateRange, UTC, type DateRange, type Zone } from '../../../packages/fhir-values/date';
import type { JsonValue } from './json';

/**
 * Returns the range of a Period; a missing end is open. Undefined if no end is valid, or if it ends before it starts.
 */
export function periodRange(
  start: JsonValue | undefined,
  end: JsonValue | undefined,
  zone: Zone = UTC,
): DateRange | undefined {
  const first = typeof start === 'string' ? dateRange(start, zone) : undefined;
  const last = typeof end === 'string' ? dateRange(end, zone) : undefined;
  if (first === undefined && (start !== undefined || last === undefined)) return undefined;
  if (last === undefined && end !== undefined) return undefined;
  const low = first?.low ?? -Infinity;
  const high = last?.high ?? Infinity;
  return low < high ? { low, high } : undefined;
}

/**
 * Returns the outer limits of a Timing: from the first to the last of its events and its bounding period. A Timing
 * without events and bounding period has no range.
 */
export function timingRange(timing: JsonValue | undefined, zone: Zone = UTC): DateRange | undefined {
  if (!isObject(timing)) return undefined;
  let low = Infinity;
  let high = -Infinity;
  const include = (range: DateRange | undefined): void => {
    if (range === undefined) return;
    if (range.low < low) low = range.low;
    if (range.high > high) high = range.high;
  };
  if (Array.isArray(timing.event))
    for (const event of timing.event) if (typeof event === 'string') include(dateRange(event, zone));
  const bounds = isObject(timing.repeat) ? timing.repeat.boundsPeriod : undefined;
  if (isObject(bounds)) include(periodRange(bounds.start, bounds.end, zone));
  return low < high ? { low, high } : undefined;
}

function isObject(value: JsonValue | undefined): value is { [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
