import { hasAccessPath, canScanInOrder, isNested, isOneUpdatedRange, mergedTargets } from './indexed-access';
import type { AccessPath } from './access-path';
import { compositeScan } from './composite-scan';
import type { Expectations } from './cost';
import { fetchAndSort, fetchAndSortByValue } from './fetch-and-sort';
import { indexScan } from './index-scan';
import { SearchSituation, type AccessPathKind } from './situation';
import { targetMerge } from './target-merge';
import { dateScan, headScan, sortIndexScan } from './whole-scans';
import type { Order } from '../sort/order';
import type { Criterion } from '../predicate';

/** The kinds of access paths that find matches in the order. */
function kindsFor(order: Order): readonly AccessPathKind[] {
  switch (order.by) {
    case 'value':
      return [fetchAndSortByValue, compositeScan(order), sortIndexScan];
    case 'sort_date':
      return [fetchAndSort, indexScan, targetMerge, dateScan];
    default:
      return [fetchAndSort, headScan];
  }
}

/** An access path, and for each criterion whether it is tested against a set of all its matches or row by row. */
export interface Choice {
  readonly accessPath: AccessPath;
  readonly asSets: readonly boolean[];
}

/** True when the choice of the access path depends on how many resources meet each criterion. */
export function needsCounts(criteria: readonly Criterion[], order: Order): boolean {
  if (order.by === 'low' || (order.by === 'last_updated' && isOneUpdatedRange(criteria))) return false;
  if (order.by === 'value') return criteria.length > 0;
  const [only] = criteria;
  if (
    criteria.length === 1 &&
    order.by === 'sort_date' &&
    only !== undefined &&
    mergedTargets(only) !== undefined
  )
    return false;
  const indexed = criteria.filter(hasAccessPath).length;
  if (indexed !== 1) return indexed > 1;
  const isChain = criteria.some(({ anyOf }) => anyOf.some(isNested));
  return criteria.length > 1 || order.by === 'last_updated' || isChain;
}

/**
 * Chooses the access path of least expected cost. The choice is written into the SQL, because PostgreSQL's planner
 * knows only averages and chooses wrongly for popular values (measured 850 ms against 1.2 ms). Criteria are assumed to
 * be independent of each other.
 */
export function chooseAccessPath(
  criteria: readonly Criterion[],
  order: Order,
  expected: Expectations,
  sortDateParameter: number | undefined,
): Choice {
  if (order.by === 'low') return { accessPath: { kind: 'indexScan', criterion: 0 }, asSets: [] };
  const accessPath = pathOfOne(criteria, order, sortDateParameter);
  if (accessPath !== undefined) return { accessPath, asSets: criteria.map(() => false) };
  const situation = new SearchSituation(criteria, expected, sortDateParameter);
  let best: (Choice & { readonly cost: number }) | undefined;
  for (const kind of kindsFor(order)) {
    for (const candidate of kind(situation)) {
      const { cost, asSets } = situation.weigh(candidate);
      if (best === undefined || cost < best.cost) best = { accessPath: candidate.accessPath, asSets, cost };
    }
  }
  return best ?? { accessPath: { kind: 'headScan' }, asSets: criteria.map(() => false) };
}

/** Returns the access path that needs no comparison, for searches with at most one criterion. */
function pathOfOne(
  criteria: readonly Criterion[],
  order: Order,
  sortDateParameter: number | undefined,
): AccessPath | undefined {
  if (order.by === 'last_updated' && isOneUpdatedRange(criteria)) return { kind: 'headScan' };
  const [only, ...others] = criteria;
  if (only === undefined || others.length > 0 || !hasAccessPath(only)) return undefined;
  if (order.by === 'sort_date') {
    if (canScanInOrder(only, sortDateParameter)) return { kind: 'indexScan', criterion: 0 };
    const targets = mergedTargets(only);
    if (targets !== undefined) return { kind: 'targetMerge', criterion: 0, targets, share: 1 };
  }
  return order.by === 'key' && !only.anyOf.some(isNested)
    ? { kind: 'fetchAndSort', criterion: 0 }
    : undefined;
}
