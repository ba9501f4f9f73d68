import type { RequestContext } from '../context';
import { openCursor } from '../cursor';
import { fhirError } from '../errors';
import type { TypesQuery } from '../search/parse-types-search';
import { MAX_SORTED } from '../search/plan';
import { compareSortValues, type SortValue } from '../search/sort-value';
import type { Services } from '../services';
import { inBatches } from './merge-streams';
import { compareKeys } from '../storage/search-run';
import { readSortValues } from './sortables';
import type { FoundMatches, TypeMatch, TypeStream } from './type-stream';

interface Position {
  readonly values: readonly SortValue[];
  readonly typeNumber: number;
  readonly key: string;
}

/**
 * All matches of all types, sorted by keys that they have in common, from the beginning of the page on. Ties by type
 * and key. Throws tooCostly over MAX_SORTED matches, invalidCursor.
 */
export async function sortTypes(
  services: Services,
  context: RequestContext,
  query: TypesQuery,
  streams: readonly TypeStream[],
  boundTo: string,
): Promise<FoundMatches> {
  const gathered = await inBatches(
    streams,
    (stream) => stream.all(),
    (results) => sizeOf(results) > MAX_SORTED,
  );
  if (sizeOf(gathered) > MAX_SORTED) {
    const reason = `More than ${MAX_SORTED} resources match; several types are sorted by this up to there. Narrow the search, or sort by _lastUpdated`;
    throw fhirError('tooCostly', { reason });
  }
  const sorted = (await inBatches(gathered, (matches) => locate(services, context, matches)))
    .flat()
    .sort((a, b) => compare(query, a.position, b.position));
  const start =
    query.cursor === undefined ? query.offset : findStart(services, query, boundTo, sorted, query.cursor);
  const page = sorted.slice(start, start + query.count + 1);
  return {
    matches: page.map(({ match }) => match),
    total: sorted.length,
    places(index) {
      const located = page[index];
      if (located === undefined) throw new Error('there is no match at that position');
      const { values, typeNumber, key } = located.position;
      return [...values, typeNumber, key];
    },
  };
}

function sizeOf(gathered: readonly (readonly TypeMatch[])[]): number {
  return gathered.reduce((sum, { length }) => sum + length, 0);
}

interface Located {
  readonly match: TypeMatch;
  readonly position: Position;
}

/** The sort values of matches of one type. */
async function locate(
  services: Services,
  context: RequestContext,
  matches: readonly TypeMatch[],
): Promise<Located[]> {
  const located: Located[] = [];
  for (const space of new Set(matches.map((match) => match.space))) {
    const here = matches.filter((match) => match.space === space);
    const [first] = here;
    if (first === undefined) continue;
    const { query, typeNumber } = first.stream;
    const heads = here.map(({ head }) => head);
    const sortables = await readSortValues(services, context, query, typeNumber, space, heads);
    for (const [index, { values, head }] of sortables.entries()) {
      const match = here[index];
      if (match !== undefined) located.push({ match, position: { values, typeNumber, key: head.keyText } });
    }
  }
  return located;
}

function findStart(
  services: Services,
  query: TypesQuery,
  boundTo: string,
  sorted: readonly Located[],
  cursor: string,
): number {
  const content = openCursor(services.secretKeys, boundTo, cursor);
  const values = content.slice(0, query.sort.length);
  const [typeNumber, key, ...rest] = content.slice(query.sort.length);
  if (typeof typeNumber !== 'number' || typeof key !== 'string' || rest.length > 0)
    throw fhirError('invalidCursor');
  const start = sorted.findIndex(({ position }) => compare(query, position, { values, typeNumber, key }) > 0);
  return start === -1 ? sorted.length : start;
}

function compare({ sort }: TypesQuery, a: Position, b: Position): number {
  for (const [index, { descending }] of sort.entries()) {
    const difference = compareSortValues(a.values[index] ?? null, b.values[index] ?? null, descending);
    if (difference !== 0) return difference;
  }
  return a.typeNumber - b.typeNumber || compareKeys(a.key, b.key);
}
