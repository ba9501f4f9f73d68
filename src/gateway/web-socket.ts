/**
 * Subscriptions by WebSocket, in the protocol graphql-transport-ws
 * (https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md).
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { GraphQLError } from 'graphql';
import { CloseCode, handleProtocols, makeServer } from 'graphql-ws';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { errorOf, FhirError, fhirError, type HeldBytes, type Log, toFhirError } from '../core/index';
import { LiveRefusal, type LiveRequest, type LiveResults, toEndText } from './live-query';
import { formatFhirError, logUnexpected } from './errors';
import { Turns } from './turns';
import { type Upgrade } from '../upgrade';

export interface SocketSettings {
  /** Limit on the subscriptions of one connection. */
  readonly perConnection: number;
  /** Milliseconds between two pings; a client that does not answer one is disconnected. */
  readonly pingMs: number;
  /** Milliseconds in which `connection_init` must arrive. */
  readonly initTimeoutMs: number;
}

export interface LiveSockets {
  /** Takes over the connection. */
  accept(request: IncomingMessage, upgrade: Upgrade, requestId: string, served: ServedConnection): void;
  /** Closes all connections, after the subscriptions have received the number from which to resume. */
  close(): Promise<void>;
}

export interface ServedConnection {
  /** Opens a share in the memory of the process, for one message. */
  openShare(): HeldBytes;
  /** Authenticates the connection or throws. `authorization`: the header of this name, from `connection_init`. */
  admit(authorization: string | undefined): Promise<void>;
  /** Begins a subscription. */
  open(request: LiveRequest): Promise<LiveResults>;
}

interface Connection extends Omit<ServedConnection, 'openShare'> {
  readonly socket: WebSocket;
  readonly requestId: string;
  readonly turns: Turns;
}

/** A document at its limit, and the same size for variables. */
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;
/** Milliseconds in which a client must have read the end of its subscriptions. */
const GRACE_MS = 2_000;
/** Milliseconds for writing the ends of subscriptions before the connection is closed. */
const LAST_WORDS_MS = 50;
/** Limit on unsent messages; only a client that sends requests without reading reaches it. */
const MAX_UNSENT = 1_000;
/** RFC 6455, 5.5.1 allows 123 bytes. */
const LONGEST_REASON = 100;
/** RFC 6455, 7.4.1, and the registry of IANA: clients reconnect after these. */
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/** Placeholder in a message for a result text; clients cannot guess it. */
const RESULT = randomUUID();

/** A result at the position where graphql-ws writes it. */
class RawResult {
  /** Required by the type of a result; it is not written. */
  readonly data?: null;
  constructor(
    private readonly text: string,
    private readonly written: (text: string) => void,
  ) {}
  toJSON(): string {
    this.written(this.text);
    return RESULT;
  }
}

/** The results of a subscription, in sequence; each waits for its turn on the connection. */
class Results implements AsyncIterableIterator<RawResult, undefined> {
  #isEnding = false;

