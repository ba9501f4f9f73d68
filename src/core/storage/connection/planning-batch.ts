import type { Database, Row, StatementContext } from './database';
import { moveValues } from './sql-pieces';
import type { Bound, Statement } from './statement';
import { StatementForms } from './statement-forms';

interface PlanningQuery {
  readonly statement: Statement;
  readonly bound: Readonly<Record<string, Bound>>;
  resolve(rows: Row[]): void;
  reject(reason: unknown): void;
}

interface Group {
  readonly context: StatementContext;
  readonly queries: PlanningQuery[];
}

/**
 * A database that combines planning queries (`Statement.isPlanningQuery`): those sent before the caller awaits anything
 * become one statement. Other statements pass unchanged. It serves a single connection, where the queries would run one
 * after the other, and requests with a promised number of statements.
 */
export class PlanningBatch implements Database {
  private groups = new Map<string, Group>();

  constructor(private readonly database: Database) {}

  run(
    context: StatementContext,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<Row[]> {
    if (statement.isPlanningQuery !== true) return this.database.run(context, statement, bound);
    return new Promise((resolve, reject) => {
      if (this.groups.size === 0) queueMicrotask(() => this.dispatch());
      const name = `${context.lane} ${context.space ?? ''}`;
      let group = this.groups.get(name);
      if (group === undefined) this.groups.set(name, (group = { context, queries: [] }));
      group.queries.push({ statement, bound, resolve, reject });
    });
  }

  private dispatch(): void {
    const groups = this.groups;
    this.groups = new Map();
    for (const group of groups.values()) void this.runGroup(group);
  }

  private async runGroup({ context, queries }: Group): Promise<void> {
    const [first, second] = queries;
    if (first === undefined) return;
    try {
      if (second === undefined) {
        first.resolve(await this.database.run(context, first.statement, first.bound));
        return;
      }
      const [row] = await this.database.run(context, combine(queries), {});
      for (const [index, query] of queries.entries()) query.resolve(toRows(row?.[index]));
    } catch (error) {
      for (const query of queries) query.reject(error);
    }
  }
}

const forms = new StatementForms();

/** One row with a column for each query: its rows as a JSON array of objects, or null. */
function combine(queries: readonly PlanningQuery[]): Statement {
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
