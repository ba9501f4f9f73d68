import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** A request may be on its way on a connection that is younger than this. */
const LEAST_MS = 500;

/**
 * Closes the connections on which no request has ever begun: browsers and pools open some in advance. Node counts them
 * as busy, so that a server which ends would wait for them for ever.
 * @returns a function that closes those that have been unused for half a second
 */
export function watchUnusedConnections(server: Server): () => void {
  const unused = new Map<Socket, number>();
  server.on('connection', (socket: Socket) => {
    unused.set(socket, performance.now());
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage) => unused.delete(socket));
  return () => {
    const latest = performance.now() - LEAST_MS;
    for (const [socket, since] of unused) if (socket.bytesRead === 0 && since < latest) socket.destroy();
  };
}

/**
 * Lets `closeIdleConnections` wait while an answer is being sent: Node counts a connection as idle as soon as the server has written its
 * answer, and would cut off the part that the client has not read. The end of the server calls it repeatedly.
 */
export function closeIdleConnectionsWhenSent(server: Server): void {
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const close = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    for (const { writableLength } of connections) if (writableLength > 0) return;
    close();
  };
}
