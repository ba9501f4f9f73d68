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
import { FhirError, fhirError, type Log, toFhirError } from '../core/index';
import { LiveRefusal, type LiveRequest, type LiveResults, toEndText } from './live-query';
import { formatFhirError, logUnexpected } from './errors';
import { Turns } from './turns';
import { type Upgrade } from './upgrade';

export interface SocketSettings {
  /** Subscriptions of one connection. */
  readonly perConnection: number;
  /** Milliseconds between two signs of life; a client that does not answer one is gone. */
  readonly pingMs: number;
  /** Milliseconds in which `connection_init` must arrive. */
  readonly initTimeoutMs: number;
}

export interface LiveSockets {
  /** Takes the connection over. */
  accept(request: IncomingMessage, upgrade: Upgrade, requestId: string, served: ServedConnection): void;
  /** Ends all connections: their subscriptions have been told where to go on. */
  close(): Promise<void>;
}

export interface ServedConnection {
  /** Lets the connection in or throws; `authorization`: as the header of this name, from `connection_init`. */
  admit(authorization: string | undefined): Promise<void>;
  /** Begins a subscription. */
  open(request: LiveRequest): Promise<LiveResults>;
}

interface Connection extends ServedConnection {
  readonly socket: WebSocket;
  readonly requestId: string;
  readonly turns: Turns;
}

/** A document at its limit, and as much for variables. */
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;
/** Milliseconds in which a client that is told the end must have taken that. */
const GRACE_MS = 2_000;
/** Milliseconds in which the ends of subscriptions are written before the connection is closed. */
const LAST_WORDS_MS = 50;
/** Messages that were not taken yet: only who asks and asks and reads nothing has so many. */
const MAX_UNSENT = 1_000;
/** RFC 6455, 5.5.1: 123 bytes. */
const LONGEST_REASON = 100;
/** RFC 6455, 7.4.1, and the registry of IANA: clients connect again after these. */
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/** Stands in a message for the result that is put there as it is; no client can know it. */
const RESULT = randomUUID();

/** A result in the place where graphql-ws writes it. */
class RawResult {
  /** For the type of a result; not written. */
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

/** What a subscription tells, one after the other; each waits until the connection is its own. */
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
      // The end of the subscription would tell the client not to come again; the end of the connection will follow.
      this.#isEnding = true;
      return { done: false, value: new RawResult(toEndText(error, this.results.resumeAfter), this.written) };
    }
  }

  /** One that takes nothing holds up all others of the connection. */
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

/** A subscription whose connection is about to be closed has nothing more to say. */
const NEVER = new Promise<never>(() => undefined);

function endConnection(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  setTimeout(() => socket.terminate(), GRACE_MS).unref();
}

/** Takes connections for live queries; the server's own limits hold for their number. */
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
        // Closed with 4403, if it is not yet.
        return false;
      }
    },
    async onSubscribe({ extra, subscriptions }, _id, { query, variables, operationName, extensions }) {
      try {
        const { perConnection } = settings;
        if (Object.keys(subscriptions).length > perConnection) {
          const reason = `This connection has ${perConnection} live queries, the most that one may have`;
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
    onNext: (_context, _id, _payload, _args, result) => result,
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
        // What cannot be sent any more has nobody to tell.
        send(() => {
          unsent -= 1;
          resolve();
        });
      });
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send(message) {
          // Written just now, by the same call: there is never more than one.
          const text = raw;
          raw = undefined;
          const data = text === undefined ? message : message.replace(`"${RESULT}"`, () => text);
          return sending((done) => socket.send(data, done));
        },
        close: (code, reason) => socket.close(code, reason),
        onMessage: (hear) =>
          socket.on('message', (data) => {
            hear(toText(data)).catch((error: unknown) => {
              logUnexpected(error, requestId, log);
              socket.close(CloseCode.InternalServerError, 'Internal server error');
            });
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
    // The connection is closed then, of which the listener below hears.
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
