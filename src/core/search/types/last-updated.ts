import { unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Predicate } from '../predicate';
import { parseDateValue } from './date';
import type { SearchTypeContext } from './search-type';

/**
 * Returns predicates for `_lastUpdated`. The stored value is one millisecond, [t, t+1), so that every prefix becomes
 * half-open ranges of t.
 */
export function lastUpdatedPredicates(
  context: Pick<SearchTypeContext, 'now' | 'zone'>,
  name: string,
  value: string,
): Predicate[] {
  const { test, low, high } = parseDateValue(context, name, unescapeValue(value));
  const from = (bound: number): Predicate => ({ index: 'updated', low: Math.ceil(bound), high: Infinity });
  const until = (bound: number): Predicate => ({ index: 'updated', low: -Infinity, high: Math.ceil(bound) });
  switch (test) {
    case 'eq':
    case 'ap':
      return [{ index: 'updated', low: Math.ceil(low), high: Math.ceil(high) }];
    case 'ne':
      return [until(low), from(high)];
    case 'gt':
    case 'sa':
      return [from(high)];
    case 'ge':
      return [from(low)];
    case 'lt':
    case 'eb':
      return [until(low)];
    case 'le':
      return [until(high)];
  }
}
