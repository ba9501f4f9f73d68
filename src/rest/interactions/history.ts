/**
 * GET {type}/{id}/_history, {type}/_history and _history: https://hl7.org/fhir/R4/http.html#history. Parameters:
 * _count, _since, _at, _list, _summary, _elements, and Andiron's own _since-version (strictly later version-sequence);
 * _cursor for further pages.
 */
import type { FastifyReply } from 'fastify';
import { parseHistoryParameters } from '../../core';
import { writeHistory } from '../bundle';
import type { Exchange } from '../exchange';

export async function history(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, context, query, type, id, root } = exchange;
  const page = await restContext.core.interactions.history(context, {
    ...(type === '' ? {} : { type }),
    ...(id === '' ? {} : { id }),
    ...parseHistoryParameters(query.parameters),
  });
  const used = [...query.parameters.filter(([, value]) => value !== ''), ...query.presentation];
  const address = [root, type, id, '_history'].filter((part) => part !== '').join('/');
  return exchange.send(200, writeHistory(page, root, { address, used, next: page.next }));
}
