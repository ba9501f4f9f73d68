import type { VersionCache } from '../read/version-cache';
import type { Cancellation } from '../../concurrency/cancellation';
import type { Database, Row } from '../connection/database';
import { toMatch, toSortValue, type Match } from './match';
import { CachedVersions } from '../read/cached-versions';
import { CACHED_SET } from '../read/version-statements';
import { NO_SEQUENCES } from '../write/cached-sequences';
import type { BoundStatement } from './search-statement';
import type { StoredSortValue } from './search-order';
import { readPageVersions } from '../read/version-read';
import { decodeMark, isMarkOnly, keyOfText, type PageRow } from '../read/version-row';

/** The page that a statement reads. */
interface PageOptions {
  readonly space: number;
  readonly type: number;
  /** Index of the first column of a match. */
  readonly start: number;
  readonly waiting?: readonly Cancellation[] | undefined;
}

/** Runs statements of `withCurrentVersions`. Texts of current versions that are cached come from the cache. */
export class PageRows {
  /** @param cache undefined: the rows may be uncommitted, so nothing is cached */
  constructor(
    private readonly database: Database,
    private readonly cache?: VersionCache,
  ) {}

  /**
   * Returns the rows of the statement, and the match in each. Cost: the statement, and rarely one for texts that were
   * evicted in the meantime or that a restored database replaced.
   */
  async run(
    { statement, bound }: Pick<BoundStatement, 'statement' | 'bound'>,
    page: PageOptions,
  ): Promise<{ readonly rows: readonly Row[]; readonly matches: Match[] }> {
    const { space, type, start, waiting } = page;
    const rows = await this.database.run({ lane: 'search', space, waiting }, statement, {
      ...bound,
      [CACHED_SET]: this.cache?.cachedSequences(space) ?? NO_SEQUENCES,
    });
    const matches =
      this.cache === undefined
        ? rows.map((row) => toMatch(row, start, type))
        : await this.#withCached(new CachedVersions(this.cache, space), rows, page);
    return { rows, matches };
  }

  async #withCached(
    cached: CachedVersions,
    rows: readonly Row[],
    { space, type, start, waiting }: PageOptions,
  ): Promise<Match[]> {
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
      ...(waiting === undefined ? {} : { waiting }),
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
