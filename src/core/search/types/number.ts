import { fhirError } from '../../errors';
import { parseSearchNumber, type SearchNumber } from '../../fhir/decimal';
import {
  add,
  multiply,
  nextAbove,
  nextBelow,
  toDoubleWithRest,
  subtract,
  type Exact,
  type DoubleWithRest,
} from '../../fhir/exact-number';
import type { Hasher } from '../rows/hash';
import { ROW_SCHEME } from '../rows/index-rows';
import { unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { NumberTest, Predicate, RangePredicate, RangeUnit } from '../predicate';
import { splitPrefix, type Prefix } from '../../../../packages/fhir-values/search-prefix';
import { restQualifier, unitQualifier } from '../rows/range';
import type { SearchType } from './search-type';

/** Share of the value by which `ap` widens it (docs/use/search-reference.md, Number and quantity). */
const APPROXIMATION: Exact = { top: 1n, bottom: 10n };

/** A number with its prefix. */
export interface NumberCriterion extends SearchNumber {
  readonly test: Prefix;
}

/**
 * Parses a number with its prefix to a test and a range (search.html#number): `eq` and `ne` use implicit precision,
 * `ap` is ten percent around the value, all others are exact. Throws invalidParameterValue.
 */
export function parseNumberValue(name: string, text: string): NumberCriterion {
  const { prefix: test, rest } = splitPrefix(text);
  const number = parseSearchNumber(rest);
  if (number === undefined) {
    const reason = 'a number is digits with an optional sign, fraction and exponent, after a prefix or none';
    throw fhirError('invalidParameterValue', { parameter: name, value: text.slice(0, 80), reason });
  }
  if (test !== 'ap') return { test, ...number };
  const { value } = number;
  const magnitude = value.top < 0n ? { ...value, top: -value.top } : value;
  const width = multiply(magnitude, APPROXIMATION);
  return { test, value, low: subtract(value, width), high: add(value, width) };
}

/** The rows that a number is compared with: their parameter, unit, and in a composite the key before the number. */
export interface NumberRows {
  readonly parameter: number;
  readonly unit?: RangeUnit;
  /** Hash of the base units of the rows. */
  readonly canonicalUnit?: number;
  readonly key?: Pick<RangePredicate, 'qualifier' | 'qualifierSystem'> & { readonly text: string };
}

/** Returns the predicates on number rows: on sort positions, and on the rests of numbers at the position of a bound. */
export function numberPredicates(
  hasher: Hasher,
  criterion: NumberCriterion,
  { parameter, unit, canonicalUnit, key }: NumberRows,
): RangePredicate[] {
  const system = key?.qualifierSystem === undefined ? {} : { qualifierSystem: key.qualifierSystem };
  const shared = {
    index: 'range',
    domain: 'number',
    ...(unit === undefined ? {} : { unit }),
    ...system,
  } as const;
  const { places, rests } = doubleTests(criterion);
  let qualifier = key?.qualifier;
  if (canonicalUnit !== undefined) {
    const high = unitQualifier(hasher, canonicalUnit, key?.text);
    qualifier = { high, low: hasher.low };
  }
  const main = { ...shared, parameter, ...places, ...(qualifier === undefined ? {} : { qualifier }) };
  return [
    main,
    ...rests.map(({ at, test }): RangePredicate => {
      const high = restQualifier(hasher, at, key?.text);
      const qualifier = { high, low: hasher.low };
      return { ...shared, parameter: parameter + ROW_SCHEME.rest, qualifier, ...test };
    }),
  ];
}

/** Tests of doubles that together are one test of exact numbers. */
export interface DoubleTests {
  /** For all rows; never true for a number at the position of a bound that has a rest. */
  readonly places: NumberTest;
  /** For the rests of the numbers at that position. */
  readonly rests: readonly { readonly at: number; readonly test: NumberTest }[];
}

export function doubleTests({ test, value, low, high }: NumberCriterion): DoubleTests {
  switch (test) {
    case 'eq':
    case 'ne':
    case 'ap':
      return rangeTests(test, toDoubleWithRest(low), toDoubleWithRest(high));
    default:
      return pointTests(test, toDoubleWithRest(value));
  }
}

function pointTests(test: PointTest, { at, rest }: DoubleWithRest): DoubleTests {
  if (rest === undefined) return { places: testOf(test, at), rests: [] };
  const places = testOf(STRICT[test], at);
  return { places, rests: [{ at, test: testOf(test, rest) }] };
}

function rangeTests(test: 'eq' | 'ne' | 'ap', low: DoubleWithRest, high: DoubleWithRest): DoubleTests {
  const isInside = test !== 'ne';
  // Numbers at the position of a bound with a rest are left to the rests.
  const places: NumberTest = {
    test,
    low: low.rest !== undefined && isInside ? nextAbove(low.at) : low.at,
    high:
      high.rest === undefined
        ? high.at
        : test === 'ap'
          ? nextBelow(high.at)
          : test === 'ne'
            ? nextAbove(high.at)
            : high.at,
  };
  if (low.at === high.at) {
    const both = { test, low: low.rest ?? 0, high: high.rest ?? 0 };
    return { places, rests: low.rest === undefined ? [] : [{ at: low.at, test: both }] };
  }
  const rests: DoubleTests['rests'][number][] = [];
  if (low.rest !== undefined) rests.push({ at: low.at, test: testOf(isInside ? 'ge' : 'lt', low.rest) });
  if (high.rest !== undefined)
    rests.push({ at: high.at, test: testOf(test === 'eq' ? 'lt' : test === 'ap' ? 'le' : 'ge', high.rest) });
  return { places, rests };
}

type PointTest = Exclude<Prefix, 'eq' | 'ne' | 'ap'>;

const STRICT: Readonly<Record<PointTest, PointTest>> = {
  gt: 'gt',
  ge: 'gt',
  sa: 'sa',
  lt: 'lt',
  le: 'lt',
  eb: 'eb',
};

function testOf(test: PointTest, value: number): NumberTest {
  return { test, value, low: value, high: value };
}

export const numberType: SearchType = {
  modifiers: new Map(),
  predicates({ hasher }, { stored, name }, value): Predicate[] {
    const criterion = parseNumberValue(name, unescapeValue(value));
    return stored.rowsOf.flatMap(({ number }) => numberPredicates(hasher, criterion, { parameter: number }));
  },
};
