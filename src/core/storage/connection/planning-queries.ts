import type { Row } from './database';
import { moveValues } from './sql-pieces';
import type { Statement } from './statement';
import { targetOf, type Call, type Combination } from './statement-batch';
import { StatementForms } from './statement-forms';

/**
 * Combines planning queries (`Statement.isPlanningQuery`): those sent before the caller awaits anything become one
 * statement. Other statements pass unchanged. For a single connection, where the queries would run one after the other,
 * and for requests with a promised number of statements.
 */
export const PLANNING_QUERIES: Combination = {
  keyOf: (call) => (call.statement.isPlanningQuery === true ? targetOf(call) : undefined),
  schedule: (dispatch) => queueMicrotask(dispatch),
  most: () => Infinity,
  async combine(queries, run) {
    const [first] = queries;
    if (first === undefined) return [];
    const [row] = await run({ context: first.context, statement: toColumns(queries), bound: {} });
    return queries.map((_query, index) => toRows(row?.[index]));
  },
};

const forms = new StatementForms();

/** One row with a column for each query: its rows as a JSON array of objects, or null. */
function toColumns(queries: readonly Call[]): Statement {
  const values = queries.map(({ statement, bound }) => statement.values(bound));
  const texts = queries.map(({ statement }) => statement.text);
  const form = forms.get(JSON.stringify(texts), () => {
    let before = 0;
    return queries.flatMap(({ statement }, index) => {
      const moved = moveValues(statement.pieces, before);
      before += values[index]?.length ?? 0;
      return [index === 0 ? 'select ' : ', ', '(select json_agg(l) from (', ...moved, ') l)'];
    });
  });
  return { ...form, values: () => values.flat() };
}

function toRows(column: unknown): Row[] {
  if (column === null) return [];
  if (!Array.isArray(column)) throw new Error('a planning query did not return its rows');
  return column.map((row: unknown): Row => {
    if (typeof row !== 'object' || row === null) throw new Error('a planning query did not return rows');
    return Object.values<unknown>({ ...row });
  });
}
