import type { VersionCache } from '../read/version-cache';
import type { Cancellation } from '../../concurrency/cancellation';
import type { Database, Row } from '../connection/database';
import { toMatch, toSortValue, type Match } from './match';
import { CachedVersions } from '../read/cached-versions';
import type { StoredSortValue } from './search-order';
import { readPageVersions } from '../read/version-read';
import { decodeMark, isMarkOnly, keyOfText, type PageRow } from '../read/version-row';

/** Decodes rows of page statements into matches, with cached texts of versions that are still current. */
export class PageRows {
  constructor(
    private readonly cache: VersionCache,
    private readonly database: Database,
  ) {}

  /** Returns the sequences of cached versions of a space, as a bound value of statements (cached-sequences.ts). */
  cachedSequences(space: number): Buffer {
    return this.cache.cachedSequences(space);
  }

  /**
   * Returns the matches of the rows of a statement that was bound to `cached_set`; their columns begin at `start`.
   * Cost: none, or one statement for texts that were evicted in the meantime or that a restored database replaced.
   */
  async toMatches(
    { space, type }: { readonly space: number; readonly type: number },
    rows: readonly Row[],
    start: number,
    waiting?: readonly Cancellation[],
  ): Promise<Match[]> {
    const cached = new CachedVersions(this.cache, space);
    const missing: number[] = [];
    const matches = rows.map((columns, index): Match => {
      if (!isMarkOnly(columns, start + 2)) {
        const match = toMatch(columns, start, type);
        return { ...match, row: cached.add({ type, keyText: match.keyText }, match.row) };
      }
      const keyText = columns[start + 1] as string;
      const row = cached.find({ type, keyText }, decodeMark(columns, start + 2));
      if (row === undefined) {
        missing.push(index);
        return toMatch(columns, start, type);
      }
      return { sortValue: toSortValue(columns[start] as StoredSortValue), keyText, row };
    });
    if (missing.length === 0) return matches;
    const read = await readPageVersions('search', {
      database: this.database,
      space,
      addresses: missing.flatMap((index) => {
        const match = matches[index];
        return match === undefined
          ? []
          : [{ type, key: keyOfText(match.keyText), version: match.row.version }];
      }),
      waiting,
    });
    const found = new Map<number, PageRow | undefined>(missing.map((index, place) => [index, read[place]]));
    return matches.map((match, index) => {
      if (!found.has(index)) return match;
      const row = found.get(index);
      if (row === undefined) throw new Error('a stored version is gone');
      return { ...match, row: cached.add({ type, keyText: match.keyText }, row) };
    });
  }
}
