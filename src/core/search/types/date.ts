import { fhirError } from '../../errors';
import { dateRange } from '../../../../packages/fhir-values/date';
import { unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Predicate } from '../predicate';
import { splitPrefix, type Prefix } from '../../../../packages/fhir-values/search-prefix';
import type { SearchType, SearchTypeContext } from './search-type';

/** Share of the distance to now by which `ap` widens a range (docs/use/search-reference.md, Date). */
const APPROXIMATION = 0.1;

export interface DateCriterion {
  readonly domain: 'date';
  readonly test: Prefix;
  /** Half open, milliseconds since 1970. */
  readonly low: number;
  readonly high: number;
}

/** Parses a date value with its prefix to a test and a range (search.html#date). Throws invalidParameterValue. */
export function parseDateValue(
  { now, zone }: Pick<SearchTypeContext, 'now' | 'zone'>,
  name: string,
  text: string,
): DateCriterion {
  const { prefix: test, rest } = splitPrefix(text);
  const range = dateRange(rest, zone);
  if (range === undefined) {
    const reason =
      'a date is YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm[:ss[.fff]] with Z or +hh:mm, after a prefix or none';
    throw fhirError('invalidParameterValue', { parameter: name, value: text.slice(0, 80), reason });
  }
  if (test !== 'ap') return { domain: 'date', test, ...range };
  const distance = now < range.low ? range.low - now : now > range.high ? now - range.high : 0;
  return {
    domain: 'date',
    test,
    low: range.low - distance * APPROXIMATION,
    high: range.high + distance * APPROXIMATION,
  };
}

export const dateType: SearchType = {
  modifiers: new Map(),
  predicates(context, { stored, name }, value): Predicate[] {
    const criterion = parseDateValue(context, name, unescapeValue(value));
    return stored.rowsOf.map(({ number }) => ({ index: 'range', parameter: number, ...criterion }));
  },
};
