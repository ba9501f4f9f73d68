/** Matches with their sort values, and positions among them. */
import { turns } from '../../concurrency/turns';
import type { RequestContext } from '../../context';
import type { CursorContent } from '../page/cursor';
import { fhirError } from '../../errors';
import { parseStoredObject } from '../../fhir/json';
import type { SearchQuery } from '../../search/requests/parse-search';
import { compareSortValues, createSortValueReader, type SortValue } from '../../search/sort/sort-value';
import type { SearchServices, Services } from '../../ports';
import { zoneOf } from '../../search/values/space-zone';
import { compareKeys, type MatchHead } from '../../storage/search/search-run';
import { keyOfText, type PageRow } from '../../storage/read/version-row';
import { openPage, type ReadDirection } from '../page/search-position';

/** Texts that one statement reads for sort values; up to this number of matches the rows are reused for the page. */
const CHUNK = 1000;

export interface Sortable {
  readonly space: number;
  readonly head: MatchHead;
  readonly values: readonly SortValue[];
  /** The row, if it was read for the values. */
  readonly row?: PageRow | undefined;
}

/** A position in the order: the values of all keys, then the key of the resource. */
export interface SortedPlace {
  readonly values: readonly SortValue[];
  readonly key: string;
}

function placeOf({ values, head }: Sortable): SortedPlace {
  return { values, key: head.keyText };
}

/** The beginning of a page; `place` is undefined at the beginning of all matches, or backward at the end. */
export interface SortedStart extends ReadDirection {
  readonly place: SortedPlace | undefined;
}

/** Throws invalidCursor. */
export function startOf(
  services: Pick<Services, 'secretKeys'>,
  query: SearchQuery,
  cursorScope: string,
): SortedStart {
  const opened = openPage(services, cursorScope, query);
  if (opened === undefined) return { isBackward: false, hasBehind: query.offset > 0, place: undefined };
  const { content, ...direction } = opened;
  return { ...direction, place: content && toPlace(query, content) };
}

function toPlace(query: SearchQuery, content: CursorContent): SortedPlace {
  const key = content.at(-1);
  if (typeof key !== 'string' || content.length !== query.sort.length + 1) throw fhirError('invalidCursor');
  return { values: content.slice(0, -1), key };
}

/** The matches behind the position, in the direction of reading. */
export function followingOf(
  query: SearchQuery,
  sortables: readonly Sortable[],
  { place, isBackward }: SortedStart,
): Sortable[] {
  const direction = isBackward ? -1 : 1;
  return sortables
    .filter(
      (sortable) => place === undefined || direction * comparePlaces(query, placeOf(sortable), place) > 0,
    )
    .sort((a, b) => direction * comparePlaces(query, placeOf(a), placeOf(b)));
}

/** Compares by all sort keys; ties by key, in the direction of the first sort key. */
function comparePlaces({ sort }: SearchQuery, a: SortedPlace, b: SortedPlace): number {
  for (const [index, { descending }] of sort.entries()) {
    const difference = compareSortValues(a.values[index] ?? null, b.values[index] ?? null, descending);
    if (difference !== 0) return difference;
  }
  const order = compareKeys(a.key, b.key);
  return sort[0]?.descending === true ? -order : order;
}
/** The content of the cursor behind a match. */
export function contentOf({ values, head }: Sortable): CursorContent {
  return [...values, head.keyText];
}

export async function readSortValues(
  services: SearchServices,
  context: RequestContext,
  {
    query,
    type,
    space,
    heads,
  }: {
    readonly query: SearchQuery;
    readonly type: number;
    readonly space: number;
    readonly heads: readonly MatchHead[];
  },
): Promise<Sortable[]> {
  const read = createSortValueReader(services.definitions(context.space.release), query.type, query.sort, {
    references: services.references(context.space),
    zone: zoneOf(context.space),
    hasher: services.hasher,
  });
  const needsTexts = query.sort.some(({ parameter }) => parameter !== undefined);
  const sortables: Sortable[] = [];
  for (let start = 0; start < heads.length; start += CHUNK) {
    const chunk = heads.slice(start, start + CHUNK);
    const rows = needsTexts ? await readRows(services, space, type, chunk) : [];
    const texts = needsTexts ? services.reader.completeEach(space, rows) : undefined;
    for (const [index, head] of chunk.entries()) {
      await turns.take();
      const whole = (await texts?.next())?.value;
      const values = read(
        () => parseStoredObject(whole?.body ?? ''),
        head.lastUpdated,
        () => head.id ?? services.keys.idOf(keyOfText(head.keyText)),
      );
      sortables.push({ space, head, values, row: heads.length > CHUNK ? undefined : rows[index] });
    }
  }
  return sortables;
}

export function readRows(
  services: Pick<Services, 'reader'>,
  space: number,
  type: number,
  heads: readonly MatchHead[],
): Promise<(PageRow | undefined)[]> {
  return services.reader.readCurrent(
    space,
    heads.map(({ keyText }) => ({ type, key: keyOfText(keyText) })),
  );
}
