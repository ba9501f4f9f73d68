import type { Database } from '../connection/database';
import type { SearchStatementRequest } from './search-order';
import type { Match } from './match';
import { PageRows } from './page-rows';
import { countStatement, pageStatement } from './search-statement';
import { moveValues, toText, type SqlPieces } from '../connection/sql-pieces';
import { named, type Statement } from '../connection/statement';

export interface CountedPage {
  readonly matches: Match[];
  /** Undefined if it was not counted, because the page has fewer matches than `from`, or none. */
  readonly total: number | undefined;
}

/**
 * Returns a page and the number of matches of `all`, by one statement and so of one snapshot. It counts only if the
 * page has at least `from` matches: the total of a page that is not full is known.
 */
export async function runCountedPage(
  database: Database,
  page: SearchStatementRequest,
  all: SearchStatementRequest,
  from: number,
): Promise<CountedPage> {
  const listed = pageStatement(page);
  const counted = countStatement(all);
  const statement: Statement = {
    ...combine(listed.statement, counted.statement),
    values: (bound) => [
      ...listed.statement.values({ ...listed.bound, ...bound }),
      ...counted.statement.values({ ...counted.bound, ...bound }),
      Math.max(1, from),
    ],
  };
  const { space, type } = page;
  const { inline_bytes } = listed.bound;
  const bound = { space, ...(inline_bytes === undefined ? {} : { inline_bytes }) };
  const { rows, matches } = await new PageRows(database).run({ statement, bound }, { space, type, start: 1 });
  const total = rows[0]?.[0];
  return {
    matches,
    total: typeof total === 'number' ? total : undefined,
  };
}

type CombinedStatement = Pick<Statement, 'name' | 'text' | 'pieces'>;
/** Combined statements. Page and count statements are cached by shape; an entry lives as long as both of them. */
const combinations = new WeakMap<Statement, WeakMap<Statement, CombinedStatement>>();

function combine(page: Statement, count: Statement): CombinedStatement {
  let ofPage = combinations.get(page);
  if (ofPage === undefined) combinations.set(page, (ofPage = new WeakMap()));
  let combined = ofPage.get(count);
  if (combined === undefined) ofPage.set(count, (combined = makeCombined(page, count)));
  return combined;
}

/** PostgreSQL runs an uncorrelated subquery on first use, once; if CASE does not reach it, it never runs. */
function makeCombined(page: Statement, count: Statement): CombinedStatement {
  const pageValues = countValues(page.pieces);
  const pieces = [
    'with listed as materialized (',
    ...page.pieces,
    ') select case when (select count(*) from listed) >= ',
    pageValues + countValues(count.pieces),
    '::int then (',
    ...moveValues(count.pieces, pageValues),
    ') end, listed.* from listed',
  ];
  const combined = { name: undefined, text: toText(pieces), pieces };
  return page.name !== undefined && count.name !== undefined ? named(combined) : combined;
}

function countValues(pieces: SqlPieces): number {
  return pieces.filter((piece) => typeof piece === 'number').length;
}
