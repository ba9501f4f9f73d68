import { findZone } from '../../../src/core/fhir/time-zone';
import type { JsonValue } from '../../../src/core/fhir/json';
import { periodRange, timingRange } from '../../../src/core/fhir/periods';
import { dateRange, timeRange } from '../../../packages/fhir-values/date';
import { leastProcessorMilliseconds } from '../../support/processor-time';

/**
 * The range of a date by the calendar of JavaScript, written independently: a regular expression of the
 * specification, then `Date` with the parts set one by one.
 */
function oracle(text: string, zoneOffset: number): { low: number; high: number } | undefined {
  const match =
    /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/.exec(
      text,
    );
  if (match === null || match[1] === '0000') return undefined;
  const [, year, month, day, hour, minute, second, fraction, zone] = match;
  const at = (y: number, mo: number, d: number, h: number, mi: number, s: number) => {
    const date = new Date(0);
    date.setUTCFullYear(y, mo, d);
    date.setUTCHours(h, mi, s, 0);
    return date.getTime();
  };
  const number = (part: string | undefined, otherwise: number) =>
    part === undefined ? otherwise : Number(part);
  const y = number(year, 0);
  const mo = number(month, 1) - 1;
  const d = number(day, 1);
  const h = number(hour, 0);
  const mi = number(minute, 0);
  const s = number(second, 0);
  const calendar = new Date(at(y, mo, d, 0, 0, 0));
  if (calendar.getUTCMonth() !== mo || calendar.getUTCDate() !== d || h > 23 || mi > 59 || s > 60)
    return undefined;
  let offset = zoneOffset;
  if (zone === 'Z') offset = 0;
  else if (zone !== undefined) {
    offset = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4));
    if (offset > 840 || Number(zone.slice(4)) > 59) return undefined;
    if (zone.startsWith('-')) offset = -offset;
  }
  const fractionMs = fraction === undefined ? 0 : Number(`0.${fraction.slice(0, 6)}`) * 1000;
  const low = at(y, mo, d, h, mi, s) + fractionMs;
  let high: number;
  if (month === undefined) high = at(y + 1, 0, 1, 0, 0, 0);
  else if (day === undefined) high = at(y, mo + 1, 1, 0, 0, 0);
  else if (hour === undefined) high = at(y, mo, d + 1, 0, 0, 0);
  else if (second === undefined) high = at(y, mo, d, h, mi + 1, 0);
  else if (fraction === undefined) high = at(y, mo, d, h, mi, s + 1);
  else high = low + 1000 / 10 ** Math.min(6, fraction.length);
  return { low: low - offset * 60_000, high: high - offset * 60_000 };
}

let seed = 4711;
const draw = (below: number) => Math.floor(((seed = (seed * 48271) % 2147483647) / 2147483647) * below);
const two = (number: number) => String(number).padStart(2, '0');

function randomDate(): string {
  let text = String(draw(20) === 0 ? draw(10_000) : 1900 + draw(200)).padStart(4, '0');
  const precision = draw(6);
  if (precision > 0) text += `-${two(draw(14))}`;
  if (precision > 1) text += `-${two(draw(33))}`;
  if (precision > 2) text += `T${two(draw(25))}:${two(draw(62))}`;
  if (precision > 3) text += `:${two(draw(62))}`;
  if (precision > 4)
    text += `.${String(draw(1_000_000))
      .padStart(6, '0')
      .slice(0, 1 + draw(3))}`;
  if (precision > 2)
    text += ['', 'Z', `+${two(draw(15))}:${two(draw(61))}`, '-05:00', '+14:00'][draw(5)] ?? '';
  if (draw(50) === 0) text = text.slice(0, -1);
  return text;
}

