/**
 * Dates and times of FHIRPath: values of limited precision, so that a comparison can be undecided.
 * Source: http://hl7.org/fhirpath/N1/#equals (Date/Time Equality), #comparison, #datetime-arithmetic
 */

/** `parts` begin with the coarsest component: year, month, day, hour, minute, seconds with their fraction. */
export interface Temporal {
  readonly parts: readonly number[];
  /** Minutes east of UTC; undefined if the value has no zone. */
  readonly zone: number | undefined;
  /** Number of digits in the fraction of a second. */
  readonly fraction: number;
}

const DATE_TIME =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:T(?:(\d\d)(?::(\d\d)(?::(\d\d(?:\.(\d+))?))?)?)?(Z|[+-]\d\d:\d\d)?)?$/;
const TIME = /^T?(\d\d)(?::(\d\d)(?::(\d\d(?:\.(\d+))?))?)?$/;
const MINUTE = 60_000;

/** Parses a date or date-time; undefined if the text is neither. Cost: one regular expression. */
export function parseDateTime(text: string): Temporal | undefined {
  const match: readonly (string | undefined)[] | null = DATE_TIME.exec(text);
  if (!match) return undefined;
  const parts = match
    .slice(1, 7)
    .filter((part) => part !== undefined)
    .map(Number);
  const isValid =
    isWithin(parts, 1, 1, 12) && isWithin(parts, 2, 1, lengthOfMonth(parts)) && isTime(parts.slice(3));
  return isValid ? { parts, zone: parseZone(match[8]), fraction: match[7]?.length ?? 0 } : undefined;
}

export function parseTime(text: string): Temporal | undefined {
  const match: readonly (string | undefined)[] | null = TIME.exec(text);
  if (!match) return undefined;
  const parts = match
    .slice(1, 4)
    .filter((part) => part !== undefined)
    .map(Number);
  return isTime(parts) ? { parts, zone: undefined, fraction: match[4]?.length ?? 0 } : undefined;
}

function isTime(parts: readonly number[]): boolean {
  return isWithin(parts, 0, 0, 23) && isWithin(parts, 1, 0, 59) && isWithin(parts, 2, 0, 60.999999999);
}

function isWithin(parts: readonly number[], index: number, low: number, high: number): boolean {
  const part = parts[index];
  return part === undefined || (part >= low && part <= high);
}

function lengthOfMonth([year = 1, month = 1]: readonly number[]): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function parseZone(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (text === 'Z') return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(4));
  return text.startsWith('-') ? -minutes : minutes;
}

/**
 * Returns a number below zero, zero or above zero; undefined if precision or a missing zone leaves the order open.
 * Seconds and milliseconds are one precision.
 */
