import { permissionsOf } from '../access/visibility';
import type { CompartmentAddress, SearchPage, SearchRequest, StoredVersion } from '../api';
import type { RequestContext } from '../context';
import type { CursorContent } from '../cursor';
import { fhirError } from '../errors';
import { toSubset } from '../fhir/subset';
import { compartmentCriterion } from '../search/compartment';
import { isCounted, parseSearch, type SearchQuery } from '../search/parse-search';
import type { HeadOrder, Order } from '../search/order';
import type { Criterion } from '../search/predicate';
import type { SearchTypeContext } from '../search/types/search-type';
import { versionedChainIssues, type AskedCriteria } from '../search/versioned-chains';
import type { Services } from '../services';
import { runCountedPage } from '../storage/counted-page';
import type { Match } from '../storage/match';
import { runKeys } from '../storage/search-run';
import type { Phase } from '../storage/search-order';
import { typeNumberOf } from './resource-address';
import { countAll, MAX_TOTAL } from './count-matches';
import { collectIncluded, type Included } from './include';
import { countAhead, planSearch, type Plan } from './plan-search';
import { findQuery, type AskedQuery } from './named-queries';
import { readAtOnce, readEach } from './reading';
import { decidingTypes, isResolved, resolveCriteria } from './resolve-criteria';
import { BY_KEY } from './gather-heads';
import {
  afterOf,
  contentOf,
  inOrder,
  openPage,
  openPosition,
  pageLinks,
  phasesOf,
  type Position,
  type Walk,
} from './search-position';
import { searchContained } from './search-contained';
import { searchSorted } from './search-sorted';
import {
  countingReason,
  includingReason,
  matchingReason,
  planningReason,
  withReason,
} from './search-timeout';
import { searchTies } from './search-ties';
import { toStoredVersion } from './stored-version';
import { usualOrder } from './usual-order';
import { valueOrderOf } from './value-order';

/**
 * Resources of a type that meet all parameters, one page of them (search.html; search-rules.md).
 * Throws unknownParameter, unsupportedModifier, invalidParameterValue, invalidCursor, tooCostly, searchTimeout.
 * Cost: one statement for one criterion; one more the first time several meet. Where the answer takes several (what the
 * page brings along, an order that is gathered), all of them see one snapshot.
 */
export async function search(
  services: Services,
  context: RequestContext,
  request: TypeSearchRequest,
): Promise<SearchPage> {
  const { query, asked, typeNumber, boundTo } = await askSearch(services, context, request);
  if (asked.contained.matches !== 'false') {
    // What is found inside of other types would have to be looked at with their conditions.
    permissionsOf(services, context)?.requireEverything('s', 'The parameter _contained');
    return readAtOnce(services, context, async (reading) => {
      const criteria = await resolveCriteria(reading, context, asked.criteria);
      const stored = async (of: SearchQuery): Promise<SearchPage> => {
        const page = await answer(reading, context, of, typeNumber, boundTo, false);
        if (page === undefined) throw new Error('a search that may run several statements found no answer');
        return of.countOnly ? page : completePage(reading, context, of, page);
      };
      return searchContained(
        reading,
        context,
        { ...asked, criteria, bothWays: false },
        typeNumber,
        boundTo,
        stored,
      );
    });
  }
  const isOneType = mayBeOneStatement(asked);
  // Where the number of statements is promised, nothing is tried that may have to be asked again.
  const isAlone =
    services.isBounded === true
      ? services.isWithinSnapshot !== true && isSurelyAlone(services, context, asked)
      : true;
  if (isOneType && isAlone) {
    const page = await answer(readEach(services, context), context, asked, typeNumber, boundTo, true);
    if (page !== undefined) {
      const completed = await completePage(services, context, query, page);
      return { ...completed, decidedBy: decidingTypes(typeNumber, asked.criteria) };
    }
  }
  return readAtOnce(services, context, async (reading) => {
    const criteria = await withReason(resolveCriteria(reading, context, asked.criteria), () =>
      planningReason(asked.criteria),
    );
    const page = await answer(reading, context, { ...asked, criteria }, typeNumber, boundTo, false);
    if (page === undefined) throw new Error('a search that may run several statements found no answer');
    const completed = await completePage(reading, context, query, page);
    return isOneType ? { ...completed, decidedBy: decidingTypes(typeNumber, asked.criteria) } : completed;
  });
}

