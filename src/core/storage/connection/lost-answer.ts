/** What became of a change that was sent to PostgreSQL and not answered (docs/faults.md, Lost answers). */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { DatabaseError, type Client } from 'pg';
import { fhirError } from '../../errors';
import { ask, endBackend, identifyBackend, type Backend } from './backend';
import type { BoundStatement } from './connection';
import { APPLICATION_ROLE, SET_SPACE, type DatabaseOptions, type Row } from './database';
import { closeClient, openClient, withinLimit } from './open-client';
import { bind, defineStatement, template } from './statement';

/** Milliseconds in which a connection for the question may be made. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 100;
/** Milliseconds that all questions on one connection may take. */
const QUESTIONS_MS = 6_000;

const TAKE_ROLE = defineStatement(template(sql`set role ${sql.id(APPLICATION_ROLE)}`), { named: false });

/** The number of a transaction that is under way, by which `requireCommitted` asks for it. */
export const CURRENT_TRANSACTION = defineStatement(template(sql`select pg_current_xact_id()::text`));

const STATUS = defineStatement(template(sql`select pg_xact_status(${bind('transaction')}::xid8) limit 1`), {
  named: false,
});

/**
 * Returns normally where the transaction of that number was committed. Throws notStored where it was not, maybeStored
 * where neither can be found out.
 */
export async function requireCommitted(
  options: DatabaseOptions,
  backend: Backend,
  transaction: string,
): Promise<void> {
  const question = { statement: STATUS, bound: { transaction } };
  const [rows] = await askAfterEnd(options, backend, { questions: [question] });
  const status = rows?.[0]?.[0];
  if (status === 'committed') return;
  throw fhirError(status === 'aborted' ? 'notStored' : 'maybeStored');
}

/** What is asked when a backend has ended. */
interface Questions {
  readonly questions: readonly BoundStatement[];
  /** They are asked as the application role, which sees this space; undefined: as the login role. */
  readonly space?: number | undefined;
}

/**
 * Ends the backend of a lost connection, and asks afterwards, when nothing of it can be committed any more. The rows
 * of each question. Throws maybeStored where the server is away or another one, or the backend does not end.
 */
export async function askAfterEnd(
  options: DatabaseOptions,
  backend: Backend,
  asked: Questions,
): Promise<Row[][]> {
  for (const until = performance.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
    let client: Client | undefined;
    try {
      client = await openClient(options);
      return await askOn(client, backend, asked);
    } catch (error) {
      // A refusal of PostgreSQL will not change, but for those of a server that starts or has no connection to give.
      const isFinal = error instanceof DatabaseError && !/^(57P|53|08)/.test(error.code ?? '');
      if (isFinal || error instanceof Unanswerable || performance.now() >= until)
        throw fhirError('maybeStored');
    } finally {
      if (client !== undefined) await closeClient(client);
    }
  }
}

/** Ends the backend of a lost connection, if the server can be reached, so that it keeps no locks. Never throws. */
export async function endLostBackend(options: DatabaseOptions, backend: Backend): Promise<void> {
  await askAfterEnd(options, backend, { questions: [] }).catch(() => undefined);
}

class Unanswerable extends Error {}

async function askOn(client: Client, backend: Backend, { questions, space }: Questions): Promise<Row[][]> {
  return withinLimit(client, QUESTIONS_MS, async () => {
    const { server } = await identifyBackend(client);
    if (server === undefined || server !== backend.server) throw new Unanswerable('this is another server');
    if (!(await endBackend(client, backend))) throw new Unanswerable('the backend does not end');
    if (space !== undefined) {
      await ask(client, TAKE_ROLE, {});
      await ask(client, SET_SPACE, { space: String(space) });
    }
    const answers: Row[][] = [];
    for (const { statement, bound } of questions) answers.push(await ask(client, statement, bound));
    return answers;
  });
}
