/** A database whose statements share one statement. */
import { setImmediate as setImmediateOnce } from 'node:timers/promises';
import type { Database, Row, StatementContext } from './database';
import type { Bound, Statement } from './statement';

/** A statement with its values. */
export interface Call {
  readonly context: StatementContext;
  readonly statement: Statement;
  readonly bound: Readonly<Record<string, Bound>>;
}

interface WaitingCall extends Call {
  resolve(rows: Row[]): void;
  reject(reason: unknown): void;
}

/** A way in which several calls become one statement. */
export interface Combination {
  /** Returns the key that calls have in common that can be combined; undefined: the call runs at once and by itself. */
  keyOf(call: Call): string | undefined;
  /** Calls `dispatch` once, when no further calls join. */
  schedule(dispatch: () => void): void;
  /** Limit on the calls of one statement. */
  most(first: Call): number;
  /** Returns the rows of each of at least two calls, in their order. */
  combine(calls: readonly Call[], run: (call: Call) => Promise<Row[]>): Promise<readonly Row[][]>;
  /** Called with the rows of each statement. Throws where they exceed a limit. */
  count?(rows: readonly Row[]): void;
}

/** The database and space of a call: statements of different ones are never combined. */
export function targetOf({ context }: Call): string {
  return `${context.lane} ${context.space ?? ''}`;
}

/** Combines statements as `combination` says. The failure of a statement fails each call in it. */
export class StatementBatch implements Database {
  private waiting = new Map<string, WaitingCall[]>();
  private planningQueries = 0;
  private afterQueries: (() => void)[] = [];

  constructor(
    private readonly database: Database,
    private readonly combination: Combination,
  ) {}

  run(
    context: StatementContext,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<Row[]> {
    const key = this.combination.keyOf({ context, statement, bound });
    if (key === undefined) return this.database.run(context, statement, bound);
    return new Promise((resolve, reject) => {
      if (this.waiting.size === 0) this.combination.schedule(() => this.dispatch());
      const call = { context, statement, bound, resolve, reject };
      const calls = this.waiting.get(key);
      if (calls === undefined) this.waiting.set(key, [call]);
      else calls.push(call);
      if (statement.isPlanningQuery === true) this.planningQueries++;
    });
  }

  /**
   * Resolves when no planning query (`Statement.isPlanningQuery`) of the batch is under way. A search with a finished
   * plan waits for the others, so that their next statements can be combined.
   */
  async afterPlanning(): Promise<void> {
    await setImmediateOnce();
    while (this.planningQueries > 0) await new Promise<void>((go) => this.afterQueries.push(go));
  }

  private dispatch(): void {
    const groups = this.waiting;
    this.waiting = new Map();
    for (const calls of groups.values()) {
      const [first] = calls;
      if (first === undefined) continue;
      const most = this.combination.most(first);
      for (let start = 0; start < calls.length; start += most)
        void this.runGroup(calls.slice(start, start + most));
    }
  }

  private async runGroup(calls: readonly WaitingCall[]): Promise<void> {
    const run = async ({ context, statement, bound }: Call): Promise<Row[]> => {
      const rows = await this.database.run(context, statement, bound);
      this.combination.count?.(rows);
      return rows;
    };
    try {
      const [first, second] = calls;
      const rows =
        first !== undefined && second === undefined
          ? [await run(first)]
          : await this.combination.combine(calls, run);
      for (const [index, call] of calls.entries()) call.resolve(rows[index] ?? []);
    } catch (error) {
      for (const call of calls) call.reject(error);
    }
    this.release(calls);
  }

  private release(calls: readonly Call[]): void {
    for (const { statement } of calls) if (statement.isPlanningQuery === true) this.planningQueries--;
    if (this.planningQueries > 0 || this.afterQueries.length === 0) return;
    setImmediate(() => {
      const released = this.afterQueries;
      this.afterQueries = [];
      for (const go of released) go();
    });
  }
}

/** Sends calls of the same text and values once, when those of one turn of the event loop have arrived. */
export const EQUAL_CALLS: Combination = {
  keyOf: (call) => `${targetOf(call)} ${JSON.stringify(call.bound)} ${call.statement.text}`,
  schedule: (dispatch) => setImmediate(dispatch),
  most: () => Infinity,
  async combine(calls, run) {
    const [first] = calls;
    if (first === undefined) return [];
    const rows = await run(first);
    return calls.map(() => rows);
  },
};
