/** Values by examples: sentences of https://hl7.org/fhir/R4/search.html and of the rules of this server. */
import { meetsDate, rangeOf, readDate } from './date';
import { compared, meetsNumber, pointAt } from './interval';
import { distanceMetres } from './near';
import { meetsQuantity, readQuantity } from './quantity';
import { rational } from './rational';
import { UCUM } from './units';

describe('numbers (#number)', () => {
  const number = (stored: string, query: string): boolean => {
    const [, prefix = '', text = ''] = /^([a-z]*)(.*)$/.exec(query) ?? [];
    return meetsNumber(pointAt(rational(stored)), prefix, text);
  };

  it.each([
    ['100', '99.5', true],
    ['100', '100.5', false],
    ['100', '99.49', false],
    ['100.00', '99.995', true],
    ['100.00', '100.005', false],
    ['1e2', '95', true],
    ['1e2', '104.999', true],
    ['1e2', '105', false],
    ['lt100', '99.999999999999999999', true],
    ['lt100', '100', false],
    ['le100', '100', true],
    ['gt100', '100.000000000000000001', true],
    ['ge100', '100', true],
    ['ne100', '100.4', false],
    ['ne100', '100.5', true],
    ['ap100', '90', true],
    ['ap100', '110.1', false],
    ['sa100', '100.1', true],
    ['eb100', '99.9', true],
    ['-5.4', '-5.45', true],
    ['-5.4', '-5.35', false],
  ])('value %s and a stored %s: %s', (query, stored, expected) => {
    expect(number(stored, query)).toBe(expected);
  });

  it('reads a comparator as a range without an end', () => {
    const below5 = compared(rational('5'), '<');
    expect(meetsNumber(below5, 'lt', '1')).toBe(true);
    expect(meetsNumber(below5, 'gt', '5')).toBe(false);
    expect(meetsNumber(below5, 'gt', '4.9')).toBe(true);
    expect(meetsNumber(below5, 'eb', '5')).toBe(true);
    expect(meetsNumber(below5, '', '5')).toBe(false);
    expect(meetsNumber(below5, 'ne', '5')).toBe(true);
  });
});

describe('quantities (#quantity)', () => {
  const stored = (value: string, code: string, system: string | undefined = UCUM) => ({
    interval: pointAt(rational(value)),
    system,
    code,
    unit: code === 'mg' ? 'milligram' : undefined,
  });
  const meets = (quantity: ReturnType<typeof stored>, query: string): boolean =>
    meetsQuantity(quantity, readQuantity(query));

  it.each([
    ['5.4|http://unitsofmeasure.org|mg', '5.4', 'mg', true],
    ['5.4|http://unitsofmeasure.org|mg', '5.449', 'mg', true],
    ['5.4|http://unitsofmeasure.org|mg', '5400', 'ug', true],
    ['5.4|http://unitsofmeasure.org|mg', '0.0054', 'g', true],
    ['5.40e-3|http://unitsofmeasure.org|g', '0.005404', 'g', true],
    ['5.40e-3|http://unitsofmeasure.org|g', '0.005405', 'g', false],
    ['5.4||mg', '5.4', 'mg', true],
    ['5.4||milligram', '5.4', 'mg', true],
    ['5.4||mg', '5400', 'ug', false],
    ['5.4', '5.4', 'ug', true],
    ['0.0054', '5.4', 'mg', false],
    ['98.6|http://unitsofmeasure.org|[degF]', '37', 'Cel', true],
    ['gt5.4|http://unitsofmeasure.org|mg', '5400', 'ug', false],
    ['ge5.4|http://unitsofmeasure.org|mg', '5400', 'ug', true],
    ['1|http://unitsofmeasure.org|[in_i]', '2.54', 'cm', true],
    ['1|http://unitsofmeasure.org|cm', '1', 'mg', false],
  ])('%s and a stored %s %s: %s', (query, value, code, expected) => {
    expect(meets(stored(value, code), query)).toBe(expected);
  });

  it('converts under UCUM only', () => {
    expect(meets(stored('5400', 'ug', 'urn:units'), '5.4|urn:units|mg')).toBe(false);
    expect(meets(stored('5.4', 'mg', 'urn:units'), '5.4|http://unitsofmeasure.org|mg')).toBe(false);
  });

  it('refuses an invalid quantity', () => {
    for (const text of ['abc', '5.4|mg', '1|2|3|4', 'xx5']) expect(() => readQuantity(text)).toThrow();
  });
});

describe('dates (#date, #prefix)', () => {
  const period = (start: string | undefined, end: string | undefined) =>
    [
      start === undefined ? -Infinity : rangeOf(start)[0],
      end === undefined ? Infinity : rangeOf(end)[1],
    ] as const;

  it.each([
    ['eq2013-01-14', '2013-01-14T00:00:00Z', true],
    ['eq2013-01-14', '2013-01-14T10:00:00Z', true],
    ['eq2013-01-14', '2013-01-15T00:00:00Z', false],
    ['ne2013-01-14', '2013-01-15T00:00:00Z', true],
    ['ne2013-01-14', '2013-01-14T10:00:00Z', false],
    ['lt2013-01-14T10:00', '2013-01-14', true],
    ['gt2013-01-14T10:00', '2013-01-14', true],
    ['sa2013-03-14', '2013-03-15', true],
    ['sa2013-03-14', '2013-03-14', false],
    ['eb2013-03-14', '2013-03-13', true],
    ['ap2013-03-14', '2013-03-14', true],
    ['ap2013-03-14', '1950-01-21', false],
    ['2013', '2013-06', true],
    ['2013-06', '2013', false],
  ])('%s and a stored %s: %s', (query, stored, expected) => {
    expect(meetsDate(rangeOf(stored), readDate(query), Date.UTC(2026, 10, 21))).toBe(expected);
  });

  it.each([
    ['gt2013-03-14', '2013-02-01', undefined, true],
    ['lt2013-03-14', '2013-02-01', undefined, true],
    ['ge2013-03-14', '2013-03-14', undefined, true],
    ['sa2013-03-14', '2013-03-15', undefined, true],
    ['sa2013-03-14', undefined, '2013-03-20', false],
    ['eb2013-03-14', undefined, '2013-03-13', true],
    ['eb2013-03-14', '2013-03-01', undefined, false],
    ['eq2013', '2013-02-01', undefined, false],
    ['ne2013', '2013-02-01', undefined, true],
    ['le2013', undefined, '2013-02-01', true],
  ])('%s and a period from %s to %s: %s', (query, start, end, expected) => {
    expect(meetsDate(period(start, end), readDate(query), Date.now())).toBe(expected);
  });

  it.each(['2013-13', '2013-02-30', 'yesterday', 'xx2013', '2013-01-01T25:00', 'ge'])(
    'refuses %s',
    (text) => {
      expect(() => readDate(text)).toThrow();
    },
  );
});

it('measures distances along the great circle (#near)', () => {
  // Copenhagen to Ystad; over the line where the days meet.
  expect(distanceMetres([55.6761, 12.5683], [55.4295, 13.82]) / 1000).toBeCloseTo(83.5, 0);
  expect(distanceMetres([10, 179.9], [10, -179.9]) / 1000).toBeCloseTo(21.9, 1);
});
