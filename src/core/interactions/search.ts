import { permissionsOf } from '../authorization/visibility';
import type { SearchPage } from '../api/search';
import type { RequestContext } from '../context';
import type { CursorContent } from '../search-execution/page/cursor';
import { isCounted, type SearchQuery } from '../search/parse-search';
import type { HeadOrder, Order } from '../search/order';
import type { SearchServices, Services } from '../ports';
import { prepareSearch, type TypeSearchRequest } from '../search-execution/plan/prepare-search';
import { completePage } from '../search-execution/page/resolve-includes';
import { countAll } from '../search-execution/aggregates/count-matches';
import { findMatches, type Positioned } from '../search-execution/page/find-matches';
import { BY_KEY } from '../search-execution/sort/fetch-heads';
import { countAhead, planSearch } from '../search-execution/plan/plan-search';
import type { Plan } from '../search-execution/plan/plan';
import { inSnapshot, perStatement } from '../search-execution/read-scope';
import { decidingTypes, isResolved, resolveCriteria } from '../search-execution/plan/resolve-criteria';
import { hasManyLinks } from '../search-execution/plan/resolve-chains';
import { searchContained } from '../search-execution/page/search-contained';
import { afterOf, contentOf, inOrder, pageLinks, phasesOf } from '../search-execution/page/search-position';
import { searchSorted } from '../search-execution/sort/sort-in-memory';
import { searchBySeveralKeys } from '../search-execution/sort/sort-by-several-keys';
import {
  countingReason,
  matchingReason,
  planningReason,
  withReason,
} from '../search-execution/search-timeout';
import { toStoredVersion } from './stored-version';
import { defaultOrderFor } from '../search-execution/sort/default-order';
import { valueOrderOf } from '../search-execution/sort/value-order';

/**
 * One page of the resources of a type that match all parameters (https://hl7.org/fhir/R4/search.html; docs/search.md).
 * Throws unknownParameter, unsupportedModifier, invalidParameterValue, invalidCursor, tooCostly, searchTimeout.
 * Cost: one statement for one criterion; one more the first time several criteria meet. An answer that needs several
 * statements (includes, sorting) reads one snapshot.
 */
export async function search(
  services: SearchServices,
  context: RequestContext,
  request: TypeSearchRequest,
): Promise<SearchPage> {
  const {
    query,
    effective: asked,
    typeNumber,
    cursorScope,
  } = await prepareSearch(services, context, request);
  if (asked.contained.matches !== 'false') {
    // Containers of other types would have to be tested by the conditions of those types.
    permissionsOf(services, context)?.requireEverything('s', 'The parameter _contained');
    return inSnapshot(services, context, async (reading) => {
      const criteria = await resolveCriteria(reading, context, asked.criteria);
      const stored = async (of: SearchQuery): Promise<SearchPage> => {
        const page = await answer(reading, context, {
          query: of,
          typeNumber,
          cursorScope,
          singleStatement: false,
        });
        if (page === undefined) throw new Error('a search that may run several statements found no answer');
        return of.countOnly ? page : completePage(reading, context, of, page);
      };
      return searchContained(reading, context, {
        query: { ...asked, criteria, bothWays: false },
        typeNumber,
        cursorScope,
        stored,
      });
    });
  }
  const isOneType = mayBeOneStatement(asked);
  // With a guaranteed number of statements, no attempt may fail and need further statements.
  const singleStatement =
    services.hasStatementBudget === true
      ? services.isWithinSnapshot !== true && isSurelyAlone(services, context, asked)
      : true;
  if (isOneType && singleStatement) {
    const page = await answer(perStatement(services, context), context, {
      query: asked,
      typeNumber,
      cursorScope,
      singleStatement: true,
    });
    if (page !== undefined) {
      const completed = await completePage(services, context, query, page);
      return { ...completed, decidedBy: decidingTypes(typeNumber, asked.criteria) };
    }
  }
  return inSnapshot(services, context, async (reading) => {
    const criteria = await withReason(resolveCriteria(reading, context, asked.criteria), () =>
      planningReason(asked.criteria),
    );
    const page = await answer(reading, context, {
      query: { ...asked, criteria },
      typeNumber,
      cursorScope,
      singleStatement: false,
    });
    if (page === undefined) throw new Error('a search that may run several statements found no answer');
    const completed = await completePage(reading, context, query, page);
    return isOneType ? { ...completed, decidedBy: decidingTypes(typeNumber, asked.criteria) } : completed;
  });
}

