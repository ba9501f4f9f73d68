import type { SearchPage } from '../../api/search';
import type { RequestContext } from '../../context';
import { toStoredVersion } from '../../versions/stored-version';
import type { SearchServices } from '../../ports';
import { isCounted } from '../../search/requests/parse-search';
import { countAllOf } from '../aggregates/count-matches';
import type { CursorContent } from '../page/cursor';
import { afterOf, contentOf, inOrder, pageLinks, phasesOf } from '../page/search-position';
import type { Plan } from '../plan/plan';
import { countingReason, matchingReason, withReason } from '../search-timeout';
import { findInOneStatement, findInOrder, type FoundPage, type PhasedMatch } from './find-in-order';
import type { PlannedSearch, SearchStrategy } from './strategy';

/** Reads the page in the order of the plan. It answers every search that has a plan. */
export const scanInOrder: SearchStrategy = (search, { hasStatementBudget }) => {
  const { query, plan } = search;
  if (plan === undefined) return undefined;
  const planned = { ...search, plan };
  const isOnePhase = phasesOf(plan).length === 1;
  const reason = (): string => (isCounted(query) ? countingReason(plan) : matchingReason(plan));
  return {
    isOneStatement: isCounted(query)
      ? isOnePhase && query.cursor === undefined && !query.isBackward
      : isOnePhase || hasStatementBudget,
    page: async (services, context) =>
      toPage(services, context, planned, await withReason(findInOrder(services, planned), reason)),
    async attempt(services, context) {
      if (isCounted(query) && !isOnePhase) return undefined;
      const found = await withReason(findInOneStatement(services, planned), reason);
      return found === undefined ? undefined : toPage(services, context, planned, found);
    },
  };
};

async function toPage(
  services: SearchServices,
  { space }: RequestContext,
  { query, cursorScope, plan }: PlannedSearch & { readonly plan: Plan },
  found: FoundPage,
): Promise<SearchPage> {
  const { matches } = found;
  const page = await services.reader.completePage(
    matches.slice(0, query.count).map(({ match }) => match.row),
    () => space.number,
  );
  const placeOf = ({ phase, match }: PhasedMatch): CursorContent =>
    contentOf(plan, { phase, after: afterOf(match) });
  const [first] = matches;
  const last = matches[page.length - 1];
  const more = matches.length > page.length && last !== undefined;
  const total =
    isCounted(query) && found.total === undefined ? await countAllOf(services, query, plan) : found.total;
  return {
    issues: query.issues,
    used: query.used,
    matches: inOrder(
      page.map((row) => toStoredVersion(services, query.type, row)),
      found,
    ),
    included: [],
    ...(total === undefined || query.total === 'none' ? {} : { total }),
    ...pageLinks(services, {
      cursorScope,
      pick: query,
      direction: found,
      places: {
        first: first && placeOf(first),
        last: last && placeOf(last),
        each: () => matches.slice(0, page.length).map(placeOf),
      },
      more,
    }),
  };
}
