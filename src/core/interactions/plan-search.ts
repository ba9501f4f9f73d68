import { chooseDrive, needsCounts, type Order } from '../search/plan';
import type { Criterion } from '../search/predicate';
import type { Services } from '../services';
import type { SearchStatementRequest } from '../storage/search-matches';
import { resolveScans } from './resolve-scans';

/** All of a search but the page. */
export type Plan = Omit<SearchStatementRequest, 'phase' | 'after' | 'limit'>;

/**
 * How the matches are found in this order. Cost: nothing for one criterion of one index; else a statement for each
 * criterion that was not counted lately, and what `resolveScans` says. Throws what that throws.
 */
export async function planSearch(
  services: Services,
  space: number,
  type: number,
  query: { readonly criteria: readonly Criterion[] },
  order: Order,
  sortDateParameter: number | undefined,
): Promise<Plan> {
  const { estimator } = services;
  const asked = { type, sortDateParameter, criteria: query.criteria };
  const scanned = await resolveScans(services, space, asked);
  const criteria = await estimator.plan(space, { ...asked, criteria: scanned });
  const of = { type, sortDateParameter, criteria };
  const counts = needsCounts(criteria, order) ? await estimator.countEach(space, of) : [];
  return {
    ...of,
    space,
    order,
    drive: chooseDrive(criteria, order, counts, sortDateParameter, estimator.selective),
  };
}
