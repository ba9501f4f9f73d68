import type { Cancellation } from '../../concurrency/cancellation';
import type { Database } from '../connection/database';
import type { VersionCache } from '../read/version-cache';
import { type BatchLimits, RequestBatcher } from '../connection/request-batcher';
import { toSortValue, type Match } from './match';
import {
  countStatement,
  keysStatement,
  pageStatement,
  rangesStatement,
  sharedStatement,
  toShareable,
  type Prepared,
  type ShareablePage,
} from './search-statement';
import { isDescending, type SearchStatementRequest, type StoredSortValue } from './search-order';
import { PageRows } from './page-rows';

/** Limit on the pages in one statement. */
const MAX_SHARED = 16;
/** Limit on the page statements under way; the connections set how many run in fact. */
const MAX_STATEMENTS = 100;
/**
 * Fewer concurrent statements make larger batches. The limit for one space, whose statements may be slow, leaves
 * capacity for other spaces.
 */
export const SEARCH_LIMITS: BatchLimits = { concurrent: 2, inAll: MAX_STATEMENTS, most: MAX_SHARED };

/** Runs page statements. */
export interface PageRunner {
  /** Returns the matches of one page in order. After `cancellation` the statement may be cancelled. */
  page(request: SearchStatementRequest, cancellation?: Cancellation): Promise<Match[]>;
  /** Runs `rangesStatement`. Cost: one statement, not shared. */
  ranges(ranges: readonly SearchStatementRequest[], skipped: number): Promise<RangeMatch[]>;
  /** Returns a runner by statements of this database, which must show only committed rows. */
  over(database: Database, how?: BatchOptions): PageRunner;
}

/** A match, and the position of the range in which it was found. */
export interface RangeMatch {
  readonly place: number;
  readonly match: Match;
}

export interface BatchOptions {
  /** Undefined: no statement is shared. */
  readonly limits?: BatchLimits | undefined;
}

/** A page that may share its statement, and the cancellation of its request. */
interface AwaitedPage extends ShareablePage {
  readonly cancellation: Cancellation | undefined;
}

/** Runs page statements. Concurrent pages of one shape share one statement. */
export class SearchRunner implements PageRunner {
  private readonly batcher: RequestBatcher<undefined, AwaitedPage, Match[]>;
  private readonly pageRows: PageRows;

  constructor(
    database: Database,
    private readonly cache: VersionCache,
    observe: (pages: number) => void,
    limits: BatchLimits = SEARCH_LIMITS,
  ) {
    this.pageRows = new PageRows(database, cache);
    this.batcher = new RequestBatcher({
      name: 'search of a page',
      ...limits,
      run: (_group, pages) => this.runShared(pages),
      spaceOf: (_group, { request }) => request.space,
      observe,
    });
  }

  /** Returns the matches of one page in order. Cost: one statement, or a share in one. */
  async page(request: SearchStatementRequest, cancellation?: Cancellation): Promise<Match[]> {
    const shareable = toShareable(request);
    return shareable === undefined
      ? runPage(this.pageRows, request, cancellation)
      : this.batcher.load(shareable.group, undefined, { ...shareable, cancellation });
  }

  ranges(ranges: readonly SearchStatementRequest[], skipped: number): Promise<RangeMatch[]> {
    return runRanges(this.pageRows, ranges, skipped);
  }

  over(database: Database, { limits }: BatchOptions = {}): PageRunner {
    return limits === undefined
      ? runnerOver(database, this.cache)
      : new SearchRunner(database, this.cache, () => undefined, limits);
  }

  private async runShared(pages: readonly AwaitedPage[]): Promise<(Match[] | Error)[]> {
    const [first, second] = pages;
    if (first === undefined) return [];
    if (second === undefined) return [await this.runAlone(first)];
    try {
      return await this.runTogether(first, pages);
    } catch {
      // One page must not fail the others: each page runs again alone and gets its own error.
      return Promise.all(
        pages.map((page) =>
          this.runAlone(page).catch((error: unknown) =>
            error instanceof Error ? error : new Error(String(error)),
          ),
        ),
      );
    }
  }

  private runAlone({ request, cancellation, prepared }: AwaitedPage): Promise<Match[]> {
    return runPage(this.pageRows, request, cancellation, prepared);
  }