/** What a search of one type asks. */
export interface AskedSearch {
  readonly typeNumber: number;
  /** As it was written. */
  readonly query: SearchQuery;
  /** With all that the resources have to meet. */
  readonly asked: SearchQuery;
  /** What its cursors are bound to. */
  readonly boundTo: string;
}

/** All that finds or counts resources of a type by criteria begins here. Throws as `search`. */
export async function askSearch(
  services: Services,
  context: RequestContext,
  request: TypeSearchRequest,
): Promise<AskedSearch> {
  const { type, compartment } = request;
  const typeNumber = typeNumberOf(services, context, type);
  const typeContext = searchContext(services, context);
  const handling = request.handling ?? context.space.settings.searchUnknown;
  const full = services.searchContext(context.space);
  const named = await findQuery(services, context, full, type, request.parameters);
  const query =
    named === undefined
      ? parseSearch(typeContext, type, request, handling)
      : parseNamed(typeContext, type, named, handling, request.where);
  const within = compartment === undefined ? [] : [criterionOf(typeContext, compartment, type)];
  const asked = { ...query, criteria: [...within, ...query.criteria] };
  return { typeNumber, query, asked, boundTo: boundText(context, request, query.used, named?.version) };
}

/** The search that a named query stands for, narrowed by what else was asked; an order of the request stands in the place of its own. */
function parseNamed(
  context: SearchTypeContext,
  type: string,
  { parameters, used, others }: AskedQuery,
  handling: 'strict' | 'lenient',
  where: SearchRequest['where'],
): SearchQuery {
  const named = parseSearch(context, type, { parameters }, 'strict');
  const asked = parseSearch(context, type, { parameters: others, where }, handling);
  return {
    ...asked,
    criteria: [...named.criteria, ...asked.criteria],
    sort: asked.sort.length > 0 ? asked.sort : named.sort,
    includes: [...named.includes, ...asked.includes],
    used: [...used, ...asked.used],
  };
}

/** Whether one statement may be the whole answer, beside those that only choose the plan. */
function mayBeOneStatement({ criteria, countOnly, includes, offset, cursor }: SearchQuery): boolean {
  if (!isResolved(criteria)) return false;
  if (countOnly) return true;
  return includes.length === 0 && (offset === 0 || cursor !== undefined);
}

/** Whether the one statement is sure to be enough, or more are known to be needed before it is run. */
function isSurelyAlone(services: Services, { space }: RequestContext, query: SearchQuery): boolean {
  const { type, sort, cursor } = query;
  const [key, ...further] = sort;
  const isOfHeads =
    key === undefined ||
    (further.length === 0 &&
      headOrder(query, services.definitions(space.release).sortDateParameter(type)?.code, () => BY_KEY) !==
        undefined);
  return isOfHeads && !(isCounted(query) && cursor !== undefined);
}

/** A search of one type. */
export type TypeSearchRequest = SearchRequest & { readonly type: string };

/** What parsing of a search in this space needs. */
export function searchContext(services: Services, context: RequestContext): SearchTypeContext {
  const full = services.searchContext(context.space);
  return permissionsOf(services, context)?.restrict(full) ?? full;
}

/** Throws unknownCompartment, notInCompartment. */
export function criterionOf(
  context: SearchTypeContext,
  compartment: CompartmentAddress,
  type: string,
): Criterion {
  const criterion = compartmentCriterion(context, compartment, type);
  if (criterion !== undefined) return criterion;
  const { compartments } = context.definitions;
  if (!compartments.has(compartment.type)) {
    const known = [...compartments.keys()].join(', ');
    throw fhirError('unknownCompartment', { type: compartment.type, known });
  }
  throw fhirError('notInCompartment', { type, compartment: compartment.type });
}

/** Adds what the matches bring along, and cuts all to the parts that were asked for. */
export async function completePage(
  services: Services,
  context: RequestContext,
  query: Pick<SearchQuery, 'subset' | 'includes'> & AskedCriteria,
  page: SearchPage,
): Promise<SearchPage> {
  const { subset, includes } = query;
  const followed = versionedChainIssues(searchContext(services, context), query, page.matches);
  if (subset === undefined && includes.length === 0)
    return followed.length === 0 ? page : { ...page, issues: [...page.issues, ...followed] };
  const { versions, issues } =
    includes.length === 0 || page.matches.length === 0
      ? NOTHING_INCLUDED
      : await withReason(collectIncluded(services, context, includes, page.matches), () =>
          includingReason(includes),
        );
  const definitions = services.definitions(context.space.release);
  const shorten = (version: StoredVersion): StoredVersion =>
    subset === undefined
      ? version
      : { ...version, text: toSubset(definitions, version.type, version.text, subset) };
  return {
    ...page,
    matches: page.matches.map(shorten),
    included: versions.map(shorten),
    issues: [...page.issues, ...followed, ...issues],
  };
}