export function compareTemporal(first: Temporal, second: Temporal): number | undefined {
  let one = first;
  let other = second;
  if (first.zone !== undefined && second.zone !== undefined) {
    one = toUtc(first);
    other = toUtc(second);
  } else if ((first.zone === undefined) !== (second.zone === undefined)) {
    // A date has no zone and needs none. If both have a time, the one without a zone is uncertain by hours.
    if (first.parts.length > 3 && second.parts.length > 3) return undefined;
  }
  const length = Math.min(one.parts.length, other.parts.length);
  for (let index = 0; index < length; index++) {
    const difference = (one.parts[index] ?? 0) - (other.parts[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.parts.length === other.parts.length ? 0 : undefined;
}

/** Returns the same text for two dates or date-times, or for two times, exactly if compareTemporal returns 0. */
export function keyOfTemporal(temporal: Temporal): string {
  // A date has no zone and needs none.
  if (temporal.parts.length < 4) return temporal.parts.join(' ');
  return temporal.zone === undefined ? temporal.parts.join(' ') : `Z ${toUtc(temporal).parts.join(' ')}`;
}

function toUtc(temporal: Temporal): Temporal {
  const { parts, zone = 0 } = temporal;
  if (zone === 0 || parts.length < 4) return temporal;
  const moved = new Date(toMilliseconds(parts) - zone * MINUTE);
  return { ...temporal, parts: partsOf(moved, parts.length), zone: 0 };
}

function toMilliseconds([
  year = 1,
  month = 1,
  day = 1,
  hour = 0,
  minute = 0,
  second = 0,
]: readonly number[]): number {
  const instant = new Date(0);
  instant.setUTCFullYear(year, month - 1, day);
  return instant.getTime() + (hour * 60 + minute) * MINUTE + Math.round(second * 1000);
}

function partsOf(instant: Date, length: number): number[] {
  return [
    instant.getUTCFullYear(),
    instant.getUTCMonth() + 1,
    instant.getUTCDate(),
    instant.getUTCHours(),
    instant.getUTCMinutes(),
    instant.getUTCSeconds() + instant.getUTCMilliseconds() / 1000,
  ].slice(0, length);
}

/** The component that a unit adds to (0 year … 5 second), and the factor to convert into it. */
const UNITS: Readonly<Record<string, readonly [part: number, factor: number]>> = {
  year: [0, 1],
  month: [1, 1],
  week: [2, 7],
  day: [2, 1],
  hour: [3, 1],
  minute: [4, 1],
  second: [5, 1],
  millisecond: [5, 0.001],
};
/** UCUM codes of definite length; `a` and `mo` are averages and cannot be added to a date. */
const DEFINITE: Readonly<Record<string, string>> = {
  wk: 'week',
  d: 'day',
  h: 'hour',
  min: 'minute',
  s: 'second',
  ms: 'millisecond',
};
/** Number of each component in one of the next coarser; by convention of the specification 30 days, 12 months. */
const FILL = [1, 12, 30, 24, 60, 60];

/**
 * Returns the date or date-time `amount` units later. A unit finer than the value's precision is converted to that
 * precision and truncated. Undefined if the unit is not a duration, or the result is out of range.
 */
export function addDuration(temporal: Temporal, amount: number, unit: string): Temporal | undefined {
  const word = DEFINITE[unit] ?? unit.replace(/s$/, '');
  const found = UNITS[word];
  if (!found) return undefined;
  let part = found[0];
  const factor = found[1];
  let count = amount * factor;
  const finest = temporal.parts.length - 1;
  for (; part > finest; part--) {
    count = part === 2 && finest === 0 ? count / 365 : count / (FILL[part] ?? 1);
    if (part === 2 && finest === 0) part = 1;
  }
  // Fractions are ignored, those of seconds too; milliseconds can express them.
  count = word === 'millisecond' && part === 5 ? Math.trunc(amount) * factor : Math.trunc(count);
  const [year = 1, month = 1, ...rest] = temporal.parts;
  const parts =
    part < 2
      ? addMonths(year, { month, rest, months: part === 0 ? count * 12 : count, finest })
      : addLater(temporal, part, count);
  const [newYear = 0] = parts;
  return newYear >= 1 && newYear <= 9999 ? { ...temporal, parts } : undefined;
}

/** A day that the month does not have becomes its last. */
function addMonths(
  year: number,
  {
    month,
    rest,
    months,
    finest,
  }: {
    readonly month: number;
    readonly rest: readonly number[];
    readonly months: number;
    readonly finest: number;
  },
): number[] {
  const total = year * 12 + (month - 1) + months;
  const moved = [Math.floor(total / 12), (((total % 12) + 12) % 12) + 1];
  const [day, ...time] = rest;
  if (day !== undefined) moved.push(Math.min(day, lengthOfMonth(moved)), ...time);
  return moved.slice(0, finest + 1);
}

function addLater({ parts }: Temporal, part: number, count: number): number[] {
  const milliseconds = [0, 0, 24 * 60 * MINUTE, 60 * MINUTE, MINUTE, 1000][part] ?? 0;
  return partsOf(new Date(toMilliseconds(parts) + Math.round(count * milliseconds)), parts.length);
}

/** Returns a time of day `amount` units later; it wraps at midnight. */
export function addToTime(time: Temporal, amount: number, unit: string): Temporal | undefined {
  const moved = addDuration({ ...time, parts: [2000, 1, 1, ...time.parts] }, amount, unit);
  return moved && { ...time, parts: moved.parts.slice(3) };
}

export function dateTimeText({ parts, zone, fraction }: Temporal, isDate: boolean): string {
  const [year = 1, month, day, ...time] = parts;
  let text = String(year).padStart(4, '0');
  if (month !== undefined) text += `-${two(month)}`;
  if (day !== undefined) text += `-${two(day)}`;
  if (isDate) return text;
  if (time.length > 0) text += `T${timeText({ parts: time, zone: undefined, fraction })}`;
  if (zone === undefined) return text;
  const minutes = Math.abs(zone);
  return `${text}${zone === 0 ? 'Z' : `${zone < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`}`;
}

/** More digits add nothing, because seconds are doubles. */
const MAX_FRACTION_DIGITS = 15;

export function timeText({ parts: [hour = 0, minute, second], fraction }: Temporal): string {
  let text = two(hour);
  if (minute !== undefined) text += `:${two(minute)}`;
  if (second !== undefined) {
    const digits = Math.max(fraction, Number.isInteger(second) ? 0 : 3);
    const shown = Math.min(digits, MAX_FRACTION_DIGITS);
    text += `:${second.toFixed(shown).padStart(shown > 0 ? shown + 3 : 2, '0')}`;
  }
  return text;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
