import { sql } from 'kysely';
import { fhirError } from '../../errors';
import type { Cancellation } from '../../concurrency/cancellation';
import { areAllCancelled, type Connection } from './connection';
import type { Database, Row, StatementContext } from './database';
import { defineStatement, template, type Bound, type Statement } from './statement';

const BEGIN = defineStatement(template(sql`begin isolation level repeatable read read only`), {
  named: false,
});
const COMMIT = defineStatement(template(sql`commit`), { named: false });

/**
 * Statements of one connection that all see the data as the first of them does (transaction-iso.html, Repeatable Read).
 * They run one after the other, in the order of the calls. No caller waits for a round trip of begin or commit.
 */
export class Snapshot implements Database {
  private isBegun = false;
  private isOver = false;

  constructor(
    private readonly connection: Connection,
    private readonly waiting: readonly Cancellation[] | undefined,
    private readonly parts: {
      /** The first statement of the transaction. */
      readonly guard?: Statement;
      /** Called with the beginning (`performance.now()`) of a statement that has ended. */
      readonly observe: (began: number, statement: Statement) => void;
    },
  ) {}

  /** The history of the data that it shows (`Backend.history`). */
  get history(): string {
    return this.connection.backend.history;
  }

  async run(
    { space }: StatementContext,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<Row[]> {
    // After a failure other parts of the request may still send statements, and the connection may have another user.
    if (this.isOver) throw new Error('the snapshot is over');
    if (areAllCancelled(this.waiting)) throw fhirError('timeout');
    const { guard, observe } = this.parts;
    const before = this.isBegun ? [] : guard === undefined ? [BEGIN] : [BEGIN, guard];
    this.isBegun = true;
    const started = performance.now();
    try {
      return await this.connection.run(space, statement, bound, before);
    } finally {
      observe(started, statement);
    }
  }

  /** Ends the transaction. Never throws: a connection that is lost in doing so is marked as lost. */
  async end(isGood: boolean): Promise<void> {
    this.isOver = true;
    if (!this.isBegun) return;
    if (!isGood) return this.connection.rollBack();
    try {
      await this.connection.run(undefined, COMMIT, {});
    } catch {
      await this.connection.rollBack();
    }
  }
}
