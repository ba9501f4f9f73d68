/** Converts Fastify's requests to those of Apollo Server. */
import { HeaderMap } from '@apollo/server';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import {
  type Core,
  type FhirError,
  fhirError,
  type JsonOutline,
  type JsonValue,
  stringifyJson,
} from '../core/index';
import { type DocumentLimits, measureText } from '../schema/limits';
import { stringifyAround } from '../schema/raw-json';
import { SentJson } from '../schema/sent-json';
import { formatFhirError } from './errors';

/**
 * Levels around a resource in the variables of a body, so that it may have as many levels as one that is sent by
 * itself.
 */
const LEVELS_AROUND = 4;

/**
 * Body, variables, and the value of a variable. GraphQL reads members of these levels; below them it reads only JSON.
 */
const OPEN_LEVELS = 2;

export const JSON_TYPES = /^application\/(json|graphql-response\+json)\s*(;|$)/i;

/** True for a browser that opens the address: it accepts HTML, and GraphQL clients do not. */
export function isBrowser(request: FastifyRequest): boolean {
  return request.method === 'GET' && (request.headers.accept ?? '').includes('text/html');
}

/**
 * Reads the body of a POST with the parser that keeps decimals; undefined for a GET. `maxDepth`: limit on the levels of
 * a resource. Long objects and arrays in the variables of a long body become `SentJson`.
 * Throws `unsupportedMediaType`, the errors of the parser, and `tooCostly` for long values outside of variables.
 */
export async function readBody(request: FastifyRequest, core: Core, maxDepth: number): Promise<unknown> {
  if (request.method !== 'POST') return undefined;
  const contentType = request.headers['content-type'] ?? 'not stated';
  if (!JSON_TYPES.test(contentType)) {
    throw fhirError('unsupportedMediaType', { contentType, allowed: 'send application/json' });
  }
  return parseBody(typeof request.body === 'string' ? request.body : '', core, maxDepth);
}

/** Parses the JSON of a body; see `readBody`. */
export async function parseBody(text: string, core: Core, maxDepth: number): Promise<unknown> {
  return joinParts(
    await core.interactions.outline(text, { maxDepth: maxDepth + LEVELS_AROUND, levels: OPEN_LEVELS }),
  );
}

/** Puts the long parts into the value of an outline. It changes the value, which has no other owner. */
function joinParts({ value, parts }: JsonOutline): unknown {
  // Several requests in one body are refused later, whatever they contain.
  if (Array.isArray(value)) return value;
  for (const { path, text } of parts) {
    const [root, variable, ...below] = path;
    if (root !== 'variables' || variable === undefined) throw fhirError('tooCostly', { reason: TOO_MANY });
    replace(value, root, [variable, ...below], new SentJson(text));
  }
  return value;
}

const TOO_MANY = 'The body has too many members outside of its variables, or too many variables';

function replace(
  owner: unknown,
  name: string | number,
  below: readonly (string | number)[],
  part: SentJson,
): void {
  if (typeof owner !== 'object' || owner === null)
    throw new Error('an outline without the place of its part');
  const [next, ...further] = below;
  if (next === undefined) Reflect.set(owner, name, part);
  else replace(Reflect.get(owner, name), next, further, part);
}

/** Throws for a document over a limit, before graphql parses and validates it; see `measureText`. */
export function checkText(body: unknown, limits: DocumentLimits): void {
  if (typeof body !== 'object' || body === null || !('query' in body) || typeof body.query !== 'string')
    return;
  const refusal = measureText(body.query, limits);
  if (refusal) {
    const extensions = { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } };
    throw new GraphQLError(refusal.message, { extensions });
  }
}

/** The headers of a request with a JSON body. */
export function jsonHeaders(): HeaderMap {
  return new HeaderMap([['content-type', 'application/json']]);
}

export function toHeaderMap(request: FastifyRequest): HeaderMap {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return headers;
}

/** Returns the query string of the address with its `?`. */
export function toSearch(request: FastifyRequest): string {
  const start = request.url.indexOf('?');
  return start < 0 ? '' : request.url.slice(start);
}

/** Sets the headers of all responses of the gateway. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('vary', 'accept')
    .header('x-content-type-options', 'nosniff')
    .header('x-request-id', request.id);
}

/** Sends a response of `errors` for a failure before Apollo Server had the request. */
export function sendErrors(request: FastifyRequest, reply: FastifyReply, error: FhirError): FastifyReply {
  const response = { errors: [formatFhirError(error)] };
  const isToBeRepeated = (error.status === 503 || error.status === 429) && !error.isUncertain;
  if (isToBeRepeated && !reply.hasHeader('retry-after')) void reply.header('retry-after', '1');
  return setCommonHeaders(request, reply)
    .code(error.status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(stringifyAround(response, (value) => stringifyJson(value as JsonValue, false)));
}
