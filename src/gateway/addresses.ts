/** The addresses of the gateway, and their names in logs and metrics. */
import type { FastifyRequest } from 'fastify';
import type { CacheForm } from './built-schema';

export interface Address {
  readonly tenant: string;
  readonly release: string;
  /** Set for a query on one resource. */
  readonly type?: string;
  readonly id?: string;
}

export type GatewayRequest = FastifyRequest<{ Params: Address }>;

export const URL = '/w/:tenant/api/v1/graphql/:release';
/** HL7's own addresses (http://hl7.org/fhir/R4/graphql.html#invoking). */
export const FHIR_URLS = [
  '/w/:tenant/api/v1/fhir/:release/$graphql',
  '/w/:tenant/api/v1/fhir/:release/:type/:id/$graphql',
];
export const SCHEMA_URL = `${URL}/schema.graphql`;
export const INTROSPECTION_URL = `${URL}/schema.json`;
export const SUBGRAPH_URL = `${URL}/subgraph.graphql`;
export const CACHE_URLS = ['possibleTypes', 'nodeFields'] as const;
export const STREAM_URL = `${URL}/stream`;
/** Names in logs and metrics, instead of the address. */
export const INTERACTIONS = new Map(
  [
    URL,
    ...FHIR_URLS,
    SCHEMA_URL,
    INTROSPECTION_URL,
    SUBGRAPH_URL,
    ...CACHE_URLS.map(toCacheUrl),
    STREAM_URL,
  ].map((pattern) => [pattern, { name: pattern === STREAM_URL ? 'graphql-stream' : 'graphql', pattern }]),
);
export function toCacheUrl(form: CacheForm): string {
  return `${URL}/${form}.json`;
}
export const SERVED: readonly string[] = ['GET', 'POST'];
