import { sql } from 'kysely';
import type { Cancellation } from '../../concurrency/cancellation';
import { bind, defineStatement, template, type Bound, type Statement } from './statement';

export interface DatabaseOptions {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly ssl: false | { readonly ca?: string };
  /** Milliseconds after which PostgreSQL cancels a statement; default 10,000. */
  readonly statementTimeoutMs?: number;
  /** Quotas of tenants without quotas of their own: resources, and bytes of version texts; undefined: no limit. */
  readonly quotas?: { readonly maxResources?: number; readonly maxBytes?: number };
  /** Connections in total, divided among the lanes; default 14, at least 4. */
  readonly connections?: number;
  /** Milliseconds for which the proof of row-level security on a connection is valid; default 60,000. */
  readonly proofIntervalMs?: number;
  /** Standbys that answer reads (storage/replicas/); default: none. */
  readonly replicas?: readonly ReplicaAddress[];
  /** The nodes of a distributed database; undefined: it is not distributed. */
  readonly nodes?: NodeDirectory;
  /** Of a node of a distributed database; undefined: the tables have their plain names. */
  readonly shards?: Shards;
}

/** Which node of a distributed database has the rows of a space. */
export interface NodeDirectory {
  /** The options of a connection to that node. **Throws** as pg does. */
  optionsFor(space: number): Promise<DatabaseOptions>;
  /** A number that a space of each shard group could have; those of one node follow each other. */
  spaceOfEachGroup(): readonly number[];
}

/** How statements of a space run on the node that has its rows (storage/nodes/). */
export interface Shards {
  /** Returns the statement with the names of the tables and functions of the space. */
  named(space: number, statement: Statement): Statement;
  /** True if the statement may change rows. */
  changes(statement: Statement): boolean;
  /**
   * Precedes the statements of a packet or transaction: it fails with AN007 where the space is on another node by now. `change`:
   * until the end of the transaction, the space stays on this one.
   */
  guard(space: number, of: 'read' | 'change'): Statement;
}

/** A standby of the database; everything else is as of the primary. */
export interface ReplicaAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Statements of one lane share connections, so that a slow search never delays a write.
 * read: batched reads by key; write: batched writes; transaction: writes of several statements, which may wait for
 * locks; search: everything else.
 */
export type Lane = 'read' | 'write' | 'transaction' | 'search';
export const LANES: readonly Lane[] = ['read', 'write', 'transaction', 'search'];

/** A row in the order of the select list. 64-bit integers are numbers; keys are selected as text. */
export type Row = readonly unknown[];

/** Runs a statement inside a transaction of one space. */
export type Run = (statement: Statement, bound: Readonly<Record<string, Bound>>) => Promise<Row[]>;

/** The role of every statement of the server. Row-level security applies to it, unlike to the owner and superusers. */
export const APPLICATION_ROLE = 'andiron_application';

/** The lane, space and caller of a statement. */
export interface StatementContext {
  readonly lane: Lane;
  /** Undefined: a statement on the control plane. */
  readonly space: number | undefined;
  /** True: a statement of bulk data, of which few run at a time, so that searches of people find a connection. */
  readonly isBulk?: boolean;
  /**
   * The requests that wait for the rows: when all of them are cancelled, PostgreSQL cancels the statement, and `timeout`
   * is thrown. Undefined: the statement runs to its end.
   */
  readonly waiting?: readonly Cancellation[] | undefined;
}

/** Runs statements, each as a transaction of its own (connections.ts) or all in one snapshot (snapshot.ts). */
export interface Database {
  /**
   * Runs one statement.
   * **Throws** FhirError (storageUnavailable, timeout …) for a failure of the database, else StatementError.
   */
  run(
    context: StatementContext,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<Row[]>;
}

/** Runs the statements of reads: the connections to the primary, or to it and its replicas. */
export interface ReadConnections extends Database {
  /**
   * Runs `work` with a database whose statements all see the same data. It holds one connection of the search lane.
   * `work` must send all its statements to this database; with a second connection, many callers could wait for each
   * other. It may be called a second time, when the snapshot was lost before its end. `given`: as `waiting` of a statement,
   * for all of them. `milliseconds`: limit on the time with the connection.
   */
  inSnapshot<T>(
    space: number,
    given: readonly Cancellation[] | undefined,
    work: (snapshot: Database) => Promise<T>,
    milliseconds?: number,
  ): Promise<T>;
}

/** Sets the space, and the tenant whose accounts, that row-level security lets the connection see. */
export const SET_SPACE = defineStatement(
  template(sql`
    select set_config('andiron.space', ${bind('space')}, false), set_config('andiron.tenant', ${bind('tenant')}, false)`),
);

/** The values of `SET_SPACE`. Without a tenant, no account is seen. */
export function spaceSettings(space: number, tenant?: number): { space: string; tenant: string } {
  return { space: String(space), tenant: tenant === undefined ? '' : String(tenant) };
}

/** Milliseconds that a connection may take until it is ready for use. */
export const CONNECT_MS = 5_000;
export const DEFAULT_STATEMENT_TIMEOUT_MS = 10_000;
const LEAST_WAIT_MS = 5_000;

/**
 * Milliseconds after which a statement without an answer counts as lost. PostgreSQL cancels a statement earlier, so
 * only a lost connection or a stopped server is silent for so long.
 */
export function answerLimit({ statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS }: DatabaseOptions): number {
  return statementTimeoutMs + 2_000;
}

/**
 * Milliseconds that a statement may wait for a connection, which others hold for as long as their statements take: half of
 * the statement timeout, and at least five seconds.
 */
export function waitLimit({ statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS }: DatabaseOptions): number {
  return Math.max(LEAST_WAIT_MS, statementTimeoutMs / 2);
}

/** The configuration of pg for the server's lanes, migrations and tools. */
export function clientConfiguration(options: DatabaseOptions): {
  host: string;
  port: number;
  database: string;
  user: string;
  password: string;
  ssl: false | { ca?: string };
  application_name: string;
  connectionTimeoutMillis: number;
  keepAlive: true;
  keepAliveInitialDelayMillis: number;
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
    connectionTimeoutMillis: CONNECT_MS,
    // From then on Node.js sends ten probes, one a second.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}
