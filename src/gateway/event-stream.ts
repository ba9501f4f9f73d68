/**
 * Subscriptions by server-sent events: the distinct connections mode of the protocol "GraphQL over Server-Sent Events"
 * (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md). The ids of its events are the numbers of changes,
 * so that an EventSource resumes where it stopped. The handler of graphql-sse would buffer everything that a slow
 * client has not read.
 */
import { Readable } from 'node:stream';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { FhirError, fhirError } from '../core/index';
import { setCommonHeaders } from './http';
import { LiveRefusal, type LiveRequest, type LiveResults, TEMPORARY, toEndText } from './live-query';
import { toMembers } from './persisted-documents';

const EVENT_STREAM = /(^|,)\s*(text\/event-stream|text\/\*|\*\/\*)\s*(;|,|$)/i;
/** Milliseconds in which a client must have read the end of its subscription. */
const GRACE_MS = 2_000;
/** Milliseconds after which an EventSource reconnects. */
const RETRY_MS = 1_000;

/** Throws notAcceptable when the client does not accept text/event-stream. */
export function requireEventStream(request: FastifyRequest): void {
  const { accept = '*/*' } = request.headers;
  if (EVENT_STREAM.test(accept)) return;
  throw fhirError('notAcceptable', { offered: 'text/event-stream', accept });
}

/** Parses a request in the address, as an EventSource sends it. Throws invalidValue. */
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

/** Reads the body of a POST. Throws invalidValue when it is not an object. */
export function toLiveRequest(body: unknown): LiveRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw fhirError('invalidValue', {
      reason: "The body must be an object with the members 'query', 'variables', 'operationName'",
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

/** Returns the header that an EventSource sends when it reconnects. Throws invalidValue. */
export function lastEventId(request: FastifyRequest): number | undefined {
  const text = request.headers['last-event-id'];
  if (text === undefined || text === '') return undefined;
  if (typeof text === 'string' && /^\d{1,16}$/.test(text)) return Number(text);
  throw fhirError('invalidValue', { reason: 'Last-Event-ID must be the number of a change' });
}

/** Sends the results until the client disconnects or the server ends the subscription. */
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

/** Sends the errors of a request in the stream and completes it, as the protocol requires, unless the client may try again. */
export function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  { errors, isTemporary }: LiveRefusal,
): FastifyReply {
  const frame = nextFrame(JSON.stringify({ errors: errors.map((error) => error.toJSON()) }));
  return sendStream(request, reply, Readable.from(isTemporary ? [frame] : [frame, COMPLETE]));
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
  // The text may have line breaks of its own, from a client's formatting.
  return `${id}event: next\ndata: ${text.replace(/\r\n|\r|\n/g, '\ndata: ')}\n\n`;
}

/** Returns a frame with only an id: an EventSource stores it, other clients treat it as a keep-alive. */
function pingFrame({ resumeAfter }: LiveResults): string {
  return `:\nid: ${resumeAfter}\n\n`;
}

async function* toFrames(results: LiveResults, pingMs: number): AsyncGenerator<string> {
  let sent = results.resumeAfter;
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
        yield nextFrame(first.text, (sent = first.sequence));
        break;
      }
    }
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    // Another error has come in place of the result of a change.
    const after = error.key === 'streamEnded' ? results.resumeAfter : sent;
    yield nextFrame(toEndText(error, after), after);
    // Without `complete` a client reconnects and resumes.
    if (error.status !== TEMPORARY) yield COMPLETE;
  } finally {
    results.close();
  }
}
