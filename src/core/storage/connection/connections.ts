import { sql } from 'kysely';
import { types as pgTypes, type ClientBase, type Pool, type PoolClient, type PoolConfig } from 'pg';
import type { Log } from '../../context';
import { fhirError } from '../../errors';
import { Cancellation } from '../../concurrency/cancellation';
import { isTraced } from '../../tracing';
import { identifyBackend, type Backend } from './backend';
import { Connection, areAllCancelled, type BoundStatement, type StatementOutcomes } from './connection';
import {
  answerLimit,
  APPLICATION_ROLE,
  DEFAULT_STATEMENT_TIMEOUT_MS,
  LANES,
  spaceSettings,
  type Database,
  type DatabaseOptions,
  type Lane,
  type ReadConnections,
  type Row,
  type Run,
  type StatementContext,
} from './database';
import { codeOf, isConnectionLoss, translateDatabaseError } from './database-error';
import { DatabaseHealth } from './database-health';
import { DatabaseProbe, type Borrowed } from './database-probe';
import { LaneTurns } from './lane-turns';
import { queryAfterEnd, CURRENT_TRANSACTION, endLostBackend, requireCommitted } from './lost-answer';
import { openPool } from './open-client';
import { recordStatement } from './record-statement';
import { PROVE_ROW_SECURITY, RowSecurity, RowSecurityError } from './row-security';
import { Snapshot } from './snapshot';
import { builder, defineStatement, template, type Bound, type Statement } from './statement';

const INT8 = 20;
const typeParsers: PoolConfig['types'] = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 && format !== 'binary'
      ? Number
      : (pgTypes.getTypeParser(oid, format) as (text: string) => unknown),
};

const BEGIN = defineStatement(template(sql`begin`), { named: false });
const COMMIT = defineStatement(template(sql`commit`), { named: false });
const PING = defineStatement(template(sql`select 1`), { named: false });

/** Receives the duration of each statement, for metrics. */
export type StatementObserver = (lane: Lane, milliseconds: number) => void;

/** What the server uses of its connections: those to one database, or to the nodes of a distributed one (storage/nodes/). */
export type PrimaryConnections = ReadConnections &
  Pick<
    Connections,
    'transaction' | 'write' | 'runWhole' | 'renew' | 'usage' | 'close' | 'probe' | 'rowSecurity'
  >;

/** Milliseconds between two checks for silent connections. */
const SILENCE_CHECK_MS = 500;

/**
 * The database connections of one server process. Each runs as the application role, with one space at a time in its
 * settings. Tenants take turns at the connections of a lane (lane-turns.ts).
 */
export class Connections implements ReadConnections {
  private readonly pools: Readonly<Record<Lane, Pool>>;
  private readonly turns: LaneTurns;
  private readonly prepared = new Map<ClientBase, Connection>();
  private readonly health: DatabaseHealth;
  private readonly silenceTimer: NodeJS.Timeout;
  private readonly probePool: Pool;
  readonly probe: DatabaseProbe;
  /** Proven for each new connection, then when a connection is borrowed and its proof is a minute old. */
  readonly rowSecurity: RowSecurity;
  observe: StatementObserver | undefined;

  constructor(
    private readonly options: DatabaseOptions,
    private readonly log: Log,
    /** False if the application role could not be created: row-level security is off, and readiness says so. */
    private readonly hasRowSecurity: boolean,
    /** The number of the tenant that a space belongs to; negative: unknown, or none. */
    private readonly tenantOf: (space: number) => number = (space) => -space,
  ) {
    this.rowSecurity = new RowSecurity(log, options.proofIntervalMs);
    const total = Math.max(4, options.connections ?? 14);
    const own = Math.min(2, Math.floor(total / 4));
    // With enough connections, a tenant can use as many as help it, and one is left for the others.
    const writing = total >= 14 ? own + 1 : own;
    const searching = total - own - 2 * writing;
    const connections = { read: own, write: writing, transaction: writing, search: searching };
    this.turns = new LaneTurns(connections, options, tenantOf);
    this.health = new DatabaseHealth(log);
    this.pools = {
      read: this.createPool('read', connections.read),
      write: this.createPool('write', connections.write),
      transaction: this.createPool('transaction', connections.transaction),
      search: this.createPool('search', connections.search),
    };
    this.probePool = this.createPool(undefined, 1);
    this.probe = new DatabaseProbe({
      health: this.health,
      take: () => this.take(this.probePool),
      ping: (lane) => this.run({ lane, space: undefined }, PING, {}),
    });
    const maxSilence = Math.ceil(answerLimit(options) / SILENCE_CHECK_MS);
    this.silenceTimer = setInterval(() => {
      for (const connection of this.prepared.values()) connection.countUnanswered(maxSilence);
    }, SILENCE_CHECK_MS).unref();
  }

