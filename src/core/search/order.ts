import { canWalk, liesByTarget } from './indexed-access';
import type { Criterion } from './predicate';
import type { SortRows } from './sort-rows';
import { rangesOfOneValue } from './split-range';

/**
 * What the database can order by: columns of a resource's head that index rows carry too, where the ranges of the
 * only criterion begin (`low`), or the values of a parameter. Ties by key, same way.
 */
export type Order = HeadOrder | ValueOrder;

export interface HeadOrder {
  readonly by: 'sort_date' | 'last_updated' | 'key' | 'low';
  readonly descending: boolean;
}

/** By the least value of a parameter ascending, by the greatest descending; without a value last. */
export interface ValueOrder {
  readonly by: 'value';
  readonly descending: boolean;
  readonly rows: SortRows;
}

/** More matches are not gathered only to be sorted in the process. */
export const MAX_SORTED = 10_000;

/**
 * The order of a search that asks for none: it depends on the criteria alone, never on how many match, so that every
 * page has the same. Clinical date where an index gives it for nothing, newest first.
 */
export function defaultOrder(
  criteria: readonly Criterion[],
  sortDateParameter: number | undefined,
): HeadOrder {
  const onlyUpdated = criteria.every(({ anyOf }) => anyOf.every(({ index }) => index === 'updated'));
  if (onlyUpdated) return { by: 'last_updated', descending: true };
  const [range] = (criteria.length === 1 ? rangesOfOneValue(criteria[0]) : undefined) ?? [];
  if (range !== undefined && (range.parameter !== sortDateParameter || range.qualifier !== undefined))
    return { by: 'low', descending: true };
  const [only, ...others] = criteria;
  const isChain =
    sortDateParameter !== undefined && only !== undefined && others.length === 0 && liesByTarget(only);
  const walks = isChain || criteria.some((criterion) => canWalk(criterion, sortDateParameter));
  return { by: walks ? 'sort_date' : 'key', descending: true };
}
