/** How the server stops to listen without losing a request that is on its way. */
import type { Server } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** Under so many new connections the backlog is never empty for a whole turn: then it is left behind. */
const MOST_MS = 1_000;

/** From the moment that `stopping` is aborted, every answer asks its client to use another connection next. */
export function sendClientsAway(server: FastifyInstance, stopping: AbortSignal): void {
  server.addHook('onRequest', (_request, reply, done) => {
    if (stopping.aborted) reply.header('connection', 'close');
    done();
  });
}

/**
 * Stops to listen. Connections that wait in the backlog of the kernel are accepted before: closing would reset them, and
 * a proxy does not repeat a POST that it may have sent. What arrives between the last look and the end, some millionths
 * of a second, is reset.
 */
export async function endListener(server: Server): Promise<void> {
  let hasArrived = true;
  const onConnection = (): void => {
    hasArrived = true;
  };
  server.on('connection', onConnection);
  const begun = performance.now();
  // The first turn may have looked at the backlog before.
  await nextTurn();
  while (hasArrived && performance.now() - begun < MOST_MS) {
    hasArrived = false;
    await nextTurn();
  }
  server.off('connection', onConnection);
  server.close();
}