/** Whether one statement may give the whole answer, beside those for planning. */
function mayBeOneStatement({ criteria, countOnly, includes, offset, cursor }: SearchQuery): boolean {
  if (!isResolved(criteria) || hasManyLinks(criteria, 'always')) return false;
  if (countOnly) return true;
  return includes.length === 0 && (offset === 0 || cursor !== undefined);
}

/** Whether one statement certainly suffices, or the need for more is known before it runs. */
function isSurelyAlone(
  services: Pick<Services, 'definitions'>,
  { space }: RequestContext,
  query: SearchQuery,
): boolean {
  const { type, sort, cursor } = query;
  const [key, ...further] = sort;
  const isOfHeads =
    key === undefined ||
    (further.length === 0 &&
      headOrder(query, services.definitions(space.release).sortDateParameter(type)?.code, () => BY_KEY) !==
        undefined);
  return isOfHeads && !(isCounted(query) && cursor !== undefined);
}

/**
 * The page without included resources. `singleStatement`: one statement at most; undefined if that does not suffice.
 */
async function answer(
  services: SearchServices,
  context: RequestContext,
  {
    query,
    typeNumber,
    cursorScope,
    singleStatement,
  }: {
    readonly query: SearchQuery;
    readonly typeNumber: number;
    readonly cursorScope: string;
    readonly singleStatement: boolean;
  },
): Promise<SearchPage | undefined> {
  const { type } = query;
  const { release } = context.space;
  const sortDate = services.definitions(release).sortDateParameter(type);
  const sorted = async (): Promise<SearchPage | undefined> =>
    singleStatement ? undefined : searchSorted(services, context, { query, type: typeNumber, cursorScope });
  if (services.isConformanceType(release, type)) return sorted();
  const [key, ...further] = query.sort;
  const ofHeads = headOrder(query, sortDate?.code, () =>
    defaultOrderFor(services, context, type, query.criteria),
  );
  const [order] =
    ofHeads !== undefined || key === undefined
      ? [ofHeads]
      : await Promise.all([
          valueOrderOf(services, context, type, key),
          singleStatement ? undefined : countAhead(services, context.space.number, typeNumber, query),
        ]);
  if (order === undefined) return sorted();
  const planned = (by: Order, limit?: number): Promise<Plan> =>
    withReason(
      planSearch(services, context.space.number, {
        type: typeNumber,
        query,
        order: by,
        sortDateParameter: sortDate?.number,
        limit,
      }),
      () => planningReason(query.criteria),
    );
  const plan = await planned(order);
  if (singleStatement && plan.hasSets === true) return undefined;
  if (order.by === 'value' && plan.accessPath.kind === 'fetchAndSort') return sorted();
  const isInParts = services.hasStatementBudget === true && phasesOf(plan).length > 1;
  const countOfAll = async (): Promise<number> =>
    countAll(services, isForSome(plan) || isInParts ? await planned(BY_KEY, Infinity) : plan);
  if (further.length > 0 && !query.countOnly) {
    if (singleStatement) return undefined;
    const page = await searchBySeveralKeys(services, context, { query, plan, cursorScope });
    if (page === undefined) return sorted();
    return isCounted(query) && page.total === undefined ? { ...page, total: await countOfAll() } : page;
  }
  const answered = { issues: query.issues, used: query.used };
  if (query.countOnly) {
    if (singleStatement && phasesOf(plan).length > 1 && services.hasStatementBudget !== true)
      return undefined;
    return { ...answered, matches: [], included: [], total: await countOfAll() };
  }
  if (singleStatement && isInParts && isCounted(query)) return undefined;
  const found = await withReason(findMatches(services, { plan, query, cursorScope, singleStatement }), () =>
    isCounted(query) ? countingReason(plan) : matchingReason(plan),
  );
  if (found === undefined) return undefined;
  const { matches } = found;
  const page = await services.reader.completePage(
    matches.slice(0, query.count).map(({ match }) => match.row),
    () => context.space.number,
  );
  const placeOf = ({ phase, match }: Positioned): CursorContent =>
    contentOf(plan, { phase, after: afterOf(match) });
  const [first] = matches;
  const last = matches[page.length - 1];
  const more = matches.length > page.length && last !== undefined;
  let { total } = found;
  if (isCounted(query) && total === undefined) {
    if (singleStatement) return undefined;
    total = await countOfAll();
  }
  return {
    ...answered,
    matches: inOrder(
      page.map((row) => toStoredVersion(services, type, row)),
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

/** Whether a plan that finds the first matches soon may be slow for all, because it scans rows that do not match. */
function isForSome({ order, accessPath }: Plan): boolean {
  return order.by === 'value' || accessPath.kind === 'dateScan' || accessPath.kind === 'headScan';
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
