/** Matches of one type in the order of all keys of `_sort`, whichever way they are found, and the page that is made of them. */
import type { SearchPage } from '../../api/search';
import type { RequestContext, TenantSpace } from '../../context';
import type { SearchQuery } from '../../search/requests/parse-search';
import type { SearchServices, Services } from '../../ports';
import type { PageRow } from '../../storage/read/version-row';
import type { MatchHead } from '../../storage/search/search-run';
import { toReadVersion } from '../../versions/stored-version';
import { inOrder, pageLinks, type ReadDirection } from '../page/search-position';
import {
  contentOf,
  followingOf,
  readRows,
  readSortValues,
  startOf,
  type Sortable,
  type SortedStart,
} from './sortables';

/** The search of one type whose matches are sorted. */
export interface SortedSearch {
  readonly query: SearchQuery;
  /** Number of the type. */
  readonly type: number;
}

/** The wanted part of the matches behind a position. */
export interface Wanted {
  readonly skipped: number;
  readonly limit: number;
}

/** A way to find matches in the order of all keys; ties by key, in the direction of the first one. */
export interface SortedMatches {
  /** The matches behind the position, in the direction of reading. */
  following(start: SortedStart, wanted: Wanted): Promise<readonly Sortable[]>;
}

/** Heads of one space, sorted in memory. Cost: a statement for each thousand where values are in the texts. */
export function sortedHeads(
  services: SearchServices,
  context: RequestContext,
  { query, type }: SortedSearch,
  { space, heads }: { readonly space: number; readonly heads: readonly MatchHead[] },
): SortedMatches {
  return {
    async following(start, { skipped, limit }) {
      const sortables = await readSortValues(services, context, { query, type, space, heads });
      return followingOf(query, sortables, start).slice(skipped, skipped + limit);
    },
  };
}

/** The matches of all parts together. */
export function unionOf({ query }: SortedSearch, parts: readonly SortedMatches[]): SortedMatches {
  return {
    async following(start, { skipped, limit }) {
      const found: Sortable[] = [];
      for (const part of parts)
        found.push(...(await part.following(start, { skipped: 0, limit: skipped + limit })));
      return followingOf(query, found, start).slice(skipped, skipped + limit);
    },
  };
}

export interface SortedPageOptions {
  readonly matches: SortedMatches;
  /** The total of the answer. `whole`: the number of all matches, where the page holds them. */
  totalOf(whole: number | undefined): Promise<number | undefined>;
}

/**
 * The page of a sorted search. Throws invalidCursor. Cost: that of `matches`, and a statement for the page.
 */
export async function sortedPage(
  services: SearchServices,
  { space }: RequestContext,
  { query, type, cursorScope }: SortedSearch & { readonly cursorScope: string },
  { matches, totalOf }: SortedPageOptions,
): Promise<SearchPage> {
  const start = startOf(services, query, cursorScope);
  const isFromBeginning = start.place === undefined && !start.isBackward;
  const skipped = isFromBeginning ? query.offset : 0;
  const limit = query.count + 1;
  const following = await matches.following(start, { skipped, limit });
  const isWhole = isFromBeginning && skipped === 0 && following.length < limit;
  const total = await totalOf(isWhole ? following.length : undefined);
  return {
    issues: query.issues,
    used: query.used,
    ...(await readMatches(services, { query, type, cursorScope, space }, following, start)),
    ...(total === undefined ? {} : { total }),
  };
}

/** The search that a page belongs to. */
interface PageOf extends SortedSearch {
  readonly cursorScope: string;
  /** The client's space. */
  readonly space: TenantSpace;
}

/** The page of the following matches; `following` has one match more than the page if there is a further page. */
async function readMatches(
  services: Pick<Services, 'extensionBase' | 'keys' | 'reader' | 'secretKeys'>,
  { query, type, cursorScope, space }: PageOf,
  following: readonly Sortable[],
  direction: ReadDirection,
): Promise<Pick<SearchPage, 'matches' | 'included' | 'next' | 'previous' | 'last' | 'cursors'>> {
  const wanted = following.slice(0, query.count);
  const entries = await readPage(services, type, wanted);
  const spaces = new Map(entries.map((entry) => [entry.row, entry.space]));
  const page = await services.reader.completePage(
    entries.map(({ row }) => row),
    (row) => spaces.get(row) ?? 0,
  );
  const isCut = page.length < entries.length;
  const last = isCut ? entries[page.length - 1]?.sortable : wanted.at(-1);
  const more = last !== undefined && (isCut || following.length > query.count);
  return {
    matches: inOrder(
      page.map((row) => toReadVersion(services, space, query.type, row)),
      direction,
    ),
    included: [],
    ...pageLinks(services, {
      cursorScope,
      pick: query,
      direction,
      places: {
        first: following[0] && contentOf(following[0]),
        last: last && contentOf(last),
        each: () => entries.slice(0, page.length).map(({ sortable }) => contentOf(sortable)),
      },
      more,
    }),
  };
}

/** The rows of a page, read space by space; deleted resources have none. */
async function readPage(
  services: Pick<Services, 'reader'>,
  type: number,
  page: readonly Sortable[],
): Promise<{ readonly sortable: Sortable; readonly space: number; readonly row: PageRow }[]> {
  const found = new Map<Sortable, PageRow | undefined>();
  for (const space of new Set(page.map((entry) => entry.space))) {
    const entries = page.filter((entry) => entry.space === space);
    const cachedRows = entries.map(({ row }) => row);
    const rows = cachedRows.every((row) => row !== undefined)
      ? cachedRows
      : await readRows(
          services,
          space,
          type,
          entries.map(({ head }) => head),
        );
    for (const [index, entry] of entries.entries()) found.set(entry, rows[index]);
  }
  return page.flatMap((sortable) => {
    const row = found.get(sortable);
    return row === undefined || row.change === 'delete' ? [] : [{ sortable, space: sortable.space, row }];
  });
}
