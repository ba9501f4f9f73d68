/** The matches behind a position in an order without an index, for too many matches to sort in memory. */
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import type { SearchServices } from '../../ports';
import { runKeys } from '../../storage/search/search-run';
import { runByValues } from '../../storage/search/search-values';
import { BY_KEY } from './fetch-heads';
import { planSearch } from '../plan/plan-search';
import type { Plan } from '../plan/plan';
import { afterOf } from '../page/search-position';
import { followingOf, readSortValues, type Sortable, type SortedStart } from './sortables';
import type { SortedMatches, SortedSearch, Wanted } from './sorted-matches';
import { matchingReason, planningReason, withReason } from '../search-timeout';
import { valueKeysOf } from './value-sources';

/** Time limit of all statements and texts; a single statement has the statement timeout. */
export const MAX_READING_MS = 10_000;

/**
 * The matches of the tenant's own space, found by the database. Throws searchTimeout.
 * Cost: one statement that sorts the values of all matches, and that of `valueKeysOf`; if rows do not have all
 * values, the texts of all matches, some 40 µs each.
 */
export function sortedInDatabase(
  services: SearchServices,
  context: RequestContext,
  search: SortedSearch,
): SortedMatches {
  return {
    async following(start, wanted) {
      const plan = await planOfAll(services, context, search);
      return withReason(findByValues(services, context, { search, plan, start, wanted }), () =>
        matchingReason(plan),
      );
    },
  };
}

interface Part {
  readonly search: SortedSearch;
  readonly plan: Plan;
  readonly start: SortedStart;
  readonly wanted: Wanted;
}

async function findByValues(
  services: SearchServices,
  context: RequestContext,
  part: Part,
): Promise<Sortable[]> {
  const { search, plan, start, wanted } = part;
  const by = await valueKeysOf(services, context, search.query, search.type);
  const after = start.place && by?.placeOf(start.place);
  if (by === undefined || (start.place !== undefined && after === undefined))
    return findByTexts(services, context, part);
  const { isBackward } = start;
  const heads = await runByValues(services.database, { ...plan, ...wanted, ...by, isBackward, after });
  return heads.map(({ values, ...head }) => ({ space: plan.space, head, values: by.valuesOf(values) }));
}

/** A plan for all matches, in no order. */
export function planOfAll(
  services: SearchServices,
  { space }: RequestContext,
  { query, type }: SortedSearch,
): Promise<Plan> {
  return withReason(
    planSearch(services, space.number, {
      type,
      query,
      order: BY_KEY,
      sortDateParameter: undefined,
      limit: Infinity,
    }),
    () => planningReason(query.criteria),
  );
}

/** Sorts by values from texts, in chunks of heads twice as large as the limit for sorting in memory. Throws timeout. */
async function findByTexts(
  services: SearchServices,
  context: RequestContext,
  { search: { query }, plan, start, wanted: { skipped, limit } }: Part,
): Promise<Sortable[]> {
  const started = performance.now();
  const chunk = Math.max(2 * services.limits.searchSortLimit, skipped + limit);
  let first: Sortable[] = [];
  for (let after: ReturnType<typeof afterOf> | undefined, isRead = false; !isRead;) {
    const heads = await runKeys(services.database, { ...plan, phase: 'all', after, limit: chunk });
    for (let at = 0; at < heads.length; at += skipped + limit) {
      if (performance.now() - started > MAX_READING_MS) throw fhirError('timeout');
      const some = heads.slice(at, at + skipped + limit);
      const read = await readSortValues(services, context, {
        query,
        type: plan.type,
        space: plan.space,
        heads: some,
      });
      first = followingOf(query, [...first, ...read], start).slice(0, skipped + limit);
    }
    const last = heads.at(-1);
    isRead = heads.length < chunk || last === undefined;
    after = last && afterOf(last);
  }
  return first.slice(skipped);
}
