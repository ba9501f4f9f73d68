/**
 * What a client sends to HL7's addresses, `$graphql` on the server and on a resource
 * (http://hl7.org/fhir/R4/graphql.html#invoking): a query in the address, as the body, in a JSON body, or as the parameter
 * of the operation.
 */
import type { HeaderMap } from '@apollo/server';
import type { FastifyRequest } from 'fastify';
import { type Core, fhirError } from '../core/index';
import { type DocumentLimits, measureText } from '../schema/limits';
import { JSON_TYPES, parseBody, toHeaderMap, toSearch } from './http';
import { type InstanceAddress, type InstanceDocument, selectInstance } from './instance';

/** What Apollo Server is given. */
export interface SentQuery {
  readonly headers: HeaderMap;
  /** The query of the address with its `?`. */
  readonly search: string;
  readonly body: unknown;
  readonly instance?: InstanceDocument;
}

const GRAPHQL_TYPE = /^application\/graphql\s*(;|$)/i;
const FHIR_TYPES = /^application\/(fhir\+json|json\+fhir)\s*(;|$)/i;

type Members = Readonly<Record<string, unknown>>;

/** Throws `unsupportedMediaType`, what the parser of bodies finds, and for queries that cannot be on one resource. */
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
  admitSafeClient(headers);
  // HL7: the answer is application/json, whatever a FHIR client says that it takes.
  headers.set('accept', 'application/json');
  if (request.method !== 'POST') return inAddress(headers, toSearch(request), limits, address);
  const body = await readBody(request, core, maxDepth);
  return inBody(headers, body, limits, address);
}

/**
 * Apollo Server lets no GET pass that another site could have a browser send. HL7's carry no header of ours: one that
 * names JSON or brings a credential comes from no link, form or image.
 */
function admitSafeClient(headers: HeaderMap): void {
  const namesJson = /\bjson\b/i.test(headers.get('accept') ?? '');
  if (namesJson || headers.has('authorization')) headers.set('apollo-require-preflight', '1');
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
  // A hash of what the client has sent is none of what runs.
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
  // What is over a limit is refused as it was sent.
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

/** The parameter `query` of the operation. */
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
