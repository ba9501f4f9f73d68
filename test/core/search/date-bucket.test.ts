import { dateRange, UTC, type Zone } from '../../../packages/fhir-values/date';
import { findZone } from '../../../src/core/fhir/time-zone';
import {
  bucketOf,
  bucketOfRange,
  bucketsIn,
  DATE_BUCKETS,
} from '../../../src/core/search/values/date-bucket';

const zone = (name: string): Zone => findZone(name) ?? UTC;
const DAY = 86_400_000;

describe('the bucket that a date is counted in', () => {
  it.each([
    ['2020-03-14', 'UTC', 'month', '2020-03'],
    ['2020-03-14T23:30:00-05:00', 'UTC', 'day', '2020-03-15'],
    ['2020-12-31T23:30:00Z', 'Pacific/Auckland', 'year', '2021'],
    ['2020-12-31T23:30:00', 'Pacific/Auckland', 'year', '2020'],
    // The night in which summer time begins and the one in which it ends.
    ['2020-03-28T23:30:00Z', 'Europe/Copenhagen', 'day', '2020-03-29'],
    ['2020-03-29T22:30:00Z', 'Europe/Copenhagen', 'day', '2020-03-30'],
    ['2020-10-24T22:30:00Z', 'Europe/Copenhagen', 'day', '2020-10-25'],
    ['2020-10-25T22:30:00Z', 'Europe/Copenhagen', 'day', '2020-10-25'],
    // A day that Samoa left out.
    ['2011-12-30T10:30:00Z', 'Pacific/Apia', 'day', '2011-12-31'],
    ['2020-01-01T00:30:00Z', '-14:00', 'month', '2019-12'],
    // A date of low precision gets the bucket of its own precision.
    ['2020', 'UTC', 'month', '2020'],
    ['2020', 'Europe/Copenhagen', 'day', '2020'],
    ['2020-03', 'Europe/Copenhagen', 'day', '2020-03'],
    ['2020-03', 'UTC', 'year', '2020'],
    ['0001-01-01', 'UTC', 'year', '0001'],
    ['9999-12-31', 'UTC', 'day', '9999-12-31'],
  ] as const)('of %s in %s by %3$s is %4$s', (text, name, bucket, expected) => {
    const range = dateRange(text, zone(name));
    expect(range && bucketOfRange(range, bucket, zone(name))).toBe(expected);
  });

  it('is undefined for a date without a beginning, or outside the years of four digits', () => {
    expect(bucketOfRange({ low: -Infinity, high: 0 }, 'day', UTC)).toBeUndefined();
    expect(bucketOf(Date.UTC(10_000, 0, 1), 'year', UTC)).toBeUndefined();
    expect(bucketOf(8_640_000_000_000_001, 'year', UTC)).toBeUndefined();
  });

  it.each(['UTC', 'Europe/Copenhagen', 'America/Sao_Paulo', 'Pacific/Apia', '+13:45'])(
    'covers each moment exactly once in %s',
    (name) => {
      const from = Math.floor(Date.UTC(2010, 11, 20) / DAY);
      const starts = Array.from({ length: 400 }, (_, index) => (from + index) * DAY);
      for (const bucket of DATE_BUCKETS) {
        const buckets = bucketsIn(starts, DAY, bucket, zone(name));
        for (const [index, { name: text, low, high }] of buckets.entries()) {
          expect(dateRange(text, zone(name))).toEqual({ low, high });
          if (index > 0) expect([text, low]).toEqual([text, buckets[index - 1]?.high]);
        }
        expect(buckets[0]?.low).toBeLessThanOrEqual(starts[0] ?? 0);
        expect(buckets.at(-1)?.high).toBeGreaterThanOrEqual((starts.at(-1) ?? 0) + DAY);
      }
    },
  );
});
