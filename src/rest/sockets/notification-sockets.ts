/** The messages of a WebSocket of Subscriptions, in both directions. */
import type { IncomingMessage } from 'node:http';
import {
  ID,
  toFhirError,
  type FhirError,
  type HeldBytes,
  type Log,
  type NotificationStream,
  type StreamEnd,
} from '../../core';
import {
  CLOSE_CODES,
  SocketServer,
  type BoundedSocket,
  type SocketHandlers,
  type SocketSettings,
} from '../../bounded-socket';
import type { Upgrade } from '../../upgrade';

export interface ServedSocket {
  readonly stream: NotificationStream;
  readonly requestId: string;
  /** Opens a share in the memory of the process, for one message. */
  openShare(): HeldBytes;
  countError(key: FhirError['key']): void;
  bindToken(token: string): Promise<void>;
  bind(id: string): Promise<void>;
}

export interface NotificationSockets {
  /** Takes over the connection. */
  accept(request: IncomingMessage, upgrade: Upgrade, served: ServedSocket): void;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** A token for the most Subscriptions that one token may have. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** Messages of a client that wait for those before them. */
const MAX_WAITING = 20;
/** Those of graphql-transport-ws, which the live queries of this server have: 4400 and the HTTP status. */
const BAD_MESSAGE = 4400;
const TOO_LATE = 4408;

const END_CODES: Readonly<Record<StreamEnd['kind'], number>> = {
  over: CLOSE_CODES.normal,
  denied: 4403,
  slow: CLOSE_CODES.again,
  stopped: CLOSE_CODES.goingAway,
};

const TOKEN_MESSAGE = /^\s*bind-with-token:?\s+([\w-]+)\s*$/;
const BIND_MESSAGE = new RegExp(`^\\s*bind:?\\s+(?:Subscription/)?(${ID})\\s*$`);
const MESSAGES = 'Send "bind-with-token: {token}" or "bind {id}"';

export function createNotificationSockets(settings: SocketSettings, log: Log): NotificationSockets {
  const sockets = new SocketServer({
    pingMs: settings.pingMs,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    maxWaiting: MAX_WAITING,
    textOnly: MESSAGES,
  });
  return {
    accept: (request, upgrade, served) =>
      sockets.accept(request, upgrade, (socket) => serve(socket, served, { settings, log })),
    close: () => sockets.close(),
  };
}

function serve(
  socket: BoundedSocket,
  served: ServedSocket,
  { settings, log }: { readonly settings: SocketSettings; readonly log: Log },
): SocketHandlers {
  const { stream, requestId } = served;
  const fail = (thrown: unknown): void => {
    const error = toFhirError(thrown, requestId);
    served.countError(error.key);
    if (error.key === 'internal')
      log.error({ requestId }, 'a message of a WebSocket failed by a fault of the server');
    socket.end(codeOf(error), error.message);
  };
  const unbound = setTimeout(() => {
    if (!stream.isBound) socket.end(TOO_LATE, `Nothing was bound in time. ${MESSAGES}`);
  }, settings.initTimeoutMs);
  sendAll(socket, stream).catch(fail);
  return {
    openShare: () => served.openShare(),
    receive: (text) => receive(socket, served, text),
    fail,
    closed() {
      clearTimeout(unbound);
      stream.close();
    },
  };
}

/** Binds what the client asks for. */
async function receive(socket: BoundedSocket, served: ServedSocket, text: string): Promise<void> {
  const token = tokenOf(text);
  const id = BIND_MESSAGE.exec(text)?.[1];
  if (token !== undefined) await served.bindToken(token);
  else if (id !== undefined) await served.bind(id);
  else socket.end(BAD_MESSAGE, MESSAGES);
}

/**
 * The token of a message. The guide gives no form: its clients send the text with or without a colon, those of Medplum
 * JSON (https://hl7.org/fhir/uv/subscriptions-backport/STU1.1/channels.html#websockets).
 */
function tokenOf(text: string): string | undefined {
  const plain = TOKEN_MESSAGE.exec(text)?.[1];
  if (plain !== undefined || !text.startsWith('{')) return plain;
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(message) || message['type'] !== 'bind-with-token' || !isRecord(message['payload']))
    return undefined;
  const { token } = message['payload'];
  return typeof token === 'string' ? token : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Sends each message when the one before has left the process, so that the queue of core has all others. */
async function sendAll(socket: BoundedSocket, stream: NotificationStream): Promise<void> {
  for (;;) {
    const next = await stream.next();
    if (typeof next !== 'string') {
      socket.end(END_CODES[next.kind], next.reason);
      return;
    }
    await socket.send(next);
  }
}

function codeOf({ status }: FhirError): number {
  if (status === 503) return CLOSE_CODES.again;
  return status >= 500 ? CLOSE_CODES.fault : 4000 + status;
}
