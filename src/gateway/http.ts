/** Between Fastify's requests and what Apollo Server takes. */
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

/** Levels around a resource in the variables of a body: it may be as deep as one that is sent alone. */
const LEVELS_AROUND = 4;

/** Body, variables, the value of a variable: GraphQL looks at the members of that, and no deeper but for JSON. */
const OPEN_LEVELS = 2;

export const JSON_TYPES = /^application\/(json|graphql-response\+json)\s*(;|$)/i;

/** A browser that opens the address names HTML; GraphQL clients do not. */
export function isBrowser(request: FastifyRequest): boolean {
  return request.method === 'GET' && (request.headers.accept ?? '').includes('text/html');
}

/**
 * The body of a POST, read by the parser that keeps decimals; undefined for a GET. `maxDepth`: levels that a resource
 * may have. Long objects and arrays in the variables of a long body are `SentJson`. Throws `unsupportedMediaType`, what
 * the parser finds, and `tooCostly` for what is long and not in a variable.
 */
export async function readBody(request: FastifyRequest, core: Core, maxDepth: number): Promise<unknown> {
  if (request.method !== 'POST') return undefined;
  const contentType = request.headers['content-type'] ?? 'not stated';
  if (!JSON_TYPES.test(contentType)) {
    throw fhirError('unsupportedMediaType', { contentType, allowed: 'send application/json' });
  }
  return parseBody(typeof request.body === 'string' ? request.body : '', core, maxDepth);
}

/** The JSON of a body: see `readBody`. */
export async function parseBody(text: string, core: Core, maxDepth: number): Promise<unknown> {
  return joinParts(await core.outline(text, { maxDepth: maxDepth + LEVELS_AROUND, levels: OPEN_LEVELS }));
}

/** The value of an outline, of which we are the only owner. */
function joinParts({ value, parts }: JsonOutline): unknown {
  // Several requests in one body are refused, whatever they ask.
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

/** Throws for a document that is over a limit, before graphql parses and validates it: see measureText. */
export function checkText(body: unknown, limits: DocumentLimits): void {
  if (typeof body !== 'object' || body === null || !('query' in body) || typeof body.query !== 'string')
    return;
  const refusal = measureText(body.query, limits);
  if (refusal) {
    const extensions = { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } };
    throw new GraphQLError(refusal.message, { extensions });
  }
}

export function toHeaderMap(request: FastifyRequest): HeaderMap {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return headers;
}

/** The query of the address with its `?`. */
export function toSearch(request: FastifyRequest): string {
  const start = request.url.indexOf('?');
  return start < 0 ? '' : request.url.slice(start);
}

/** What every answer of the gateway carries. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('vary', 'accept')
    .header('x-content-type-options', 'nosniff')
    .header('x-request-id', request.id);
}

/** An answer of `errors` for what failed before Apollo Server had the request. */
export function sendErrors(request: FastifyRequest, reply: FastifyReply, error: FhirError): FastifyReply {
  const response = { errors: [formatFhirError(error)] };
  const isToBeRepeated = (error.status === 503 || error.status === 429) && !error.isUncertain;
  if (isToBeRepeated && !reply.hasHeader('retry-after')) void reply.header('retry-after', '1');
  return setCommonHeaders(request, reply)
    .code(error.status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(stringifyAround(response, (value) => stringifyJson(value as JsonValue, false)));
}
