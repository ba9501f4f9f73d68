import { fhirError } from '../../errors';
import { MAX_SORTED, type HeadOrder } from '../../search/sort/order';
import type { Criterion } from '../../search/predicate';
import type { SearchServices } from '../../ports';
import { runKeys, type MatchHead } from '../../storage/search/search-run';
import { planSearch } from '../plan/plan-search';
import { matchingReason, planningReason, withReason } from '../search-timeout';

/** The order for matches whose order does not matter. */
export const BY_KEY: HeadOrder = { by: 'key', descending: true };

/** The heads of all matches of a space. Throws tooCostly over MAX_SORTED, searchTimeout. */
export async function fetchHeads(
  services: SearchServices,
  space: number,
  type: number,
  criteria: readonly Criterion[],
): Promise<MatchHead[]> {
  const heads = await findHeads(services, space, { type, criteria, most: MAX_SORTED });
  if (heads !== undefined) return heads;
  const reason = `More than ${MAX_SORTED} resources match, which is the limit. Narrow the search`;
  throw fhirError('tooCostly', { reason });
}

/** As `fetchHeads`; undefined if there are more than `most`. */
export async function findHeads(
  services: SearchServices,
  space: number,
  {
    type,
    criteria,
    most,
  }: { readonly type: number; readonly criteria: readonly Criterion[]; readonly most: number },
): Promise<MatchHead[] | undefined> {
  const plan = await withReason(
    planSearch(services, space, {
      type,
      query: { criteria },
      order: BY_KEY,
      sortDateParameter: undefined,
      limit: Infinity,
    }),
    () => planningReason(criteria),
  );
  const request = { ...plan, phase: 'all' as const, after: undefined, limit: most + 1 };
  const heads = await withReason(runKeys(services.database, request), () => matchingReason(plan));
  return heads.length > most ? undefined : heads;
}
