import type { Order } from '../search/plan';
import type { Waiter } from '../waiter';
import type { Database, Row } from './database';
import { Gathering } from './gathering';
import {
  countStatement,
  keysStatement,
  pageStatement,
  sharedStatement,
  toShareable,
  type Prepared,
  type ShareablePage,
} from './search-statement';
import type { SearchStatementRequest, StoredSortValue } from './search-matches';
import { decodePageRow, type PageRow } from './version-row';

/** One match: its version, and where it stands in the order. */
export interface Match {
  readonly sortValue: StoredSortValue;
  /** Decimal form of the 64-bit key. */
  readonly keyText: string;
  readonly row: PageRow;
}

/** Pages in one statement. */
const MAX_SHARED = 16;

/** Runs page statements. */
export interface PageRunner {
  /** The matches of one page in order. `waiter`: the statement may be cancelled when it has left. */
  page(request: SearchStatementRequest, waiter?: Waiter): Promise<Match[]>;
}

/** A page that may share its statement, and who waits for it. */
interface AwaitedPage extends ShareablePage {
  readonly waiter: Waiter | undefined;
}

/** Runs page statements. Pages of one shape that are asked for at the same time become one statement. */
export class SearchRunner implements PageRunner {
  private readonly gathering: Gathering<undefined, AwaitedPage, Match[]>;

  constructor(
    private readonly database: Database,
    observe: (pages: number) => void,
    /** Shared statements under way at once; fewer make larger ones. */
    concurrent = 2,
  ) {
    this.gathering = new Gathering({
      run: (_group, pages) => this.runShared(pages),
      concurrent,
      most: MAX_SHARED,
      observe,
    });
  }

  /** The matches of one page in order. Cost: one statement, or a share in one. */
  async page(request: SearchStatementRequest, waiter?: Waiter): Promise<Match[]> {
    const shareable = toShareable(request);
    return shareable === undefined
      ? runPage(this.database, request, waiter)
      : this.gathering.load(shareable.group, undefined, { ...shareable, waiter });
  }

  private async runShared(pages: readonly AwaitedPage[]): Promise<(Match[] | Error)[]> {
    const [first, second] = pages;
    if (first === undefined) return [];
    if (second === undefined) return [await this.runAlone(first)];
    try {
      return await this.runTogether(first, pages);
    } catch {
      // What one of them asked for is not to fail the others; each is told of its own failure.
      return Promise.all(
        pages.map((page) =>
          this.runAlone(page).catch((error: unknown) =>
            error instanceof Error ? error : new Error(String(error)),
          ),
        ),
      );
    }
  }

  private runAlone({ request, waiter, prepared }: AwaitedPage): Promise<Match[]> {
    return runPage(this.database, request, waiter, prepared);
  }

  /** Nobody's leaving takes their page from the others: the statement is cancelled when all have left. */
  private async runTogether(first: AwaitedPage, pages: readonly AwaitedPage[]): Promise<Match[][]> {
    const { space, type, order } = first.request;
    const { statement, bound } = sharedStatement(first, pages);
    const found: Match[][] = pages.map(() => []);
    const waiters = pages.flatMap(({ waiter }) => waiter ?? []);
    const waiting = waiters.length < pages.length ? undefined : waiters;
    for (const row of await this.database.run('search', space, statement, bound, waiting)) {
      found[(row[0] as number) - 1]?.push(toMatch(row, 1, type));
    }
    // The pages come one after the other as they were made; only a plan nobody has seen would mix them.
    for (const page of found) if (!isInOrder(page, order)) page.sort((a, b) => compareMatches(a, b, order));
    return found;
  }
}

/** The matches of one page in order. Cost: one statement. */
export async function runPage(
  database: Database,
  request: SearchStatementRequest,
  waiter?: Waiter,
  prepared?: Prepared,
): Promise<Match[]> {
  const { statement, bound } = pageStatement(request, prepared);
  const waiting = waiter === undefined ? undefined : [waiter];
  const rows = await database.run('search', request.space, statement, bound, waiting);
  return rows.map((row) => toMatch(row, 0, request.type));
}

function isInOrder(page: readonly Match[], order: Order): boolean {
  return page.every((match, index) => {
    const before = page[index - 1];
    return before === undefined || compareMatches(before, match, order) <= 0;
  });
}

function compareMatches(a: Match, b: Match, { descending }: Order): number {
  const ascending = compareStored(a.sortValue, b.sortValue) || compareKeys(a.keyText, b.keyText);
  return descending ? -ascending : ascending;
}

/** Orders sort values of columns that hold milliseconds; a missing one is below all. */
export function compareStored(a: StoredSortValue, b: StoredSortValue): number {
  const [left, right] = [a ?? -Infinity, b ?? -Infinity];
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Orders keys in decimal form. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  return BigInt(a) < BigInt(b) ? -1 : 1;
}

/** A match of which only the head was read. */
export interface MatchHead {
  readonly keyText: string;
  /** Null where the key stands for the id. */
  readonly id: string | null;
  /** Milliseconds since 1970. */
  readonly lastUpdated: number;
  readonly sortValue: StoredSortValue;
  readonly version: number;
}

/** As `runPage`, without the texts. Cost: one statement. */
export async function runKeys(database: Database, request: SearchStatementRequest): Promise<MatchHead[]> {
  const { statement, bound } = keysStatement(request);
  const rows = await database.run('search', request.space, statement, bound);
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

/** Distinct matches, up to `request.limit`. */
export async function runCount(database: Database, request: SearchStatementRequest): Promise<number> {
  const { statement, bound } = countStatement(request);
  const [row] = await database.run('search', request.space, statement, bound);
  return Number(row?.[0] ?? 0);
}

/** Stored for "no clinical date"; as a low bound it is -Infinity. */
const NO_DATE = -(2 ** 63);

function toSortValue(value: StoredSortValue): StoredSortValue {
  return value === NO_DATE || value === -Infinity ? null : value;
}

/** The columns of a page statement begin at `start`. */
export function toMatch(row: Row, start: number, type: number): Match {
  const keyText = row[start + 1] as string;
  return {
    sortValue: toSortValue(row[start] as StoredSortValue),
    keyText,
    row: decodePageRow(row, start + 2, type, keyText),
  };
}