const NOTHING_INCLUDED: Included = { versions: [], issues: [] };

/** Without what the page brings along. `isAlone`: by one statement, or undefined where that is not enough. */
async function answer(
  services: Services,
  context: RequestContext,
  query: SearchQuery,
  typeNumber: number,
  boundTo: string,
  isAlone: boolean,
): Promise<SearchPage | undefined> {
  const { type } = query;
  const { release } = context.space;
  const sortDate = services.definitions(release).sortDateParameter(type);
  const sorted = async (): Promise<SearchPage | undefined> =>
    isAlone ? undefined : searchSorted(services, context, query, typeNumber, boundTo);
  if (services.isConformanceType(release, type)) return sorted();
  const [key, ...further] = query.sort;
  const ofHeads = headOrder(query, sortDate?.code, () => usualOrder(services, context, type, query.criteria));
  const [order] =
    ofHeads !== undefined || key === undefined
      ? [ofHeads]
      : await Promise.all([
          valueOrderOf(services, context, type, key),
          isAlone ? undefined : countAhead(services, context.space.number, typeNumber, query),
        ]);
  if (order === undefined) return sorted();
  const planned = (by: Order, limit?: number): Promise<Plan> =>
    withReason(
      planSearch(services, context.space.number, typeNumber, query, by, sortDate?.number, limit),
      () => planningReason(query.criteria),
    );
  const plan = await planned(order);
  if (order.by === 'value' && plan.drive.kind === 'gather') return sorted();
  const isInParts = services.isBounded === true && phasesOf(plan).length > 1;
  const countOfAll = async (): Promise<number> =>
    countAll(services, isForSome(plan) || isInParts ? await planned(BY_KEY, Infinity) : plan);
  if (further.length > 0 && !query.countOnly) {
    if (isAlone) return undefined;
    const page = await searchTies(services, context, query, plan, boundTo);
    if (page === undefined) return sorted();
    return isCounted(query) && page.total === undefined ? { ...page, total: await countOfAll() } : page;
  }
  const answered = { issues: query.issues, used: query.used };
  if (query.countOnly) {
    if (isAlone && phasesOf(plan).length > 1 && services.isBounded !== true) return undefined;
    return { ...answered, matches: [], included: [], total: await countOfAll() };
  }
  if (isAlone && isInParts && isCounted(query)) return undefined;
  const found = await withReason(findMatches(services, plan, query, boundTo, isAlone), () =>
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
    if (isAlone) return undefined;
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
    ...pageLinks(
      services,
      boundTo,
      query,
      found,
      {
        first: first && placeOf(first),
        last: last && placeOf(last),
        each: () => matches.slice(0, page.length).map(placeOf),
      },
      more,
    ),
  };
}

/** Whether a plan that finds the first matches soon may take long to find all: it walks over what does not match. */
function isForSome({ order, drive }: Plan): boolean {
  return order.by === 'value' || drive.kind === 'dates' || drive.kind === 'heads';
}

/** Parameters that say which page, or what stands beside it; the cursor itself among them. */
const POSITION: ReadonlySet<string> = new Set(['_count', '_total', '_cursor', '_offset']);

/** A cursor is worth something only for the space, address and parameters that it was made for; `_count` may change. */
export function boundText(
  context: RequestContext,
  { type = '*', compartment, where }: SearchRequest,
  used: SearchQuery['used'],
  queryVersion = '',
): string {
  const parameters = used.filter(([name]) => !POSITION.has(name));
  const address = compartment === undefined ? type : `${compartment.type}/${compartment.id}/${type}`;
  const conditions = where === undefined ? '' : ` where ${JSON.stringify(where)}`;
  return `search ${context.space.number} ${address} ${JSON.stringify(parameters)}${queryVersion}${conditions}`;
}

/** The order that heads lie in; undefined: they do not. What is only counted has no order. `usual`: where none is asked for. */
function headOrder(
  query: SearchQuery,
  sortDateCode: string | undefined,
  usual: () => HeadOrder,
): HeadOrder | undefined {
  const [key, ...further] = query.sort;
  if (key === undefined || query.countOnly) return usual();
  if (key.code === '_lastUpdated') return { by: 'last_updated', descending: key.descending };
  // What is equal by several keys is sorted by values as the texts have them (search-ties.ts).
  if (key.code === sortDateCode && further.length === 0)
    return { by: 'sort_date', descending: key.descending };
  return undefined;
}

