/** GET openapi.json: the capabilities of a tenant's server of this release, as an OpenAPI 3.1 document. */
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { RELEASES, createCache } from '../../core';
import type { Exchange } from '../exchange';
import { describeApi, type DescribedRoute } from '../openapi';
import type { CapabilityLists } from '../openapi/statement';
import { sendPrepared } from '../responses/prepared-text';

const CONTENT_TYPE = 'application/json; charset=utf-8';

/** Limit on the cached documents, about half a megabyte each, by release and entity tag of the statement. */
const MAX_CACHED = 20;
const documents = createCache<string, { readonly text: string; readonly etag: string }>({
  name: 'openapi',
  scope: 'data',
  max: MAX_CACHED,
});

/** Sends the document. `routes`: all routes of the server, without those that only refuse. */
export async function openapi(exchange: Exchange, routes: readonly DescribedRoute[]): Promise<FastifyReply> {
  const { restContext, context } = exchange;
  const { release } = context.space;
  const { text: statement, etag: made } = await restContext.core.interactions.capabilities(context);
  const key = `${release} ${made}`;
  let document = documents.get(key);
  if (document === undefined) {
    const lists = JSON.parse(statement) as CapabilityLists & {
      readonly software: { readonly version: string };
    };
    const text = JSON.stringify(
      describeApi({
        title: `Andiron, FHIR ${RELEASES[release].fhirVersion}`,
        version: lists.software.version,
        release,
        routes,
        operations: restContext.core.interactions.operations(release),
        statement: lists,
      }),
    );
    document = { text, etag: createHash('sha256').update(text).digest('base64url').slice(0, 22) };
    documents.set(key, document);
  }
  return sendPrepared(exchange, document, CONTENT_TYPE);
}
