import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { fhirError, toOutcome, type Log } from '../../core';
import { jobTime } from '../job-time';
import { FHIR_JSON } from '../requests/negotiation';

/** Limits of a connection, which apply before a request is authenticated. */
export interface ConnectionLimits {
  /** Bytes of the request line and all headers. */
  readonly headerBytes: number;
  readonly headers: number;
  /** Limit on the bytes of an address, including its query. */
  readonly urlBytes: number;
  /** Milliseconds in which the headers of a request must arrive. */
  readonly headersTimeoutMs: number;
  /** Milliseconds in which a whole request must arrive; the time limit of its response begins afterwards. */
  readonly arrivalTimeoutMs: number;
  /** Limit on simultaneous connections; further ones are closed. */
  readonly connections: number;
  /** Milliseconds after which a connection is closed whose client reads nothing of its response. */
  readonly stallMs: number;
}

/**
 * Milliseconds for which an idle connection stays open. They exceed the 60 s after which load balancers and Prometheus
 * send again, because a server that closes first resets a request that is on its way.
 */
export const KEEP_ALIVE_MS = 72_000;
/** Greatest interval of Node's check for slow connections: they are closed at most this much later. */
const LARGEST_CHECK_MS = 5000;
/** Minimum milliseconds between two warnings about closed connections. */
const WARNING_MS = 60_000;

/** Returns the options of `fastify` that enforce the limits. */
export function connectionOptions(limits: ConnectionLimits) {
  const { headerBytes, headersTimeoutMs, arrivalTimeoutMs } = limits;
  return {
    requestTimeout: arrivalTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      maxHeaderSize: headerBytes,
      headersTimeout: headersTimeoutMs,
      // Node compares both when it makes the server, before Fastify sets the one above.
      requestTimeout: arrivalTimeoutMs,
      connectionsCheckingInterval: Math.min(LARGEST_CHECK_MS, Math.ceil(headersTimeoutMs / 4)),
    },
    clientErrorHandler: (error: ConnectionError, socket: Socket): void =>
      refuseConnection(error, socket, limits),
  };
}

/**
 * Enforces the limits that can be reported as an OperationOutcome, because the request was read. Call it before other
 * hooks are added.
 */
export function limitRequests(server: FastifyInstance, limits: ConnectionLimits, log: Log): void {
  const { headers, urlBytes, connections, stallMs } = limits;
  limitServer(server.server, connections, log);
  server.addHook('onRequest', (request, _reply, done) => {
    const { rawHeaders, url = '' } = request.raw;
    // Node's parser accepts only characters of one byte.
    if (url.length > urlBytes) done(fhirError('urlTooLong', { limit: urlBytes }));
    else if (rawHeaders.length > 2 * headers) done(fhirError('tooManyHeaders', { limit: headers }));
    else done();
  });
  server.addHook('onSend', (request, _reply, payload, done) => {
    // Node resets this timeout after the response. The response of a job goes to no connection.
    if (isLong(payload) && jobTime.getStore() === undefined) request.raw.socket.setTimeout(stallMs);
    done(null, payload);
  });
}

/** Shorter responses fit into the buffers of the kernel, so that they do not wait for the client. */
const LONG = 64 * 1024;

function isLong(payload: unknown): boolean {
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > LONG;
}

function limitServer(server: Server, connections: number, log: Log): void {
  // Node silently drops headers beyond such a count, which may include a guard such as If-Match; their bytes are
  // limited instead.
  server.maxHeadersCount = 0;
  // Not by `maxConnections`: workers of node:cluster hand a connection that is too many around among them without an end.
  const open = new Set<Socket>();
  let warnedAt = -Infinity;
  server.on('connection', (socket) => {
    // One that asked for another protocol is given to the server again (src/upgrade.ts).
    if (open.has(socket)) return;
    if (open.size < connections) {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      return;
    }
    socket.destroy();
    if (performance.now() - warnedAt < WARNING_MS) return;
    warnedAt = performance.now();
    log.warn({ connections }, 'connections were closed, because the limit is reached (MAX_CONNECTIONS)');
  });
}

/** Connections whose current body may take any time: its own limit is on the pauses. */
const SLOW_BODIES = new WeakSet<Socket>();

/** Exempts the body of a request from `arrivalTimeoutMs`; the next one on its connection is not exempt. */
export function admitSlowBody(request: IncomingMessage): void {
  const { socket } = request;
  SLOW_BODIES.add(socket);
  request.once('close', () => SLOW_BODIES.delete(socket));
}

type ConnectionError = Error & { readonly code?: string };

/**
 * Responds to connections that Node's parser refuses before there is a request: headers too large, too slow, or not
 * HTTP.
 */
function refuseConnection(error: ConnectionError, socket: Socket, { headerBytes }: ConnectionLimits): void {
  // Node reports this once for a request, and not again.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && SLOW_BODIES.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, code, diagnostics] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [
          '431 Request Header Fields Too Large',
          'too-long',
          `The address and the headers are larger than ${headerBytes} bytes`,
        ]
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'timeout', 'The request did not arrive within the time limit']
        : ['400 Bad Request', 'structure', 'The request is not valid HTTP'];
  const body = toOutcome([{ severity: 'error', code, diagnostics }]);
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: ${FHIR_JSON}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
