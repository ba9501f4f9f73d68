import type { RequestContext } from '../../context';
import type { SearchServices } from '../../ports';
import type { HeadOrder } from '../../search/sort/order';
import type { SearchQuery } from '../../search/requests/parse-search';
import type { Plan } from '../plan/plan';
import { countAhead, planSearch } from '../plan/plan-search';
import { planningReason, withReason } from '../search-timeout';
import { defaultOrderFor } from '../sort/default-order';
import { sortBySeveralKeys } from '../sort/sort-by-several-keys';
import { sortInMemory } from '../sort/sort-in-memory';
import { valueOrderOf } from '../sort/value-order';
import { countOnly } from './count-only';
import { scanInOrder } from './scan-in-order';
import type { PlannedSearch, SearchAnswer, SearchStrategy } from './strategy';

/** The first one that applies answers the search. */
const STRATEGIES: readonly SearchStrategy[] = [sortInMemory, countOnly, sortBySeveralKeys, scanInOrder];

/**
 * Plans a search and chooses how its page is found. Cost: that of `planSearch`, and of `valueOrderOf` for an order by
 * values. Throws as `planSearch`.
 */
export async function chooseStrategy(
  services: SearchServices,
  context: RequestContext,
  search: Omit<PlannedSearch, 'plan'>,
): Promise<{ readonly answer: SearchAnswer; readonly plan: Plan | undefined }> {
  const plan = await planPage(services, context, search);
  for (const strategy of STRATEGIES) {
    const answer = strategy({ ...search, plan }, services.scope);
    if (answer !== undefined) return { answer, plan };
  }
  throw new Error('no strategy answers a search');
}

/** The plan of a page; undefined if the database has no order for it. */
async function planPage(
  services: SearchServices,
  context: RequestContext,
  { query, typeNumber }: Omit<PlannedSearch, 'plan'>,
): Promise<Plan | undefined> {
  const { type, sort } = query;
  const { release, number: space } = context.space;
  if (services.isConformanceType(release, type)) return undefined;
  const sortDate = services.definitions(release).sortDateParameter(type);
  const [key] = sort;
  const ofHeads = headOrder(query, sortDate?.code, () =>
    defaultOrderFor(services, context, type, query.criteria),
  );
  const reason = (): string => planningReason(query.criteria);
  const [order] =
    ofHeads !== undefined || key === undefined
      ? [ofHeads]
      : await Promise.all([
          valueOrderOf(services, context, type, key),
          withReason(countAhead(services, space, typeNumber, query), reason),
        ]);
  if (order === undefined) return undefined;
  return withReason(
    planSearch(services, space, {
      ...{ type: typeNumber, query, order },
      sortDateParameter: sortDate?.number,
    }),
    reason,
  );
}

/** The order of an index on heads; undefined: none fits. Counts need no order. `usual`: the order without `_sort`. */
function headOrder(
  query: SearchQuery,
  sortDateCode: string | undefined,
  usual: () => HeadOrder,
): HeadOrder | undefined {
  const [key, ...further] = query.sort;
  if (key === undefined || query.countOnly) return usual();
  if (key.code === '_lastUpdated') return { by: 'last_updated', descending: key.descending };
  // For several keys, ties are sorted by values from the texts (sort-by-several-keys.ts).
  if (key.code === sortDateCode && further.length === 0)
    return { by: 'sort_date', descending: key.descending };
  return undefined;
}
