import { createConnection, createServer, type Socket } from 'node:net';
import { closedAtEnd } from '../support/left-open';

/** A port that stays while what is behind it goes and comes back elsewhere. */
export interface Forwarder {
  readonly port: number;
  /** Where new connections go; undefined: they are refused. */
  point(to: number | undefined): void;
  /** Breaks every connection, and refuses new ones until `point` is called. */
  cut(): void;
  close(): Promise<void>;
}

export async function startForwarder(): Promise<Forwarder> {
  let target: number | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    if (target === undefined) {
      incoming.destroy();
      return;
    }
    const outgoing = createConnection({ host: '127.0.0.1', port: target });
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    point(to) {
      target = to;
    },
    cut() {
      target = undefined;
      for (const socket of sockets) socket.destroy();
    },
    close: closedAtEnd(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
}
