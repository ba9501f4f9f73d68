import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import { fhirError } from '../../errors';
import type { Cancellation } from '../../concurrency/cancellation';
import type { Backend } from './backend';
import { requestCancel, type BackendKey } from './cancel-request';
import { SET_SPACE, spaceSettings, type DatabaseOptions, type Row } from './database';
import { codeOf, translateDatabaseError, type DatabaseFailure } from './database-error';
import { destroyClient, streamOf } from './open-client';
import { defineStatement, template, type Bound, type Statement } from './statement';

const ROLLBACK = defineStatement(template(sql`rollback`), { named: false });
const COMMIT = defineStatement(template(sql`commit`), { named: false });

/**
 * `deferrable` changes nothing in a transaction that writes (sql-set-transaction.html). A statement can read the
 * setting and so tell whether `begin` succeeded.
 */
const BEGIN_WHOLE = defineStatement(template(sql`begin deferrable`), { named: false });

/** True in the statements of `Connection.runWhole` if they run inside its transaction. */
export const IS_WITHIN_WHOLE = sql`current_setting('transaction_deferrable') = 'on'`;

/** A statement with its values. */
export interface BoundStatement {
  readonly statement: Statement;
  readonly bound: Readonly<Record<string, Bound>>;
  /** For a statement that writes: returns the same rows, from the same values, if it was committed, else none. */
  readonly find?: Statement;
}

/** Milliseconds before a cancel request is repeated: one that arrives before its statement has no effect. */
const CANCEL_AGAIN_MS = 20;
/** Cancel requests without effect after which the connection counts as lost. */
const MAX_CANCELS = 100;

/**
 * Statements that a process of a node prepares before it is replaced. Each takes some 50 kB, and the same statement is another
 * one in each shard group.
 */
const MAX_PREPARED = 1_000;

/** Receives the outcomes of statements. */
export interface StatementOutcomes {
  succeeded(): void;
  failed(trouble: DatabaseFailure, code: string): void;
}

export interface ConnectionOptions {
  readonly database: DatabaseOptions;
  readonly outcomes: StatementOutcomes;
  /** The number of the tenant that a space belongs to; negative: unknown, or none. */
  readonly tenantOf: (space: number) => number;
}

/** One pipelined connection, and the space and tenant that row-level security lets it see. It has one user at a time. */
export class Connection {
  private space: number | undefined;
  private underWay = 0;
  private unanswered = 0;
  /** Set when the connection is in an unknown state: it must leave the pool. */
  lost: Error | undefined;
  /** When row-level security was last proven on it (performance.now()); the first proof precedes its first use. */
  provenAt = performance.now();
  /** Names of the statements that its process has prepared for shard groups. */
  private readonly prepared = new Set<string>();

  constructor(
    private readonly client: ClientBase,
    /** The PostgreSQL process that serves the connection. */
    readonly backend: Backend,
    private readonly options: ConnectionOptions,
  ) {}

  /**
   * Destroys the socket at the `most`th call in a row during which statements were under way and none was answered. The
   * caller calls it at intervals. It counts calls, not milliseconds, because a blocked thread receives no answers.
   */
  countUnanswered(most: number): void {
    if (this.underWay === 0) return;
    this.unanswered += 1;
    if (this.unanswered >= most) destroyClient(this.client, new Error('PostgreSQL has not answered in time'));
  }

  /** True if its process has prepared as many statements as it may, and is to be replaced by a new one. */
  get isFull(): boolean {
    return this.prepared.size >= MAX_PREPARED;
  }

  /** Destroys the socket if a statement is unanswered. */
  giveUp(): void {
    if (this.underWay === 0) return;
    this.lost ??= new Error('the answer is no longer needed');
    destroyClient(this.client, this.lost);
  }

  /**
   * Runs a statement in a space, behind `before` on the same connection: neither `before` nor the change of space costs
   * a round trip. The result counts only if both succeed, because the statement sees nothing in another space.
   */
  async run(
    space: number | undefined,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
    before: readonly Statement[] = [],
  ): Promise<Row[]> {
    if (before.length === 0 && (space === undefined || space === this.space)) {
      return this.execute(statement, bound);
    }
    const [rows] = await this.inOnePacket(() => {
      const sent = [this.enter(space), ...before.map((each) => this.execute(each, {}))];
      return Promise.all([this.execute(statement, bound), ...sent]);
    });
    return rows;
  }

  /**
   * Sends statements in one packet. They run one after the other, each as a transaction of its own. Returns the rows of
   * each, which count only if the change of space succeeds too.
   */
  runInTurn(space: number, statements: readonly BoundStatement[]): readonly Promise<Row[]>[] {
    return this.inOnePacket(() => {
      const entered = this.enter(space);
      return statements.map(async ({ statement, bound }) => {
        const [rows] = await Promise.all([this.execute(statement, bound), entered]);
        return rows;
      });
    });
  }

