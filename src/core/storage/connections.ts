import { sql } from 'kysely';
import { Pool, types as pgTypes, type ClientBase, type PoolClient, type PoolConfig } from 'pg';
import type { Log } from '../context';
import { fhirError } from '../errors';
import { Waiter } from '../waiter';
import { Connection, isGivenUp, type BoundStatement } from './connection';
import {
  APPLICATION_ROLE,
  clientConfiguration,
  type Database,
  type DatabaseOptions,
  type Lane,
  type Row,
  type Run,
} from './database';
import { FairTurns, NO_TENANT } from './fair-turns';
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

/** The pool waits for the promise of `onConnect` before it lends a connection, though its own types do not tell. */
type WaitingPoolConfig = PoolConfig & { onConnect(client: ClientBase): Promise<void> };

/** Called with the time that each statement took; for metrics. */
export type StatementObserver = (lane: Lane, milliseconds: number) => void;

/** Milliseconds that a statement may wait for a connection. */
const PATIENCE_MS = 5_000;
/** Statements of one tenant that may wait for a connection of one lane. */
const MAX_WAITING = 10_000;

/**
 * The connections of one server process. Each runs as the application role with one space at a time in its settings.
 * Tenants take turns at those of a lane, and none of them may have all (fair-turns.ts).
 */
export class Connections implements Database {
  private readonly pools: Readonly<Record<Lane, Pool>>;
  private readonly turns: Readonly<Record<Lane, FairTurns>>;
  private readonly known = new WeakMap<ClientBase, Connection>();
  observe: StatementObserver | undefined;

  constructor(
    private readonly options: DatabaseOptions,
    private readonly log: Log,
    /** False where the role could not be made: the second wall is down, and readiness says so. */
    private readonly wall: boolean,
    /** The number of the tenant that a space belongs to. */
    private readonly tenantOf: (space: number) => number = (space) => space,
  ) {
    const total = Math.max(4, options.connections ?? 14);
    const own = Math.min(2, Math.floor(total / 4));
    // Where there are enough, a tenant may have as many as are of use to it, and one is left for the others.
    const writing = total >= 14 ? own + 1 : own;
    const searching = total - own - 2 * writing;
    this.pools = {
      read: this.createPool(own),
      write: this.createPool(writing),
      transaction: this.createPool(writing),
      search: this.createPool(searching),
    };
    this.turns = {
      // Reads by key take no time that would be worth keeping a connection for others.
      read: takeTurns(own, own),
      write: takeTurns(writing),
      transaction: takeTurns(writing),
      search: takeTurns(searching),
    };
  }

  private createPool(max: number): Pool {
    const configuration: WaitingPoolConfig = {
      ...clientConfiguration(this.options),
      max,
      pipeline: true,
      idleTimeoutMillis: 60_000,
      types: typeParsers,
      // Not `verify`: whoever has stopped waiting while that was under way is handed the connection all the same, and it
      // is lost to the pool.
      onConnect: (client) => this.prepareConnection(client),
    };
    const pool = new Pool(configuration);
    pool.on('error', (error) =>
      this.log.warn({ code: errorCode(error) }, 'an idle database connection was lost'),
    );
    return pool;
  }

  /** Takes the application role and proves that row-level security is in force before anything else may run. */
  private async prepareConnection(client: ClientBase): Promise<void> {
    // The pool hears the errors of idle connections only. One that is lost while it works fails its statements, which
    // tell; without a listener the event would end the process.
    client.on('error', () => undefined);
    const settings = [
      sql`set jit = off`,
      sql`set random_page_cost = 1.1`,
      // A set of keys is looked into row by row only while it may be a hash table.
      sql`set hash_mem_multiplier = 16`,
      sql`set statement_timeout = ${sql.lit(this.options.statementTimeoutMs ?? 10_000)}`,
      sql`set idle_in_transaction_session_timeout = 60000`,
    ];
    const { maxResources, maxBytes } = this.options.quotas ?? {};
    if (maxResources !== undefined)
      settings.push(sql`set andiron.quota_resources = ${sql.lit(String(maxResources))}`);
    if (maxBytes !== undefined) settings.push(sql`set andiron.quota_bytes = ${sql.lit(String(maxBytes))}`);
    if (this.wall) settings.push(sql`set role ${sql.id(APPLICATION_ROLE)}`);
    for (const setting of settings) await client.query(setting.compile(builder).sql);
    if (!this.wall) return;
    const proof = await client.query<{ proof: boolean }>(
      sql`select current_user = ${sql.lit(APPLICATION_ROLE)} and row_security_active('andiron.resource')
            and row_security_active('andiron.resource_version') as proof`.compile(builder).sql,
    );
    if (proof.rows[0]?.proof !== true)
      throw new Error('row-level security is not in force on a new connection');
  }

  /** Lends a connection to `work` alone. */
  private async borrow<T>(
    lane: Lane,
    space: number | undefined,
    waiting: readonly Waiter[] | undefined,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const { connection, release } = await this.connect(lane, space, waiting);
    try {
      return await work(connection);
    } finally {
      release();
    }
  }

