import { DatabaseError, type ClientBase } from 'pg';
import { identifyBackend, stateOfBackend, type Backend } from './backend';
import type { DatabaseOptions } from './database';
import { closeClient, destroyClient, openClient, streamOf, withinLimit } from './open-client';

/** Milliseconds between two checks; a statement that is answered before the first one costs nothing. */
const CHECK_MS = 10_000;
const ANSWER_MS = 5_000;
/** Failed checks in a row after which a connection counts as lost. */
const MAX_FAILED_CHECKS = 2;

/** The state of the watched backend, as seen by a second connection. */
type Finding = 'working' | 'idle' | 'gone' | 'away' | 'unknown';

/**
 * Watches a connection whose statements may take any time. While the server sends nothing, a second connection checks
 * every ten seconds whether the backend still works at the statement. The socket is destroyed, and the statement fails,
 * if the backend no longer exists, or if twice in a row it is idle or the server cannot be reached. The watch ends with
 * the connection. **Cost**: a timer; a short connection for each check.
 */
export function watchConnection(options: DatabaseOptions, client: ClientBase, backend: Backend): void {
  let bytesRead = 0;
  let failedChecks = 0;
  const check = async (): Promise<void> => {
    const finding = await findBackend(options, backend);
    if (streamOf(client)?.bytesRead !== bytesRead || !isWaiting(client)) return;
    if (finding === 'working') failedChecks = 0;
    if (finding === 'idle' || finding === 'away') failedChecks += 1;
    if (finding !== 'gone' && failedChecks < MAX_FAILED_CHECKS) return;
    destroyClient(client, new Error('PostgreSQL no longer executes the statement'));
  };
  const timer = setInterval(() => {
    const read = streamOf(client)?.bytesRead ?? 0;
    const isSilent = isWaiting(client) && read === bytesRead;
    bytesRead = read;
    if (!isSilent) failedChecks = 0;
    else void check();
  }, CHECK_MS);
  timer.unref();
  client.once('end', () => clearInterval(timer));
}

async function findBackend(options: DatabaseOptions, backend: Backend): Promise<Finding> {
  try {
    const client = await openClient(options);
    try {
      return await withinLimit(client, ANSWER_MS, async () => {
        if ((await identifyBackend(client)).server !== backend.server) return 'gone';
        const state = await stateOfBackend(client, backend);
        if (state === undefined) return 'gone';
        return state.startsWith('idle') ? 'idle' : 'working';
      });
    } finally {
      await closeClient(client);
    }
  } catch (error) {
    // An error of PostgreSQL, such as having no connection left, says nothing about the backend.
    return error instanceof DatabaseError ? 'unknown' : 'away';
  }
}

/** True if a statement is unanswered, which pg knows but does not type. */
function isWaiting(client: ClientBase): boolean {
  return 'readyForQuery' in client && client.readyForQuery === false;
}
