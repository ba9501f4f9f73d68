/** Finds the outcome of a change that PostgreSQL received and did not answer (docs/understand/faults.md, Lost answers). */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { DatabaseError, type Client } from 'pg';
import { fhirError } from '../../errors';
import { query, endBackend, identifyBackend, type Backend } from './backend';
import type { BoundStatement } from './connection';
import { APPLICATION_ROLE, SET_SPACE, type DatabaseOptions, type Row, type spaceSettings } from './database';
import { closeClient, openClient, withinLimit } from './open-client';
import { bind, defineStatement, template } from './statement';

/** Milliseconds for attempts to open a connection. */
const RETRY_MS = 5_000;
const PAUSE_MS = 100;
/** Milliseconds in which a server must say what it is. */
const IDENTIFY_MS = 2_000;
/** Milliseconds that all further queries on one connection may take. */
const QUERIES_MS = 6_000;

const TAKE_ROLE = defineStatement(template(sql`set role ${sql.id(APPLICATION_ROLE)}`), { named: false });

/** Reads the id of the current transaction, for `requireCommitted`. */
export const CURRENT_TRANSACTION = defineStatement(template(sql`select pg_current_xact_id()::text`));

/**
 * Its commit comes after all others in the log: where replication is synchronous, it waits until a standby has them too. An ended
 * backend has not waited for that.
 */
const WAIT_FOR_STANDBY = defineStatement(
  template(sql`select pg_logical_emit_message(true, 'andiron', '')::text limit 1`),
  { named: false },
);

const STATUS = defineStatement(template(sql`select pg_xact_status(${bind('transaction')}::xid8) limit 1`), {
  named: false,
});

/**
 * Resolves if the transaction was committed. **Throws** notStored if it was not, maybeStored if neither can be
 * determined.
 */
export async function requireCommitted(
  options: DatabaseOptions,
  backend: Backend,
  transaction: string,
): Promise<void> {
  const statusQuery = { statement: STATUS, bound: { transaction } };
  const [rows] = await queryAfterEnd(options, backend, { queries: [statusQuery] });
  const status = rows?.[0]?.[0];
  if (status === 'committed') return;
  throw fhirError(status === 'aborted' ? 'notStored' : 'maybeStored');
}

/** Queries to run after a backend has ended. */
interface OutcomeQueries {
  readonly queries: readonly BoundStatement[];
  /** The settings with which the queries run as the application role; undefined: they run as the login role. */
  readonly seen?: ReturnType<typeof spaceSettings> | undefined;
}

/**
 * Ends the backend of a lost connection and then runs queries, when the backend can no longer commit. Returns the rows
 * of each query. **Throws** maybeStored if the server is away or is another one, if the backend does not end, or if no
 * synchronous standby confirms.
 */
export async function queryAfterEnd(
  options: DatabaseOptions,
  backend: Backend,
  followUp: OutcomeQueries,
): Promise<Row[][]> {
  for (const until = performance.now() + RETRY_MS; ; await sleep(PAUSE_MS)) {
    let client: Client | undefined;
    let own: Backend | undefined;
    try {
      client = await openClient(options);
      own = await identifySame(client, backend);
      return await queryOn(client, backend, followUp);
    } catch (error) {
      // It may wait for a standby for ever.
      if (own !== undefined && followUp.queries.length > 0) void endLostBackend(options, own);
      // An error of PostgreSQL is final, unless the server is starting or has no connection left.
      const isFinal = error instanceof DatabaseError && !/^(57P|53|08)/.test(error.code ?? '');
      if (isFinal || error instanceof OutcomeUnknown || performance.now() >= until)
        throw fhirError('maybeStored');
    } finally {
      if (client !== undefined) await closeClient(client);
    }
  }
}

/** Ends the backend of a lost connection, if the server can be reached, to release its locks. Never throws. */
export async function endLostBackend(options: DatabaseOptions, backend: Backend): Promise<void> {
  await queryAfterEnd(options, backend, { queries: [] }).catch(() => undefined);
}

class OutcomeUnknown extends Error {}

/** Identifies the backend of a new connection to the server of a lost one. **Throws** OutcomeUnknown at another server. */
async function identifySame(client: Client, lost: Backend): Promise<Backend> {
  const own = await withinLimit(client, IDENTIFY_MS, () => identifyBackend(client));
  if (own.server === undefined || own.server !== lost.server)
    throw new OutcomeUnknown('this is another server');
  return own;
}

async function queryOn(
  client: Client,
  backend: Backend,
  { queries, seen }: OutcomeQueries,
): Promise<Row[][]> {
  return withinLimit(client, QUERIES_MS, async () => {
    if (!(await endBackend(client, backend))) throw new OutcomeUnknown('the backend does not end');
    if (queries.length > 0) await query(client, WAIT_FOR_STANDBY, {});
    if (seen !== undefined) {
      await query(client, TAKE_ROLE, {});
      await query(client, SET_SPACE, seen);
    }
    const answers: Row[][] = [];
    for (const { statement, bound } of queries) answers.push(await query(client, statement, bound));
    return answers;
  });
}
