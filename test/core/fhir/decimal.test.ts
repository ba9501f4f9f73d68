import { halfUnit, parseSearchNumber, toNumber } from '../../../src/core/fhir/decimal';
import { toDoubleWithRest } from '../../../src/core/fhir/exact-number';

describe('a decimal of a resource', () => {
  it('is a number whether or not its literal had to be marked', () => {
    expect(toNumber(5.4)).toBe(5.4);
    expect(toNumber('\u00015.40')).toBe(5.4);
    expect(toNumber('\u0001-1.00e2')).toBe(-100);
    expect(toNumber('\u000112345678901234567890')).toBe(Number('12345678901234567890'));
  });

  it('is no number when it is a text, nothing, or too large', () => {
    for (const value of ['5.4', '', '\u0001', '\u0001x', null, true, undefined, [1], {}, '\u00011e400'])
      expect(toNumber(value)).toBeUndefined();
  });
});

describe('a number in a search', () => {
  it.each([
    ['100', 100, 99.5, 100.5],
    ['100.00', 100, 99.995, 100.005],
    ['1e2', 100, 95, 105],
    ['1.00e2', 100, 99.5, 100.5],
    ['5.4', 5.4, 5.35, 5.45],
    ['5.40e-3', 0.0054, 0.005395, 0.005405],
    ['-2', -2, -2.5, -1.5],
    ['+3.0', 3, 2.95, 3.05],
    ['0', 0, -0.5, 0.5],
    ['0.1', 0.1, 0.05, 0.15],
  ])('%s stands for its range of half a unit', (text, value, low, high) => {
    const parsed = Object.entries(parseSearchNumber(text) ?? {});
    expect(Object.fromEntries(parsed.map(([name, exact]) => [name, toDoubleWithRest(exact)]))).toEqual({
      value: { at: value },
      low: { at: low },
      high: { at: high },
    });
    expect(halfUnit(text)).toBeCloseTo((high - low) / 2, 12);
  });

  it.each([
    '',
    'x',
    '1.',
    '.5',
    '1,5',
    '0x10',
    'NaN',
    'Infinity',
    '1e',
    '1e400',
    '1e999999',
    '5 mg',
    '9'.repeat(401),
  ])('%p is no number', (text) => expect(parseSearchNumber(text)).toBeUndefined());
});
