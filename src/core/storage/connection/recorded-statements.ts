import type { Database, Row } from './database';
import { toText } from './sql-pieces';
import type { Statement } from './statement';

/** The work of one SQL text for a search. */
export interface RecordedStatement {
  readonly text: string;
  runs: number;
  rows: number;
  milliseconds: number;
  /** PostgreSQL's plan without costs and values; undefined if it was not requested. */
  plan: string | undefined;
}

/** Texts that are recorded, and texts whose plan is requested. */
const MAX_TEXTS = 100;
const MAX_PLANS = 20;

/** Records the SQL that a search runs, without its values, and its cost. */
export class RecordedStatements {
  private readonly byText = new Map<string, RecordedStatement>();

  get all(): readonly RecordedStatement[] {
    return [...this.byText.values()];
  }

  /** Returns a database that records statements. The plan is requested after the statement and is not in its time. */
  over(database: Database): Database {
    return {
      run: async (context, statement, bound) => {
        const started = performance.now();
        const rows = await database.run(context, statement, bound);
        const record = this.note(statement, rows.length, performance.now() - started);
        if (record !== undefined && record.runs === 1 && this.byText.size <= MAX_PLANS) {
          const plan = await database.run(context, explained(statement), bound);
          record.plan = toPlanText(plan);
        }
        return rows;
      },
    };
  }

  private note({ text }: Statement, rows: number, milliseconds: number): RecordedStatement | undefined {
    let record = this.byText.get(text);
    if (record === undefined) {
      if (this.byText.size >= MAX_TEXTS) return undefined;
      record = { text, runs: 0, rows: 0, milliseconds: 0, plan: undefined };
      this.byText.set(text, record);
    }
    record.runs++;
    record.rows += rows;
    record.milliseconds += milliseconds;
    return record;
  }
}

/** Without costs: PostgreSQL's estimates derive from the values of all tenants. */
function explained(statement: Statement): Statement {
  const pieces = ['explain (costs off) ', ...statement.pieces];
  return { ...statement, name: undefined, text: toText(pieces), pieces };
}

/** The plan with `?` for each value, because some values are keyed hashes, which must stay secret. */
function toPlanText(rows: readonly Row[]): string {
  return rows
    .map((row) => String(row[0]))
    .join('\n')
    .replace(/'(?:[^']|'')*'/g, '?')
    .replace(/(?<![\w$.])\d+(?:\.\d+)?(?![\w.])/g, '?');
}
