/**
 * POST {type}, PUT {type}/{id} and DELETE {type}/{id}: https://hl7.org/fhir/R4/http.html#create, #update, #delete.
 */
import type { FastifyReply } from 'fastify';
import { fhirError, toOutcome } from '../../core';
import type { Exchange } from '../exchange';
import { methodNotAllowed } from '../method';
import { readGuard } from '../precondition';
import { parsePreference } from '../prefer';
import { readResource } from '../resource-input';
import { deletionIssue, sendWritten } from '../written';

export async function create(exchange: Exchange): Promise<FastifyReply> {
  const { edge, request, context, type } = exchange;
  if (request.headers['if-none-exist'] !== undefined) {
    throw fhirError('notSupported', {
      reason: 'Conditional create (If-None-Exist) is not supported yet; nothing was stored',
    });
  }
  const result = await edge.core.create(context, type, await readResource(exchange));
  return sendWritten(exchange, result, 'stored');
}

export async function update(exchange: Exchange): Promise<FastifyReply> {
  const { edge, request, context, type, id } = exchange;
  const resource = await readResource(exchange);
  const guard = await readGuard(edge.core, context, request, type, id);
  const result = await edge.core.update(context, type, id, resource, guard);
  return sendWritten(exchange, result, 'stored');
}

export async function remove(exchange: Exchange): Promise<FastifyReply> {
  const { edge, request, context, type, id } = exchange;
  const guard = await readGuard(edge.core, context, request, type, id);
  const { version } = await edge.core.delete(context, type, id, guard);
  exchange.forbidCaching();
  if (version !== undefined) exchange.setVersion(version);
  if (parsePreference(request.headers.prefer).answer === 'minimal') return exchange.sendEmpty(204);
  return exchange.send(200, toOutcome([deletionIssue({ type, id, version })]));
}

/** PUT, PATCH and DELETE on a type choose their resource by search, which must never fall on all of them. */
export async function refuseConditionalWrite({ request, query }: Exchange): Promise<FastifyReply> {
  if (query.parameters.length === 0) {
    throw methodNotAllowed(request.method, 'GET, HEAD, POST');
  }
  const reason = `Conditional ${request.method} is not supported yet; nothing was changed`;
  throw fhirError('notSupported', { reason });
}
