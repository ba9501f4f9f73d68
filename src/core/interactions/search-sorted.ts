import type { SearchPage } from '../api';
import type { RequestContext } from '../context';
import { openCursor, sealCursor } from '../cursor';
import { fhirError } from '../errors';
import { parseJson, type JsonObject } from '../fhir/json';
import { RELEASES } from '../fhir/release';
import type { SearchQuery } from '../search/parse-search';
import { chooseDrive, needsCounts, type Order } from '../search/plan';
import { compareSortValues, createSortValueReader, type SortValue } from '../search/sort-value';
import type { Services } from '../services';
import { estimateMatches, runPage, type Match } from '../storage/search-run';
import { toStoredVersion } from './stored-version';

/** More matches are not gathered only to be sorted. */
const MAX_SORTED = 10_000;
const BY_KEY: Order = { by: 'key', descending: true };

interface Sortable {
  readonly match: Match;
  readonly values: readonly SortValue[];
}

/**
 * The search for everything that the database has no order for: several keys, keys that are not in an index as they
 * sort, and conformance types, where the tenant's own resources and the base ones are one set. All matches are read,
 * sorted here and cut to the page. Throws tooCostly over 10,000 matches.
 */
export async function searchSorted(
  services: Services,
  context: RequestContext,
  query: SearchQuery,
  type: number,
  boundTo: string,
): Promise<SearchPage> {
  const { space } = context;
  const own = await gather(services, space.number, type, query);
  const base = services.isConformanceType(space.release, query.type)
    ? await gatherVisibleBase(services, context, type, query)
    : [];
  const all = [...own, ...base];
  const answered = { issues: query.issues, used: query.used };
  if (query.countOnly) return { ...answered, matches: [], included: [], total: all.length };

  const read = createSortValueReader(services.definitions(space.release), query.type, query.sort);
  const sorted = all.map((match): Sortable => ({
    match,
    values: read(
      () => contentOf(match),
      match.row.lastUpdated,
      () => idOf(services, match),
    ),
  }));
  const compare = (a: Sortable, b: Sortable): number =>
    comparePositions(query, a.values, a.match.keyText, b.values, b.match.keyText);
  sorted.sort(compare);
  let start = 0;
  if (query.cursor !== undefined) {
    const content = openCursor(services.secretKeys, boundTo, query.cursor);
    const key = content.at(-1);
    if (typeof key !== 'string' || content.length !== query.sort.length + 1) throw fhirError('invalidCursor');
    const values = content.slice(0, -1);
    start = sorted.findIndex(
      (entry) => comparePositions(query, entry.values, entry.match.keyText, values, key) > 0,
    );
    if (start === -1) start = sorted.length;
  }
  const page = sorted.slice(start, start + query.count);
  const last = page.at(-1);
  const more = start + query.count < sorted.length && last !== undefined;
  return {
    ...answered,
    matches: page.map(({ match }) => toStoredVersion(services, query.type, match.row)),
    included: [],
    ...(query.total === 'none' ? {} : { total: all.length }),
    ...(more ? { next: sealCursor(services.secretKeys, boundTo, [...last.values, last.match.keyText]) } : {}),
  };
}

async function gather(services: Services, space: number, type: number, query: SearchQuery): Promise<Match[]> {
  const { criteria } = query;
  const counts = needsCounts(criteria, BY_KEY)
    ? await estimateMatches(services.database, space, type, criteria, undefined)
    : [];
  const matches = await runPage(services.database, {
    space,
    type,
    sortDateParameter: undefined,
    criteria,
    order: BY_KEY,
    drive: chooseDrive(criteria, BY_KEY, counts, undefined),
    phase: 'all',
    after: undefined,
    limit: MAX_SORTED + 1,
  });
  if (matches.length > MAX_SORTED) {
    const reason = `More than ${MAX_SORTED} resources match; this order is offered up to there. Narrow the search`;
    throw fhirError('tooCostly', { reason });
  }
  return matches;
}

/** The base resources that match, but for those that a resource of the tenant's own hides: same id or same url. */
async function gatherVisibleBase(
  services: Services,
  context: RequestContext,
  type: number,
  query: SearchQuery,
): Promise<Match[]> {
  const { release, number } = context.space;
  const base = await gather(services, RELEASES[release].baseSpace, type, query);
  if (base.length === 0) return base;
  const ownAll = await gather(services, number, type, { ...query, criteria: [], cursor: undefined });
  if (ownAll.length === 0) return base;
  const keys = new Set(ownAll.map((match) => match.keyText));
  const urls = new Set(
    ownAll.map((match) => contentOf(match)['url']).filter((url) => typeof url === 'string'),
  );
  return base.filter((match) => {
    if (keys.has(match.keyText)) return false;
    const url = contentOf(match)['url'];
    return typeof url !== 'string' || !urls.has(url);
  });
}

function contentOf({ row }: Match): JsonObject {
  const { value } = parseJson(row.body, { maxDepth: Number.MAX_SAFE_INTEGER });
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function idOf(services: Services, { row }: Match): string {
  return row.id ?? services.keys.idOf(row.key);
}

function comparePositions(
  query: SearchQuery,
  a: readonly SortValue[],
  aKey: string,
  b: readonly SortValue[],
  bKey: string,
): number {
  for (const [index, { descending }] of query.sort.entries()) {
    const difference = compareSortValues(a[index] ?? null, b[index] ?? null, descending);
    if (difference !== 0) return difference;
  }
  const left = BigInt(aKey);
  const right = BigInt(bKey);
  return left < right ? -1 : left > right ? 1 : 0;
}
