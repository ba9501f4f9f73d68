/** Years, months and days in the time zone of a space. */
import { dateRange, type DateRange, type Zone } from '../../../../packages/fhir-values/date';

export const DATE_BUCKETS = ['year', 'month', 'day'] as const;
export type DateBucket = (typeof DATE_BUCKETS)[number];

/** A bucket by its name (`2020`, `2020-03`, `2020-03-14`), and the range of time that it covers. */
export interface NamedRange extends DateRange {
  readonly name: string;
}

/** Length of the part of a date that names the bucket. */
const LENGTHS: Readonly<Record<DateBucket, number>> = { year: 4, month: 7, day: 10 };
const DAY = 86_400_000;
/** Limit of the times that `bucketOf` accepts: one day before the last that `Date` can represent. */
const LAST_MOMENT = 8_640_000_000_000_000 - DAY;

/**
 * Returns the bucket of a time in milliseconds since 1970; undefined outside of the years 1 to 9999.
 * Cost: some microseconds.
 */
export function bucketOf(moment: number, bucket: DateBucket, zone: Zone): NamedRange | undefined {
  if (!(Math.abs(moment) < LAST_MOMENT)) return undefined;
  // A zone takes a local time, which is not known yet, so the bucket may be the previous or the next one.
  const local = moment + zone(moment + zone(moment));
  for (const near of [local, local - DAY, local + DAY]) {
    const found = bucketOfLocal(near, bucket, zone);
    if (found !== undefined && found.low <= moment && moment < found.high) return found;
  }
  return undefined;
}

/** @param local local time, in milliseconds as if it were UTC */
function bucketOfLocal(local: number, bucket: DateBucket, zone: Zone): NamedRange | undefined {
  const text = new Date(local).toISOString();
  // Years of more than four digits have a sign.
  if (!/^[0-9]/.test(text)) return undefined;
  const name = text.slice(0, LENGTHS[bucket]);
  const range = dateRange(name, zone);
  return range && { name, ...range };
}

/**
 * Returns the name of the bucket that a date counts in: the bucket in which its range begins. A range that is exactly a
 * larger year or month gets the name of that, because `2020` may mean any day of 2020. Undefined where it has no
 * beginning.
 */
export function bucketOfRange({ low, high }: DateRange, bucket: DateBucket, zone: Zone): string | undefined {
  for (const larger of largerBuckets(bucket)) {
    const whole = bucketOf(low, larger, zone);
    if (whole?.low === low && whole.high === high) return whole.name;
  }
  return bucketOf(low, bucket, zone)?.name;
}

/** Returns the buckets larger than `bucket`, the largest first. */
export function largerBuckets(bucket: DateBucket): readonly DateBucket[] {
  return DATE_BUCKETS.slice(0, DATE_BUCKETS.indexOf(bucket));
}

/**
 * Returns all buckets that overlap these intervals, in their order, each once. `starts` are the ascending beginnings of
 * the intervals; each is `length` milliseconds long. Cost: some microseconds for each bucket.
 */
export function bucketsIn(
  starts: readonly number[],
  length: number,
  bucket: DateBucket,
  zone: Zone,
): readonly NamedRange[] {
  const found: NamedRange[] = [];
  for (const start of starts) {
    const end = start + length;
    for (let moment = Math.max(start, found.at(-1)?.high ?? -Infinity); moment < end;) {
      const one = bucketOf(moment, bucket, zone);
      if (one === undefined) moment += DAY;
      else {
        found.push(one);
        moment = one.high;
      }
    }
  }
  return found;
}
