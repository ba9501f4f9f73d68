import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes the connections on which no request has ever begun: browsers and pools open some in advance. Node counts them
 * as busy, so that a server which ends would wait for them for ever.
 * @returns a function that closes the unused connections of that moment
 */
export function watchUnusedConnections(server: Server): () => void {
  const unused = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage) => unused.delete(socket));
  return () => {
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
  };
}
