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
  /** A statement that runs longer is cancelled by PostgreSQL; default 10,000. */
  readonly statementTimeoutMs?: number;
  /** Of tenants that set none: resources, and bytes of the texts of versions; undefined: any number. */
  readonly quotas?: { readonly maxResources?: number; readonly maxBytes?: number };
  /** Connections in all, shared out over the lanes; default 14, at least 4. */
  readonly connections?: number;
  /** Milliseconds for which the proof of row-level security on a connection counts; default 60,000. */
  readonly proofIntervalMs?: number;
}

/**
 * Statements of one lane share connections, so that a slow search never stands before a write.
 * read: gathered reads by key; write: gathered writes; transaction: what takes several statements to write, and may wait
 * for locks; search: all else.
 */
export type Lane = 'read' | 'write' | 'transaction' | 'search';
export const LANES: readonly Lane[] = ['read', 'write', 'transaction', 'search'];

/** A row in the order of the select list. 64-bit integers come as numbers; keys are selected as text. */
export type Row = readonly unknown[];

/** Runs a statement inside a transaction of one space. */
export type Run = (statement: Statement, bound: Readonly<Record<string, Bound>>) => Promise<Row[]>;

/** The role that every statement of the server runs as: row-level security holds for it, unlike for owner and superuser. */
export const APPLICATION_ROLE = 'andiron_application';

/** Runs statements: each as a transaction of its own (connections.ts), or all of them in one snapshot (snapshot.ts). */
export interface Database {
  /**
   * Runs one statement in one space. `space` undefined: a statement on the control plane.
   * Throws FhirError (storageUnavailable, timeout …) for what PostgreSQL reports as its own trouble, else the cause.
   *
   * @param waiting those who wait for the rows: when all of these have left, the statement is cancelled in
   *   PostgreSQL and `timeout` thrown. Undefined: it runs to its end
   */
  run(
    lane: Lane,
    space: number | undefined,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
    waiting?: readonly Cancellation[],
  ): Promise<Row[]>;
}

/** Names the space that row-level security lets the connection see. */
export const SET_SPACE = defineStatement(
  template(sql`select set_config('andiron.space', ${bind('space')}, false)`),
);

/** Milliseconds that a connection may take until it is ready for use. */
export const CONNECT_MS = 5_000;
export const DEFAULT_STATEMENT_TIMEOUT_MS = 10_000;

/**
 * Milliseconds that the answer of a statement may take. PostgreSQL has cancelled it before; only a lost connection or a
 * stopped server is silent for so long.
 */
export function answerLimit({ statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS }: DatabaseOptions): number {
  return statementTimeoutMs + 2_000;
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
    // Node.js sends ten probes, one a second, from then on.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}
