import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { fhirError, toOutcome, type Log } from '../core';
import { jobTime } from './job-time';
import { FHIR_JSON } from './negotiation';

/** What a client may ask of a connection before anything is known of it but its bytes. */
export interface ConnectionLimits {
  /** Bytes of the request line and all headers. */
  readonly headerBytes: number;
  readonly headers: number;
  /** Bytes of an address, its query included. */
  readonly urlBytes: number;
  /** Milliseconds in which the headers of a request must have arrived. */
  readonly headersTimeoutMs: number;
  /** Milliseconds in which all of a request must have arrived; the time for its answer begins after it. */
  readonly arrivalTimeoutMs: number;
  /** Connections at once; further ones are closed. */
  readonly connections: number;
  /** Milliseconds after which a connection is closed whose client takes nothing of its answer. */
  readonly stallMs: number;
}

/**
 * How long a connection stays open without a request: longer than the 60 s after which load balancers and Prometheus ask
 * again, because a server that closes first resets the request that is just on its way.
 */
export const KEEP_ALIVE_MS = 72_000;
/** How often Node looks for connections that are too slow: they are ended so much later at most. */
const LARGEST_CHECK_MS = 5000;
/** Closed connections are told of in the log at most so often. */
const WARNING_MS = 60_000;

/** The options of `fastify` that hold a client to the limits. */
export function connectionOptions(limits: ConnectionLimits) {
  const { headerBytes, headersTimeoutMs, arrivalTimeoutMs } = limits;
  return {
    requestTimeout: arrivalTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      maxHeaderSize: headerBytes,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: Math.min(LARGEST_CHECK_MS, Math.ceil(headersTimeoutMs / 4)),
    },
    clientErrorHandler: (error: ConnectionError, socket: Socket): void =>
      refuseConnection(error, socket, limits),
  };
}

/** The limits that only a request that was read can be told of, as an OperationOutcome; to be called before other hooks. */
export function limitRequests(server: FastifyInstance, limits: ConnectionLimits, log: Log): void {
  const { headers, urlBytes, connections, stallMs } = limits;
  limitServer(server.server, connections, log);
  server.addHook('onRequest', (request, _reply, done) => {
    const { rawHeaders, url = '' } = request.raw;
    // Node's parser lets no character through that is more than a byte.
    if (url.length > urlBytes) done(fhirError('urlTooLong', { limit: urlBytes }));
    else if (rawHeaders.length > 2 * headers) done(fhirError('tooManyHeaders', { limit: headers }));
    else done();
  });
  server.addHook('onSend', (request, _reply, payload, done) => {
    // Node gives the connection another limit once the answer is out. The answer of a job goes to no connection.
    if (isLong(payload) && jobTime.getStore() === undefined) request.raw.socket.setTimeout(stallMs);
    done(null, payload);
  });
}

/** What fits into the buffers of the kernel waits for nobody. */
const LONG = 64 * 1024;

function isLong(payload: unknown): boolean {
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > LONG;
}

function limitServer(server: Server, connections: number, log: Log): void {
  // What is beyond such a count Node drops in silence, a guard such as If-Match among it; their bytes are limited.
  server.maxHeadersCount = 0;
  server.maxConnections = connections;
  let told = -Infinity;
  server.on('drop', () => {
    if (performance.now() - told < WARNING_MS) return;
    told = performance.now();
    log.warn(
      { connections },
      'connections were closed at once, because there are as many as may be (MAX_CONNECTIONS)',
    );
  });
}

type ConnectionError = Error & { readonly code?: string };

/** Answers what Node's parser refuses, before there is a request: headers too large, too slow, or not HTTP. */
function refuseConnection(error: ConnectionError, socket: Socket, { headerBytes }: ConnectionLimits): void {
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
        : ['400 Bad Request', 'structure', 'This is not an HTTP request that can be understood'];
  const body = toOutcome([{ severity: 'error', code, diagnostics }]);
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: ${FHIR_JSON}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
