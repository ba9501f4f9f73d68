import { sql } from 'kysely';
import { Pool, types as pgTypes, type ClientBase, type PoolClient, type PoolConfig } from 'pg';
import type { Log } from '../context';
import { fhirError } from '../errors';
import { builder, bind, defineStatement, template, type Bound, type Statement } from './statement';
import { translateDatabaseError } from './database-error';

export interface DatabaseOptions {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly ssl: false | { readonly ca?: string };
  /** A statement that runs longer is cancelled by PostgreSQL; default 10,000. */
  readonly statementTimeoutMs?: number;
  /** Connections in all, shared out over the lanes; default 12, at least 4. */
  readonly connections?: number;
}

/**
 * Statements of one lane share connections, so that a slow search never stands before a write.
 * read: gathered reads by key; write: gathered writes; search: all else.
 */
export type Lane = 'read' | 'write' | 'search';

/** A row in the order of the select list. 64-bit integers come as numbers; keys are selected as text. */
export type Row = readonly unknown[];

/** The role that every statement of the server runs as: row-level security holds for it, unlike for owner and superuser. */
export const APPLICATION_ROLE = 'andiron_application';

const INT8 = 20;
const typeParsers: PoolConfig['types'] = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 && format !== 'binary'
      ? Number
      : (pgTypes.getTypeParser(oid, format) as (text: string) => unknown),
};

/** Names the space that row-level security lets the connection see. */
export const SET_SPACE = defineStatement(
  template(sql`select set_config('andiron.space', ${bind('space')}, false)`),
);

const BEGIN = defineStatement(template(sql`begin`), { named: false });
const COMMIT = defineStatement(template(sql`commit`), { named: false });
const ROLLBACK = defineStatement(template(sql`rollback`), { named: false });

/** Called with the time that each statement took; for metrics. */
export type StatementObserver = (lane: Lane, milliseconds: number) => void;

/** The connections of one server process. Each runs as the application role with one space at a time in its settings. */
export class Database {
  private readonly pools: Readonly<Record<Lane, Pool>>;
  private readonly spaceOf = new WeakMap<ClientBase, number>();
  /** Connections that are in an unknown state: released with their error, they leave the pool. */
  private readonly lost = new WeakMap<ClientBase, Error>();
  observe: StatementObserver | undefined;

  constructor(
    private readonly options: DatabaseOptions,
    private readonly log: Log,
    /** False where the role could not be made: the second wall is down, and readiness says so. */
    private readonly wall: boolean,
  ) {
    const total = Math.max(4, options.connections ?? 12);
    const own = Math.max(1, Math.min(2, Math.floor(total / 4)));
    this.pools = {
      read: this.createPool(own),
      write: this.createPool(Math.max(2, own)),
      search: this.createPool(Math.max(1, total - own - Math.max(2, own))),
    };
  }

  private createPool(max: number): Pool {
    const pool = new Pool({
      ...clientConfiguration(this.options),
      max,
      pipeline: true,
      idleTimeoutMillis: 60_000,
      types: typeParsers,
      verify: (client, done) => {
        this.prepareConnection(client).then(() => done(), done);
      },
    });
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
      sql`set statement_timeout = ${sql.lit(this.options.statementTimeoutMs ?? 10_000)}`,
      sql`set idle_in_transaction_session_timeout = 60000`,
    ];
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

  /**
   * Sent ahead of the statement on the same pipelined connection, so that it costs no round trip. The answer of the
   * statement counts only if this one succeeded: under another space's setting it would see nothing.
   */
  private async enter(client: ClientBase, space: number): Promise<void> {
    if (this.spaceOf.get(client) === space) return;
    this.spaceOf.set(client, space);
    try {
      await client.query({ name: SET_SPACE.name, text: SET_SPACE.text, values: [String(space)] });
    } catch (error) {
      this.spaceOf.delete(client);
      throw this.translate(client, error);
    }
  }

  private async connect(lane: Lane): Promise<PoolClient> {
    try {
      return await this.pools[lane].connect();
    } catch (error) {
      this.log.warn({ code: errorCode(error) }, 'no database connection');
      throw fhirError('storageUnavailable');
    }
  }

  private async execute(
    client: ClientBase,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<Row[]> {
    const values = statement.values(bound);
    try {
      const result = await client.query<unknown[]>({
        ...(statement.name === undefined ? {} : { name: statement.name }),
        text: statement.text,
        values,
        rowMode: 'array',
      });
      return result.rows;
    } catch (error) {
      throw this.translate(client, error);
    }
  }

  /** What a failed statement is told as; remembers a connection that is lost. */
  private translate(client: ClientBase, error: unknown): unknown {
    const translated = translateDatabaseError(error);
    if (translated.connectionLost) this.lost.set(client, translated.cause);
    return translated.error;
  }

  /**
   * Runs one statement in one space, as a transaction of its own. `space` undefined: a statement on the control plane.
   * Throws FhirError (storageUnavailable, timeout …) for what PostgreSQL reports as its own trouble, else the cause.
   */
  async run(
    lane: Lane,
    space: number | undefined,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<Row[]> {
    const started = performance.now();
    const client = await this.connect(lane);
    try {
      if (space === undefined || this.spaceOf.get(client) === space) {
        return await this.execute(client, statement, bound);
      }
      const [, rows] = await Promise.all([this.enter(client, space), this.execute(client, statement, bound)]);
      return rows;
    } finally {
      client.release(this.lost.get(client));
      this.observe?.(lane, performance.now() - started);
    }
  }

  /** Runs `work` inside one transaction of one space; rolled back when it throws. */
  async transaction<T>(
    space: number,
    work: (
      run: (statement: Statement, bound: Readonly<Record<string, Bound>>) => Promise<Row[]>,
    ) => Promise<T>,
  ): Promise<T> {
    const client = await this.connect('write');
    try {
      await this.enter(client, space);
      await this.execute(client, BEGIN, {});
      try {
        const result = await work((statement, bound) => this.execute(client, statement, bound));
        await this.execute(client, COMMIT, {});
        return result;
      } catch (error) {
        if (!this.lost.has(client)) await this.rollBack(client);
        throw error;
      }
    } finally {
      client.release(this.lost.get(client));
    }
  }

  /** A connection that cannot even roll back is not used again. */
  private async rollBack(client: ClientBase): Promise<void> {
    try {
      await this.execute(client, ROLLBACK, {});
    } catch {
      this.lost.set(client, this.lost.get(client) ?? new Error('the transaction could not be rolled back'));
    }
  }

  /** Connections in use, idle and waited for, by lane; for metrics. */
  usage(): Readonly<Record<Lane, { total: number; idle: number; waiting: number }>> {
    const of = (pool: Pool): { total: number; idle: number; waiting: number } => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    });
    return { read: of(this.pools.read), write: of(this.pools.write), search: of(this.pools.search) };
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.pools).map((pool) => pool.end()));
  }
}

/** How pg connects; the same for the server's lanes, migrations and the tools. */
export function clientConfiguration(options: DatabaseOptions): {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  ssl: false | { ca?: string };
  application_name: string;
  connectionTimeoutMillis: number;
} {
  const { host, port, database, user, password, ssl } = options;
  return {
    host,
    port,
    database,
    user,
    password,
    ssl,
    application_name: 'andiron',
    connectionTimeoutMillis: 5_000,
  };
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}
