import { loadDefinitions } from '../../../../src/core/fhir/definitions';
import type { JsonValue } from '../../../../src/core/fhir/json';
import {
  compilePath,
  PathAllowance,
  PathBudgetError,
  PathSyntaxError,
  UnsupportedPathError,
} from '../../../../src/core/fhir/path';
import { leastProcessorMilliseconds } from '../../../support/processor-time';

const definitions = loadDefinitions('r4');
const options = { definitions, rootType: 'Patient', isFromClient: true };
/** The largest budget that there is, of a patch in a thread of its own. */
const LARGEST = 2_000_000;
/** The time that is allowed, and as much again for one operation and garbage collection. */
const HELD_MS = 100;

const patient = {
  resourceType: 'Patient',
  birthDate: '2020-01-01',
  name: Array.from({ length: 300 }, (_, index) => ({ family: `f${index}`, given: ['a', 'b'] })),
};

function evaluate(expression: string, steps = 500_000): JsonValue[] {
  const allowance = new PathAllowance(steps);
  return compilePath(expression, options)(patient, { allowance }).map(({ value }) => value);
}

const MANY_DATES = '(@2020-01-01).repeat(iif($this < @2030-01-01, $this + 1 day))';
const LONG = "('a').repeat(iif($this.length() < 500000, $this.replace('a', 'aa'))).last()";

/** Each grows without end, or far beyond what it is made of. */
const GROWING = [
  '(@2020-01-01).repeat($this + 1 day).count() > 0',
  '(@T00:00:00).repeat($this + 1 millisecond).count()',
  "(1 'mg').repeat($this + 1 'mg').count()",
  '1.repeat($this + 1).count()',
  "('a').repeat($this.replace('a', 'aa'))",
  "('a').repeat($this & $this)",
  "('a').repeat($this + $this)",
  "('a,a').repeat($this.split(',').join(',,') & ',a')",
  "('a').repeat($this.toChars().join('aa') & 'a')",
  "('<').repeat($this.escape('html') & '<<')",
  `('"').repeat($this.escape('json'))`,
  "('a').repeat($this.encode('base64'))",
  "('a').repeat($this.encode('hex'))",
  "('ß').repeat($this.upper() & 'ß' & $this)",
  'name.aggregate($total | $total.combine($this), name).count()',
  'name.aggregate($total.combine($total), name).count()',
  "name.aggregate($total & 'x' & $total, 'x').length()",
  'name.select(%context.name).select(%context.name).distinct().count()',
  'name.select(%context.name.select(%context.name)).count()',
  'name.combine(name).select(name | %context.name).children().children()',
];

/** Each costs much, and ends. */
const COSTLY = [
  'name.all(%context.name.all(%context.name.all($this.given.first() = %context.name.last().given.first())))',
  'name.where(%context.name.where($this.family = $this.family).exists()).where(%context.name.where($this.family = $this.given.first()).exists())',
  'descendants().descendants().descendants().select(%context.descendants())',
  `name.select(%context.name.family.join('a')).where(%context.name.family.join('a') & $this ~ $this).count()`,
  `name.all((${LONG}).indexOf(%context.name.select('aaaaaaaaaa').join('') & 'b' & %context.name.select('aaaaaaaaaa').join('')) < 0)`,
  `(${LONG}).split('').count()`,
  `(${LONG}).toChars().count()`,
  `(${LONG}).matches('(a{1,30}b?){1,10}c')`,
  `name.select(${MANY_DATES} ~ ${MANY_DATES}).count()`,
  `name.select((${MANY_DATES}).first() | $this.given).repeat($this).count()`,
  `(${'1.'.padEnd(390, '9')}).repeat($this * 1.0000001).count()`,
  `('a ').repeat(iif($this.length() < 500000, $this & $this)).last() ~ ('a\\n').repeat(iif($this.length() < 500000, $this & $this)).last()`,
  `name.aggregate($total.where($this ~ $total or true), (${LONG})).count()`,
  `name.aggregate($total.where(resolve().exists() or true), (${LONG}).upper()).count()`,
  `name.aggregate($total.where(startsWith(substring(1))), (${LONG})).count()`,
  `name.aggregate($total.where($this < @2021-01-01), ('2020-01-01T00:00:00.' & (${LONG}).replace('a', '1')).toDateTime()).count()`,
  `name.aggregate($total.where($this > 1), ('1.' & (${LONG}).replace('a', '1')).toDecimal()).count()`,
  `(${LONG}).substring(0, 65536).toChars().type().name`,
];

/** Elements of one resource are counted before they are collected. */
const MANY_ELEMENTS = [
  'extension',
  'extension.value',
  'extension.id.exists()',
  'children()',
  'descendants()',
  "extension('urn:other')",
  "extension.take(100).aggregate($total.where(extension('urn:other').empty()), %context).count()",
];
const basic = {
  resourceType: 'Basic',
  extension: Array.from({ length: 200_000 }, (_, index) => ({ url: 'urn:x', valueInteger: index })),
};