describe('the range of a date', () => {
  it('agrees with the calendar of JavaScript for 100,000 random values', () => {
    let valid = 0;
    for (let i = 0; i < 100_000; i++) {
      const text = randomDate();
      const zone = (draw(29) - 14) * 60;
      const actual = dateRange(text, () => zone * 60_000);
      const expected = oracle(text, zone);
      if (actual !== undefined) valid++;
      if (
        (actual === undefined) !== (expected === undefined) ||
        (expected &&
          actual &&
          (Math.abs(actual.low - expected.low) > 1e-3 || Math.abs(actual.high - expected.high) > 1e-3))
      )
        throw new Error(`${text} ${zone}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
    }
    expect(valid).toBeGreaterThan(20_000);
  });

  it.each([
    ['2013', '2013-01-01T00:00:00.000Z', '2014-01-01T00:00:00.000Z'],
    ['2013-12', '2013-12-01T00:00:00.000Z', '2014-01-01T00:00:00.000Z'],
    ['2012-02', '2012-02-01T00:00:00.000Z', '2012-03-01T00:00:00.000Z'],
    ['2012-02-29', '2012-02-29T00:00:00.000Z', '2012-03-01T00:00:00.000Z'],
    ['1999-07-02T09:30', '1999-07-02T09:30:00.000Z', '1999-07-02T09:31:00.000Z'],
    ['1999-07-02T09:30:10+01:00', '1999-07-02T08:30:10.000Z', '1999-07-02T08:30:11.000Z'],
    ['1999-07-02T09:30:10.5Z', '1999-07-02T09:30:10.500Z', '1999-07-02T09:30:10.600Z'],
    ['1999-07-02T09:30:10.000Z', '1999-07-02T09:30:10.000Z', '1999-07-02T09:30:10.001Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z', '2017-01-01T00:00:01.000Z'],
  ])('%s is [%s, %s)', (text, low, high) => {
    expect(dateRange(text)).toEqual({ low: Date.parse(low), high: Date.parse(high) });
  });

  it.each([
    ['2020', '2019-12-31T23:00:00Z', '2020-12-31T23:00:00Z'],
    ['2020-06', '2020-05-31T22:00:00Z', '2020-06-30T22:00:00Z'],
    // 23 hours, and 25.
    ['2020-03-29', '2020-03-28T23:00:00Z', '2020-03-29T22:00:00Z'],
    ['2020-10-25', '2020-10-24T22:00:00Z', '2020-10-25T23:00:00Z'],
    // Twice that night: the first is meant. Never that night: with the offset from before.
    ['2020-10-25T02:30', '2020-10-25T00:30:00Z', '2020-10-25T00:31:00Z'],
    ['2020-03-29T02:30', '2020-03-29T01:30:00Z', '2020-03-29T01:31:00Z'],
    ['2020-06-01T12:00:00', '2020-06-01T10:00:00Z', '2020-06-01T10:00:01Z'],
    ['2020-06-01T12:00:00-05:00', '2020-06-01T17:00:00Z', '2020-06-01T17:00:01Z'],
  ])('%s in Copenhagen is [%s, %s)', (text, low, high) => {
    const range = dateRange(text, findZone('Europe/Copenhagen'));
    expect(range).toEqual({ low: Date.parse(low), high: Date.parse(high) });
  });

  it.each(['Europe/Atlantis', '+2:00', '+15:00', 'utc; drop', ''])('%p is no zone', (name) => {
    expect(findZone(name)).toBeUndefined();
  });

  it('takes the zone of the space only where the value names none', () => {
    const zone = findZone('+02:00');
    expect(dateRange('2020-06-01', zone)?.low).toBe(Date.parse('2020-05-31T22:00:00Z'));
    expect(dateRange('2020-06-01T00:00:00Z', zone)?.low).toBe(Date.parse('2020-06-01T00:00:00Z'));
  });

  it.each([
    '',
    '20',
    '2013-',
    '2013-1',
    '2013-13',
    '2013-02-30',
    '1900-02-29',
    '2013-01-01T',
    '2013-01-01T10',
    '2013-01-01 10:00',
    '2013-01-01T24:00:00Z',
    '2013-01-01T10:60',
    '2013-01-01T10:00:61',
    '2013-01-01T10:00:00.',
    '2013-01-01T10:00:00+15:00',
    '2013-01-01T10:00:00z',
    '2013-01-01Z',
    '0000',
    '+2013',
    'yesterday',
    '2013-01-01T10:00:00+0100',
    '２０１３',
  ])('%p is no date', (text) => expect(dateRange(text)).toBeUndefined());
});

describe('a time', () => {
  it('is a range within the day, and has no zone', () => {
    expect(timeRange('09:30')).toEqual({ low: 34_200_000, high: 34_260_000 });
    expect(timeRange('00:00:01')).toEqual({ low: 1000, high: 2000 });
    expect(timeRange('24:00')).toBeUndefined();
    expect(timeRange('09:30Z')).toBeUndefined();
  });
});

describe('a period', () => {
  it('is open where it has no end', () => {
    expect(periodRange('2013', undefined)).toEqual({ low: Date.UTC(2013), high: Infinity });
    expect(periodRange(undefined, '2013')).toEqual({ low: -Infinity, high: Date.UTC(2014) });
    expect(periodRange('2013-01-01', '2013-01-01')).toEqual({
      low: Date.UTC(2013),
      high: Date.UTC(2013, 0, 2),
    });
  });

  it('has no range when nothing in it is a date or when it ends before it starts', () => {
    for (const [start, end] of [
      [undefined, undefined],
      ['x', undefined],
      ['2013', 'x'],
      ['2013', '2011'],
      [5, undefined],
      ['2013', null],
    ] as const)
      expect(periodRange(start, end)).toBeUndefined();
  });
});

describe('a timing', () => {
  it('is its outer limits', () => {
    expect(timingRange({ event: ['2013-03-01', '2012-01-01'] })).toEqual({
      low: Date.UTC(2012),
      high: Date.UTC(2013, 2, 2),
    });
    expect(timingRange({ repeat: { boundsPeriod: { start: '2013-01-31', end: '2013-03-24' } } })).toEqual({
      low: Date.UTC(2013, 0, 31),
      high: Date.UTC(2013, 2, 25),
    });
    expect(timingRange({ event: ['2010'], repeat: { boundsPeriod: { start: '2011' } } })).toEqual({
      low: Date.UTC(2010),
      high: Infinity,
    });
  });

  it('has no range when it only says how often', () => {
    const timings: JsonValue[] = [
      { repeat: { frequency: 2, period: 1, periodUnit: 'd' } },
      {},
      [],
      null,
      'x',
      { event: [3] },
      { event: 'x' },
    ];
    for (const timing of timings) expect(timingRange(timing)).toBeUndefined();
  });
});

it('reads a date in less than 1 µs (generous bound here)', () => {
  const texts = ['1999-07-02T09:30:10+01:00', '2013', '1901-05-07', '1999-07-02T09:30:10.000Z'];
  for (let i = 0; i < 100_000; i++) dateRange(texts[i & 3] ?? '');
  const rounds = 200_000;
  const spent = leastProcessorMilliseconds((10 * rounds) / 1000, () => {
    for (let i = 0; i < rounds; i++) dateRange(texts[i & 3] ?? '');
  });
  const microseconds = (spent * 1000) / rounds;
  process.stdout.write(`date: ${microseconds.toFixed(3)} µs\n`);
  expect(microseconds).toBeLessThan(10);
});
