import { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import type { Log } from '../context';
import { fhirError } from '../errors';
import type { Waiter } from '../waiter';
import { requestCancel, type BackendKey } from './cancel-request';
import { SET_SPACE, type DatabaseOptions, type Row } from './database';
import { translateDatabaseError } from './database-error';
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
}

/** A cancel request that came before its statement has no effect: it is sent again. */
const CANCEL_AGAIN_MS = 20;

/** One pipelined connection, and which space row-level security lets it see. One user at a time. */
export class Connection {
  private space: number | undefined;
  private underWay = 0;
  /** Set when the connection is in an unknown state: it must leave the pool. */
  lost: Error | undefined;

  constructor(
    private readonly client: ClientBase,
    private readonly options: DatabaseOptions,
    private readonly log: Log,
  ) {}

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
    this.underWay++;
    try {
      const result = await this.client.query<unknown[]>({
        name: statement.name,
        text: statement.text,
        values,
        rowMode: 'array',
      });
      return result.rows;
    } catch (error) {
      const translated = translateDatabaseError(error);
      if (translated.connectionLost) this.lost = translated.cause;
      throw translated.error;
    } finally {
      this.underWay--;
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
  async whileWaitedFor<T>(waiting: readonly Waiter[] | undefined, work: () => Promise<T>): Promise<T> {
    if (waiting === undefined) return work();
    let cancelling: Promise<void> | undefined;
    const look = (): void => {
      if (isGivenUp(waiting)) cancelling ??= this.cancel();
    };
    const forget = waiting.map((waiter) => waiter.whenLeaving(look));
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
    while (this.underWay > 0 && this.lost === undefined) {
      try {
        await requestCancel(this.options, backend);
      } catch (error) {
        // It may have been sent or not.
        this.lost = error instanceof Error ? error : new Error('a cancel request failed');
        this.log.warn({}, 'a database statement that nobody waits for could not be cancelled');
      }
      if (this.underWay > 0) await setTimeout(CANCEL_AGAIN_MS);
    }
  }
}

export function isGivenUp(waiting: readonly Waiter[] | undefined): boolean {
  return waiting?.every(({ hasLeft }) => hasLeft) ?? false;
}

interface Corkable {
  cork(): void;
  uncork(): void;
}

/** The socket of a connection, which pg keeps though its types do not tell; undefined where it is gone. */
function streamOf(client: ClientBase): Corkable | undefined {
  if (!('connection' in client)) return undefined;
  const { connection } = client;
  if (typeof connection !== 'object' || connection === null || !('stream' in connection)) return undefined;
  return connection.stream instanceof Writable ? connection.stream : undefined;
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
