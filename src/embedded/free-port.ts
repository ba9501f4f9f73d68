import { createServer } from 'node:net';

/** A TCP port of 127.0.0.1 that nobody listened on a moment ago; somebody may take it before it is used. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('No TCP port could be had'));
        else resolve(address.port);
      });
    });
  });
}
