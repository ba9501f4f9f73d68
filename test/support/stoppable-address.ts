/** An address in front of a server, so that a test can take the server away from everybody. */
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface StoppableAddress {
  /** `127.0.0.1:40123` */
  readonly address: string;
  readonly port: number;
  /** Cuts all connections, and refuses others. */
  stop(): Promise<void>;
  /** Takes connections again, at the same port. */
  start(): Promise<void>;
}

/** Opens an address that leads to a server. The caller stops it at its end. */
export async function openStoppableAddress(target: {
  readonly host: string;
  readonly port: number;
}): Promise<StoppableAddress> {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;
  const pass = (from: Socket): void => {
    const to = connect(target.port, target.host);
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  };
  const start = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server = createServer(pass);
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        const address = server?.address();
        port = typeof address === 'object' && address !== null ? address.port : 0;
        resolve();
      });
    });
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      if (server === undefined) return resolve();
      server.close(() => resolve());
      server = undefined;
      for (const socket of sockets) socket.destroy();
    });
  await start();
  return { address: `127.0.0.1:${port}`, port, start, stop };
}
