/**
 * Subscriptions by server-sent events: the distinct connections mode of the protocol "GraphQL over Server-Sent Events"
 * (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md), with the numbers of changes as ids of its events, so
 * that an EventSource goes on where it was. Its own handler would keep all that a slow client has not read.
 */
import { Readable } from 'node:stream';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { FhirError, fhirError } from '../core/index';
import { setCommonHeaders } from './http';
import { LiveRefusal, type LiveRequest, type LiveResults, toEndText } from './live-query';
import { toMembers } from './persisted-documents';

const EVENT_STREAM = /(^|,)\s*(text\/event-stream|text\/\*|\*\/\*)\s*(;|,|$)/i;
/** Milliseconds in which a client that is told the end must have taken that. */
const GRACE_MS = 2_000;
/** Milliseconds after which an EventSource connects again. */
const RETRY_MS = 1_000;

/** Throws notAcceptable. */
export function requireEventStream(request: FastifyRequest): void {
  const { accept = '*/*' } = request.headers;
  if (EVENT_STREAM.test(accept)) return;
  throw fhirError('invalidValue', { reason: 'This address answers text/event-stream and nothing else' });
}

/** A request by its address, as an EventSource sends it. Throws invalidValue. */
export function parseAddress(request: FastifyRequest): LiveRequest {
  const { searchParams } = new URL(request.url, 'http://localhost');
  const variables = searchParams.get('variables');
  return {
    query: searchParams.get('query') ?? undefined,
    operationName: searchParams.get('operationName') ?? undefined,
    extensions: toMembers(searchParams.get('extensions')),
    documentId: searchParams.get('documentId') ?? undefined,
    ...(variables === null ? {} : { variables: parseVariables(variables) }),
  };
}

/** The body of a POST. Throws invalidValue for what is no object. */
export function toLiveRequest(body: unknown): LiveRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw fhirError('invalidValue', {
      reason: "The body is an object with the members 'query', 'variables', 'operationName'",
    });
  const { query, variables, operationName, extensions, documentId } = body as Readonly<
    Record<string, unknown>
  >;
  return { query, variables, operationName, extensions, documentId };
}

function parseVariables(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fhirError('invalidValue', { reason: "'variables' is not JSON" });
  }
}

/** The header that an EventSource sends when it connects again. Throws invalidValue. */
export function lastEventId(request: FastifyRequest): number | undefined {
  const text = request.headers['last-event-id'];
  if (text === undefined || text === '') return undefined;
  if (typeof text === 'string' && /^\d{1,10}$/.test(text)) return Number(text);
  throw fhirError('invalidValue', { reason: 'Last-Event-ID is the number of a change' });
}

/** Answers with the results until the client goes or the server ends them. */
export function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  results: LiveResults,
  pingMs: number,
): FastifyReply {
  reply.raw.once('close', () => results.close());
  results.onEnd(() => setTimeout(() => reply.raw.destroy(), GRACE_MS).unref());
  return sendStream(request, reply, Readable.from(toFrames(results, pingMs)));
}

/** Answers with what is wrong with the request, as the protocol says: in the stream, and then nothing more. */
export function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  { errors }: LiveRefusal,
): FastifyReply {
  const text = JSON.stringify({ errors: errors.map((error) => error.toJSON()) });
  return sendStream(request, reply, Readable.from([nextFrame(text), COMPLETE]));
}

function sendStream(request: FastifyRequest, reply: FastifyReply, stream: Readable): FastifyReply {
  return setCommonHeaders(request, reply)
    .code(200)
    .header('content-type', 'text/event-stream; charset=utf-8')
    .header('x-accel-buffering', 'no')
    .send(stream);
}

const COMPLETE = 'event: complete\ndata:\n\n';

function nextFrame(text: string, sequence?: number): string {
  const id = sequence === undefined ? '' : `id: ${sequence}\n`;
  // A text that a client laid out has lines of its own.
  return `${id}event: next\ndata: ${text.replace(/\r\n|\r|\n/g, '\ndata: ')}\n\n`;
}

/** Only an id: an EventSource remembers it, everybody else sees a sign of life. */
function pingFrame({ resumeAfter }: LiveResults): string {
  return `:\nid: ${resumeAfter}\n\n`;
}

async function* toFrames(results: LiveResults, pingMs: number): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n${pingFrame(results)}`;
  try {
    for (;;) {
      const next = results.next();
      let timer: NodeJS.Timeout | undefined;
      for (;;) {
        const ping = new Promise<'ping'>((resolve) => (timer = setTimeout(resolve, pingMs, 'ping')));
        const first = await Promise.race([next, ping]).finally(() => clearTimeout(timer));
        if (first === undefined) return;
        if (first === 'ping') {
          yield pingFrame(results);
          continue;
        }
        yield nextFrame(first.text, first.sequence);
        break;
      }
    }
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    yield nextFrame(toEndText(error, results.resumeAfter), results.resumeAfter);
    // Without the end of the protocol clients connect again, and go on.
    if (error.key !== 'streamEnded') yield COMPLETE;
  } finally {
    results.close();
  }
}