  constructor(
    private readonly results: LiveResults,
    private readonly connection: Connection,
    private readonly written: (text: string) => void,
  ) {
    results.onEnd(() => this.#endSlowConnection());
  }

  async next(): Promise<IteratorResult<RawResult, undefined>> {
    const { turns } = this.connection;
    turns.leave(this);
    if (this.#isEnding) return NEVER;
    try {
      const result = await this.results.next(() => turns.enter(this));
      if (result === undefined) return { done: true, value: undefined };
      return { done: false, value: new RawResult(result.text, this.written) };
    } catch (error) {
      if (!(error instanceof FhirError) || error.key !== 'streamEnded') throw error;
      // `complete` would keep the client from reconnecting; the connection is closed afterwards.
      this.#isEnding = true;
      return { done: false, value: new RawResult(toEndText(error, this.results.resumeAfter), this.written) };
    }
  }

  /** Ends a connection whose client reads nothing, because it blocks all other subscriptions of the connection. */
  #endSlowConnection(): void {
    const { socket } = this.connection;
    setTimeout(() => {
      if (this.#isEnding || socket.bufferedAmount > 0)
        endConnection(socket, TRY_AGAIN_LATER, 'Subscribe again');
    }, GRACE_MS / 2).unref();
  }

  async return(): Promise<IteratorResult<RawResult, undefined>> {
    this.connection.turns.leave(this);
    this.results.close();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** Never resolves: a subscription whose connection is about to be closed has no further results. */
const NEVER = new Promise<never>(() => undefined);

function endConnection(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  setTimeout(() => socket.terminate(), GRACE_MS).unref();
}

/** Serves live queries by WebSocket; the server's own limits apply to their number. */
export function createLiveSockets(settings: SocketSettings, log: Log): LiveSockets {
  const protocol = makeServer<Record<string, unknown>, Connection & { written(text: string): void }>({
    connectionInitWaitTimeout: settings.initTimeoutMs,
    async onConnect({ connectionParams = {}, extra }) {
      const sent = connectionParams['Authorization'] ?? connectionParams['authorization'];
      try {
        await extra.admit(typeof sent === 'string' ? sent : undefined);
        return true;
      } catch (error) {
        logUnexpected(error, extra.requestId, log);
        const { status, message } = toFhirError(error, extra.requestId);
        if (status === 401) extra.socket.close(CloseCode.Unauthorized, message.slice(0, LONGEST_REASON));
        // graphql-ws closes the connection with 4403, if it is still open.
        return false;
      }
    },
    async onSubscribe({ extra, subscriptions }, _id, { query, variables, operationName, extensions }) {
      try {
        const { perConnection } = settings;
        if (Object.keys(subscriptions).length > perConnection) {
          const reason = `This connection has ${perConnection} live queries, which is the limit`;
          throw fhirError('tooManySubscriptions', { reason });
        }
        const results = await extra.open({ query, variables, operationName, extensions });
        const { schema, document } = results;
        return {
          schema,
          document,
          ...(results.operationName === undefined ? {} : { operationName: results.operationName }),
          contextValue: new Results(results, extra, extra.written),
        };
      } catch (error) {
        if (error instanceof LiveRefusal) return error.errors;
        logUnexpected(error, extra.requestId, log);
        const { message, extensions } = formatFhirError(toFhirError(error, extra.requestId));
        return [new GraphQLError(message, { extensions })];
      }
    },
    subscribe({ contextValue }) {
      if (contextValue instanceof Results) return contextValue;
      throw new Error('a subscription without results');
    },
    onNext: (...[, , , , result]) => result,
    onError({ extra }, _id, _payload, errors) {
      return errors.map((error) => {
        if (!(error instanceof GraphQLError) || error.originalError === undefined) return error;
        logUnexpected(error.originalError, extra.requestId, log);
        return formatFhirError(toFhirError(error.originalError, extra.requestId));
      });
    },
  });
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    autoPong: false,
    handleProtocols: (protocols) => handleProtocols(protocols),
  });
  let isClosing = false;

  function serve(socket: WebSocket, requestId: string, served: ServedConnection): void {
    let raw: string | undefined;
    const written = (text: string): void => {
      raw = text;
    };
    let unsent = 0;
    const sending = (send: (done: (error?: Error | null) => void) => void): Promise<void> =>
      new Promise((resolve) => {
        if (socket.readyState !== socket.OPEN) return resolve();
        unsent += 1;
        if (unsent > MAX_UNSENT) return socket.terminate();
        // An error of sending is ignored, because the connection is gone.
        send(() => {
          unsent -= 1;
          resolve();
        });
      });
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send(message) {
          // The same call of `JSON.stringify` has just set it, so that there is never more than one.
          const text = raw;
          raw = undefined;
          const data = text === undefined ? message : message.replace(`"${RESULT}"`, () => text);
          return sending((done) => socket.send(data, done));
        },
        close: (code, reason) => socket.close(code, reason),
        onMessage: (receive) =>
          socket.on('message', (data) => {
            const text = toText(data);
            const share = served.openShare();
            const full = errorOf(() => share.addBody(text.length));
            if (full !== undefined) {
              share.release();
              endConnection(socket, TRY_AGAIN_LATER, full.message.slice(0, LONGEST_REASON));
              return;
            }
            receive(text)
              .catch((error: unknown) => {
                logUnexpected(error, requestId, log);
                socket.close(CloseCode.InternalServerError, 'Internal server error');
              })
              .finally(() => share.release());
          }),
      },
      { socket, requestId, turns: new Turns(), admit: served.admit, open: served.open, written },
    );
    let isAlive = true;
    const pinging = setInterval(() => {
      if (!isAlive) return socket.terminate();
      isAlive = false;
      socket.ping();
    }, settings.pingMs);
    socket.on('pong', () => (isAlive = true));
    socket.on('ping', (data) => void sending((done) => socket.pong(data, false, done)));
    // The connection is then closed, and the listener below runs.
    socket.on('error', () => undefined);
    socket.once('close', (code, reason) => {
      clearInterval(pinging);
      closed(code, reason.toString()).catch((error: unknown) => logUnexpected(error, requestId, log));
    });
  }

  return {
    accept(request, { socket, head }, requestId, served) {
      if (isClosing) {
        socket.destroy();
        return;
      }
      sockets.handleUpgrade(request, socket, head, (accepted) => serve(accepted, requestId, served));
    },
    async close() {
      isClosing = true;
      if (sockets.clients.size > 0) await delay(LAST_WORDS_MS);
      for (const socket of sockets.clients) endConnection(socket, GOING_AWAY, 'The server is stopped');
      sockets.close();
    },
  };
}

function toText(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString();
}
