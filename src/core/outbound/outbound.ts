/** The only HTTP client of the server for addresses that clients or operators have given. */
import { lookup } from 'node:dns';
import { request as requestByHttp, type IncomingMessage } from 'node:http';
import { request as requestByHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { SpanKind } from '@opentelemetry/api';
import { inSpan, traceHeaders } from '../tracing';
import { Destinations } from './destinations';

/** The request is not allowed, or the answer is not accepted. The message is for the operator, not for clients. */
export class OutboundError extends Error {}

export interface OutboundRequest {
  readonly url: string;
  readonly accept: string;
  /** Aborts the request and its answer. */
  readonly signal: AbortSignal;
  /** Longest answer in bytes; a longer one is aborted. */
  readonly maxBytes: number;
}

/** Answers without a body (RFC 9110, section 6.4.1). */
const WITHOUT_BODY = [204, 205, 304];

export class Outbound {
  readonly destinations: Destinations;

  /** `allowedHosts`: as for `Destinations`. */
  constructor(allowedHosts: readonly string[]) {
    this.destinations = new Destinations(allowedHosts);
  }

  /**
   * Returns the answer to a GET request. The resolved addresses are checked, and one of those is called; redirects
   * are not followed. Throws OutboundError and network errors.
   */
  async get(request: OutboundRequest): Promise<Response> {
    return inSpan('GET', { kind: SpanKind.CLIENT }, () => this.#send(request));
  }

  async #send({ url, accept, signal, maxBytes }: OutboundRequest): Promise<Response> {
    const fault = this.destinations.findFault(url);
    if (fault !== undefined) throw new OutboundError(`it may not be called: ${fault}`);
    const target = new URL(url);
    const isEncrypted = target.protocol === 'https:';
    const send = isEncrypted ? requestByHttps : requestByHttp;
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = send(target, {
        // A connection is used once, because an address that was allowed before may not be allowed now.
        agent: false,
        headers: { accept, 'accept-encoding': 'identity', 'user-agent': 'andiron', ...traceHeaders() },
        lookup: this.#lookup(target.hostname, isEncrypted),
        signal,
      });
      sent.once('response', resolve);
      sent.once('error', reject);
      sent.end();
    });
    const body = await readBody(message, maxBytes);
    const status = message.statusCode ?? 0;
    const contentType = message.headers['content-type'];
    return new Response(WITHOUT_BODY.includes(status) ? null : body, {
      status,
      headers: contentType === undefined ? {} : { 'content-type': contentType },
    });
  }

  /**
   * Resolves a name to the addresses that may be called. IP addresses are not looked up: `findFault` has checked
   * them.
   */
  #lookup(hostname: string, isEncrypted: boolean): LookupFunction {
    const { destinations } = this;
    const isListed = destinations.isListedName(hostname);
    return (name, options, callback) => {
      lookup(name, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, []);
        const allowed = found.filter(({ address }) => isListed || destinations.mayCall(address, isEncrypted));
        const [first] = allowed;
        if (first === undefined) {
          const refusal = new OutboundError(
            `it may not be called: ${name} has an address that is not public, and OUTBOUND_ALLOWED_HOSTS does not list it`,
          );
          return callback(refusal, []);
        }
        if (options.all === true) callback(null, allowed);
        else callback(null, first.address, first.family);
      });
    };
  }
}

async function readBody(message: IncomingMessage, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of message) {
    const bytes = Buffer.from(part as Uint8Array);
    length += bytes.length;
    if (length > maxBytes) throw new OutboundError(`it answers more than ${maxBytes} bytes`);
    parts.push(bytes);
  }
  return Uint8Array.from(Buffer.concat(parts));
}
