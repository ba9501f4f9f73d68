/** One HTTP request and its answer, on a connection of their own. */
import { lookup } from 'node:dns';
import { request as requestByHttp, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as requestByHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { transportOf, type Destinations } from './destinations';
import { closedError, OutboundError } from './outbound-error';

export interface ExchangeRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | undefined;
  /** Aborts the request and its answer. */
  readonly signal: AbortSignal;
}

/**
 * Sends a request and returns what `read` returns for the answer. The connection is closed then, also if `read` has not
 * read all. Redirects are not followed. Throws OutboundError for a destination that is not allowed, network errors, and for
 * an abort the reason of the signal or an AbortError.
 */
export async function exchange<T>(
  destinations: Destinations,
  { url, method, headers, body, signal }: ExchangeRequest,
  read: (answer: IncomingMessage) => Promise<T>,
): Promise<T> {
  const fault = destinations.findFault(url);
  if (fault !== undefined) throw new OutboundError(`it may not be called: ${fault}`);
  signal.throwIfAborted();
  const target = new URL(url);
  const send = target.protocol === 'https:' ? requestByHttps : requestByHttp;
  const sent = send(target, {
    // A connection is used once, because an address that was allowed before may not be allowed now.
    agent: false,
    method,
    headers,
    lookup: lookupAllowed(destinations, target),
    signal,
  });
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve);
      // An error may also follow the answer, for example of a body that is not valid; without a listener it is uncaught.
      sent.on('error', reject);
      // Node.js reports no error for an upgrade (101) that was not asked for.
      sent.once('close', () => reject(closedError()));
      sent.end(body);
    });
    const result = await read(answer);
    // An abort looks like the end of a body that ends with its connection.
    signal.throwIfAborted();
    return result;
  } finally {
    // An endpoint that answers before it has read the request would otherwise keep the connection.
    sent.destroy();
  }
}

/** Returns the body of an answer; undefined: it is longer, and the connection is closed. Throws network errors. */
export async function readBody(answer: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer) {
    const bytes = Buffer.from(part as Uint8Array);
    length += bytes.length;
    if (length > maxBytes) return undefined;
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

/** Resolves a name to the addresses that may be called. IP addresses are not looked up: `findFault` has checked them. */
function lookupAllowed(destinations: Destinations, url: URL): LookupFunction {
  const calling = transportOf(url);
  const isListed = destinations.isListedName(url.hostname, calling.port);
  return (name, options, callback) => {
    lookup(name, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const allowed = found.filter(({ address }) => isListed || destinations.mayCall(address, calling));
      const [first] = allowed;
      if (first === undefined) {
        const refusal = new OutboundError(
          `it may not be called: ${name} has an address that is not public, and OUTBOUND_ALLOWED_HOSTS does not list ${url.host}`,
        );
        return callback(refusal, []);
      }
      if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