interface Positioned {
  readonly phase: Phase;
  readonly match: Match;
}

interface Found extends Walk {
  /** In the order in which they were met. */
  readonly matches: readonly Positioned[];
  /** Where it is free, or came with the matches. */
  readonly total?: number | undefined;
}

/**
 * Those of the page and one more, with the total where one statement gives both. `isAlone`: by one statement, or undefined
 * where that is not enough.
 */
async function findMatches(
  services: Services,
  plan: Plan,
  query: SearchQuery,
  boundTo: string,
  isAlone: boolean,
): Promise<Found | undefined> {
  const { cursor, offset, count } = query;
  const opened = cursor === undefined ? undefined : openPage(services, boundTo, cursor);
  const { isBackward, hasBehind } = opened ?? { isBackward: false, hasBehind: offset > 0 };
  const walk = { isBackward, hasBehind };
  const isInParts = phasesOf(plan).length > 1 || (opened === undefined && offset > 0);
  if (services.isBounded === true && isInParts) return findInOneStatement();
  const position =
    opened === undefined
      ? await skipTo(services, plan, offset)
      : opened.content && openPosition(plan, opened.content);
  if (position === 'end') return { ...walk, matches: [] };
  const isWholeOrder = position === undefined && !isBackward;
  const limit = count + 1;
  const found: Positioned[] = [];
  const phases = phasesOf(plan);
  const [only] = phases;
  if (isCounted(query) && only !== undefined && phases.length === 1) {
    const all = { ...plan, phase: only, after: undefined, limit: MAX_TOTAL };
    const page = { ...all, after: position?.after, limit, isBackward };
    const { matches, total } = await runCountedPage(services.database, page, all, isWholeOrder ? limit : 1);
    const isWhole = isWholeOrder && matches.length < limit;
    return {
      ...walk,
      matches: matches.map((match) => ({ phase: only, match })),
      total: isWhole ? matches.length : total,
    };
  }
  if (isAlone && isCounted(query)) return undefined;
  const walked = isBackward ? [...phases].reverse() : phases;
  const start = position === undefined ? 0 : Math.max(0, walked.indexOf(position.phase));
  for (const [index, phase] of walked.slice(start).entries()) {
    if (isAlone && index > 0) return undefined;
    const after = position?.phase === phase ? position.after : undefined;
    const asked = { ...plan, phase, after, limit: limit - found.length, isBackward };
    const matches = await services.searches.page(asked);
    found.push(...matches.map((match) => ({ phase, match })));
    if (found.length >= limit) break;
  }
  return {
    ...walk,
    matches: found,
    ...(isWholeOrder && found.length < limit ? { total: found.length } : {}),
  };

  async function findInOneStatement(): Promise<Found> {
    const skipped = opened === undefined ? offset : 0;
    const position = opened?.content && openPosition(plan, opened.content);
    const phases = isBackward ? [...phasesOf(plan)].reverse() : phasesOf(plan);
    const limit = count + 1;
    const ranges = phases.slice(position === undefined ? 0 : Math.max(0, phases.indexOf(position.phase)));
    const met = await services.searches.ranges(
      ranges.map((phase, index) => ({
        ...plan,
        phase,
        after: index === 0 ? position?.after : undefined,
        limit: skipped + limit,
        isBackward,
      })),
      skipped,
    );
    const matches = met.flatMap(({ place, match }) => {
      const phase = ranges[place];
      return phase === undefined ? [] : [{ phase, match }];
    });
    const isWhole = position === undefined && !isBackward && skipped === 0 && matches.length < limit;
    return { ...walk, matches, ...(isWhole ? { total: matches.length } : {}) };
  }
}

/** The place behind the first `offset` matches; undefined: before all, 'end': there are no more. */
async function skipTo(services: Services, plan: Plan, offset: number): Promise<Position | 'end' | undefined> {
  let left = offset;
  if (left === 0) return undefined;
  for (const phase of phasesOf(plan)) {
    const heads = await runKeys(services.database, { ...plan, phase, after: undefined, limit: left });
    const last = heads.at(-1);
    if (last !== undefined && heads.length === left) {
      return { phase, after: afterOf(last) };
    }
    left -= heads.length;
  }
  return 'end';
}
