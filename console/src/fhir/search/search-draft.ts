/** The criteria that a person sees before adding any. */
import { emptyCriterion } from './search-conditions';
import type { Criterion, SearchQuery } from './search-query';

/** A query whose first criteria are those of these parameters, empty where the query has none. */
export function withMainCriteria(query: SearchQuery, codes: readonly string[]): SearchQuery {
  const rest = [...query.criteria];
  const main = codes.map((code): Criterion => {
    const index = rest.findIndex((criterion) => criterion.kind !== 'has' && criterion.name === code);
    const [found] = index === -1 ? [] : rest.splice(index, 1);
    return found ?? emptyCriterion(code);
  });
  return { ...query, criteria: [...main, ...rest] };
}
