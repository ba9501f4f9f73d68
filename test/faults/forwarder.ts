import { createConnection, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { closedAtEnd } from '../support/left-open';

/** A port that stays while its target stops and returns elsewhere. */
export interface Forwarder {
  readonly port: number;
  /** Sets the port to which new connections go; undefined: they are refused. */
  point(to: number | undefined): void;
  /** Breaks every connection, and refuses new ones until `point` is called. */
  cut(): void;
  /** Breaks every connection; new ones are made as before. */
  breakOpen(): void;
  /** Forwards nothing more on the connections that are open, and keeps them open; new ones are not affected. */
  hang(): void;
  /** Whatever comes from behind it comes so many milliseconds later from now on. */
  delayBy(milliseconds: number): void;
  /** Number of times that each word of `loss` has had its effect. */
  readonly losses: ReadonlyMap<Loss, number>;
  close(): Promise<void>;
}

/** Before the sent data have arrived; after execution; after the following commit. */
export type Loss = 'statement' | 'answer' | 'end';

let made = 0;

/** A word which, when it is first sent through a forwarder of PostgreSQL, breaks the connection at that moment. */
export function loss(of: Loss): string {
  made += 1;
  return `lose-${of}-${String(made).padStart(6, '0')}-`;
}

const WORD = /lose-(statement|answer|end)-\d+-/g;
const COMMIT = 'commit';
/** The server has to process and answer all of one packet. */
const ANSWER_MS = 50;

export async function startForwarder(): Promise<Forwarder> {
  let target: number | undefined;
  let delay = 0;
  let isHungBefore = 0;
  let connections = 0;
  const seen = new Set<string>();
  const losses = new Map<Loss, number>();
  const sockets = new Set<Socket>();

  const server = createServer((incoming) => {
    if (target === undefined) {
      incoming.destroy();
      return;
    }
    const number = connections++;
    let losing: Loss | undefined;
    let isSwallowing = false;
    const outgoing = createConnection({ host: '127.0.0.1', port: target });
    const lose = (of: Loss): void => {
      losses.set(of, (losses.get(of) ?? 0) + 1);
      outgoing.destroy();
      incoming.destroy();
    };
    const toServer = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        // Without `done` nothing follows.
        if (number < isHungBefore) return;
        const text = chunk.toString('latin1');
        for (const [word, of] of text.matchAll(WORD)) {
          if (seen.has(word)) continue;
          seen.add(word);
          losing = of as Loss;
        }
        if (losing === 'statement') return lose('statement');
        if (losing === 'answer' || (losing === 'end' && text.includes(COMMIT))) isSwallowing = true;
        done(null, chunk);
      },
    });
    const toClient = new Transform({
      transform(chunk, _encoding, done) {
        if (number < isHungBefore) return;
        if (isSwallowing && losing !== undefined) {
          const of = losing;
          losing = undefined;
          setTimeout(() => lose(of), ANSWER_MS);
        }
        if (isSwallowing) done();
        else if (delay === 0) done(null, chunk);
        else setTimeout(done, delay, null, chunk);
      },
    });
    incoming.pipe(toServer).pipe(outgoing);
    outgoing.pipe(toClient).pipe(incoming);
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
  const breakOpen = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    losses,
    point(to) {
      target = to;
    },
    cut() {
      target = undefined;
      breakOpen();
    },
    breakOpen,
    hang() {
      isHungBefore = connections;
    },
    delayBy(milliseconds) {
      delay = milliseconds;
    },
    close: closedAtEnd(async () => {
      breakOpen();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
}
