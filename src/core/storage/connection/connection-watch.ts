import { DatabaseError, type ClientBase } from 'pg';
import { identifyBackend, stateOfBackend, type Backend } from './backend';
import type { DatabaseOptions } from './database';
import { closeClient, destroyClient, openClient, streamOf, withinLimit } from './open-client';

/** Milliseconds between two looks; a statement that is answered before the first one costs nothing. */
const LOOK_MS = 10_000;
const ANSWER_MS = 5_000;
/** Looks in a row by which a connection is taken for lost. */
const MOST_BAD_LOOKS = 2;

/** What a second connection finds of the backend of the first. */
type Finding = 'working' | 'idle' | 'gone' | 'away' | 'unknown';

/**
 * Watches a connection of which statements may take any time. While nothing comes from the server, a second connection
 * asks every ten seconds whether it still works at the statement. When there is no such backend any more, or twice in
 * a row it has nothing to do or the server cannot be reached, the socket is destroyed, and the statement fails. Ends
 * with the connection. Cost: a timer; a short connection for each look.
 */
export function watchConnection(options: DatabaseOptions, client: ClientBase, backend: Backend): void {
  let bytesRead = 0;
  let badLooks = 0;
  const look = async (): Promise<void> => {
    const finding = await findBackend(options, backend);
    if (streamOf(client)?.bytesRead !== bytesRead || !isWaiting(client)) return;
    if (finding === 'working') badLooks = 0;
    if (finding === 'idle' || finding === 'away') badLooks += 1;
    if (finding !== 'gone' && badLooks < MOST_BAD_LOOKS) return;
    destroyClient(client, new Error('PostgreSQL does not work at the statement any more'));
  };
  const timer = setInterval(() => {
    const read = streamOf(client)?.bytesRead ?? 0;
    const isSilent = isWaiting(client) && read === bytesRead;
    bytesRead = read;
    if (!isSilent) badLooks = 0;
    else void look();
  }, LOOK_MS);
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
    // What PostgreSQL refuses, because it has no connection to give, says nothing of the backend.
    return error instanceof DatabaseError ? 'unknown' : 'away';
  }
}

/** Whether a statement is not answered yet, which pg knows though its types do not say so. */
function isWaiting(client: ClientBase): boolean {
  return 'readyForQuery' in client && client.readyForQuery === false;
}
