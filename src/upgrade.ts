/**
 * Handles requests for another protocol on their connection. Node passes all of them to the listener for upgrades, even
 * requests that also accept HTTP/1.1 (`Upgrade: h2c`, which Java's client sends with every first request).
 */
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type Duplex } from 'node:stream';

/** The connection of a WebSocket request, and the bytes read beyond the request. */
export interface Upgrade {
  readonly socket: Duplex;
  readonly head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** Returns the connection of a WebSocket request; undefined for other requests. */
export function upgradeOf(request: IncomingMessage): Upgrade | undefined {
  return upgrades.get(request);
}

/** The addresses of WebSockets of each server. */
const addresses = new WeakMap<Server, RegExp[]>();

/**
 * Sends WebSocket requests at these addresses through the routes of the server, so that the same limits, request log
 * and refusals apply. All other requests for another protocol are handled as plain HTTP/1.1. REST and GraphQL each have an
 * address, and a server has one listener for both: the first one to see another's request would give it back.
 */
export function routeUpgrades(
  server: Server,
  address: RegExp,
  route: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  const existing = addresses.get(server);
  if (existing !== undefined) {
    existing.push(address);
    return;
  }
  const served = [address];
  addresses.set(server, served);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Until another listener is added: a broken connection is not an error of the server.
    socket.on('error', () => socket.destroy());
    const isWanted = request.headers.upgrade?.toLowerCase() === 'websocket' && request.method === 'GET';
    const { url = '' } = request;
    if (!isWanted || !served.some((one) => one.test(url))) {
      giveBack(server, request, socket, head);
      return;
    }
    upgrades.set(request, { socket, head });
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    // `socket` of an HTTP server is a net.Socket or a TLS socket.
    response.assignSocket(request.socket);
    response.once('finish', () => socket.end());
    route(request, response);
  });
}

/** Detaches the connection from HTTP; the response closes when the connection does. */
export function takeOver(response: ServerResponse, { socket }: Upgrade): void {
  response.statusCode = 101;
  if (response.socket !== null) response.detachSocket(response.socket);
  socket.once('close', () => response.emit('close'));
}

/** Lets the server read the request again, without its upgrade header. */
function giveBack(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method = 'GET', url = '/', httpVersion, rawHeaders } = request;
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (DROPPED.test(name)) continue;
    text += /^connection$/i.test(name) ? `connection: ${withoutUpgrade(value)}\r\n` : `${name}: ${value}\r\n`;
  }
  socket.removeAllListeners('error');
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

const DROPPED = /^(upgrade|http2-settings)$/i;

function withoutUpgrade(value: string): string {
  const left = value.split(',').filter((word) => !DROPPED.test(word.trim()));
  return left.length === 0 ? 'keep-alive' : left.join(',');
}