  /**
   * Runs statements as one transaction of a space, all sent in one packet, so that no round trip extends its locks. A
   * statement that writes must refuse to run without `IS_WITHIN_WHOLE`, because it runs even if `begin` has failed. If
   * one statement fails, nothing is stored, and its error is thrown.
   */
  async runWhole(space: number, statements: readonly BoundStatement[]): Promise<Row[][]> {
    const sent = this.inOnePacket(() => [
      this.enter(space).then(() => []),
      this.execute(BEGIN_WHOLE, {}),
      ...statements.map(({ statement, bound }) => this.execute(statement, bound)),
      // After a failure, PostgreSQL treats `commit` as a rollback.
      this.execute(COMMIT, {}),
    ]);
    const outcomes = await Promise.allSettled(sent);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return (await Promise.all(sent)).slice(2, -1);
  }

  /** Sends all statements of `send` in one packet. */
  private inOnePacket<T>(send: () => T): T {
    const stream = streamOf(this.client);
    stream?.cork();
    try {
      return send();
    } finally {
      stream?.uncork();
    }
  }

  private async enter(space: number | undefined): Promise<void> {
    if (space === undefined || space === this.space) return;
    this.space = space;
    try {
      await this.execute(SET_SPACE, spaceSettings(space, this.options.tenantOf(space)));
    } catch (error) {
      this.space = undefined;
      throw error;
    }
  }

  private async execute(given: Statement, bound: Readonly<Record<string, Bound>>): Promise<Row[]> {
    const { shards } = this.options.database;
    const statement =
      shards === undefined || this.space === undefined ? given : shards.named(this.space, given);
    if (shards !== undefined && statement.name !== undefined) this.prepared.add(statement.name);
    const values = statement.values(bound);
    if (this.underWay === 0) this.unanswered = 0;
    this.underWay++;
    try {
      const result = await this.client.query<unknown[]>({
        name: statement.name,
        text: statement.text,
        values,
        rowMode: 'array',
      });
      this.options.outcomes.succeeded();
      return result.rows;
    } catch (error) {
      const { connectionLost, trouble, cause, error: translated } = translateDatabaseError(error);
      // After a failover the old primary can be a standby: a new connection leads to the new primary.
      if (connectionLost || trouble === 'readOnly') this.lost = cause;
      if (trouble !== undefined) this.options.outcomes.failed(trouble, codeOf(cause));
      throw translated;
    } finally {
      this.underWay--;
      this.unanswered = 0;
    }
  }

  /** Rolls back the transaction. A connection that cannot do so is not used again. */
  async rollBack(): Promise<void> {
    if (this.lost !== undefined) return;
    // The rollback restores the settings from before the transaction.
    this.space = undefined;
    try {
      await this.execute(ROLLBACK, {});
    } catch {
      this.lost ??= new Error('the transaction could not be rolled back');
    }
  }

  /**
   * Runs `work` with this connection, and cancels its statements when all of `waiting` are cancelled. **Throws**
   * timeout if they were cancelled before.
   */
  async whileWaitedFor<T>(waiting: readonly Cancellation[] | undefined, work: () => Promise<T>): Promise<T> {
    if (waiting === undefined) return work();
    let cancelling: Promise<void> | undefined;
    const cancelIfUnwanted = (): void => {
      if (areAllCancelled(waiting)) cancelling ??= this.cancel();
    };
    const unsubscribes = waiting.map((cancellation) => cancellation.onCancel(cancelIfUnwanted));
    try {
      if (areAllCancelled(waiting)) throw fhirError('timeout');
      return await work();
    } finally {
      for (const each of unsubscribes) each();
      // No cancel request may be under way when the next user sends a statement.
      await cancelling;
    }
  }

  private async cancel(): Promise<void> {
    const backend = backendOf(this.client);
    for (let sent = 0; this.underWay > 0 && this.lost === undefined; sent++) {
      try {
        if (sent >= MAX_CANCELS) throw new Error('cancel requests are without effect');
        await requestCancel(this.options.database, backend);
      } catch (error) {
        // The request may have been sent or not.
        this.lost = error instanceof Error ? error : new Error('a cancel request failed');
        destroyClient(this.client, this.lost);
      }
      if (this.underWay > 0) await setTimeout(CANCEL_AGAIN_MS);
    }
  }
}

export function areAllCancelled(waiting: readonly Cancellation[] | undefined): boolean {
  return waiting?.every(({ isCancelled }) => isCancelled) ?? false;
}

/** Reads the backend key of a connection, which pg has but does not type. */
function backendOf(client: ClientBase): BackendKey {
  if (
    'processID' in client &&
    typeof client.processID === 'number' &&
    'secretKey' in client &&
    typeof client.secretKey === 'number'
  ) {
    return { processId: client.processID, secretKey: client.secretKey };
  }
  throw new Error('pg has no backend key of the connection');
}
