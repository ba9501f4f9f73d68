import { zoneOf } from '../space-zone';
import type { SearchPage } from '../api';
import type { RequestContext } from '../context';
import { openCursor, sealCursor } from '../cursor';
import { fhirError } from '../errors';
import { parseStoredObject } from '../fhir/json';
import type { SearchQuery } from '../search/parse-search';
import { compareSortValues, createSortValueReader, type SortValue } from '../search/sort-value';
import type { Services } from '../services';
import type { MatchHead } from '../storage/search-run';
import { keyOfText, type PageRow } from '../storage/version-row';
import { gatherHeads } from './gather-heads';
import { toStoredVersion } from './stored-version';
import { findVisibleBase } from './visible-base';

/** Texts that are held at once while sort values are read from them. */
const CHUNK = 100;

interface Sortable {
  readonly space: number;
  readonly head: MatchHead;
  readonly values: readonly SortValue[];
}

/**
 * The search for everything that the database has no order for: several keys, keys that are not in an index as they
 * sort, and conformance types, where the tenant's own resources and the base ones are one set. All matches are
 * gathered, sorted here and cut to the page. Throws tooCostly over 10,000 matches.
 * Cost: a statement for the matches, one for the page, and one for each hundred matches when values are in the texts.
 */
export async function searchSorted(
  services: Services,
  context: RequestContext,
  query: SearchQuery,
  type: number,
  boundTo: string,
): Promise<SearchPage> {
  const { space } = context;
  const own = await gatherHeads(services, space.number, type, query.criteria);
  const base = services.isConformanceType(space.release, query.type)
    ? await findVisibleBase(services, context, query.type, type, query.criteria)
    : { space: space.number, heads: [] };
  const answered = { issues: query.issues, used: query.used };
  const total = own.length + base.heads.length;
  if (query.countOnly) return { ...answered, matches: [], included: [], total };

  const sorted = [
    ...(await readSortValues(services, context, query, type, space.number, own)),
    ...(await readSortValues(services, context, query, type, base.space, base.heads)),
  ].sort((a, b) => comparePositions(query, a.values, a.head.keyText, b.values, b.head.keyText));
  const start =
    query.cursor === undefined ? query.offset : findStart(services, query, boundTo, sorted, query.cursor);
  const wanted = sorted.slice(start, start + query.count);
  const entries = await readPage(services, type, wanted);
  const page = await services.reader.completePage(
    entries.map(({ row }) => row),
    (row) => entries.find((entry) => entry.row === row)?.space ?? space.number,
  );
  const isCut = page.length < entries.length;
  const last = isCut ? entries[page.length - 1]?.sortable : wanted.at(-1);
  const more = last !== undefined && (isCut || start + query.count < sorted.length);
  return {
    ...answered,
    matches: page.map((row) => toStoredVersion(services, query.type, row)),
    included: [],
    ...(query.total === 'none' ? {} : { total }),
    ...(more ? { next: sealCursor(services.secretKeys, boundTo, [...last.values, last.head.keyText]) } : {}),
  };
}

export async function readSortValues(
  services: Services,
  context: RequestContext,
  query: SearchQuery,
  type: number,
  space: number,
  heads: readonly MatchHead[],
): Promise<Sortable[]> {
  const read = createSortValueReader(services.definitions(context.space.release), query.type, query.sort, {
    references: services.references(context.space),
    zone: zoneOf(context.space),
  });
  const needsTexts = query.sort.some(({ parameter }) => parameter !== undefined);
  const sortables: Sortable[] = [];
  for (let start = 0; start < heads.length; start += CHUNK) {
    const chunk = heads.slice(start, start + CHUNK);
    const rows = needsTexts ? await readRows(services, space, type, chunk) : [];
    for (const [index, head] of chunk.entries()) {
      const row = rows[index];
      const whole = row === undefined ? undefined : await services.reader.complete(space, row);
      const values = read(
        () => parseStoredObject(whole?.body ?? ''),
        head.lastUpdated,
        () => head.id ?? services.keys.idOf(keyOfText(head.keyText)),
      );
      sortables.push({ space, head, values });
    }
  }
  return sortables;
}

function readRows(
  services: Services,
  space: number,
  type: number,
  heads: readonly MatchHead[],
): Promise<(PageRow | undefined)[]> {
  return services.reader.readCurrent(
    space,
    heads.map(({ keyText }) => ({ type, key: keyOfText(keyText) })),
  );
}

/** The rows of a page, read space by space; what was deleted since it was found has none. */
async function readPage(
  services: Services,
  type: number,
  page: readonly Sortable[],
): Promise<{ readonly sortable: Sortable; readonly space: number; readonly row: PageRow }[]> {
  const found = new Map<Sortable, PageRow | undefined>();
  for (const space of new Set(page.map((entry) => entry.space))) {
    const entries = page.filter((entry) => entry.space === space);
    const rows = await readRows(
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

function findStart(
  services: Services,
  query: SearchQuery,
  boundTo: string,
  sorted: readonly Sortable[],
  cursor: string,
): number {
  const content = openCursor(services.secretKeys, boundTo, cursor);
  const key = content.at(-1);
  if (typeof key !== 'string' || content.length !== query.sort.length + 1) throw fhirError('invalidCursor');
  const values = content.slice(0, -1);
  const start = sorted.findIndex(
    (entry) => comparePositions(query, entry.values, entry.head.keyText, values, key) > 0,
  );
  return start === -1 ? sorted.length : start;
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
