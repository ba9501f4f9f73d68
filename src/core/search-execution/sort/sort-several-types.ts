import type { RequestContext } from '../../context';
import { openCursor } from '../page/cursor';
import { fhirError } from '../../errors';
import type { TypesQuery } from '../../search/requests/parse-types-search';
import { MAX_SORTED } from '../../search/sort/order';
import { compareSortValues } from '../../search/sort/sort-value';
import type { SearchServices, Services } from '../../ports';
import { FIRST_KEY, LAST_KEY, compareKeys } from '../../storage/search/search-run';
import { inBatches } from '../page/merge-streams';
import { MAX_READING_MS } from './sort-in-database';
import { readSortValues, type Sortable, type SortedPlace } from './sortables';
import type { FoundMatches, TypeMatch, TypeStream } from '../page/type-stream';

/** A position in the order over all types. */
interface Position extends SortedPlace {
  readonly typeNumber: number;
}

interface Located {
  readonly match: TypeMatch;
  readonly position: Position;
}

/**
 * The matches of all types from the beginning of the page on, sorted by keys that the types share. Ties by type, and in
 * a type by key in the direction of the first key. Few matches are sorted in memory. For more, each type finds its own
 * following matches (sort-in-database.ts), and the first of all are taken.
 * Throws invalidCursor, timeout.
 */
export async function sortTypes(
  services: SearchServices,
  context: RequestContext,
  {
    query,
    streams,
    cursorScope,
  }: { readonly query: TypesQuery; readonly streams: readonly TypeStream[]; readonly cursorScope: string },
): Promise<FoundMatches> {
  const place =
    query.cursor === undefined ? undefined : openPlace(services, query, cursorScope, query.cursor);
  const limit = (place === undefined ? query.offset : 0) + query.count + 1;
  const all = await fetchFew(services, context, streams);
  const following =
    all === undefined
      ? await findInEach(query, streams, place, limit)
      : all
          .filter(({ position }) => place === undefined || compare(query, position, place) > 0)
          .sort((a, b) => compare(query, a.position, b.position));
  const page = following.slice(limit - query.count - 1, limit);
  return {
    matches: page.map(({ match }) => match),
    ...(all === undefined ? {} : { total: all.length }),
    places(index) {
      const located = page[index];
      if (located === undefined) throw new Error('there is no match at that position');
      const { values, typeNumber, key } = located.position;
      return [...values, typeNumber, key];
    },
  };
}

/** Undefined if there are more matches than the limit for sorting in memory. */
async function fetchFew(
  services: SearchServices,
  context: RequestContext,
  streams: readonly TypeStream[],
): Promise<Located[] | undefined> {
  const most = Math.min(MAX_SORTED, services.limits.searchSortLimit);
  const ofStreams = await inBatches(streams, (stream) => stream.few(most), isTooMany);
  if (isTooMany(ofStreams)) return undefined;
  const parts = await inBatches(ofStreams, async (matches = []) => locate(services, context, matches));
  return parts.flat();

  function isTooMany(results: readonly (readonly TypeMatch[] | undefined)[]): boolean {
    return results.includes(undefined) || results.reduce((sum, part) => sum + (part?.length ?? 0), 0) > most;
  }
}

/** The sort values of matches of one type. */
async function locate(
  services: SearchServices,
  context: RequestContext,
  matches: readonly TypeMatch[],
): Promise<Located[]> {
  const located: Located[] = [];
  for (const space of new Set(matches.map((match) => match.space))) {
    const here = matches.filter((match) => match.space === space);
    const [first] = here;
    if (first === undefined) continue;
    const { stream } = first;
    const heads = here.map(({ head }) => head);
    const read = await readSortValues(services, context, {
      query: stream.query,
      type: stream.typeNumber,
      space,
      heads,
    });
    located.push(...read.map((sortable) => toLocated(stream, sortable)));
  }
  return located;
}

/** The first matches of all types behind the position; holds no more than a few times `limit`. */
async function findInEach(
  query: TypesQuery,
  streams: readonly TypeStream[],
  place: Position | undefined,
  limit: number,
): Promise<Located[]> {
  const started = performance.now();
  let first: Located[] = [];
  await inBatches(streams, async (stream) => {
    if (performance.now() - started > MAX_READING_MS) throw fhirError('timeout');
    const found = await stream.following(placeIn(stream, query, place), limit);
    first = [...first, ...found.map((sortable) => toLocated(stream, sortable))]
      .sort((a, b) => compare(query, a.position, b.position))
      .slice(0, limit);
  });
  return first;
}

/**
 * The position from which a type continues behind a match of another: before its ties if the type comes later, else
 * behind.
 */
function placeIn(
  { typeNumber }: TypeStream,
  { sort }: TypesQuery,
  place: Position | undefined,
): SortedPlace | undefined {
  if (place === undefined || place.typeNumber === typeNumber) return place;
  const isBefore = typeNumber > place.typeNumber;
  return { ...place, key: isBefore === (sort[0]?.descending === true) ? LAST_KEY : FIRST_KEY };
}

function toLocated(stream: TypeStream, { space, head, values }: Sortable): Located {
  return {
    match: { stream, space, phase: 'all', head },
    position: { values, typeNumber: stream.typeNumber, key: head.keyText },
  };
}

function openPlace(
  services: Pick<Services, 'secretKeys'>,
  query: TypesQuery,
  cursorScope: string,
  cursor: string,
): Position {
  const content = openCursor(services.secretKeys, cursorScope, cursor);
  const values = content.slice(0, query.sort.length);
  const [typeNumber, key, ...rest] = content.slice(query.sort.length);
  if (typeof typeNumber !== 'number' || typeof key !== 'string' || rest.length > 0)
    throw fhirError('invalidCursor');
  return { values, typeNumber, key };
}

function compare({ sort }: TypesQuery, a: Position, b: Position): number {
  for (const [index, { descending }] of sort.entries()) {
    const difference = compareSortValues(a.values[index] ?? null, b.values[index] ?? null, descending);
    if (difference !== 0) return difference;
  }
  const order = compareKeys(a.key, b.key);
  return a.typeNumber - b.typeNumber || (sort[0]?.descending === true ? -order : order);
}
