import { permissionsOf } from '../authorization/visibility';
import type { SearchPage } from '../api/search';
import type { RequestContext } from '../context';
import type { SearchQuery } from '../search/requests/parse-search';
import type { SearchServices } from '../ports';
import { prepareSearch, type PreparedSearch, type TypeSearchRequest } from './plan/prepare-search';
import { completePage } from './page/resolve-includes';
import { resolveCriteria } from './plan/resolve-criteria';
import { decidingTypes, isResolved } from '../search/matching/resolved-criteria';
import { hasManyLinks } from './plan/resolve-chains';
import { searchContained } from './page/search-contained';
import { refuseBackward } from './page/search-position';
import { planningReason, withReason } from './search-timeout';
import { chooseStrategy } from './strategies/choose-strategy';
import type { SearchAnswer } from './strategies/strategy';

/**
 * One page of the resources of a type that match all parameters (https://hl7.org/fhir/R4/search.html; docs/use/search-reference.md).
 * Throws unknownParameter, unsupportedModifier, invalidParameterValue, invalidCursor, tooCostly, searchTimeout.
 * Cost: one statement for one criterion; one more the first time several criteria meet. An answer that needs several
 * statements (includes, sorting) reads one snapshot.
 */
export async function search(
  services: SearchServices,
  context: RequestContext,
  request: TypeSearchRequest,
): Promise<SearchPage> {
  const search = await prepareSearch(services, context, request);
  const { query, effective, typeNumber } = search;
  if (effective.contained.matches !== 'false') return searchWithContained(services, context, search);
  if (!mayBeOneStatement(effective))
    return services.scope.inSnapshot(services, context, async (reading) =>
      completePage(reading, context, query, await resolveAndRead(reading, context, search)),
    );
  const completed = await completePage(services, context, query, await readPage(services, context, search));
  return { ...completed, decidedBy: decidingTypes(typeNumber, effective.criteria) };
}

/** True if one statement may give the whole answer, beside those for planning. */
function mayBeOneStatement({ criteria, countOnly, includes, offset, cursor }: SearchQuery): boolean {
  if (!isResolved(criteria) || hasManyLinks(criteria, 'always')) return false;
  if (countOnly) return true;
  return includes.length === 0 && (offset === 0 || cursor !== undefined);
}

/** The page of a search that may be one statement; where it is not, its statements share a snapshot. */
async function readPage(
  services: SearchServices,
  context: RequestContext,
  search: PreparedSearch,
): Promise<SearchPage> {
  const { effective: query, typeNumber, cursorScope } = search;
  const each = services.scope.perStatement(services, context);
  const { answer, plan } = await chooseStrategy(each, context, { query, typeNumber, cursorScope });
  // Sets of targets are data: they must be of the same moment as the page.
  const needsSnapshot = plan?.hasSets === true;
  if (!needsSnapshot) {
    if (answer.isOneStatement) return answer.page(each, context);
    const page = await attempt(each, context, answer);
    if (page !== undefined) return page;
  }
  return services.scope.inSnapshot(services, context, (reading) =>
    needsSnapshot ? resolveAndRead(reading, context, search) : answer.page(reading, context),
  );
}

/** Tries to find the page by one statement, unless the number of statements is guaranteed. */
async function attempt(
  services: SearchServices,
  context: RequestContext,
  answer: SearchAnswer,
): Promise<SearchPage | undefined> {
  return services.scope.hasStatementBudget ? undefined : answer.attempt?.(services, context);
}

/** Resolves the criteria and reads the page, with services whose statements share a snapshot. */
async function resolveAndRead(
  services: SearchServices,
  context: RequestContext,
  { effective, typeNumber, cursorScope }: PreparedSearch,
): Promise<SearchPage> {
  const criteria = await withReason(resolveCriteria(services, context, effective.criteria, 'inUse'), () =>
    planningReason(effective.criteria),
  );
  const query = { ...effective, criteria };
  const { answer } = await chooseStrategy(services, context, { query, typeNumber, cursorScope });
  return answer.page(services, context);
}

/** A search with `_contained`: contained resources that match, and with `both` the stored ones too. */
function searchWithContained(
  services: SearchServices,
  context: RequestContext,
  { effective, typeNumber, cursorScope }: PreparedSearch,
): Promise<SearchPage> {
  // Containers of other types would have to be tested by the conditions of those types.
  permissionsOf(services, context)?.requireEverything('s', 'The parameter _contained');
  refuseBackward(effective);
  return services.scope.inSnapshot(services, context, async (reading) => {
    const criteria = await resolveCriteria(reading, context, effective.criteria, 'inUse');
    return searchContained(reading, context, {
      query: { ...effective, criteria, bothWays: false },
      typeNumber,
      cursorScope,
      async stored(query) {
        const { answer } = await chooseStrategy(reading, context, { query, typeNumber, cursorScope });
        const page = await answer.page(reading, context);
        return query.countOnly ? page : completePage(reading, context, query, page);
      },
    });
  });
}
