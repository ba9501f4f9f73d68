import { createConnection, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { closedAtEnd } from '../support/left-open';

/** A port that stays while what is behind it goes and comes back elsewhere. */
export interface Forwarder {
  readonly port: number;
  /** Where new connections go; undefined: they are refused. */
  point(to: number | undefined): void;
  /** Breaks every connection, and refuses new ones until `point` is called. */
  cut(): void;
  /** Whatever comes from behind it comes so many milliseconds later from now on. */
  delayBy(milliseconds: number): void;
  close(): Promise<void>;
}

export async function startForwarder(): Promise<Forwarder> {
  let target: number | undefined;
  let delay = 0;
  const late = (): Transform =>
    new Transform({
      transform(chunk, _encoding, done) {
        if (delay === 0) done(null, chunk);
        else setTimeout(done, delay, null, chunk);
      },
    });
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    if (target === undefined) {
      incoming.destroy();
      return;
    }
    const outgoing = createConnection({ host: '127.0.0.1', port: target });
    incoming.pipe(outgoing);
    outgoing.pipe(late()).pipe(incoming);
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one);
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
    delayBy(milliseconds) {
      delay = milliseconds;
    },
    close: closedAtEnd(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
}
