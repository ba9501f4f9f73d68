import { sql } from 'kysely';
import type { Client } from 'pg';
import { query, identifyBackend, type Backend } from './backend';
import { watchConnection } from './connection-watch';
import { answerLimit, DEFAULT_STATEMENT_TIMEOUT_MS, type DatabaseOptions, type Row } from './database';
import { isConnectionLoss, translateDatabaseError } from './database-error';
import { requireCommitted } from './lost-answer';
import { closeClient, openClient, withinLimit } from './open-client';
import { builder, defineStatement, template, type Bound, type Statement } from './statement';
import { fhirError } from '../../errors';

const BEGIN = unnamed(sql`begin`);
const BEGIN_SNAPSHOT = unnamed(sql`begin isolation level repeatable read read only`);
const COMMIT = unnamed(sql`commit`);
const ROLLBACK = unnamed(sql`rollback`);
/** Null: nothing was written. */
const TRANSACTION = unnamed(sql`select pg_current_xact_id_if_assigned()::text`);
const NO_TIME_LIMIT = unnamed(sql`set statement_timeout = 0`);
const NO_TIME_LIMIT_HERE = unnamed(sql`set local statement_timeout = 0`);

/** snapshot: all statements see the same data, and change nothing. */
type TransactionKind = 'change' | 'snapshot';

/**
 * One connection of the owner role, for operator work that the application role may not do. Row-level security does not
 * apply to it: every statement names its space.
 */
export class OwnerSession {
  private hasLimit = true;
  /** The space whose rows the session uses on a node of a distributed database. */
  private space: number | undefined;

  private constructor(
    private readonly client: Client,
    private readonly backend: Backend,
    private readonly options: DatabaseOptions,
  ) {
    watchConnection(options, client, backend);
  }

  /** Opens a session. **Throws** storageUnavailable if the database cannot be reached. */
  static async open(options: DatabaseOptions): Promise<OwnerSession> {
    let client: Client | undefined;
    try {
      client = await openClient(options);
      return await OwnerSession.prepare(client, options);
    } catch (error) {
      if (client !== undefined) await closeClient(client);
      throw translateDatabaseError(error).error;
    }
  }

  /**
   * Opens a session for the rows of a space, and of other spaces of its tenant: to the node that has them where the database is
   * distributed. **Throws** as `open` does.
   */
  static async openFor(space: number, options: DatabaseOptions): Promise<OwnerSession> {
    const { nodes } = options;
    if (nodes === undefined) return OwnerSession.open(options);
    let at: DatabaseOptions;
    try {
      at = await nodes.optionsFor(space);
    } catch (error) {
      throw translateDatabaseError(error).error;
    }
    const session = await OwnerSession.open(at);
    session.space = space;
    return session;
  }

  /**
   * Runs `work` with sessions that together reach the rows of all spaces: with this one, or on a distributed database with one for
   * each shard group. **Throws** as `openFor` does.
   */
  async forEachGroup(work: (session: OwnerSession) => Promise<void>): Promise<void> {
    const { nodes } = this.options;
    if (nodes === undefined) return work(this);
    let session: OwnerSession | undefined;
    try {
      for (const space of nodes.spaceOfEachGroup()) {
        const at = await nodes.optionsFor(space);
        if (session?.options.host !== at.host || session.options.port !== at.port) {
          await session?.close();
          session = await OwnerSession.open(at);
        }
        session.space = space;
        await work(session);
      }
    } finally {
      await session?.close();
    }
  }

  private static prepare(client: Client, options: DatabaseOptions): Promise<OwnerSession> {
    return withinLimit(client, answerLimit(options), async () => {
      const backend = await identifyBackend(client);
      for (const setting of [
        sql`set jit = off`,
        sql`set random_page_cost = 1.1`,
        sql`set statement_timeout = ${sql.lit(options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS)}`,
        sql`set idle_in_transaction_session_timeout = 60000`,
      ]) {
        await client.query(setting.compile(builder).sql);
      }
      return new OwnerSession(client, backend, options);
    });
  }

  /** Runs one transaction on a connection of its own. **Throws** as `transaction` does. */
  static async inTransaction<T>(
    options: DatabaseOptions,
    work: (session: OwnerSession) => Promise<T>,
  ): Promise<T> {
    const session = await OwnerSession.open(options);
    try {
      return await session.transaction(() => work(session));
    } finally {
      await session.close();
    }
  }

  /** Runs one statement, inside the transaction if there is one. */
  async run(statement: Statement, bound: Readonly<Record<string, Bound>> = {}): Promise<Row[]> {
    try {
      if (!this.hasLimit) return await this.send(statement, bound);
      return await withinLimit(this.client, answerLimit(this.options), () => this.send(statement, bound));
    } catch (error) {
      throw translateDatabaseError(error).error;
    }
  }

  private send(statement: Statement, bound: Readonly<Record<string, Bound>>): Promise<Row[]> {
    const { shards } = this.options;
    const named =
      shards === undefined || this.space === undefined ? statement : shards.named(this.space, statement);
    return query(this.client, named, bound);
  }

  /** Removes the time limit of statements; from now on the connection is watched instead (connection-watch.ts). */
  async removeLimit(): Promise<void> {
    await this.run(NO_TIME_LIMIT);
    this.hasLimit = false;
  }

  /**
   * Runs `work` in one transaction, rolled back if it throws. **Throws** notStored if the connection is lost before the
   * commit, maybeStored if the outcome cannot be determined.
   */
  async transaction<T>(work: () => Promise<T>, kind: TransactionKind = 'change'): Promise<T> {
    await this.run(kind === 'snapshot' ? BEGIN_SNAPSHOT : BEGIN);
    try {
      if (this.space !== undefined && this.options.shards !== undefined)
        await this.run(this.options.shards.guard(this.space, kind === 'snapshot' ? 'read' : 'change'));
      const result = await work();
      const [row] = await this.run(TRANSACTION);
      await this.commit(row?.[0]);
      return result;
    } catch (error) {
      // A lost connection has nothing to roll back, and `error` gives the cause.
      await this.run(ROLLBACK).catch(() => undefined);
      throw isConnectionLoss(error) ? fhirError('notStored') : error;
    }
  }

  /** Runs a transaction whose statements have no time limit. */
  async longTransaction<T>(work: () => Promise<T>, kind: TransactionKind = 'change'): Promise<T> {
    const { hasLimit } = this;
    return this.transaction(async () => {
      await this.run(NO_TIME_LIMIT_HERE);
      this.hasLimit = false;
      return work();
    }, kind).finally(() => (this.hasLimit = hasLimit));
  }

  private async commit(transaction: unknown): Promise<void> {
    try {
      await this.run(COMMIT);
    } catch (error) {
      if (!isConnectionLoss(error) || typeof transaction !== 'string') throw error;
      await requireCommitted(this.options, this.backend, transaction);
    }
  }

  /** Closes the connection, which releases its locks. */
  async close(): Promise<void> {
    await closeClient(this.client);
  }
}

function unnamed(raw: ReturnType<typeof sql>): Statement {
  return defineStatement(template(raw), { named: false });
}
