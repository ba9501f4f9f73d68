/** Stops the listener without losing a request that is on its way. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** Node's length of the backlog: after so many, all connections that waited at the beginning are accepted. */
const BACKLOG = 511;
/** Under so many new connections the backlog is never empty for a whole turn: then it is left behind. */
const MOST_MS = 1_000;
/** On a slow machine the connections that waited take longer, up to this. */
const MOST_MS_OF_WAITING = 10_000;
/** A longer turn did other work after it had read the backlog. */
const QUIET_TURN_MS = 0.2;
/** A connection on which no request has come for so long may be closed. */
const QUIET_MS = 5_000;
const LOOK_MS = 50;

/**
 * From the moment that `stopping` is aborted, every answer asks its client to use another connection next: also the answer to a
 * request that began before, and one that is written without Fastify.
 */
export function sendClientsAway(server: FastifyInstance, stopping: AbortSignal): void {
  server.addHook('onRequest', (_request, reply, done) => {
    if (stopping.aborted) reply.header('connection', 'close');
    done();
  });
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping.aborted) reply.header('connection', 'close');
    done(null, payload);
  });
}

/**
 * Stops to listen. Connections that wait in the backlog of the kernel are accepted before: closing would reset them, and
 * a proxy does not repeat a POST that it may have sent. What arrives between the last turn and the end, some millionths
 * of a second, is reset.
 */
export async function endListener(server: Server): Promise<void> {
  // Each turn of the event loop accepts one connection: a busy server would always have others waiting.
  const resume = holdRequests(server);
  let arrivals = 0;
  const onConnection = (): void => {
    arrivals++;
  };
  server.on('connection', onConnection);
  const begun = performance.now();
  // The first turn may have read the backlog before.
  await nextTurn();
  let isEmpty = false;
  const mostMs = (): number => (arrivals < BACKLOG ? MOST_MS_OF_WAITING : MOST_MS);
  while (!isEmpty && performance.now() - begun < mostMs()) {
    const [before, turn] = [arrivals, performance.now()];
    await nextTurn();
    isEmpty = arrivals === before && performance.now() - turn < QUIET_TURN_MS;
  }
  server.off('connection', onConnection);
  server.close();
  resume();
}

/**
 * Stops to listen on a port that other processes serve too; these get the connections that wait. A client with an open connection
 * leaves it with its next answer (`sendClientsAway`): this resolves when all have, or after five seconds, in which the idle ones
 * that are left have sent nothing.
 */
export async function leavePort(server: Server): Promise<void> {
  // That of node:http would close idle connections at once, perhaps while a request is on its way.
  NetServer.prototype.close.call(server);
  const end = performance.now() + QUIET_MS;
  while (performance.now() < end && (await countConnections(server)) > 0) await delay(LOOK_MS);
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) =>
    server.getConnections((error, count) => resolve(error === null ? count : 0)),
  );
}

/** Requests that arrive from now on are served when the returned function is called. */
function holdRequests(server: Server): () => void {
  const held: [IncomingMessage, ServerResponse][] = [];
  const hold = (request: IncomingMessage, response: ServerResponse): void => {
    held.push([request, response]);
  };
  const listeners = server.listeners('request');
  server.removeAllListeners('request').on('request', hold);
  return () => {
    server.off('request', hold);
    for (const listener of listeners) server.on('request', listener as typeof hold);
    for (const [request, response] of held) server.emit('request', request, response);
  };
}
