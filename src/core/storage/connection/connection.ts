import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import { fhirError } from '../../errors';
import type { Cancellation } from '../../concurrency/cancellation';
import type { Backend } from './backend';
import { requestCancel, type BackendKey } from './cancel-request';
import { SET_SPACE, type DatabaseOptions, type Row } from './database';
import { codeOf, translateDatabaseError, type Trouble } from './database-error';
import { destroyClient, streamOf } from './open-client';
import { defineStatement, template, type Bound, type Statement } from './statement';

const ROLLBACK = defineStatement(template(sql`rollback`), { named: false });
const COMMIT = defineStatement(template(sql`commit`), { named: false });

/**
 * Being deferrable changes nothing of a transaction that writes (sql-set-transaction.html), but a statement can ask for it:
 * that tells it whether `begin` has succeeded.
 */
const BEGIN_WHOLE = defineStatement(template(sql`begin deferrable`), { named: false });

/** True in the statements of `Connection.together`, wherever they have a transaction around them. */
export const IS_WITHIN_WHOLE = sql`current_setting('transaction_deferrable') = 'on'`;

/** A statement with its values. */
export interface BoundStatement {
  readonly statement: Statement;
  readonly bound: Readonly<Record<string, Bound>>;
  /** Of one that writes: gives the same rows, by the same values, when it was committed, and none when it was not. */
  readonly find?: Statement;
}

/** A cancel request that came before its statement has no effect: it is sent again. */
const CANCEL_AGAIN_MS = 20;
/** Cancel requests that may be without effect; then nobody is there to heed them. */
const MOST_CANCELS = 100;

/** Who is told how statements go. */
export interface StatementOutcomes {
  succeeded(): void;
  failed(trouble: Trouble, code: string): void;
}

/** One pipelined connection, and which space row-level security lets it see. One user at a time. */
export class Connection {
  private space: number | undefined;
  private underWay = 0;
  private silence = 0;
  /** Set when the connection is in an unknown state: it must leave the pool. */
  lost: Error | undefined;
  /** When row-level security was last proven on it (performance.now()); the first time before it was lent. */
  provenAt = performance.now();

  constructor(
    private readonly client: ClientBase,
    /** Which process of PostgreSQL serves it. */
    readonly backend: Backend,
    private readonly options: DatabaseOptions,
    private readonly outcomes: StatementOutcomes,
  ) {}

  /**
   * To be called at intervals: destroys the socket at the `most`th call in a row between which statements were waited
   * for and none was answered. Calls, not milliseconds: a thread that was held has not looked for answers meanwhile.
   */
  countSilence(most: number): void {
    if (this.underWay === 0) return;
    this.silence += 1;
    if (this.silence >= most) destroyClient(this.client, new Error('PostgreSQL has not answered in time'));
  }

  /** Destroys the socket where a statement is not answered yet. */
  giveUp(): void {
    if (this.underWay === 0) return;
    this.lost ??= new Error('nobody waits for the answer any more');
    destroyClient(this.client, this.lost);
  }

  /**
   * Runs a statement in a space, behind `before` on the same connection, so that neither those nor the change of the
   * space cost a round trip. Its answer counts only if they succeeded: under another space's setting it would see nothing.
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
   * Runs statements as one transaction of a space, all of which goes out in one packet: it holds what it locks for no round
   * trip. Each of them that writes must refuse to run without `IS_WITHIN_WHOLE`, because it runs even where `begin` has
   * failed. Where one fails, nothing is kept, and its error is thrown.
   */
  async runWhole(space: number, statements: readonly BoundStatement[]): Promise<Row[][]> {
    const sent = this.inOnePacket(() => [
      this.enter(space).then(() => []),
      this.execute(BEGIN_WHOLE, {}),
      ...statements.map(({ statement, bound }) => this.execute(statement, bound)),
      // After a failure it is a rollback.
      this.execute(COMMIT, {}),
    ]);
    const outcomes = await Promise.allSettled(sent);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return (await Promise.all(sent)).slice(2, -1);
  }

  /** What `send` sends goes out in one packet rather than one for each statement. */
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
      await this.execute(SET_SPACE, { space: String(space) });
    } catch (error) {
      this.space = undefined;
      throw error;
    }
  }

  private async execute(statement: Statement, bound: Readonly<Record<string, Bound>>): Promise<Row[]> {
    const values = statement.values(bound);
    if (this.underWay === 0) this.silence = 0;
    this.underWay++;
    try {
      const result = await this.client.query<unknown[]>({
        name: statement.name,
        text: statement.text,
        values,
        rowMode: 'array',
      });
      this.outcomes.succeeded();
      return result.rows;
    } catch (error) {
      const { connectionLost, trouble, cause, error: translated } = translateDatabaseError(error);
      // What was the primary before a failover may be a standby now: another connection leads to the new one.
      if (connectionLost || trouble === 'readOnly') this.lost = cause;
      if (trouble !== undefined) this.outcomes.failed(trouble, codeOf(cause));
      throw translated;
    } finally {
      this.underWay--;
      this.silence = 0;
    }
  }

  /** Ends a transaction without a trace. A connection that cannot even do that is not used again. */
  async rollBack(): Promise<void> {
    if (this.lost !== undefined) return;
    // What was set in the transaction is as it was before.
    this.space = undefined;
    try {
      await this.execute(ROLLBACK, {});
    } catch {
      this.lost ??= new Error('the transaction could not be rolled back');
    }
  }

  /**
   * Does `work` with this connection; what runs on it is cancelled when all of `waiting` have left. Throws timeout
   * if they had already.
   */
  async whileWaitedFor<T>(waiting: readonly Cancellation[] | undefined, work: () => Promise<T>): Promise<T> {
    if (waiting === undefined) return work();
    let cancelling: Promise<void> | undefined;
    const look = (): void => {
      if (isGivenUp(waiting)) cancelling ??= this.cancel();
    };
    const forget = waiting.map((cancellation) => cancellation.whenLeaving(look));
    try {
      if (isGivenUp(waiting)) throw fhirError('timeout');
      return await work();
    } finally {
      for (const each of forget) each();
      // No request to cancel may be under way when the next user sends a statement.
      await cancelling;
    }
  }

  private async cancel(): Promise<void> {
    const backend = backendOf(this.client);
    for (let sent = 0; this.underWay > 0 && this.lost === undefined; sent++) {
      try {
        if (sent >= MOST_CANCELS) throw new Error('cancel requests are without effect');
        await requestCancel(this.options, backend);
      } catch (error) {
        // It may have been sent or not.
        this.lost = error instanceof Error ? error : new Error('a cancel request failed');
        destroyClient(this.client, this.lost);
      }
      if (this.underWay > 0) await setTimeout(CANCEL_AGAIN_MS);
    }
  }
}

export function isGivenUp(waiting: readonly Cancellation[] | undefined): boolean {
  return waiting?.every(({ hasLeft }) => hasLeft) ?? false;
}

/** What pg keeps of a connection, though its types do not tell. */
function backendOf(client: ClientBase): BackendKey {
  if (
    'processID' in client &&
    typeof client.processID === 'number' &&
    'secretKey' in client &&
    typeof client.secretKey === 'number'
  ) {
    return { processId: client.processID, secretKey: client.secretKey };
  }
  throw new Error('pg keeps no backend key of the connection');
}
