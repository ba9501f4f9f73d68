/** The messages of a WebSocket of Subscriptions, in both directions. */
import type { IncomingMessage } from 'node:http';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import {
  errorOf,
  ID,
  toFhirError,
  type FhirError,
  type HeldBytes,
  type Log,
  type NotificationStream,
  type StreamEnd,
} from '../../core';
import type { Upgrade } from '../../upgrade';

export interface SocketSettings {
  /** Limit on the Subscriptions of one connection. */
  readonly perConnection: number;
  /** Milliseconds between two pings; a client that does not answer one is disconnected. */
  readonly pingMs: number;
  /** Milliseconds in which the first Subscription must be bound. */
  readonly initTimeoutMs: number;
}

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
/** Milliseconds in which a client must have read why it is disconnected. */
const GRACE_MS = 2_000;
/** RFC 6455, 5.5.1 allows 123 bytes. */
const LONGEST_REASON = 120;
/** RFC 6455, 7.4.1, and the registry of IANA: clients reconnect after the last one. */
const CODES = {
  normal: 1000,
  goingAway: 1001,
  notText: 1003,
  policy: 1008,
  fault: 1011,
  again: 1013,
} as const;
/** Those of graphql-transport-ws, which the live queries of this server have: 4400 and the HTTP status. */
const BAD_MESSAGE = 4400;
const TOO_LATE = 4408;

const END_CODES: Readonly<Record<StreamEnd['kind'], number>> = {
  over: CODES.normal,
  denied: 4403,
  slow: CODES.again,
  stopped: CODES.goingAway,
};

const TOKEN_MESSAGE = /^\s*bind-with-token:?\s+([\w-]+)\s*$/;
const BIND_MESSAGE = new RegExp(`^\\s*bind:?\\s+(?:Subscription/)?(${ID})\\s*$`);
const MESSAGES = 'Send "bind-with-token: {token}" or "bind {id}"';

export function createNotificationSockets(settings: SocketSettings, log: Log): NotificationSockets {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  let isClosing = false;
  return {
    accept(request, { socket, head }, served) {
      if (isClosing) {
        served.stream.close();
        socket.destroy();
        return;
      }
      sockets.handleUpgrade(request, socket, head, (accepted) => serve(accepted, served, { settings, log }));
    },
    async close() {
      isClosing = true;
      for (const socket of sockets.clients) endConnection(socket, CODES.goingAway, 'The server is stopped');
      sockets.close();
    },
  };
}

function serve(
  socket: WebSocket,
  served: ServedSocket,
  { settings, log }: { readonly settings: SocketSettings; readonly log: Log },
): void {
  const { stream } = served;
  const fail = (thrown: unknown): void => {
    const error = toFhirError(thrown, served.requestId);
    served.countError(error.key);
    if (error.key === 'internal')
      log.error({ requestId: served.requestId }, 'a message of a WebSocket failed by a fault of the server');
    endConnection(socket, codeOf(error), error.message);
  };
  const unbound = setTimeout(() => {
    if (!stream.isBound) endConnection(socket, TOO_LATE, `Nothing was bound in time. ${MESSAGES}`);
  }, settings.initTimeoutMs);
  const endPings = ping(socket, settings.pingMs);
  // The connection is then closed, and the listener below runs.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    clearTimeout(unbound);
    endPings();
    stream.close();
  });
  readMessages(socket, served, fail);
  sendAll(socket, stream).catch(fail);
}

/** Binds what the client asks for, one message after the other. */
function readMessages(socket: WebSocket, served: ServedSocket, fail: (thrown: unknown) => void): void {
  let waiting = 0;
  let working = Promise.resolve();
  const isOpen = (): boolean => socket.readyState === socket.OPEN;
  socket.on('message', (data, isBinary) => {
    if (!isOpen()) return;
    if (isBinary) return endConnection(socket, CODES.notText, MESSAGES);
    if (waiting >= MAX_WAITING) return endConnection(socket, CODES.policy, 'Too many messages at once');
    const text = toText(data);
    const share = served.openShare();
    const full = errorOf(() => share.addBody(text.length));
    if (full !== undefined) {
      share.release();
      return endConnection(socket, CODES.again, full.message);
    }
    waiting++;
    working = working
      .then(async () => {
        // What follows a refused message is not read.
        if (isOpen()) await take(socket, served, text);
      })
      .catch(fail)
      .finally(() => {
        waiting--;
        share.release();
      });
  });
}

async function take(socket: WebSocket, served: ServedSocket, text: string): Promise<void> {
  const token = tokenOf(text);
  const id = BIND_MESSAGE.exec(text)?.[1];
  if (token !== undefined) await served.bindToken(token);
  else if (id !== undefined) await served.bind(id);
  else endConnection(socket, BAD_MESSAGE, MESSAGES);
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
async function sendAll(socket: WebSocket, stream: NotificationStream): Promise<void> {
  for (;;) {
    const next = await stream.next();
    if (typeof next !== 'string') {
      endConnection(socket, END_CODES[next.kind], next.reason);
      return;
    }
    // An error of sending is ignored, because the connection is gone.
    await new Promise<void>((resolve) => socket.send(next, () => resolve()));
  }
}

/** Disconnects a client that does not answer. Returns a function that ends the pings. */
function ping(socket: WebSocket, milliseconds: number): () => void {
  let isAlive = true;
  const pinging = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, milliseconds);
  socket.on('pong', () => (isAlive = true));
  return () => clearInterval(pinging);
}

function endConnection(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, printable(reason));
  setTimeout(() => socket.terminate(), GRACE_MS).unref();
}

/** A reason has a limit in bytes. */
function printable(reason: string): string {
  return reason.replace(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_REASON);
}

function codeOf({ status }: FhirError): number {
  if (status === 503) return CODES.again;
  return status >= 500 ? CODES.fault : 4000 + status;
}

function toText(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString();
}
