/**
 * Reads requests at HL7's addresses, `$graphql` on the server and on a resource
 * (http://hl7.org/fhir/R4/graphql.html#invoking). The query is in the address, the body, a JSON body, or the parameter
 * of the operation.
 */
import type { HeaderMap } from '@apollo/server';
import type { FastifyRequest } from 'fastify';
import { type Core, fhirError } from '../core/index';
import { type DocumentLimits, measureText } from '../schema/limits';
import { JSON_TYPES, parseBody, toHeaderMap, toSearch } from './http';
import { type InstanceAddress, type InstanceDocument, selectInstance } from './instance';

/** The request in the form of Apollo Server. */
export interface SentQuery {
  readonly headers: HeaderMap;
  /** The query string of the address with its `?`. */
  readonly search: string;
  readonly body: unknown;
  readonly instance?: InstanceDocument;
}

const GRAPHQL_TYPE = /^application\/graphql\s*(;|$)/i;
const FHIR_TYPES = /^application\/(fhir\+json|json\+fhir)\s*(;|$)/i;

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads the query of a request. Throws `unsupportedMediaType`, the errors of the body parser, and errors for queries
 * that one resource cannot have.
 */
export async function readFhirQuery(
  request: FastifyRequest,
  core: Core,
  {
    limits,
    maxDepth,
    address,
  }: {
    readonly limits: DocumentLimits;
    readonly maxDepth: number;
    readonly address: InstanceAddress | undefined;
  },
): Promise<SentQuery> {
  const headers = toHeaderMap(request);
  // HL7 requires application/json, whatever the header of a FHIR client accepts.
  headers.set('accept', 'application/json');
  if (request.method !== 'POST') return inAddress(headers, toSearch(request), limits, address);
  const body = await readBody(request, core, maxDepth);
  return inBody(headers, body, limits, address);
}

function inAddress(
  headers: HeaderMap,
  search: string,
  limits: DocumentLimits,
  address: InstanceAddress | undefined,
): SentQuery {
  const parameters = new URLSearchParams(search);
  const query = parameters.get('query');
  if (!address || query === null) return { headers, search, body: undefined };
  const instance = wrap(query, address, limits);
  parameters.set('query', instance.text);
  // The hash of the client's text does not fit the executed text.
  parameters.delete('extensions');
  return { headers, search: `?${parameters.toString()}`, body: undefined, instance };
}

function inBody(
  headers: HeaderMap,
  body: unknown,
  limits: DocumentLimits,
  address: InstanceAddress | undefined,
): SentQuery {
  if (!address || !isObject(body) || typeof body['query'] !== 'string') return { headers, search: '', body };
  const instance = wrap(body['query'], address, limits);
  const { extensions: _ofAnother, ...rest } = body;
  return { headers, search: '', body: { ...rest, query: instance.text }, instance };
}

function wrap(text: string, address: InstanceAddress, limits: DocumentLimits): InstanceDocument {
  // A document over a limit is refused in the form that the client sent.
  if (measureText(text, limits)) return { ...address, text, insertions: [] };
  return selectInstance(text, address, limits.tokens);
}

async function readBody(request: FastifyRequest, core: Core, maxDepth: number): Promise<unknown> {
  const contentType = request.headers['content-type'] ?? 'not stated';
  const text = typeof request.body === 'string' ? request.body : '';
  if (GRAPHQL_TYPE.test(contentType)) return { query: text };
  if (!JSON_TYPES.test(contentType) && !FHIR_TYPES.test(contentType)) {
    const allowed = 'send application/json, application/graphql or application/fhir+json';
    throw fhirError('unsupportedMediaType', { contentType, allowed });
  }
  const body = await parseBody(text, core, maxDepth);
  return isObject(body) && body['resourceType'] === 'Parameters' ? { query: queryOf(body) } : body;
}

/** Returns the parameter `query` of the operation. */
function queryOf({ parameter }: Members): string {
  const entries: readonly unknown[] = Array.isArray(parameter) ? parameter : [];
  const [entry, ...others] = entries.filter((each): each is Members => isObject(each));
  if (entry?.['name'] === 'query' && typeof entry['valueString'] === 'string' && others.length === 0)
    return entry['valueString'];
  const reason = "The Parameters of $graphql have one parameter, 'query', with a valueString";
  throw fhirError('operationInputInvalid', { reason }, 'Parameters.parameter');
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