  /** Runs the pages in one statement, which is cancelled only when all requests are. */
  private async runTogether(first: AwaitedPage, pages: readonly AwaitedPage[]): Promise<Match[][]> {
    const { space, type } = first.request;
    const descending = isDescending(first.request);
    const waiters = pages.flatMap(({ cancellation }) => cancellation ?? []);
    const waiting = waiters.length < pages.length ? undefined : waiters;
    const statement = sharedStatement(first, pages);
    const { rows, matches } = await this.pageRows.run(statement, { space, type, start: 1, waiting });
    const found: Match[][] = pages.map(() => []);
    for (const [index, match] of matches.entries()) found[(rows[index]?.[0] as number) - 1]?.push(match);
    // PostgreSQL returns the pages one after the other, each in order; a plan not seen so far could mix them.
    for (const page of found)
      if (!isInOrder(page, descending)) page.sort((a, b) => compareMatches(a, b, descending));
    return found;
  }
}

/** Returns a runner that runs each page by itself. `cache` undefined: the rows may be uncommitted, so nothing is cached. */
export function runnerOver(database: Database, cache?: VersionCache): PageRunner {
  const pageRows = new PageRows(database, cache);
  return {
    page: (request, cancellation) => runPage(pageRows, request, cancellation),
    ranges: (ranges, skipped) => runRanges(pageRows, ranges, skipped),
    over: (other) => runnerOver(other),
  };
}

/** Returns the matches of one page in order. Cost: one statement. */
async function runPage(
  pageRows: PageRows,
  request: SearchStatementRequest,
  cancellation: Cancellation | undefined,
  prepared?: Prepared,
): Promise<Match[]> {
  const { space, type } = request;
  const waiting = cancellation === undefined ? undefined : [cancellation];
  const statement = pageStatement(request, prepared);
  return (await pageRows.run(statement, { space, type, start: 0, waiting })).matches;
}

async function runRanges(
  pageRows: PageRows,
  ranges: readonly SearchStatementRequest[],
  skipped: number,
): Promise<RangeMatch[]> {
  const [first] = ranges;
  if (first === undefined) return [];
  const { space, type } = first;
  const statement = rangesStatement(ranges, skipped);
  const { rows, matches } = await pageRows.run(statement, { space, type, start: 1 });
  return matches.map((match, index) => ({ place: rows[index]?.[0] as number, match }));
}

function isInOrder(page: readonly Match[], descending: boolean): boolean {
  return page.every((match, index) => {
    const before = page[index - 1];
    return before === undefined || compareMatches(before, match, descending) <= 0;
  });
}

function compareMatches(a: Match, b: Match, descending: boolean): number {
  const ascending = compareStored(a.sortValue, b.sortValue) || compareKeys(a.keyText, b.keyText);
  return descending ? -ascending : ascending;
}

/** Compares sort values of columns with milliseconds; a missing one is less than all others. */
export function compareStored(a: StoredSortValue, b: StoredSortValue): number {
  const [left, right] = [a ?? -Infinity, b ?? -Infinity];
  return left === right ? 0 : left < right ? -1 : 1;
}

/** The least and the greatest 64-bit key. */
export const FIRST_KEY = '-9223372036854775808';
export const LAST_KEY = '9223372036854775807';

/** Compares keys in decimal form. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  return BigInt(a) < BigInt(b) ? -1 : 1;
}

/** A match with only its head. */
export interface MatchHead {
  readonly keyText: string;
  /** Null where the key stands for the id. */
  readonly id: string | null;
  /** Milliseconds since 1970. */
  readonly lastUpdated: number;
  readonly sortValue: StoredSortValue;
  readonly version: number;
}

/** As `runPage`, but without texts. Cost: one statement. */
export async function runKeys(database: Database, request: SearchStatementRequest): Promise<MatchHead[]> {
  const { statement, bound } = keysStatement(request);
  const rows = await database.run({ lane: 'search', space: request.space }, statement, bound);
  return rows.map((row) => {
    const [keyText, id, lastUpdated, sortValue, version] = row as [
      ...[
        keyText: string,
        id: string | null,
        lastUpdated: number,
        sortValue: StoredSortValue,
        version: number,
      ],
    ];
    return { keyText, id, lastUpdated, sortValue: toSortValue(sortValue), version };
  });
}

/** Counts distinct matches, up to `request.limit`. */
export async function runCount(database: Database, request: SearchStatementRequest): Promise<number> {
  const { statement, bound } = countStatement(request);
  const [row] = await database.run({ lane: 'search', space: request.space }, statement, bound);
  return Number(row?.[0] ?? 0);
}
