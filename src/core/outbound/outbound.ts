/** The only HTTP client of the server for addresses that clients or operators have given. */
import { SpanKind } from '@opentelemetry/api';
import { inSpan, traceHeaders } from '../tracing';
import { whileNotIdle, withDeadline } from './deadline';
import { Destinations } from './destinations';
import { exchange, readBody } from './exchange';
import { messageHeaders, type HeaderLine } from './message-headers';
import { OutboundError, toOutboundError } from './outbound-error';

export { OutboundError } from './outbound-error';

export interface OutboundRequest {
  readonly url: string;
  readonly accept: string;
  /** Aborts the request and its answer. */
  readonly signal: AbortSignal;
  /** Longest answer in bytes; a longer one is aborted. */
  readonly maxBytes: number;
}

export interface OutboundDownload extends Omit<OutboundRequest, 'maxBytes'> {
  /** Milliseconds without a byte after which it is aborted. */
  readonly idleMs: number;
}

export interface OutboundMessage {
  readonly url: string;
  readonly method: 'POST' | 'PUT';
  /** Without those of the connection, such as Host and Content-Length (`findHeaderFault`). */
  readonly headers: readonly HeaderLine[];
  readonly body: string | undefined;
  /** Aborts the request. */
  readonly signal: AbortSignal;
  /** Limit for all of it: name resolution, connection, request and answer. */
  readonly timeoutMs: number;
}

const OWN_HEADERS = { 'accept-encoding': 'identity', 'user-agent': 'andiron' };
/** Answers without a body (RFC 9110, section 6.4.1). */
const WITHOUT_BODY = [204, 205, 304];
/** An endpoint may finish an answer of this length in bytes; a longer one is cut off. */
const MAX_DROPPED_BYTES = 64 * 1024;

async function download<T>(
  destinations: Destinations,
  { url, accept, signal, idleMs }: OutboundDownload,
  take: (status: number, body: AsyncIterable<Buffer>) => Promise<T>,
): Promise<T> {
  const headers = { accept, ...OWN_HEADERS, ...traceHeaders() };
  return whileNotIdle(signal, idleMs, async (untilIdle, wait) => {
    const state = { hasAnswered: false };
    try {
      const request = { url, method: 'GET', headers, body: undefined, signal: untilIdle };
      return await exchange(destinations, request, async (answer) => {
        state.hasAnswered = true;
        wait(false);
        return take(answer.statusCode ?? 0, piecesOf(answer, wait));
      });
    } catch (error) {
      // Errors of the answer are converted by its reader, and the others are those of `take`.
      throw state.hasAnswered ? error : toOutboundError(error);
    }
  });
}

/** Yields the bytes of an answer; only the time until the next ones counts as idle. */
async function* piecesOf(
  answer: AsyncIterable<unknown>,
  wait: (isWaiting: boolean) => void,
): AsyncGenerator<Buffer, void> {
  try {
    wait(true);
    for await (const piece of answer) {
      wait(false);
      yield Buffer.from(piece as Uint8Array);
      wait(true);
    }
  } catch (error) {
    throw toOutboundError(error);
  } finally {
    wait(false);
  }
}

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
    return inSpan('GET', { kind: SpanKind.CLIENT }, () => this.#get(request));
  }

  /**
   * Returns what `take` returns for the status and the bytes of the answer to a GET request, which may have any length.
   * Destinations are checked as for `get`; redirects are not followed. Throws OutboundError, also for network errors, the errors
   * of `take`, and the reason of the signal.
   */
  async download<T>(
    request: OutboundDownload,
    take: (status: number, body: AsyncIterable<Buffer>) => Promise<T>,
  ): Promise<T> {
    return inSpan('GET', { kind: SpanKind.CLIENT }, () => download(this.destinations, request, take));
  }

  /**
   * Sends a message and returns the status of the answer. Destinations are checked as for `get`; redirects are not
   * followed. The body of the answer is not kept: after 64 kB the connection is closed, which is no failure. Throws
   * OutboundError, also for network errors, and the reason of the signal. No error text contains values of headers, the
   * query of the URL, or bodies.
   */
  async send(message: OutboundMessage): Promise<number> {
    return inSpan(message.method, { kind: SpanKind.CLIENT }, () => this.#send(message));
  }

  async #get({ url, accept, signal, maxBytes }: OutboundRequest): Promise<Response> {
    const headers = { accept, ...OWN_HEADERS, ...traceHeaders() };
    const request = { url, method: 'GET', headers, body: undefined, signal };
    return exchange(this.destinations, request, async (answer) => {
      const body = await readBody(answer, maxBytes);
      if (body === undefined) throw new OutboundError(`it answers more than ${maxBytes} bytes`);
      const status = answer.statusCode ?? 0;
      const contentType = answer.headers['content-type'];
      return new Response(WITHOUT_BODY.includes(status) ? null : Uint8Array.from(body), {
        status,
        headers: contentType === undefined ? {} : { 'content-type': contentType },
      });
    });
  }

  async #send({
    url,
    method,
    headers: given,
    body: text,
    signal,
    timeoutMs,
  }: OutboundMessage): Promise<number> {
    // As bytes, because Node.js encodes headers as the body if that is a text.
    const body = text === undefined ? undefined : Buffer.from(text);
    const own = { ...OWN_HEADERS, 'content-length': String(body?.length ?? 0) };
    const headers = messageHeaders(given, own, traceHeaders());
    return withDeadline(signal, timeoutMs, async (untilDeadline) => {
      try {
        const request = { url, method, headers, body, signal: untilDeadline };
        return await exchange(this.destinations, request, async (answer) => {
          await readBody(answer, MAX_DROPPED_BYTES);
          return answer.statusCode ?? 0;
        });
      } catch (error) {
        throw toOutboundError(error);
      }
    });
  }
}