  /** @param lane the lane whose health its statements report; undefined: none */
  private createPool(lane: Lane | undefined, max: number): Pool {
    const outcomes: StatementOutcomes = {
      succeeded: () => {
        if (lane !== undefined) this.health.succeeded(lane);
      },
      failed: (trouble, code) => {
        if (lane !== undefined) this.health.failed(lane, trouble, code);
      },
    };
    const configuration = { max, pipeline: true, idleTimeoutMillis: 60_000, types: typeParsers };
    const pool = openPool(this.options, configuration, async (client) => {
      const backend = await this.prepareConnection(client);
      this.prepared.set(
        client,
        new Connection(client, backend, { database: this.options, outcomes, tenantOf: this.tenantOf }),
      );
    });
    pool.on('remove', (client) => this.prepared.delete(client));
    // The pool replaces a lost idle connection when it needs one, and reports a failure to connect then.
    pool.on('error', (error) =>
      this.log.debug({ code: codeOf(error) }, 'an idle database connection was lost'),
    );
    return pool;
  }

  /** Takes the application role and proves that row-level security is in force before anything else may run. */
  private async prepareConnection(client: ClientBase): Promise<Backend> {
    const backend = await identifyBackend(client);
    const settings = [
      sql`set jit = off`,
      sql`set random_page_cost = 1.1`,
      // PostgreSQL probes a set of keys for each row only while the set fits in a hash table.
      sql`set hash_mem_multiplier = 16`,
      sql`set statement_timeout = ${sql.lit(this.options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS)}`,
      sql`set idle_in_transaction_session_timeout = 60000`,
      // PostgreSQL too notices within half a minute that the client is gone.
      sql`set tcp_keepalives_idle = 10`,
      sql`set tcp_keepalives_interval = 5`,
      sql`set tcp_keepalives_count = 4`,
    ];
    const { maxResources, maxBytes } = this.options.quotas ?? {};
    if (maxResources !== undefined)
      settings.push(sql`set andiron.quota_resources = ${sql.lit(String(maxResources))}`);
    if (maxBytes !== undefined) settings.push(sql`set andiron.quota_bytes = ${sql.lit(String(maxBytes))}`);
    if (this.hasRowSecurity) settings.push(sql`set role ${sql.id(APPLICATION_ROLE)}`);
    for (const setting of settings) await client.query(setting.compile(builder).sql);
    if (!this.hasRowSecurity) return backend;
    const proof = await client.query<unknown[]>({ text: PROVE_ROW_SECURITY.text, rowMode: 'array' });
    this.rowSecurity.record(proof.rows[0]?.[0] === true);
    return backend;
  }

  /** Lends a connection to `work` exclusively, which must wait for each statement that it sends. */
  async borrow<T>(context: StatementContext, work: (connection: Connection) => Promise<T>): Promise<T> {
    const { connection, release } = await this.connect(context);
    try {
      return await work(connection);
    } finally {
      release();
    }
  }

  private async connect(context: StatementContext): Promise<Borrowed> {
    const { lane } = context;
    const leave = await this.turns.enter(context);
    try {
      const { connection, release } = await this.takeProven(this.pools[lane]);
      return {
        connection,
        release() {
          release();
          leave();
        },
      };
    } catch (error) {
      leave();
      const { error: translated, trouble = 'away', cause } = translateDatabaseError(error);
      // RowSecurity logs this error itself, once.
      if (!(error instanceof RowSecurityError)) this.health.failed(lane, trouble, codeOf(cause));
      throw translated;
    }
  }

  private async take(pool: Pool): Promise<Borrowed> {
    const client: PoolClient = await pool.connect();
    const connection = this.prepared.get(client);
    if (connection === undefined) throw new Error('the pool returned a connection that was not prepared');
    return { connection, release: () => client.release(connection.lost ?? connection.isFull) };
  }

  /**
   * Takes a connection on which row-level security was proven in the last minute. A connection that fails the proof is
   * destroyed, and another is taken. A new connection is proven when it is made.
   */
  private async takeProven(pool: Pool): Promise<Borrowed> {
    for (;;) {
      const taken = await this.take(pool);
      const { connection, release } = taken;
      if (!this.hasRowSecurity || !this.rowSecurity.isDue(connection.provenAt)) return taken;
      if (await this.proves(connection)) return taken;
      release();
    }
  }

