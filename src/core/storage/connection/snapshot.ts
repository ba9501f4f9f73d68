import { sql } from 'kysely';
import { fhirError } from '../../errors';
import type { Cancellation } from '../../concurrency/cancellation';
import { isGivenUp, type Connection } from './connection';
import type { Database, Lane, Row } from './database';
import { defineStatement, template, type Bound, type Statement } from './statement';

const BEGIN = defineStatement(template(sql`begin isolation level repeatable read read only`), {
  named: false,
});
const COMMIT = defineStatement(template(sql`commit`), { named: false });

/**
 * Statements of one connection that all see the data as the first of them does (transaction-iso.html, Repeatable Read).
 * They run one after the other, in the order in which they were asked for. Beginning and ending cost no round trip that
 * anybody waits for.
 */
export class Snapshot implements Database {
  private isBegun = false;
  private isOver = false;

  constructor(
    private readonly connection: Connection,
    private readonly waiting: readonly Cancellation[] | undefined,
    private readonly observe: (milliseconds: number) => void,
  ) {}

  async run(
    _lane: Lane,
    space: number | undefined,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<Row[]> {
    // What has failed in one part may still ask in another, and the connection may be someone else's by now.
    if (this.isOver) throw new Error('the snapshot is over');
    if (isGivenUp(this.waiting)) throw fhirError('timeout');
    const before = this.isBegun ? [] : [BEGIN];
    this.isBegun = true;
    const started = performance.now();
    try {
      return await this.connection.run(space, statement, bound, before);
    } finally {
      this.observe(performance.now() - started);
    }
  }

  /** Ends the transaction. Never throws: a connection that is lost by it says so. */
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
