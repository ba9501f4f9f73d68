import { createServer } from 'node:net';

/** Returns a TCP port of 127.0.0.1 that is free at this moment. Another process may take it before it is used. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('There is no free TCP port'));
        else resolve(address.port);
      });
    });
  });
}
