/** `_sort` by a token of more matches than are gathered: the database sorts them by ranks that are found here. */
import type { SearchPage } from '../api';
import type { RequestContext } from '../context';
import { parseStoredObject } from '../fhir/json';
import { codeRowsOf, type CodeRowsOf } from '../search/code-values';
import { compareTexts } from '../search/compare-texts';
import type { SearchQuery } from '../search/parse-search';
import type { Services } from '../services';
import { findCodes, runCodesPage, type CodesRequest } from '../storage/search-codes';
import { keyOfText, keyText } from '../storage/version-row';
import { countAll } from './count-matches';
import { BY_KEY } from './gather-heads';
import { planSearch } from './plan-search';
import { readMatches, startOf, type Sortable } from './search-sorted';
import { matchingReason, planningReason, withReason } from './search-timeout';

/** More different codes are not ranked: for each of them the text of a resource is read. */
const MAX_CODES = 2_000;
/** Texts that are read at once. */
const CHUNK = 100;

/**
 * A page in the order of one token parameter; cursors are those of `searchSorted`. Undefined where the codes stand in the
 * rows of several parameters, or are more than MAX_CODES in the space. Throws invalidCursor, searchTimeout.
 * Cost: a statement for the codes, one for each hundred of them, one or two that sort all rows of the parameter, and one
 * for the page.
 */
export async function searchByCodes(
  services: Services,
  { space }: RequestContext,
  query: SearchQuery,
  type: number,
  boundTo: string,
): Promise<SearchPage | undefined> {
  const [key, ...further] = query.sort;
  if (key?.parameter === undefined || further.length > 0) return undefined;
  const rows = codeRowsOf(services.definitionsOf(space), query.type, key.parameter, services.hasher);
  if (rows === undefined) return undefined;
  const codes = await rankedCodes(services, space.number, type, rows);
  if (codes === undefined) return undefined;
  const planned = (limit?: number) =>
    withReason(planSearch(services, space.number, type, query, BY_KEY, undefined, limit), () =>
      planningReason(query.criteria),
    );
  const plan = await planned();
  const start = startOf(services, query, boundTo);
  const { place, isBackward } = start;
  const skipped = place === undefined && !isBackward ? query.offset : 0;
  const wanted = skipped + query.count + 1;
  const request: Omit<CodesRequest, 'hasCode' | 'after' | 'limit'> = {
    space: space.number,
    type,
    sortDateParameter: undefined,
    criteria: plan.criteria,
    parameter: rows.parameter,
    ordinal: key.parameter.ordinal,
    ranks: codes.ranks,
    descending: key.descending,
    isBackward,
  };
  const [value = null] = place?.values ?? [];
  const after = place && { rank: typeof value === 'string' ? codes.rankOf(value) : null, key: place.key };
  const following: Sortable[] = [];
  for (const hasCode of isBackward ? [false, true] : [true, false]) {
    const isPlace = after !== undefined && (after.rank !== null) === hasCode;
    // What lies before the place, as it is walked, is not asked for.
    if (after !== undefined && !isPlace && hasCode !== isBackward) continue;
    const limit = wanted - following.length;
    if (limit <= 0) break;
    const page = { ...request, hasCode, after: isPlace ? after : undefined, limit };
    const heads = await withReason(runCodesPage(services.database, page), () => matchingReason(plan));
    for (const { rank, ...head } of heads)
      following.push({
        space: space.number,
        head,
        values: [rank === null ? null : (codes.texts[rank - 1] ?? null)],
      });
  }
  const isCounted = query.total === 'accurate' || query.total === 'estimate';
  return {
    issues: query.issues,
    used: query.used,
    ...(await readMatches(services, query, type, boundTo, following.slice(skipped), start)),
    ...(isCounted ? { total: await countAll(services, await planned(Infinity)) } : {}),
  };
}

interface RankedCodes {
  /** In their order; the first has the rank 1. */
  readonly texts: readonly string[];
  /** By hash, in decimal form. */
  readonly ranks: ReadonlyMap<string, number>;
  /** Of a code that need not be there any more. */
  rankOf(text: string): number;
}

/** Undefined: they are too many, or rows are older than the rules that they are read by. */
async function rankedCodes(
  services: Services,
  space: number,
  type: number,
  rows: CodeRowsOf,
): Promise<RankedCodes | undefined> {
  const stored = await findCodes(services.database, space, rows.parameter, MAX_CODES + 1);
  if (stored.length > MAX_CODES) return undefined;
  const textOf = new Map<string, string>();
  for (let start = 0; start < stored.length; start += CHUNK) {
    const keys = new Set<string>();
    for (const { hash, key } of stored.slice(start, start + CHUNK)) if (!textOf.has(hash)) keys.add(key);
    const addresses = [...keys].map((key) => ({ type, key: keyOfText(key) }));
    for (const row of addresses.length === 0 ? [] : await services.reader.readCurrent(space, addresses)) {
      if (row === undefined) continue;
      const { body } = await services.reader.complete(space, row);
      for (const { code, hash } of rows.codesOf(parseStoredObject(body))) textOf.set(keyText(hash), code);
    }
  }
  const texts = [...new Set(stored.map(({ hash }) => textOf.get(hash) ?? ''))].sort(compareTexts);
  if (stored.some(({ hash }) => !textOf.has(hash))) return undefined;
  const rankOfText = new Map(texts.map((text, index) => [text, index + 1]));
  return {
    texts,
    ranks: new Map(stored.map(({ hash }) => [hash, rankOfText.get(textOf.get(hash) ?? '') ?? 0])),
    rankOf: (text) =>
      rankOfText.get(text) ?? texts.filter((other) => compareTexts(other, text) < 0).length + 0.5,
  };
}
