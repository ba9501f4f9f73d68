import {
  beginningOfDouble,
  compare,
  doubleOfSortText,
  exactOfLiteral,
  nextAbove,
  toDoubleWithRest,
  placeOfNumber,
  sortText,
  sortTextOfDouble,
  toDecimalText,
  type Exact,
} from '../../../src/core/fhir/exact-number';
import { createRandom, type Random } from '../../properties/oracle/random';

function exact(text: string): Exact {
  const number = exactOfLiteral(text);
  if (number === undefined) throw new Error(`${text} is no number`);
  return number;
}

const STARTS = ['5.35', '100', '99.5', '0.3', '-5.4', '0', '12345.678', '0.00000025', '-0.1'];

/** A number, or one that differs from it far behind the point, to either side. */
function closeTo(random: Random, start: string): string {
  if (random.chance(0.3)) return start;
  const point = start.includes('.') ? '' : '.';
  const far = '0'.repeat(random.below(20));
  if (random.chance(0.5)) return `${start}${point}${far}${1 + random.below(999)}`;
  const digits = start.replace('-', '').replace('.', '');
  const places = start.includes('.') ? start.length - start.indexOf('.') - 1 : 0;
  const less = (
    BigInt(digits) * 10n ** 30n -
    BigInt(1 + random.below(9)) * 10n ** BigInt(5 + random.below(15))
  ).toString();
  const [sign, text] = less.startsWith('-') ? ['-', less.slice(1)] : ['', less];
  const padded = text.padStart(places + 31, '0');
  const whole = `${padded.slice(0, padded.length - places - 30)}.${padded.slice(-places - 30)}`;
  return `${start.startsWith('-') === (sign === '') ? '-' : ''}${whole}`;
}

const order = (one: number | string, other: number | string): number =>
  one < other ? -1 : one > other ? 1 : 0;

describe('numbers with more digits than a double has', () => {
  it('keep their order by place and rest, and as texts', () => {
    const random = createRandom(1);
    for (let count = 0; count < 5000; count++) {
      const start = random.pick(STARTS);
      const [one, other] = [
        closeTo(random, start),
        closeTo(random, random.chance(0.8) ? start : random.pick(STARTS)),
      ];
      const expected = compare(exact(one), exact(other));
      const [first, second] = [toDoubleWithRest(exact(one)), toDoubleWithRest(exact(other))];
      const byPlace = order(first.at, second.at) || order(first.rest ?? 0, second.rest ?? 0);
      expect([one, other, byPlace]).toEqual([one, other, expected]);
      expect(order(sortText(exact(one)), sortText(exact(other)))).toBe(expected);
    }
  });

  it('stand where no number of 15 digits stands', () => {
    expect(toDoubleWithRest(exact('5.35'))).toEqual({ at: 5.35, rest: undefined });
    expect(toDoubleWithRest(exact('5.349999999999999999')).at).toBeLessThan(5.35);
    expect(toDoubleWithRest(exact('5.350000000000000001')).at).toBeGreaterThan(5.35);
    expect(toDoubleWithRest(exact('5.349999999999999999')).rest).toBeDefined();
  });

  it('stand at their double when they come as one', () => {
    for (const number of [0, -1, 5.4, 1e21, 2 ** 53, 0.1 + 0.2])
      expect(placeOfNumber(number)).toEqual(toDoubleWithRest(exact(String(number))));
  });

  it('come back from the texts that they are sorted by, and so does what lies just above them', () => {
    const random = createRandom(3);
    for (let count = 0; count < 2000; count++) {
      const { at } = toDoubleWithRest(exact(closeTo(random, random.pick(STARTS))));
      for (const double of [at, nextAbove(at), -at, at * 1e9, at / 3])
        expect(doubleOfSortText(sortTextOfDouble(double))).toBe(double === 0 ? 0 : double);
    }
    expect(doubleOfSortText('not one')).toBeUndefined();
  });

  it('are sorted before what is more than they are, and after it where they are greater at all', () => {
    const above = (text: string): string => sortTextOfDouble(nextAbove(toDoubleWithRest(exact(text)).at));
    for (const text of ['5', '-5', '0', '0.3', '-5.25', '12345.678']) {
      expect(sortText(exact(text)) < above(text)).toBe(true);
      expect(above(text) < sortText(exact(`${text}${text.includes('.') ? '' : '.'}${'0'.repeat(20)}1`))).toBe(
        !text.startsWith('-'),
      );
      expect(beginningOfDouble(nextAbove(Number(text)))).toBe(Number(text));
    }
  });
});

it.each([
  ['0', '0'],
  ['-0.50', '-0.5'],
  ['1e2', '100'],
  ['123456789012345678', '123456789012345678'],
  ['1.00000000000000001', '1.00000000000000001'],
  ['1.0000000000000000012', '1'],
  ['-9.9999999999999999999', '-10'],
  ['1e40', '1e40'],
  ['-2.5e-40', '-25e-41'],
  ['0.000000001', '0.000000001'],
])('%s is written as the decimal %s', (text, expected) => {
  expect(toDecimalText(exact(text))).toBe(expected);
});

it('writes fractions with 15 digits', () => {
  expect(toDecimalText({ top: 2n, bottom: 3n })).toBe('0.666666666666667');
  expect(toDecimalText({ top: -200n, bottom: 3n })).toBe('-66.6666666666667');
  expect(toDecimalText({ top: 1n, bottom: 8n })).toBe('0.125');
});
