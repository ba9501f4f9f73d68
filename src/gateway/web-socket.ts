/**
 * Subscriptions by WebSocket, in the protocol graphql-transport-ws
 * (https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md).
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';
import { GraphQLError } from 'graphql';
import { CloseCode, handleProtocols, makeServer } from 'graphql-ws';
import { FhirError, fhirError, type HeldBytes, type Log, toFhirError } from '../core/index';
import {
  type BoundedSocket,
  CLOSE_CODES,
  GRACE_MS,
  type SocketHandlers,
  SocketServer,
  type SocketSettings,
} from '../bounded-socket';
import { LiveRefusal, type LiveRequest, type LiveResults, TEMPORARY, toEndText } from './live-query';
import { formatFhirError, logUnexpected } from './errors';
import { Turns } from './turns';
import { type Upgrade } from '../upgrade';

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
  readonly socket: BoundedSocket;
  readonly requestId: string;
  readonly turns: Turns;
}

/** A document at its limit, and the same size for variables. */
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;
/** Milliseconds for writing the ends of subscriptions before the connection is closed. */
const LAST_WORDS_MS = 50;
/** Limit on the reason with which a client is refused. */
const LONGEST_REFUSAL = 100;

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
  /** The last number that was sent. */
  #sent: number;

  constructor(
    private readonly results: LiveResults,
    private readonly connection: Connection,
    private readonly written: (text: string) => void,
  ) {
    this.#sent = results.resumeAfter;
    results.onEnd(() => this.#endConnection());
  }

  async next(): Promise<IteratorResult<RawResult, undefined>> {
    const { turns } = this.connection;
    turns.leave(this);
    if (this.#isEnding) return NEVER;
    try {
      const result = await this.results.next(() => turns.enter(this));
      if (result === undefined) return { done: true, value: undefined };
      this.#sent = result.sequence;
      return { done: false, value: new RawResult(result.text, this.written) };
    } catch (error) {
      if (!(error instanceof FhirError) || error.status !== TEMPORARY) throw error;
      // `complete` would keep the client from reconnecting; the connection is closed afterwards.
      this.#isEnding = true;
      const isOfStream = error.key === 'streamEnded';
      if (!isOfStream) this.#endConnection();
      // Another error has come in place of the result of a change.
      const after = isOfStream ? this.results.resumeAfter : this.#sent;
      return { done: false, value: new RawResult(toEndText(error, after), this.written) };
    }
  }

  /** Ends the connection soon, also of a client that reads nothing: it blocks all other subscriptions of the connection. */
  #endConnection(): void {
    const { socket } = this.connection;
    setTimeout(() => {
      if (this.#isEnding || socket.isBehind) socket.end(CLOSE_CODES.again, 'Subscribe again');
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

/** What graphql-ws holds of a connection. */
type ConnectionState = Connection & { written(text: string): void };

type Protocol = ReturnType<typeof makeServer<Record<string, unknown>, ConnectionState>>;

/** Returns the protocol's side of the connections: it admits them, and begins their subscriptions. */
function createProtocol(settings: SocketSettings, log: Log): Protocol {
  return makeServer<Record<string, unknown>, ConnectionState>({
    connectionInitWaitTimeout: settings.initTimeoutMs,
    async onConnect({ connectionParams = {}, extra }) {
      const sent = connectionParams['Authorization'] ?? connectionParams['authorization'];
      try {
        await extra.admit(typeof sent === 'string' ? sent : undefined);
        return true;
      } catch (error) {
        logUnexpected(error, extra.requestId, log);
        const { status, message } = toFhirError(error, extra.requestId);
        if (status === 401) extra.socket.close(CloseCode.Unauthorized, message.slice(0, LONGEST_REFUSAL));
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
        const refusal = error instanceof LiveRefusal ? error : refusalOf(error, extra.requestId, log);
        // A client does not subscribe again after errors; it does when the connection is closed, and they are not sent then.
        if (refusal.isTemporary) extra.socket.end(CLOSE_CODES.again, refusal.message);
        return refusal.errors;
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
}

function refusalOf(error: unknown, requestId: string, log: Log): LiveRefusal {
  logUnexpected(error, requestId, log);
  const { message, extensions } = formatFhirError(toFhirError(error, requestId));
  return new LiveRefusal([new GraphQLError(message, { extensions })]);
}

/** Connects a socket with the protocol. */
function serve(
  { protocol, log }: { readonly protocol: Protocol; readonly log: Log },
  socket: BoundedSocket,
  requestId: string,
  served: ServedConnection,
): SocketHandlers {
  let raw: string | undefined;
  const written = (text: string): void => {
    raw = text;
  };
  let receive: SocketHandlers['receive'] = () => Promise.resolve();
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      send(message) {
        // The same call of `JSON.stringify` has just set it, so that there is never more than one.
        const text = raw;
        raw = undefined;
        return socket.send(text === undefined ? message : message.replace(`"${RESULT}"`, () => text));
      },
      close: (code, reason) => socket.close(code, reason),
      onMessage: (listener) => (receive = listener),
    },
    { socket, requestId, turns: new Turns(), admit: served.admit, open: served.open, written },
  );
  return {
    openShare: () => served.openShare(),
    receive: (text) => receive(text),
    fail(error) {
      logUnexpected(error, requestId, log);
      socket.close(CloseCode.InternalServerError, 'Internal server error');
    },
    closed: (code, reason) =>
      void closed(code, reason).catch((error: unknown) => logUnexpected(error, requestId, log)),
  };
}

/** Serves live queries by WebSocket; the server's own limits apply to their number. */
export function createLiveSockets(settings: SocketSettings, log: Log): LiveSockets {
  const protocol = createProtocol(settings, log);
  const sockets = new SocketServer({
    pingMs: settings.pingMs,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    handleProtocols: (protocols) => handleProtocols(protocols),
  });

  return {
    accept: (request, upgrade, requestId, served) =>
      sockets.accept(request, upgrade, (socket) => serve({ protocol, log }, socket, requestId, served)),
    close: () => sockets.close(LAST_WORDS_MS),
  };
}
