import type { SearchPage } from '../../api/search';
import type { RequestContext } from '../../context';
import { isCounted } from '../../search/requests/parse-search';
import { MAX_SORTED } from '../../search/sort/order';
import type { SearchServices } from '../../ports';
import { countAll } from '../aggregates/count-matches';
import { findHeads } from './fetch-heads';
import { planOfAll, sortedInDatabase } from './sort-in-database';
import { sortedHeads, sortedPage, unionOf, type SortedSearch } from './sorted-matches';
import type { SearchStrategy } from '../strategies/strategy';
import { findVisibleBase } from '../page/visible-base';

/** `searchSorted` for searches without an order of the database, and for few matches in one that it finds slowly. */
export const sortInMemory: SearchStrategy = ({ query, typeNumber, cursorScope, plan }) => {
  const fits = plan === undefined || (plan.order.by === 'value' && plan.accessPath.kind === 'fetchAndSort');
  if (!fits) return undefined;
  return {
    isOneStatement: false,
    page: (services, context) => searchSorted(services, context, { query, type: typeNumber, cursorScope }),
  };
};

/**
 * Sorts matches in memory when the database has no order for them: several keys, keys whose index rows are not in sort
 * order, and conformance types, where the tenant's own resources and the base ones are one set. Also for few matches in
 * an order that the database would find slowly (value-order.ts, which has the same cursors). Up to MAX_SORTED matches
 * are sorted here; for more, the database finds those behind the position (sort-in-database.ts).
 * Cost: a statement for the matches, one for the page, and one for each thousand matches when values are in the texts;
 * for more matches that of `sortedInDatabase`. Throws invalidCursor, searchTimeout.
 */
export async function searchSorted(
  services: SearchServices,
  context: RequestContext,
  search: SortedSearch & { readonly cursorScope: string },
): Promise<SearchPage> {
  const { query, type } = search;
  const { number: space, release } = context.space;
  const most = Math.min(MAX_SORTED, services.limits.searchSortLimit);
  const own = await findHeads(services, space, { type, criteria: query.criteria, most });
  const base = services.isConformanceType(release, query.type)
    ? await findVisibleBase(services, context, {
        type: query.type,
        typeNumber: type,
        criteria: query.criteria,
      })
    : { space, heads: [] };
  const count = async (): Promise<number> =>
    (own?.length ?? (await countAll(services, await planOfAll(services, context, search)))) +
    base.heads.length;
  if (query.countOnly)
    return { issues: query.issues, used: query.used, matches: [], included: [], total: await count() };
  const ofTenant =
    own === undefined
      ? sortedInDatabase(services, context, search)
      : sortedHeads(services, context, search, { space, heads: own });
  const matches =
    base.heads.length === 0
      ? ofTenant
      : unionOf(search, [ofTenant, sortedHeads(services, context, search, base)]);
  const isTotalFree = own !== undefined && query.total !== 'none';
  return sortedPage(services, context, search, {
    matches,
    totalOf: async () => (isTotalFree || isCounted(query) ? count() : undefined),
  });
}
