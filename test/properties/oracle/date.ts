/** Dates: half open ranges of milliseconds by the precision that is written. */
import { isObject, membersOf, textOf, type Json } from './json';
import { readPrefix } from './query-text';
import { BadSearch, Unclear } from './refusal';

/** Half open; an open end is infinite. */
export type DateRange = readonly [low: number, high: number];

const DATE = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d{3})?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/;

/** The range of a date as it is written; without a zone UTC is meant. @throws BadSearch where it is none */
export function rangeOf(text: string): DateRange {
  const match = DATE.exec(text);
  if (match === null) throw new BadSearch(`${text} is not a date`);
  const [, yearText, month, day, hour, minute, second, fraction, zone] = match;
  const year = Number(yearText);
  const start = new Date(Date.UTC(year, Number(month ?? 1) - 1, Number(day ?? 1)));
  if (month !== undefined && start.getUTCMonth() !== Number(month) - 1)
    throw new BadSearch(`${text} is no month`);
  if (day !== undefined && start.getUTCDate() !== Number(day)) throw new BadSearch(`${text} is no day`);
  const low = start.getTime();
  if (month === undefined) return [low, Date.UTC(year + 1, 0, 1)];
  if (day === undefined) return [low, Date.UTC(year, Number(month), 1)];
  if (hour === undefined) return [low, low + 86_400_000];
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second ?? 0) > 59)
    throw new BadSearch(`${text} is no time`);
  const offset = zone === undefined || zone === 'Z' ? 0 : minutesOf(zone);
  const seconds = (Number(hour) * 60 + Number(minute) - offset) * 60 + Number(second ?? 0);
  const at = low + seconds * 1000 + Math.round(Number(fraction ?? 0) * 1000);
  return [at, at + (second === undefined ? 60_000 : fraction === undefined ? 1000 : 1)];
}

function minutesOf(zone: string): number {
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return zone.startsWith('-') ? -minutes : minutes;
}

function periodRange(period: Json): DateRange[] {
  if (!isObject(period)) return [];
  const start = textOf(period['start']);
  const end = textOf(period['end']);
  if (start === undefined && end === undefined) return [];
  return [
    [start === undefined ? -Infinity : rangeOf(start)[0], end === undefined ? Infinity : rangeOf(end)[1]],
  ];
}

/** The ranges of one element. A Timing counts by its outer limits. */
export function rangesOfElement(type: string, value: Json): DateRange[] {
  if (typeof value === 'string') return [rangeOf(value)];
  if (type === 'Period') return periodRange(value);
  if (type !== 'Timing') return [];
  const events = membersOf([value], 'event').flatMap((event) => textOf(event) ?? []);
  const bounds = membersOf(membersOf([value], 'repeat'), 'boundsPeriod').flatMap(periodRange);
  const all = [...events.map(rangeOf), ...bounds];
  if (all.length === 0) return [];
  return [[Math.min(...all.map(([low]) => low)), Math.max(...all.map(([, high]) => high))]];
}

const overlaps = ([low, high]: DateRange, [from, to]: DateRange): boolean => low < to && high > from;

/** Overlap with a range widened by 10 % of its distance to now: tested only where every reading agrees. */
function isApproximately(stored: DateRange, [from, to]: DateRange, now: number): boolean {
  const distances = [Math.abs(now - from), Math.abs(now - to)];
  const least = from <= now && now < to ? 0 : Math.min(...distances);
  const most = Math.max(...distances) + 3_600_000;
  const widened = (by: number): DateRange => [from - by, to + by];
  const narrow = overlaps(stored, widened(Math.max(0, least * 0.1 - 3_600_000)));
  const wide = overlaps(stored, widened(most * 0.1 + 3_600_000));
  if (narrow !== wide) throw new Unclear('an approximate date at the border');
  return narrow;
}

export interface DateSearch {
  readonly prefix: string;
  readonly range: DateRange;
}

/** @throws BadSearch for an unknown prefix and for what is no date */
export function readDate(text: string): DateSearch {
  const { prefix, rest } = readPrefix(text);
  return { prefix, range: rangeOf(rest) };
}

/** @param now milliseconds, for `ap` */
export function meetsDate(stored: DateRange, { prefix, range }: DateSearch, now: number): boolean {
  const [low, high] = stored;
  const [from, to] = range;
  const isWithin = from <= low && high <= to;
  switch (prefix) {
    case 'ne':
      return !isWithin;
    case 'gt':
      return high > to;
    case 'lt':
      return low < from;
    case 'ge':
      return isWithin || high > to;
    case 'le':
      return isWithin || low < from;
    case 'sa':
      return low >= to;
    case 'eb':
      return high <= from;
    case 'ap':
      return isApproximately(stored, range, now);
    default:
      return isWithin;
  }
}
