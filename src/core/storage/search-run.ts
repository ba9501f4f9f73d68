import { LRUCache } from 'lru-cache';
import { canWalk, SELECTIVE, type Order } from '../search/plan';
import type { Criterion } from '../search/predicate';
import type { Database, Row } from './database';
import {
  countStatement,
  keysStatement,
  pageStatement,
  type SearchStatementRequest,
} from './search-statement';
import { keyOfText, type VersionRow } from './version-read';
import { CHANGES } from './version-write';

/** One match: its version, and where it stands in the order. */
export interface Match {
  /** Null: it has no clinical date. */
  readonly sortValue: number | null;
  /** Decimal form of the 64-bit key. */
  readonly keyText: string;
  readonly row: VersionRow;
}

/** Runs one page statement. Cost: one statement. */
export async function runPage(database: Database, request: SearchStatementRequest): Promise<Match[]> {
  const { statement, bound } = pageStatement(request);
  const rows = await database.run('search', request.space, statement, bound);
  return rows.map((row) => toMatch(row, request.type));
}

/** A match of which only the head was read. */
export interface MatchHead {
  readonly keyText: string;
  /** Null where the key stands for the id. */
  readonly id: string | null;
  /** Milliseconds since 1970. */
  readonly lastUpdated: number;
}

/** As `runPage`, without the texts. Cost: one statement. */
export async function runKeys(database: Database, request: SearchStatementRequest): Promise<MatchHead[]> {
  const { statement, bound } = keysStatement(request);
  const rows = await database.run('search', request.space, statement, bound);
  return rows.map((row) => {
    const [keyText, id, lastUpdated] = row as [string, string | null, number];
    return { keyText, id, lastUpdated };
  });
}

/** Distinct matches, up to `request.limit`. */
export async function runCount(database: Database, request: SearchStatementRequest): Promise<number> {
  const { statement, bound } = countStatement(request);
  const [row] = await database.run('search', request.space, statement, bound);
  return Number(row?.[0] ?? 0);
}

const COUNT_AGE_MS = 30_000;
const counts = new LRUCache<string, number>({ max: 20_000, ttl: COUNT_AGE_MS });
const COUNT_ORDER: Order = { by: 'key', descending: true };

/** About how many resources meet each criterion, up to SELECTIVE + 1; remembered for half a minute. */
export async function estimateMatches(
  database: Database,
  space: number,
  type: number,
  criteria: readonly Criterion[],
  sortDateParameter: number | undefined,
): Promise<number[]> {
  return Promise.all(
    criteria.map(async (criterion) => {
      const key = `${space} ${type} ${JSON.stringify(criterion.anyOf)}`;
      let count = counts.get(key);
      if (count === undefined) {
        const walks = canWalk(criterion, sortDateParameter);
        count = await runCount(database, {
          space,
          type,
          sortDateParameter,
          criteria: [criterion],
          order: walks ? { by: 'sort_date', descending: true } : COUNT_ORDER,
          drive: walks ? { kind: 'walk', criterion: 0 } : { kind: 'gather', criterion: 0 },
          phase: 'all',
          after: undefined,
          limit: SELECTIVE + 1,
        });
        counts.set(key, count);
      }
      return count;
    }),
  );
}

/** Below every clinical date: the number that stands for none, and open lower ends. */
const LEAST_DATE = -9.2e18;

function toMatch(row: Row, type: number): Match {
  const [sortValue, keyText, id, version, lastUpdated, sequence, metaOffset, change, author, body] = row as [
    number,
    string,
    string | null,
    number,
    number,
    number,
    number,
    number,
    string | null,
    string | null,
  ];
  return {
    sortValue: sortValue < LEAST_DATE ? null : sortValue,
    keyText,
    row: {
      id,
      // Seldom asked for: the text says the id.
      get key() {
        return keyOfText(keyText);
      },
      type,
      version,
      lastUpdated,
      sequence,
      metaOffset,
      change: CHANGES[change] ?? 'update',
      author,
      body: body ?? '',
    },
  };
}
