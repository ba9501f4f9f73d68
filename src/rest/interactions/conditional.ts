/**
 * Conditional writes: POST {type} with If-None-Exist, PUT {type}?…, DELETE {type}?…
 * (https://hl7.org/fhir/R4/http.html#ccreate, #cond-update, #cdelete); the conditional patch is in patch.ts.
 */
import { isUtf8 } from 'node:buffer';
import type { FastifyReply } from 'fastify';
import { fhirError, toOutcome, type Criteria } from '../../core';
import type { Exchange } from '../exchange';
import { readGuardOfMatch } from '../requests/precondition';
import { parsePreference } from '../requests/prefer';
import { withResource } from '../requests/resource-input';
import { deletionIssue, sendFound, sendWritten } from '../responses/written';

/** Executes a POST with If-None-Exist: 201, or 200 with the resource that exists already. */
export async function createIfNoneExist(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, type } = exchange;
  const criteria = readIfNoneExist(exchange);
  const result = await withResource(exchange, (resource) =>
    restContext.core.interactions.createIfNoneExist(exchange.context, type, resource, criteria),
  );
  return result.created ? sendWritten(exchange, result, 'stored') : sendFound(exchange, result.version);
}

export async function updateWhere(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, type, query } = exchange;
  const guard = readGuardOfMatch(request);
  const result = await withResource(exchange, (input) =>
    restContext.core.interactions.updateWhere(exchange.context, {
      ...{ type, input, guard },
      criteria: query.parameters,
    }),
  );
  return sendWritten(exchange, result, 'stored');
}

export async function removeWhere(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, context, type, query } = exchange;
  const guard = readGuardOfMatch(request);
  const versions = await restContext.core.interactions.deleteWhere(context, type, query.parameters, guard);
  exchange.forbidCaching();
  const [version, ...others] = versions;
  if (version !== undefined && others.length === 0) exchange.setVersion(version);
  if (parsePreference(request.headers.prefer).answer === 'minimal') return exchange.sendEmpty(204);
  return exchange.send(200, toOutcome([deletionIssue({ type, versions })]));
}

/** Reads the header, which has percent-encoding as a query has. */
function readIfNoneExist({ restContext, context, type, request }: Exchange): Criteria {
  const [header = '', ...others] = request.raw.headersDistinct['if-none-exist'] ?? [];
  if (others.length > 0)
    throw fhirError('invalidValue', { reason: 'If-None-Exist must be sent once, with all criteria' });
  // Node decodes the bytes of headers as Latin-1. A client that did not percent-encode them meant UTF-8.
  const bytes = Buffer.from(header, 'latin1');
  if (!isUtf8(bytes))
    throw fhirError('invalidValue', { reason: 'If-None-Exist is not percent-encoded, and not UTF-8 either' });
  return restContext.core.interactions.parseIfNoneExist(context, type, bytes.toString('utf8'));
}
