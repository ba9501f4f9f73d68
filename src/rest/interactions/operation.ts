/**
 * `$code` at system, type and instance level, by POST with a Parameters resource (or the bare resource, as the
 * definition allows) and by GET with simple parameters: https://hl7.org/fhir/R4/operations.html#executing;
 * docs/reference/behaviour.md, Operations.
 */
import type { FastifyReply } from 'fastify';
import {
  Cancellation,
  fhirError,
  oneLine,
  type Invocation,
  type ResourceInput,
  type SearchPage,
} from '../../core';
import { RESOURCE_TYPES } from '../requests/body';
import type { Exchange } from '../exchange';
import { NDJSON, wantsLines } from '../requests/negotiation';
import { writeOperationResult } from '../responses/operation-result';
import { sendLines } from '../responses/send-lines';
import { locationOf } from '../responses/written';

export async function invoke(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, context, query, root } = exchange;
  const { type, id, code = '' } = request.params;
  const operations = restContext.core.interactions.operations(context.space.release);
  const safe = request.method !== 'POST';
  request.logEntry.changesNothing = operations.every(
    (each) => each.code !== code || !(each.affectsState || (each.storesOnRequest && !safe)),
  );
  const exists = operations.some((each) => each.code === code);
  const invocation: Invocation = {
    level: id !== undefined ? 'instance' : type !== undefined ? 'type' : 'system',
    type,
    id,
    code,
    // Of one that does not exist, the type of the body says nothing.
    input: exists ? readInput(exchange) : undefined,
    query: query.parameters,
    safe,
    languages: request.headers['accept-language'],
  };
  const result = await restContext.core.interactions.invoke(context, invocation);
  if (wantsLines(request, query.format) && 'page' in result)
    return sendPages(exchange, invocation, result.page);
  const address = [root, type, id, `$${code}`].filter((part) => part !== undefined).join('/');
  const text = writeOperationResult(result, root, address, query.presentation);
  exchange.forbidCaching();
  if ('stored' in result) {
    const { version } = result.stored;
    exchange.setVersion(version).reply.header('location', locationOf(root, version));
  }
  return exchange.send(200, text);
}

/** Sends the resources of all pages of an operation, each on a line. An error after the first page closes the connection. */
function sendPages(exchange: Exchange, invocation: Invocation, first: SearchPage): FastifyReply {
  const { restContext, request, reply, context } = exchange;
  const { core, settings } = restContext;
  // A page that is asked for by its cursor has the time of a request of its own; the first is ready.
  async function* lines(): AsyncGenerator<string> {
    for (let page = first; ;) {
      for (const { text } of [...page.matches, ...page.included]) yield oneLine(text);
      if (page.next === undefined) return;
      const query = (invocation.query ?? []).filter(([name]) => name !== '_cursor');
      const deadline = Date.now() + settings.requestTimeoutMs;
      const result = await core.interactions.invoke(
        { ...context, deadline, cancellation: new Cancellation(deadline) },
        { ...invocation, query: [...query, ['_cursor', page.next]] },
      );
      if (!('page' in result)) throw fhirError('invalidCursor');
      page = result.page;
    }
  }
  return sendLines(request, reply, lines(), {
    contentType: NDJSON,
    fileName: `${invocation.code}.ndjson`,
    stallMs: settings.connection.stallMs,
    isCompressed: true,
    done: () => undefined,
  });
}

function readInput({ restContext, request, context }: Exchange): ResourceInput | undefined {
  if (request.method !== 'POST' || request.body === undefined || request.body === '') return undefined;
  return restContext.read(request.body, request.headers, RESOURCE_TYPES, context.space.release);
}
