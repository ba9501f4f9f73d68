/** Loads many matches of a search, page by page. */
import type { Space } from '../place';
import type { JsonObject } from './json';
import { searchRecords } from './records';

const PAGE = 200;

export interface Matches {
  readonly records: readonly JsonObject[];
  /** True: there are more. */
  readonly isCut: boolean;
}

/** The first matches of a search, at most `limit`. Cost: a request for each 200. */
export async function loadMatches(
  space: Space,
  search: { readonly type: string; readonly query: string },
  {
    limit,
    signal,
    onProgress,
  }: {
    readonly limit: number;
    readonly signal: AbortSignal;
    readonly onProgress?: (loaded: number) => void;
  },
): Promise<Matches> {
  const records: JsonObject[] = [];
  for (let after: string | undefined; ;) {
    const first = Math.min(PAGE, limit - records.length);
    const page = await searchRecords(space, search, { first, after, signal });
    records.push(...page.matches);
    onProgress?.(records.length);
    after = page.next;
    if (after === undefined) return { records, isCut: false };
    if (records.length >= limit) return { records, isCut: true };
  }
}
