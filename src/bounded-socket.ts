/** The WebSockets of this server, whatever their protocol: their limits, pings and ends. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { errorOf, type HeldBytes } from './core/index';
import type { Upgrade } from './upgrade';

/** The limits of connections that come from the settings. */
export interface SocketSettings {
  /** Limit on the subscriptions of one connection. */
  readonly perConnection: number;
  /** Milliseconds between two pings; a client that does not answer one is disconnected. */
  readonly pingMs: number;
  /** Milliseconds in which the first message that the protocol needs must arrive. */
  readonly initTimeoutMs: number;
}

export interface SocketRules {
  readonly pingMs: number;
  /** Limit on one message of a client. */
  readonly maxMessageBytes: number;
  /** Chooses the protocol of a connection; undefined: there is none to choose. */
  readonly handleProtocols?: (protocols: Set<string>) => string | false;
  /** Messages of a client are handled one after the other, at most this many; undefined: concurrently. */
  readonly maxWaiting?: number;
  /** Reason with which a binary message ends the connection; undefined: it is read as text. */
  readonly textOnly?: string;
}

/** What a protocol does with one connection. */
export interface SocketHandlers {
  /** Opens a share in the memory of the process, for one message. */
  openShare(): HeldBytes;
  receive(text: string): Promise<void>;
  /** Called with an error of `receive`. */
  fail(error: unknown): void;
  /** Called once, when the connection is gone. */
  closed(code: number, reason: string): void;
}

/** RFC 6455, 7.4.1, and the registry of IANA: clients reconnect after `goingAway` and `again`. */
export const CLOSE_CODES = {
  normal: 1000,
  goingAway: 1001,
  notText: 1003,
  policy: 1008,
  fault: 1011,
  again: 1013,
} as const;

/** Milliseconds in which a client must have read why it is disconnected. */
export const GRACE_MS = 2_000;
/** Limit on unsent messages; only a client that sends requests without reading reaches it. */
const MAX_UNSENT = 1_000;
/** Limit on a reason, in bytes. */
const LONGEST_REASON = 120;

export class BoundedSocket {
  #unsent = 0;

  constructor(private readonly socket: WebSocket) {}

  get protocol(): string {
    return this.socket.protocol;
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** True: the client has not yet read what was sent. */
  get isBehind(): boolean {
    return this.socket.bufferedAmount > 0;
  }

  /** Resolves when the message has left the process. Never rejects: an error says that the connection is gone. */
  send(text: string): Promise<void> {
    return this.#send((done) => this.socket.send(text, done));
  }

  pong(data: Buffer): Promise<void> {
    return this.#send((done) => this.socket.pong(data, false, done));
  }

  /** Asks the client to close the connection. `reason`: at most 123 bytes (RFC 6455, 5.5.1). */
  close(code?: number, reason?: string): void {
    this.socket.close(code, reason);
  }

  /** Closes the connection, after `GRACE_MS` also where the client does not answer. Cuts a reason that is too long. */
  end(code: number, reason: string): void {
    this.close(code, printable(reason));
    setTimeout(() => this.socket.terminate(), GRACE_MS).unref();
  }

  #send(send: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      if (!this.isOpen) return resolve();
      this.#unsent += 1;
      if (this.#unsent > MAX_UNSENT) return this.socket.terminate();
      send(() => {
        this.#unsent -= 1;
        resolve();
      });
    });
  }
}

/** The connections of one protocol. */
export class SocketServer {
  readonly #server: WebSocketServer;
  readonly #sockets = new Set<BoundedSocket>();
  #isClosing = false;

  constructor(private readonly rules: SocketRules) {
    const { maxMessageBytes: maxPayload, handleProtocols } = rules;
    this.#server = new WebSocketServer({
      ...{ noServer: true, maxPayload, perMessageDeflate: false, autoPong: false },
      ...(handleProtocols === undefined ? {} : { handleProtocols }),
    });
  }

  /** Takes over a connection. `serve` is called when it is open. */
  accept(
    request: IncomingMessage,
    { socket, head }: Upgrade,
    serve: (socket: BoundedSocket) => SocketHandlers,
  ): void {
    if (this.#isClosing) {
      socket.destroy();
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (accepted) => this.#open(accepted, serve));
  }

  /** Closes all connections. `lastWordsMs`: milliseconds before that, for messages that are on their way. */
  async close(lastWordsMs = 0): Promise<void> {
    this.#isClosing = true;
    if (lastWordsMs > 0 && this.#sockets.size > 0) await delay(lastWordsMs);
    for (const socket of this.#sockets) socket.end(CLOSE_CODES.goingAway, 'The server is stopped');
    this.#server.close();
  }

  #open(accepted: WebSocket, serve: (socket: BoundedSocket) => SocketHandlers): void {
    const socket = new BoundedSocket(accepted);
    this.#sockets.add(socket);
    const handlers = serve(socket);
    const endPings = ping(accepted, this.rules.pingMs);
    accepted.on('ping', (data: Buffer) => void socket.pong(data));
    // The connection is then closed, and the listener below runs.
    accepted.on('error', () => undefined);
    accepted.once('close', (code, reason) => {
      endPings();
      this.#sockets.delete(socket);
      handlers.closed(code, reason.toString());
    });
    this.#readMessages(accepted, socket, handlers);
  }

  #readMessages(accepted: WebSocket, socket: BoundedSocket, handlers: SocketHandlers): void {
    const { maxWaiting, textOnly } = this.rules;
    let waiting = 0;
    let working = Promise.resolve();
    // What follows a refused message is not read.
    const receive = async (text: string): Promise<void> => {
      if (socket.isOpen) await handlers.receive(text);
    };
    accepted.on('message', (data, isBinary) => {
      if (!socket.isOpen) return;
      if (isBinary && textOnly !== undefined) return socket.end(CLOSE_CODES.notText, textOnly);
      if (maxWaiting !== undefined && waiting >= maxWaiting)
        return socket.end(CLOSE_CODES.policy, 'Too many messages at once');
      const text = toText(data);
      const share = handlers.openShare();
      const full = errorOf(() => share.addBody(text.length));
      if (full !== undefined) {
        share.release();
        return socket.end(CLOSE_CODES.again, full.message);
      }
      waiting++;
      const received = maxWaiting === undefined ? receive(text) : working.then(() => receive(text));
      working = received
        .catch((error: unknown) => handlers.fail(error))
        .finally(() => {
          waiting--;
          share.release();
        });
    });
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

/** A reason has a limit in bytes. */
function printable(reason: string): string {
  return reason.replace(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_REASON);
}

function toText(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString();
}
