import { fhirError } from '../../errors';
import { parseSearchNumber } from '../../fhir/decimal';
import { unescapeValue } from '../parameter-value';
import type { Predicate, RangePredicate } from '../predicate';
import { splitPrefix } from '../range-test';
import type { SearchType } from './search-type';

/** Share of the value by which `ap` widens it (search-rules.md, Number and quantity). */
const APPROXIMATION = 0.1;

/** What a number with its prefix asks. */
export type NumberCriterion = Pick<RangePredicate, 'domain' | 'test' | 'low' | 'high' | 'value'>;

/**
 * The test and range of a number with its prefix (search.html#number): only `eq` and `ne` know implicit precision,
 * `ap` is ten percent around, all others are exact. Throws invalidParameterValue.
 */
export function parseNumberValue(name: string, text: string): NumberCriterion {
  const { test, rest } = splitPrefix(text);
  const number = parseSearchNumber(rest);
  if (number === undefined) {
    const reason = 'a number is digits with an optional sign, fraction and exponent, after a prefix or none';
    throw fhirError('invalidParameterValue', { parameter: name, value: text.slice(0, 80), reason });
  }
  const { value } = number;
  if (test !== 'ap') return { domain: 'number', test, ...number };
  const width = Math.abs(value) * APPROXIMATION;
  return { domain: 'number', test, value, low: value - width, high: value + width };
}

export const numberType: SearchType = {
  modifiers: [],
  predicates(_context, { stored, name }, value): Predicate[] {
    const criterion = parseNumberValue(name, unescapeValue(value));
    return stored.rowsOf.map(({ number }) => ({ index: 'range', parameter: number, ...criterion }));
  },
};
