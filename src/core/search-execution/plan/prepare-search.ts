import { permissionsOf } from '../../authorization/visibility';
import type { CompartmentAddress, SearchRequest } from '../../search/requests/search-request';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import { compartmentCriterion } from '../../search/parameters/compartment';
import { parseSearch, type SearchQuery } from '../../search/requests/parse-search';
import type { Criterion } from '../../search/predicate';
import type { SearchTypeContext } from '../../search/types/search-type';
import type { SearchServices, Services } from '../../ports';
import { findQuery, type RequestedQuery } from '../named-queries';
import { typeNumberOf } from '../../versions/resource-address';

/** A search of one type. */
export type TypeSearchRequest = SearchRequest & { readonly type: string };

/** A parsed search of one type. */
export interface PreparedSearch {
  readonly typeNumber: number;
  /** The query as the client wrote it. */
  readonly query: SearchQuery;
  /** The query with all criteria that the resources must match. */
  readonly effective: SearchQuery;
  /** The scope that its cursors are signed with. */
  readonly cursorScope: string;
}

/** Parses a search of one type, for all that finds or counts its resources. Throws as `search`. */
export async function prepareSearch(
  services: SearchServices,
  context: RequestContext,
  request: TypeSearchRequest,
): Promise<PreparedSearch> {
  const { type, compartment } = request;
  const typeNumber = typeNumberOf(services, context, type);
  const typeContext = searchContext(services, context);
  const handling = request.handling ?? context.space.settings.searchUnknown;
  const full = services.searchContext(context.space);
  const named = await findQuery(services, context, { typeContext: full, type, given: request.parameters });
  const query =
    named === undefined
      ? parseSearch(typeContext, type, request, handling)
      : parseNamed(typeContext, { type, namedQuery: named, handling, where: request.where });
  const within = compartment === undefined ? [] : [criterionOf(typeContext, compartment, type)];
  const effective = { ...query, criteria: [...within, ...query.criteria] };
  return {
    typeNumber,
    query,
    effective,
    cursorScope: boundText(context, request, query.used, named?.version),
  };
}

/**
 * The search of a named query, narrowed by the other parameters of the request. A `_sort` of the request replaces that
 * of the named query.
 */
function parseNamed(
  context: SearchTypeContext,
  {
    type,
    namedQuery: { parameters, used, others },
    handling,
    where,
  }: {
    readonly type: string;
    readonly namedQuery: RequestedQuery;
    readonly handling: 'strict' | 'lenient';
    readonly where: SearchRequest['where'];
  },
): SearchQuery {
  const named = parseSearch(context, type, { parameters }, 'strict');
  const written = parseSearch(context, type, { parameters: others, where }, handling);
  return {
    ...written,
    criteria: [...named.criteria, ...written.criteria],
    sort: written.sort.length > 0 ? written.sort : named.sort,
    includes: [...named.includes, ...written.includes],
    used: [...used, ...written.used],
  };
}

/** The context for parsing the caller's search in this space. */
export function searchContext(
  services: Pick<Services, 'createExtractor' | 'keys' | 'searchContext'>,
  context: RequestContext,
): SearchTypeContext {
  const full = services.searchContext(context.space);
  return permissionsOf(services, context)?.restrict(full) ?? full;
}

/** The criterion of a compartment. Throws unknownCompartment, notInCompartment. */
export function criterionOf(
  context: SearchTypeContext,
  compartment: CompartmentAddress,
  type: string,
): Criterion {
  const criterion = compartmentCriterion(context, compartment, type);
  if (criterion !== undefined) return criterion;
  const { compartments } = context.definitions;
  if (!compartments.has(compartment.type)) {
    const types = [...compartments.keys()].join(', ');
    throw fhirError('unknownCompartment', { type: compartment.type, types });
  }
  throw fhirError('notInCompartment', { type, compartment: compartment.type });
}

/** Parameters of the page rather than of the matches; `_cursor` is one of them. */
const POSITION: ReadonlySet<string> = new Set(['_count', '_total', '_cursor', '_offset']);

/** The scope of a cursor: the space, address and parameters of its search; `_count` may change. */
export function boundText(
  context: RequestContext,
  { type = '*', compartment, where }: SearchRequest,
  used: SearchQuery['used'],
  queryVersion = '',
): string {
  const parameters = used.filter(([name]) => !POSITION.has(name));
  const address = compartment === undefined ? type : `${compartment.type}/${compartment.id}/${type}`;
  const conditions = where === undefined ? '' : ` where ${JSON.stringify(where)}`;
  return `search ${context.space.number} ${address} ${JSON.stringify(parameters)}${queryVersion}${conditions}`;
}
