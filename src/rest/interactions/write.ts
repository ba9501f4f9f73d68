/**
 * POST {type}, PUT {type}/{id} and DELETE {type}/{id}: https://hl7.org/fhir/R4/http.html#create, #update, #delete.
 */
import type { FastifyReply } from 'fastify';
import { toOutcome } from '../../core';
import type { Exchange } from '../exchange';
import { readGuard } from '../requests/precondition';
import { parsePreference } from '../requests/prefer';
import { withResource } from '../requests/resource-input';
import { deletionIssue, sendWritten } from '../responses/written';
import { createIfNoneExist } from './conditional';

export async function create(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, type } = exchange;
  if (request.headers['if-none-exist'] !== undefined) return createIfNoneExist(exchange);
  const result = await withResource(exchange, (resource) =>
    restContext.core.interactions.create(exchange.context, type, resource),
  );
  return sendWritten(exchange, result, 'stored');
}

export async function update(exchange: Exchange): Promise<FastifyReply> {
  const {
    restContext: { core },
    request,
    type,
    id,
  } = exchange;
  const result = await withResource(exchange, async (input) => {
    const guard = await readGuard(core, exchange.context, request, { type, id });
    return core.interactions.update(exchange.context, { type, id, input, guard });
  });
  return sendWritten(exchange, result, 'stored');
}

export async function remove(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, context, type, id } = exchange;
  const guard = await readGuard(restContext.core, context, request, { type, id });
  const { version } = await restContext.core.interactions.delete(context, type, id, guard);
  exchange.forbidCaching();
  if (version !== undefined) exchange.setVersion(version);
  if (parsePreference(request.headers.prefer).answer === 'minimal') return exchange.sendEmpty(204);
  return exchange.send(
    200,
    toOutcome([deletionIssue({ type, id, versions: version === undefined ? [] : [version] })]),
  );
}
