/**
 * GET {type}?… and POST {type}/_search: https://hl7.org/fhir/R4/search.html, https://hl7.org/fhir/R4/http.html#search.
 * Parameters of a form and of the address count alike, those of the address first.
 */
import type { FastifyReply } from 'fastify';
import { fhirError } from '../../core';
import { FORM_TYPES, requireContentType } from '../body';
import { writeSearchset } from '../bundle';
import type { Exchange } from '../exchange';
import { requireJsonAccepted } from '../negotiation';
import { parsePreference } from '../prefer';
import { parseParameters, toQuery, type Query } from '../query';

export async function search(exchange: Exchange): Promise<FastifyReply> {
  return run(exchange, exchange.query);
}

export async function searchByPost(exchange: Exchange): Promise<FastifyReply> {
  const { request, context, query } = exchange;
  const body = request.body ?? '';
  if (body === '' && request.headers['content-type'] === undefined) return run(exchange, query);
  requireContentType(request.headers, FORM_TYPES, context.space.release);
  const merged = toQuery([...query.presentation, ...query.parameters, ...parseParameters(body)]);
  requireJsonAccepted(request.headers.accept, merged.format, context.space.release);
  exchange.query = merged;
  return run(exchange, merged);
}

export async function refuseSystemSearch(): Promise<FastifyReply> {
  throw fhirError('notSupported', { reason: 'Search over all types is not supported yet; search one type' });
}

async function run(exchange: Exchange, query: Query): Promise<FastifyReply> {
  const { edge, request, context, type } = exchange;
  const { handling } = parsePreference(request.headers.prefer);
  const page = await edge.core.search(context, { type, parameters: query.parameters, handling });
  const { root } = exchange;
  const links = { address: `${root}/${type}`, used: [...page.used, ...query.presentation], next: page.next };
  return exchange.send(200, writeSearchset(page, root, links));
}