  private async proves(connection: Connection): Promise<boolean> {
    try {
      const [row] = await connection.run(undefined, PROVE_ROW_SECURITY, {});
      connection.provenAt = performance.now();
      this.rowSecurity.record(row?.[0] === true);
      return true;
    } catch (error) {
      connection.lost ??=
        error instanceof Error
          ? error
          : new Error('the row-level security of a connection could not be checked');
      return false;
    }
  }

  /** Reports statements that were sent together, and have ended, to metrics and traces. */
  private ended(lane: Lane, started: number, statements: readonly Statement[]): void {
    this.observe?.(lane, performance.now() - started);
    if (isTraced()) for (const statement of statements) recordStatement(lane, started, statement);
  }

  /** Runs one statement as a transaction of its own. */
  async run(
    context: StatementContext,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<Row[]> {
    const started = performance.now();
    try {
      return await this.borrow(context, (connection) =>
        connection.whileWaitedFor(context.waiting, () =>
          this.runAlone(connection, context.space, { statement, bound }),
        ),
      );
    } finally {
      this.ended(context.lane, started, [statement]);
    }
  }

  /** Runs a statement as a transaction of its own. */
  private async runAlone(
    connection: Connection,
    space: number | undefined,
    { statement, bound }: BoundStatement,
  ): Promise<Row[]> {
    const { shards } = this.options;
    if (shards === undefined || space === undefined) return connection.run(space, statement, bound);
    if (!shards.changes(statement))
      return connection.run(space, statement, bound, [shards.guard(space, 'read')]);
    const [, rows = []] = await connection.runWhole(space, [
      { statement: shards.guard(space, 'change'), bound: {} },
      { statement, bound },
    ]);
    return rows;
  }

  /** What comes first in a transaction that changes a space. */
  private guards(space: number): BoundStatement[] {
    const { shards } = this.options;
    return shards === undefined ? [] : [{ statement: shards.guard(space, 'change'), bound: {} }];
  }

  /**
   * Runs `work` inside one transaction of one space; an exception rolls it back. Isolation is Read Committed: each
   * statement sees what was committed before it began, and what the transaction wrote. The transaction holds one
   * connection of a lane reserved for transactions, where it can wait for locks. Statements of `work` outside the
   * transaction must use other lanes.
   */
  async transaction<T>(space: number, work: (run: Run, database: Database) => Promise<T>): Promise<T> {
    return this.borrow({ lane: 'transaction', space }, async (connection) => {
      const run = async (
        of: number | undefined,
        statement: Statement,
        bound: Readonly<Record<string, Bound>>,
      ): Promise<Row[]> => {
        const started = performance.now();
        try {
          return await connection.run(of, statement, bound);
        } finally {
          this.ended('transaction', started, [statement]);
        }
      };
      try {
        // The transaction id comes in the packet of `begin`.
        const before = [BEGIN, ...this.guards(space).map(({ statement }) => statement)];
        const [row] = await connection.run(space, CURRENT_TRANSACTION, {}, before);
        const result = await work((statement, bound) => run(space, statement, bound), {
          run: (context, statement, bound) => run(context.space, statement, bound),
        });
        await this.commit(connection, space, String(row?.[0]));
        return result;
      } catch (error) {
        await connection.rollBack();
        if (!isConnectionLoss(error)) throw error;
        // The transaction is not committed, but its backend holds the locks until it ends.
        if (connection.lost !== undefined) void endLostBackend(this.options, connection.backend);
        throw fhirError('notStored');
      }
    });
  }

  private async commit(connection: Connection, space: number, transaction: string): Promise<void> {
    try {
      await connection.run(space, COMMIT, {});
    } catch (error) {
      if (!isConnectionLoss(error)) throw error;
      await requireCommitted(this.options, connection.backend, transaction);
    }
  }

  /**
   * Runs one statement that writes, as a transaction of its own. If its response is lost, `find` reads the same rows
   * with the same values; it returns none if nothing was stored. **Throws** notStored, maybeStored.
   */
  async write(
    lane: Lane,
    space: number,
    { statement, bound, find }: Required<BoundStatement>,
  ): Promise<Row[]> {
    const started = performance.now();
    try {
      return await this.borrow({ lane, space }, async (connection) => {
        try {
          return await this.runAlone(connection, space, { statement, bound });
        } catch (error) {
          if (!isConnectionLoss(error)) throw error;
          const [rows] = await this.find(connection, space, [{ statement: find, bound }]);
          if (rows === undefined || rows.length === 0) throw fhirError('notStored');
          return rows;
        }
      });
    } finally {
      this.ended(lane, started, [statement]);
    }
  }

  /** Reads what became of the statements sent on a lost connection, on a new connection of the space. */
  private find({ backend }: Connection, space: number, queries: readonly BoundStatement[]): Promise<Row[][]> {
    const { shards } = this.options;
    const seen = this.hasRowSecurity ? spaceSettings(space, this.tenantOf(space)) : undefined;
    const named = queries.map((query) => ({
      ...query,
      statement: shards?.named(space, query.statement) ?? query.statement,
    }));
    return queryAfterEnd(this.options, backend, { queries: named, seen });
  }

  /**
   * Runs statements that are all known beforehand as one transaction of one space (`Connection.runWhole`). Returns the
   * rows of each statement; after a lost response only those of statements with `find`.
   * **Throws** notStored, maybeStored.
   */
  async runWhole(space: number, statements: readonly BoundStatement[]): Promise<Row[][]> {
    const started = performance.now();
    try {
      return await this.borrow({ lane: 'transaction', space }, async (connection) => {
        try {
          const guards = this.guards(space);
          return (await connection.runWhole(space, [...guards, ...statements])).slice(guards.length);
        } catch (error) {
          if (!isConnectionLoss(error)) throw error;
          const queries = statements.flatMap(({ find, bound }) =>
            find === undefined ? [] : [{ statement: find, bound }],
          );
          const found = await this.find(connection, space, queries);
          if (found.some((rows) => rows.length === 0)) throw fhirError('notStored');
          return found;
        }
      });
    } finally {
      this.ended(
        'transaction',
        started,
        statements.map(({ statement }) => statement),
      );
    }
  }

  async inSnapshot<T>(
    space: number,
    given: readonly Cancellation[] | undefined,
    work: (snapshot: Snapshot) => Promise<T>,
    milliseconds?: number,
  ): Promise<T> {
    const { connection, release } = await this.connect({ lane: 'search', space, waiting: given });
    const { waiting, unsubscribe } = withTimeLimit(given, milliseconds);
    const guard = this.options.shards?.guard(space, 'read');
    const snapshot = new Snapshot(connection, waiting, {
      ...(guard === undefined ? {} : { guard }),
      observe: (began, statement) => this.ended('search', began, [statement]),
    });
    const end = async (isGood: boolean): Promise<void> => {
      await snapshot.end(isGood);
      release();
    };
    try {
      const result = await connection.whileWaitedFor(waiting, () => work(snapshot));
      void end(true);
      return result;
    } catch (error) {
      void end(false);
      throw error;
    } finally {
      unsubscribe();
    }
  }

  /** Closes each connection after its current use: later ones are made anew. */
  renew(): void {
    for (const connection of this.prepared.values())
      connection.lost ??= new Error('the connection was replaced');
  }

  /** Connections in total and idle, their limit, and statements that wait for one, by lane; for metrics. */
  usage(): Readonly<Record<Lane, { total: number; idle: number; waiting: number; limit: number }>> {
    const of = (lane: Lane): { total: number; idle: number; waiting: number; limit: number } => ({
      total: this.pools[lane].totalCount,
      idle: this.pools[lane].idleCount,
      waiting: this.turns.waitingCount(lane),
      limit: this.pools[lane].options.max,
    });
    return { read: of('read'), write: of('write'), transaction: of('transaction'), search: of('search') };
  }

  async close(): Promise<void> {
    clearInterval(this.silenceTimer);
    await Promise.all([...LANES.map((lane) => this.pools[lane]), this.probePool].map((pool) => pool.end()));
  }
}

/** Replaces `waiting` by one cancellation, which also fires after `milliseconds`. */
function withTimeLimit(
  waiting: readonly Cancellation[] | undefined,
  milliseconds: number | undefined,
): { readonly waiting: readonly Cancellation[] | undefined; unsubscribe(): void } {
  if (milliseconds === undefined) return { waiting, unsubscribe: () => undefined };
  const limited = new Cancellation(Date.now() + milliseconds);
  const cancel = (): void => {
    if (areAllCancelled(waiting)) limited.cancel();
  };
  const unsubscribes = (waiting ?? []).map((cancellation) => cancellation.onCancel(cancel));
  return {
    waiting: [limited],
    unsubscribe() {
      for (const unsubscribe of unsubscribes) unsubscribe();
    },
  };
}
