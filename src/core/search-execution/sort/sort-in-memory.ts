import type { SearchPage } from '../../api/search';
import type { RequestContext, TenantSpace } from '../../context';
import { isCounted, type SearchQuery } from '../../search/requests/parse-search';
import { MAX_SORTED } from '../../search/sort/order';
import type { SearchServices, Services } from '../../ports';
import type { PageRow } from '../../storage/read/version-row';
import { countAll } from '../aggregates/count-matches';
import { findHeads } from './fetch-heads';
import { findFollowing, planOfAll, type Wanted } from './sort-in-database';
import { inOrder, pageLinks, type ReadDirection } from '../page/search-position';
import { contentOf, followingOf, readRows, readSortValues, startOf, type Sortable } from './sortables';
import { toReadVersion } from '../../versions/stored-version';
import type { SearchStrategy } from '../strategies/strategy';
import { findVisibleBase } from '../page/visible-base';

/** `searchSorted` for searches without an order of the database, and for few matches in one that it finds slowly. */
export const sortInMemory: SearchStrategy = ({ query, typeNumber, cursorScope, plan }) => {
  const fits = plan === undefined || (plan.order.by === 'value' && plan.accessPath.kind === 'fetchAndSort');
  if (!fits) return undefined;
  return {
    isOneStatement: false,
    page: (services, context) => searchSorted(services, context, { query, type: typeNumber, cursorScope }),
  };
};

/**
 * Sorts matches in memory when the database has no order for them: several keys, keys whose index rows are not in sort
 * order, and conformance types, where the tenant's own resources and the base ones are one set. Also for few matches in
 * an order that the database would find slowly (value-order.ts, which has the same cursors). Up to MAX_SORTED matches
 * are sorted here; for more, the database finds those behind the position (sort-in-database.ts).
 * Cost: a statement for the matches, one for the page, and one for each thousand matches when values are in the texts;
 * for more matches that of `findFollowing`. Throws invalidCursor, searchTimeout.
 */
export async function searchSorted(
  services: SearchServices,
  context: RequestContext,
  {
    query,
    type,
    cursorScope,
  }: { readonly query: SearchQuery; readonly type: number; readonly cursorScope: string },
): Promise<SearchPage> {
  const { space } = context;
  const most = Math.min(MAX_SORTED, services.limits.searchSortLimit);
  const own = await findHeads(services, space.number, { type, criteria: query.criteria, most });
  const base = services.isConformanceType(space.release, query.type)
    ? await findVisibleBase(services, context, {
        type: query.type,
        typeNumber: type,
        criteria: query.criteria,
      })
    : { space: space.number, heads: [] };
  const answered = { issues: query.issues, used: query.used };
  const countOwn = async (): Promise<number> =>
    own?.length ?? countAll(services, await planOfAll(services, context, query, type));
  if (query.countOnly)
    return { ...answered, matches: [], included: [], total: (await countOwn()) + base.heads.length };

  const start = startOf(services, query, cursorScope);
  const skipped = start.place === undefined && !start.isBackward ? query.offset : 0;
  const limit = query.count + 1;
  const following = await findPage({ skipped, limit });
  const isTotalFree = own !== undefined && query.total !== 'none';
  const total = isTotalFree || isCounted(query) ? (await countOwn()) + base.heads.length : undefined;
  return {
    ...answered,
    ...(await readMatches(services, { query, type, cursorScope, space }, following, start)),
    ...(total === undefined ? {} : { total }),
  };

  async function findPage(wanted: Wanted): Promise<readonly Sortable[]> {
    if (own === undefined && base.heads.length === 0)
      return findFollowing(services, context, { query, type, start, wanted });
    const all = [
      ...(own === undefined
        ? await findFollowing(services, context, {
            query,
            type,
            start,
            wanted: { skipped: 0, limit: skipped + limit },
          })
        : await readSortValues(services, context, { query, type, space: space.number, heads: own })),
      ...(await readSortValues(services, context, { query, type, space: base.space, heads: base.heads })),
    ];
    return followingOf(query, all, start).slice(wanted.skipped, wanted.skipped + wanted.limit);
  }
}

/** The search that a page belongs to. */
export interface PageOf {
  readonly query: SearchQuery;
  /** Number of the type. */
  readonly type: number;
  readonly cursorScope: string;
  /** The client's space. */
  readonly space: TenantSpace;
}

/** The page of the following matches; `following` has one match more than the page if there is a further page. */
export async function readMatches(
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
