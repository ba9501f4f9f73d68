/**
 * The zone of times without one. It takes a local time, because the offset of a zone with summer time depends on the
 * day.
 */
import { UTC, type Zone } from '../../../packages/fhir-values/date';

const DAY = 86_400_000;
/** Offsets are cached for each quarter of an hour: no zone changes at another moment today. */
const QUARTER = 900_000;
const MAX_CACHED = 20_000;
const OFFSET = /^([+-])(\d\d):(\d\d)$/;
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,62}$/;

const zones = new Map<string, Zone>([['UTC', UTC]]);

/**
 * Finds a zone by its IANA name (`Europe/Copenhagen`) or as `+hh:mm`; the same object each time. Undefined for any
 * other text.
 */
export function findZone(name: string): Zone | undefined {
  const cached = zones.get(name);
  if (cached !== undefined) return cached;
  const made = makeZone(name);
  if (made !== undefined) zones.set(name, made);
  return made;
}

function makeZone(name: string): Zone | undefined {
  const [, sign, hours, minutes] = OFFSET.exec(name) ?? [];
  if (sign !== undefined) {
    const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
    if (offset > 14 * 3_600_000 || Number(minutes) > 59) return undefined;
    return () => (sign === '-' ? -offset : offset);
  }
  if (!NAME.test(name)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    // RangeError: there is no such zone.
    return undefined;
  }
  return atLocalTime(cacheOffsets(format));
}

/** Returns a function with a cache that maps a moment of UTC to its offset. */
function cacheOffsets(format: Intl.DateTimeFormat): (moment: number) => number {
  const cache = new Map<number, number>();
  return (moment) => {
    const quarter = Math.floor(moment / QUARTER);
    let offset = cache.get(quarter);
    if (offset === undefined) {
      offset = offsetAt(format, quarter * QUARTER);
      if (cache.size >= MAX_CACHED) cache.clear();
      cache.set(quarter, offset);
    }
    return offset;
  };
}

function offsetAt(format: Intl.DateTimeFormat, moment: number): number {
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type) ?? 0);
  const year = parts.get('era')?.startsWith('B') === true ? 1 - part('year') : part('year');
  const local = new Date(0);
  local.setUTCFullYear(year, part('month') - 1, part('day'));
  local.setUTCHours(part('hour'), part('minute'), part('second'), 0);
  return local.getTime() - moment;
}

/**
 * Converts offsets at moments to offsets at local times. A local time that occurs twice, at the end of summer time,
 * means the first one; one that does not occur has the offset from before.
 */
function atLocalTime(offsetAtMoment: (moment: number) => number): Zone {
  return (local) => {
    if (!Number.isFinite(local)) return 0;
    const before = offsetAtMoment(local - DAY);
    const after = offsetAtMoment(local + DAY);
    if (before === after || offsetAtMoment(local - before) === before) return before;
    return offsetAtMoment(local - after) === after ? after : before;
  };
}