  private async connect(
    lane: Lane,
    space: number | undefined,
    waiting: readonly Waiter[] | undefined,
  ): Promise<Borrowed> {
    const turns = this.turns[lane];
    const tenant = space === undefined ? NO_TENANT : this.tenantOf(space);
    const turn = turns.enter(tenant, () => isGivenUp(waiting));
    if (turn !== undefined) await turn;
    let client: PoolClient;
    try {
      client = await this.pools[lane].connect();
    } catch (error) {
      turns.leave(tenant);
      this.log.warn({ code: errorCode(error) }, 'no database connection');
      throw fhirError('storageUnavailable');
    }
    let connection = this.known.get(client);
    if (connection === undefined) {
      connection = new Connection(client, this.options, this.log);
      this.known.set(client, connection);
    }
    const lent = connection;
    return {
      connection,
      release() {
        client.release(lent.lost);
        turns.leave(tenant);
      },
    };
  }

  /** Runs one statement, as a transaction of its own. */
  async run(
    lane: Lane,
    space: number | undefined,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
    waiting?: readonly Waiter[],
  ): Promise<Row[]> {
    const started = performance.now();
    try {
      return await this.borrow(lane, space, waiting, (connection) =>
        connection.whileWaitedFor(waiting, () => connection.run(space, statement, bound)),
      );
    } finally {
      this.observe?.(lane, performance.now() - started);
    }
  }

  /**
   * Runs `work` inside one transaction of one space (Read Committed: each statement sees what was committed before it
   * began, and what the transaction wrote); rolled back when it throws. It holds one connection of a lane that is for
   * transactions alone, and may wait there for the locks of others: what `work` asks besides, it asks by other lanes.
   */
  async transaction<T>(space: number, work: (run: Run, database: Database) => Promise<T>): Promise<T> {
    return this.borrow('transaction', space, undefined, async (connection) => {
      await connection.run(space, BEGIN, {});
      const run = async (
        of: number | undefined,
        statement: Statement,
        bound: Readonly<Record<string, Bound>>,
      ): Promise<Row[]> => {
        const started = performance.now();
        try {
          return await connection.run(of, statement, bound);
        } finally {
          this.observe?.('transaction', performance.now() - started);
        }
      };
      try {
        const result = await work((statement, bound) => run(space, statement, bound), {
          run: (_lane, of, statement, bound) => run(of, statement, bound),
        });
        await connection.run(space, COMMIT, {});
        return result;
      } catch (error) {
        await connection.rollBack();
        throw error;
      }
    });
  }

  /**
   * Runs statements that are all known beforehand as one transaction of one space (`Connection.runWhole`), and gives the rows
   * of each.
   */
  async runWhole(space: number, statements: readonly BoundStatement[]): Promise<Row[][]> {
    const started = performance.now();
    try {
      return await this.borrow('transaction', space, undefined, (connection) =>
        connection.runWhole(space, statements),
      );
    } finally {
      this.observe?.('transaction', performance.now() - started);
    }
  }

  /**
   * Runs `work` with a database whose statements all see the same data. It holds one connection of the search lane: what
   * `work` asks of the database must be asked of that one, or many such works could wait for each other.
   * `waiting`: as of `run`, for all of its statements. `milliseconds`: it is given up after so long with the connection.
   */
  async inSnapshot<T>(
    space: number,
    given: readonly Waiter[] | undefined,
    work: (snapshot: Database) => Promise<T>,
    milliseconds?: number,
  ): Promise<T> {
    const { connection, release } = await this.connect('search', space, given);
    const { waiting, forget } = withPatience(given, milliseconds);
    const snapshot = new Snapshot(connection, waiting, (milliseconds) =>
      this.observe?.('search', milliseconds),
    );
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
      forget();
    }
  }

  /** Connections in use, idle, and statements that wait for one, by lane; for metrics. */
  usage(): Readonly<Record<Lane, { total: number; idle: number; waiting: number }>> {
    const of = (lane: Lane): { total: number; idle: number; waiting: number } => ({
      total: this.pools[lane].totalCount,
      idle: this.pools[lane].idleCount,
      waiting: this.turns[lane].waitingCount,
    });
    return { read: of('read'), write: of('write'), transaction: of('transaction'), search: of('search') };
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.pools).map((pool) => pool.end()));
  }
}

interface Borrowed {
  readonly connection: Connection;
  release(): void;
}

/** Of `slots` connections a tenant may have all but one while there are others. */
function takeTurns(slots: number, most = Math.max(1, slots - 1)): FairTurns {
  return new FairTurns({
    slots,
    most,
    mostAlone: slots,
    maxWaiting: MAX_WAITING,
    patienceMs: PATIENCE_MS,
  });
}

/** `waiting`, who leave after `milliseconds` at the latest. */
function withPatience(
  waiting: readonly Waiter[] | undefined,
  milliseconds: number | undefined,
): { readonly waiting: readonly Waiter[] | undefined; forget(): void } {
  if (milliseconds === undefined) return { waiting, forget: () => undefined };
  const patience = new Waiter(Date.now() + milliseconds);
  const leave = (): void => {
    if (isGivenUp(waiting)) patience.leave();
  };
  const forgets = (waiting ?? []).map((waiter) => waiter.whenLeaving(leave));
  return {
    waiting: [patience],
    forget() {
      for (const forget of forgets) forget();
    },
  };
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}
