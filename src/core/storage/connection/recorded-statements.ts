import type { Database, Row } from './database';
import type { Statement } from './statement';

/** What one SQL text did for a search. */
export interface RecordedStatement {
  readonly text: string;
  runs: number;
  rows: number;
  milliseconds: number;
  /** PostgreSQL's plan without costs and values; undefined where it was not asked for. */
  plan: string | undefined;
}

/** Texts that are kept, and of those the ones whose plan is asked for. */
const MAX_TEXTS = 100;
const MAX_PLANS = 20;

/** Keeps the SQL that a search runs, without its values, and what it took. */
export class RecordedStatements {
  private readonly byText = new Map<string, RecordedStatement>();

  get all(): readonly RecordedStatement[] {
    return [...this.byText.values()];
  }

  /** Runs statements by `database`. Asking for the plan comes after the statement and is not in its time. */
  over(database: Database): Database {
    return {
      run: async (lane, space, statement, bound, waiting) => {
        const started = performance.now();
        const rows = await database.run(lane, space, statement, bound, waiting);
        const record = this.note(statement, rows.length, performance.now() - started);
        if (record !== undefined && record.runs === 1 && this.byText.size <= MAX_PLANS) {
          const plan = await database.run(lane, space, explained(statement), bound, waiting);
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

/** Without costs: PostgreSQL's estimates come from the values of all tenants. */
function explained(statement: Statement): Statement {
  return { ...statement, name: undefined, text: `explain (costs off) ${statement.text}` };
}

/** The plan with `?` for each value: some are keyed hashes, which nobody is to know. */
function toPlanText(rows: readonly Row[]): string {
  return rows
    .map((row) => String(row[0]))
    .join('\n')
    .replace(/'(?:[^']|'')*'/g, '?')
    .replace(/(?<![\w$.])\d+(?:\.\d+)?(?![\w.])/g, '?');
}
