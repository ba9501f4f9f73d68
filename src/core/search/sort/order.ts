import { canScanInOrder, isOrderedByTarget } from '../access-paths/indexed-access';
import type { Criterion } from '../predicate';
import type { SortRows } from './sort-rows';
import { rangesOfOneValue } from '../values/split-range';

/**
 * The order in the database: by columns of a resource's head that index rows carry too, by where the ranges of the only
 * criterion begin (`low`), or by the values of a parameter. Ties are ordered by key in the same direction.
 */
export type Order = HeadOrder | ValueOrder;

export interface HeadOrder {
  readonly by: 'sort_date' | 'last_updated' | 'key' | 'low';
  readonly descending: boolean;
}

/** Ascending by the least value of a parameter, descending by the greatest; resources without a value come last. */
export interface ValueOrder {
  readonly by: 'value';
  readonly descending: boolean;
  readonly rows: SortRows;
}

/** Limit on matches that are fetched to be sorted in the process. */
export const MAX_SORTED = 10_000;

/**
 * Returns the order of a search without `_sort`. It depends on the criteria alone, never on the number of matches, so
 * that every page has the same order. It is the clinical date, newest first, where an index has that order.
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
    sortDateParameter !== undefined && only !== undefined && others.length === 0 && isOrderedByTarget(only);
  const isScannedInOrder =
    isChain || criteria.some((criterion) => canScanInOrder(criterion, sortDateParameter));
  return { by: isScannedInOrder ? 'sort_date' : 'key', descending: true };
}
