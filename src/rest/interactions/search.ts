/**
 * Searches: of one type, of all (`GET {fhir_root}?…`), and in a compartment (`GET Patient/{id}/Observation?…`, `GET
 * Patient/{id}/*`), each by GET and by POST to `_search` with a form: https://hl7.org/fhir/R4/search.html,
 * https://hl7.org/fhir/R4/http.html#search. Parameters of the form and of the address are equal; those of the address
 * come first.
 */
import type { FastifyReply } from 'fastify';
import { parseQueryText, type SearchRequest } from '../../core';
import { FORM_TYPES, requireContentType, toText } from '../requests/body';
import { POSITION, writeSearchset } from '../bundle';
import type { Exchange } from '../exchange';
import { ALL_TYPES } from '../requests/fhir-request';
import { requireJsonAccepted } from '../requests/negotiation';
import { parsePreference } from '../requests/prefer';
import { toQuery, type Query } from '../requests/query';

/** The scope of a search, and its address below `{fhir_root}` for the links. */
interface Scope extends Pick<SearchRequest, 'type' | 'compartment'> {
  readonly address: string;
}

/** Executes a search by GET, or by POST of a form. */
export async function search(exchange: Exchange): Promise<FastifyReply> {
  const query = exchange.request.method === 'POST' ? mergeForm(exchange) : exchange.query;
  const { restContext, request, context, root } = exchange;
  const { handling } = parsePreference(request.headers.prefer);
  const { address, type, compartment } = scopeOf(exchange);
  const { parameters } = query;
  // The previous page is requested only where there may be one, so that a search at its first page costs no more.
  const bothWays = parameters.some(([name]) => POSITION.has(name));
  const page = await restContext.core.interactions.search(context, {
    type,
    compartment,
    parameters,
    handling,
    bothWays,
  });
  const { next, previous } = page;
  const links = { address: root + address, used: [...page.used, ...query.presentation], next, previous };
  return exchange.send(200, writeSearchset(page, root, links));
}

function mergeForm(exchange: Exchange): Query {
  const { request, context, query } = exchange;
  const body = toText(request.body ?? '');
  if (body === '' && request.headers['content-type'] === undefined) return query;
  requireContentType(request.headers, FORM_TYPES, context.space.release);
  const merged = toQuery([...query.presentation, ...query.parameters, ...parseQueryText(body)]);
  requireJsonAccepted(request.headers.accept, merged.format, context.space.release);
  exchange.query = merged;
  return merged;
}

function scopeOf({ type, id, request }: Exchange): Scope {
  if (type === '') return { type: undefined, address: '' };
  if (id === '') return { type, address: `/${type}` };
  const { member = ALL_TYPES } = request.params;
  return {
    type: member === ALL_TYPES ? undefined : member,
    compartment: { type, id },
    address: `/${type}/${id}/${member}`,
  };
}
