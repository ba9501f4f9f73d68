/**
 * `$code` at system, type and instance level, by POST with a Parameters resource (or the bare resource, as the
 * definition allows) and by GET with simple parameters: https://hl7.org/fhir/R4/operations.html#executing;
 * docs/reference/behaviour.md, Operations.
 */
import type { FastifyReply } from 'fastify';
import type { Invocation, ResourceInput } from '../../core';
import { RESOURCE_TYPES } from '../requests/body';
import type { Exchange } from '../exchange';
import { writeOperationResult } from '../responses/operation-result';
import { locationOf } from '../responses/written';

export async function invoke(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, context, query, root } = exchange;
  const { type, id, code = '' } = request.params;
  const operations = restContext.core.interactions.operations(context.space.release);
  const safe = request.method !== 'POST';
  request.logEntry.changesNothing = operations.every(
    (each) => each.code !== code || !(each.affectsState || (each.storesOnRequest && !safe)),
  );
  const invocation: Invocation = {
    level: id !== undefined ? 'instance' : type !== undefined ? 'type' : 'system',
    type,
    id,
    code,
    input: readInput(exchange),
    query: query.parameters,
    safe,
  };
  const result = await restContext.core.interactions.invoke(context, invocation);
  const address = [root, type, id, `$${code}`].filter((part) => part !== undefined).join('/');
  const text = writeOperationResult(result, root, address, query.presentation);
  exchange.forbidCaching();
  if ('stored' in result) {
    const { version } = result.stored;
    exchange.setVersion(version).reply.header('location', locationOf(root, version));
  }
  return exchange.send(200, text);
}

function readInput({ restContext, request, context }: Exchange): ResourceInput | undefined {
  if (request.method !== 'POST' || request.body === undefined || request.body === '') return undefined;
  return restContext.read(request.body, request.headers, RESOURCE_TYPES, context.space.release);
}