describe('an expression of a client that costs too much', () => {
  it.each([...GROWING, ...COSTLY])('%s ends soon, whatever its budget', (expression) => {
    const spent = leastProcessorMilliseconds(HELD_MS, () => {
      try {
        evaluate(expression, LARGEST);
      } catch (error) {
        expect(error).toBeInstanceOf(PathBudgetError);
      }
    });
    expect(spent).toBeLessThan(HELD_MS);
  });

  it.each(GROWING)('%s is refused with an error of its own', (expression) => {
    expect(() => evaluate(expression)).toThrow(PathBudgetError);
  });

  it.each(MANY_ELEMENTS)('%s ends soon on a resource of many elements', (expression) => {
    const path = compilePath(expression, { ...options, rootType: 'Basic' });
    const spent = leastProcessorMilliseconds(HELD_MS, () => {
      try {
        path(basic, { allowance: new PathAllowance(LARGEST) });
      } catch (error) {
        expect(error).toBeInstanceOf(PathBudgetError);
      }
    });
    expect(spent).toBeLessThan(HELD_MS);
  });

  it('counts the digits of a number, however many there are', () => {
    const digits = "('1').repeat(iif($this.length() < 50000, $this & $this)).last()";
    expect(() => evaluate(`('1.' & ${digits}).toDecimal() > 1`)).toThrow('more steps');
  });

  it('leaves a budget that is exhausted, also when it made too long a text', () => {
    const allowance = new PathAllowance(LARGEST);
    const path = compilePath("('a').repeat($this & $this)", options);
    expect(() => path(patient, { allowance })).toThrow('a text of more than 1048576 characters');
    expect(allowance.left).toBeLessThan(0);
    expect(() => compilePath('name', options)(patient, { allowance })).toThrow(PathBudgetError);
  });

  it('makes no collection of more than 100,000 values', () => {
    expect(() =>
      evaluate("('a').repeat(iif($this.length() < 131072, $this & $this)).last().toChars()", LARGEST),
    ).toThrow('a collection of more than 100000 values');
  });

  it('shares its budget with those of the same request', () => {
    const allowance = new PathAllowance(20_000);
    const path = compilePath("name.where(family != 'x').count()", options);
    const evaluateAll = (): void => {
      for (let round = 0; round < 20; round++) path(patient, { allowance });
    };
    expect(path(patient, { allowance })[0]?.value).toBe(300);
    expect(evaluateAll).toThrow(PathBudgetError);
  });
});

describe('an expression of a client that costs little', () => {
  it.each([
    ["name.where(family = 'f7').given.first()", ['a']],
    ["('a').repeat(iif($this.length() < 8, $this & $this)).last().length()", [8]],
    ["'a&b<c'.escape('html')", ['a&amp;b&lt;c']],
    ["'a&amp;b&lt;c'.unescape('html')", ['a&b<c']],
    [String.raw`'\\\\n \\n \\t \\u0041 \\"'.unescape('json')`, ['\\n \n \t A "']],
    ["'abc'.replace('', 'x')", ['xaxbxcx']],
    ["'a,b,,c'.split(',')", ['a', 'b', '', 'c']],
    ["'aaaa'.replace('aa', 'b')", ['bb']],
    ['2.power(3)', [8]],
    ['2.power(3).power(2)', [64]],
    ['1.25.round(0.5)', []],
    ['(@2020-01-01).repeat(iif($this < @2020-12-31, $this + 1 day)).count()', [365]],
    [
      '@T10:00:00.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001 + 1 second',
      ['10:00:01.000000000000000'],
    ],
  ])('%s is answered', (expression, expected) => {
    expect(evaluate(expression)).toEqual(expected);
  });
});

describe('an expression that is nested deeply', () => {
  it.each([
    ['parentheses', `${'('.repeat(4_999)}1${')'.repeat(4_999)}`],
    ['signs', `${'-'.repeat(9_000)}1`],
    ['a chain of operators', `1${'+1'.repeat(4_999)}`],
    ['a chain of members', `name${'.a'.repeat(4_990)}`],
    ['calls', `${'not('.repeat(2_000)}${')'.repeat(2_000)}`],
    ['comments that have no end', '/*'.repeat(5_000)],
    ['10,000 parentheses', '('.repeat(10_001)],
  ])('%s is refused as what it is', (_title, expression) => {
    expect(() => compilePath(expression, options)).toThrow(PathSyntaxError);
  });

  it.each([
    ['powers in powers', `${'2.power('.repeat(240)}1${')'.repeat(240)}`],
    ['powers of powers', `1${'.power(1)'.repeat(240)}`],
  ])('%s are compiled and evaluated once each', (_title, expression) => {
    const spent = leastProcessorMilliseconds(HELD_MS, () => void evaluate(expression));
    expect(spent).toBeLessThan(HELD_MS);
  });

  it('may have no more patterns than can be made ready in a moment', () => {
    const patterns = Array.from({ length: 40 }, (_, index) => `'a'.matches('a{1,${900 + index}}')`);
    const compile = (): unknown => compilePath(patterns.join(' or '), options);
    expect(compile).toThrow(PathBudgetError);
    expect(() => compilePath("'a'.matches('(a{999}){99}')", options)).toThrow(UnsupportedPathError);
  });
});
