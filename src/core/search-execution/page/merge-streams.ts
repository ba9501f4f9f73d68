import { compareKeys, compareStored, FIRST_KEY, LAST_KEY } from '../../storage/search/search-run';
import { afterOf, type Position } from './search-position';
import type { TypeMatch, TypeStream } from './type-stream';

/** A position in the order over several types: the position of a match and its type. */
export interface TypedPosition extends Position {
  readonly typeNumber: number;
}

/** Types that one request searches concurrently; the limit leaves connections to other requests. */
const AT_ONCE = 4;

/** The results of `work` for each item in their order, a few at a time, until `isEnough`. */
export async function inBatches<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  isEnough: (results: readonly R[]) => boolean = () => false,
): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length && !isEnough(results); start += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))));
  }
  return results;
}

/** The matches of one stream after the other, as they are given (by type); within a type in its own order. */
export async function inSequence(
  streams: readonly TypeStream[],
  start: TypedPosition | undefined,
  limit: number,
): Promise<TypeMatch[]> {
  const left = streams.filter(({ typeNumber }) => start === undefined || typeNumber >= start.typeNumber);
  const parts = await inBatches(
    left,
    (stream) => stream.next(stream.typeNumber === start?.typeNumber ? start : undefined, limit),
    (results) => results.reduce((sum, { length }) => sum + length, 0) >= limit,
  );
  return parts.flat().slice(0, limit);
}

const LEAST_CHUNK = 10;

/**
 * The matches of all types by last update, then type, then key, all in one direction. Each stream first reads about
 * twice its share, and reads more when that is used up. So many types do not each read a whole page.
 */
export async function inOrder(
  streams: readonly TypeStream[],
  descending: boolean,
  start: TypedPosition | undefined,
  limit: number,
): Promise<TypeMatch[]> {
  const chunk = Math.min(limit, Math.max(LEAST_CHUNK, Math.ceil((2 * limit) / Math.max(1, streams.length))));
  const found: TypeMatch[] = [];
  const waiting = await inBatches(streams, async (stream) => {
    const matches = await stream.next(placeIn(stream, descending, start), chunk);
    return { stream, matches, at: 0 };
  });
  while (found.length < limit) {
    let best: { source: (typeof waiting)[number]; match: TypeMatch } | undefined;
    for (const source of waiting) {
      const match = source.matches[source.at];
      if (match !== undefined && (best === undefined || compare(match, best.match, descending) < 0))
        best = { source, match };
    }
    if (best === undefined) break;
    const { source, match } = best;
    found.push(match);
    source.at++;
    if (source.at === source.matches.length && source.matches.length === chunk) {
      source.matches = await source.stream.next({ phase: match.phase, after: afterOf(match.head) }, chunk);
      source.at = 0;
    }
  }
  return found;
}

function compare(a: TypeMatch, b: TypeMatch, descending: boolean): number {
  const ascending =
    compareStored(a.head.sortValue, b.head.sortValue) ||
    a.stream.typeNumber - b.stream.typeNumber ||
    compareKeys(a.head.keyText, b.head.keyText);
  return descending ? -ascending : ascending;
}

/**
 * The position from which a stream continues behind a match of another type: including the same instant if its own type
 * comes later in the order, else behind that instant. Instants are whole milliseconds.
 */
function placeIn(
  { typeNumber }: TypeStream,
  descending: boolean,
  start: TypedPosition | undefined,
): Position | undefined {
  if (start === undefined || start.typeNumber === typeNumber) return start;
  const instant = Number(start.after.sortValue ?? 0);
  const comesLater = descending ? typeNumber < start.typeNumber : typeNumber > start.typeNumber;
  const sortValue = comesLater ? instant + (descending ? 1 : -1) : instant;
  // The key puts it behind every resource of that instant.
  return { phase: 'all', after: { sortValue, key: descending ? FIRST_KEY : LAST_KEY } };
}
