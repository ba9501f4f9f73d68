import { permissionsOf } from '../authorization/visibility';
import type { SearchPage } from '../api/search';
import type { SearchRequest } from '../search/requests/search-request';
import type { RequestContext } from '../context';
import { openCursor, sealCursor } from './page/cursor';
import { fhirError } from '../errors';
import { compartmentTypes } from '../search/parameters/compartment';
import {
  parseTypesSearch,
  readTypes,
  type NamedTypes,
  type TypesQuery,
} from '../search/requests/parse-types-search';
import type { Order } from '../search/sort/order';
import type { SearchTypeContext } from '../search/types/search-type';
import type { SearchServices, Services } from '../ports';
import { keyOfText, type PageRow } from '../storage/read/version-row';
import { inBatches, inOrder, inSequence, type TypedPosition } from './page/merge-streams';
import { openStreams } from './page/open-streams';
import { boundText, criterionOf, searchContext, type TypeSearchRequest } from './plan/prepare-search';
import { completePage } from './page/resolve-includes';
import { search } from './search';
import { searchAsOf } from './as-of';
import { PHASES, refuseBackward, sealEach } from './page/search-position';
import { sortTypes } from './sort/sort-several-types';
import { explaining } from './plan/explain-search';
import { planningReason, withReason } from './search-timeout';
import { toStoredVersion } from '../versions/stored-version';
import type { FoundMatches, TypeMatch, TypeStream } from './page/type-stream';

/**
 * A search of one type, or of several: those of `_type`, those of a compartment, or all (http.html#search).
 * Throws as `search`. Cost for several types: a statement that finds the types with resources, one or two for each of
 * those, and one for the page, all in one snapshot.
 */
export async function searchAny(
  services: SearchServices,
  context: RequestContext,
  request: SearchRequest,
): Promise<SearchPage> {
  return explaining(services, context, request, (parts, explained) => answerAny(parts, context, explained));
}

async function answerAny(
  services: SearchServices,
  context: RequestContext,
  request: SearchRequest,
): Promise<SearchPage> {
  if (request.type !== undefined) return searchOne(services, context, { ...request, type: request.type });
  const typeContext = searchContext(services, context);
  const names = readTypes(typeContext.definitions, request.parameters);
  const types = allowedTypes(services, context, names, searchedTypes(typeContext, request, names));
  const [only, ...further] = types;
  if (only !== undefined && further.length === 0) {
    const page = await searchOne(services, context, { ...request, type: only, parameters: names.others });
    return { ...page, used: withTypes(request, page.used) };
  }
  if (request.asOf !== undefined)
    throw fhirError('notSupported', { reason: 'A search as of a moment must be of one resource type' });
  if (request.where !== undefined)
    throw fhirError('notSupported', { reason: 'A search by conditions must be of one resource type' });
  refuseBackward(request);
  return searchSeveral(services, context, { typeContext, request, names, types });
}
function searchOne(
  services: SearchServices,
  context: RequestContext,
  request: TypeSearchRequest,
): Promise<SearchPage> {
  const { asOf } = request;
  if (asOf !== undefined) refuseBackward(request);
  return asOf === undefined
    ? search(services, context, request)
    : searchAsOf(services, context, request, asOf);
}

/** The types of a search. Throws unknownCompartment, notInCompartment. */
function searchedTypes(
  context: SearchTypeContext,
  { compartment }: SearchRequest,
  { named }: NamedTypes,
): readonly string[] {
  const { definitions } = context;
  if (compartment === undefined) return named ?? definitions.resourceTypes;
  const types = named ?? compartmentTypes(definitions, compartment.type) ?? [compartment.type];
  // Throws for a type that is never in the compartment.
  for (const type of types) criterionOf(context, compartment, type);
  return types;
}

/**
 * The types that the caller may search; types named by the request are not filtered. Throws `forbidden` if there is
 * none.
 */
function allowedTypes(
  services: Pick<Services, 'createExtractor' | 'keys' | 'searchContext'>,
  context: RequestContext,
  { named }: NamedTypes,
  types: readonly string[],
): readonly string[] {
  const permissions = permissionsOf(services, context);
  if (permissions === undefined || named !== undefined) return types;
  const allowed = types.filter((type) => permissions.allows(type, 's'));
  if (allowed.length === 0) throw permissions.missing(types.length === 1 ? (types[0] ?? '*') : '*', 's');
  return allowed;
}

/** The used parameters, with `_type` first. */
function withTypes({ parameters }: SearchRequest, used: SearchPage['used']): SearchPage['used'] {
  return [...parameters.filter(([name, value]) => name === '_type' && value !== ''), ...used];
}

async function searchSeveral(
  services: SearchServices,
  context: RequestContext,
  {
    typeContext,
    request,
    names,
    types,
  }: {
    readonly typeContext: SearchTypeContext;
    readonly request: SearchRequest;
    readonly names: NamedTypes;
    readonly types: readonly string[];
  },
): Promise<SearchPage> {
  const handling = request.handling ?? context.space.settings.searchUnknown;
  const query = parseTypesSearch(typeContext, types, { ...request, parameters: names.others }, handling);
  const used = withTypes(request, query.used);
  const cursorScope = boundText(context, request, used);
  const work = services.scope.inSnapshot(services, context, async (reading) => {
    const order = orderOf(query);
    const byUpdate = typeof order === 'string' ? undefined : order;
    const streams = await openStreams(reading, context, {
      typeContext,
      searchRequest: request,
      namedTypes: names,
      typesQuery: query,
      order: byUpdate,
    });
    const page = await answer(reading, context, { query: { ...query, used }, streams, order, cursorScope });
    return query.countOnly ? page : completePage(reading, context, query, page);
  });
  return withReason(work, () =>
    planningReason([...query.queries.values()].flatMap(({ criteria }) => criteria)),
  );
}

/** The page without included resources. */
async function answer(
  services: SearchServices,
  context: RequestContext,
  {
    query,
    streams,
    order,
    cursorScope,
  }: {
    readonly query: TypesQuery;
    readonly streams: readonly TypeStream[];
    readonly order: TypesOrder;
    readonly cursorScope: string;
  },
): Promise<SearchPage> {
  const answered = { issues: query.issues, used: query.used };
  if (query.countOnly) {
    return { ...answered, matches: [], included: [], total: await countAll(streams) };
  }
  const found =
    order === 'gathered'
      ? await sortTypes(services, context, { query, streams, cursorScope })
      : await findMatches(services, { query, streams, order, cursorScope });
  const { matches, total, places } = found;
  const wanted = matches.slice(0, query.count);
  const { versions, positions, last } = await readPage(services, context, wanted);
  const more = last < matches.length - 1;
  const isWhole = query.cursor === undefined && query.offset === 0 && !more;
  const knownTotal = total ?? (isWhole ? versions.length : undefined);
  const counts = knownTotal === undefined && (query.total === 'accurate' || query.total === 'estimate');
  const shown = counts ? await countAll(streams) : knownTotal;
  return {
    ...answered,
    matches: versions,
    included: [],
    ...(shown === undefined || query.total === 'none' ? {} : { total: shown }),
    ...(more ? { next: sealCursor(services.secretKeys, cursorScope, places(last)) } : {}),
    ...(query.eachCursor
      ? { cursors: sealEach(services.secretKeys, cursorScope, positions.map(places)) }
      : {}),
  };
}

/** One type after the other; all types by last update; or all matches sorted by other keys. */
type TypesOrder = 'sequence' | 'gathered' | Order;

function orderOf({ sort }: TypesQuery): TypesOrder {
  const [key, ...further] = sort;
  if (key === undefined) return 'sequence';
  if (further.length > 0 || key.code !== '_lastUpdated') return 'gathered';
  return { by: 'last_updated', descending: key.descending };
}

async function countAll(streams: readonly TypeStream[]): Promise<number> {
  const counts = await inBatches(streams, (stream) => stream.count());
  return counts.reduce((sum, count) => sum + count, 0);
}

async function findMatches(
  services: Pick<Services, 'secretKeys'>,
  {
    query,
    streams,
    order,
    cursorScope,
  }: {
    readonly query: TypesQuery;
    readonly streams: readonly TypeStream[];
    readonly order: 'sequence' | Order;
    readonly cursorScope: string;
  },
): Promise<FoundMatches> {
  const start = query.cursor === undefined ? undefined : openPlace(services, cursorScope, query.cursor);
  const skipped = query.cursor === undefined ? query.offset : 0;
  const limit = skipped + query.count + 1;
  const found =
    order === 'sequence'
      ? await inSequence(streams, start, limit)
      : await inOrder(streams, order.descending, start, limit);
  const matches = found.slice(skipped);
  return {
    matches,
    places(position) {
      const match = matches[position];
      if (match === undefined) throw new Error('there is no match at that position');
      const { stream, phase, head } = match;
      return [stream.typeNumber, phase, head.sortValue, head.keyText];
    },
  };
}

function openPlace(
  services: Pick<Services, 'secretKeys'>,
  cursorScope: string,
  cursor: string,
): TypedPosition {
  const [typeNumber, name, sortValue, key] = openCursor(services.secretKeys, cursorScope, cursor);
  const phase = PHASES.find((candidate) => candidate === name);
  if (
    typeof typeNumber !== 'number' ||
    phase === undefined ||
    typeof key !== 'string' ||
    typeof sortValue === 'string' ||
    sortValue === undefined
  ) {
    throw fhirError('invalidCursor');
  }
  return { typeNumber, phase, after: { sortValue, key } };
}

/**
 * The resources of a page, as many as fit into one answer; `last`: position of the last match that is covered;
 * `positions`: positions of the resources. Deleted resources are left out.
 */
async function readPage(
  services: Pick<Services, 'extensionBase' | 'keys' | 'reader'>,
  context: RequestContext,
  wanted: readonly TypeMatch[],
): Promise<{ versions: SearchPage['matches']; positions: readonly number[]; last: number }> {
  const rows = new Map<TypeMatch, PageRow>();
  for (const space of new Set(wanted.map((match) => match.space))) {
    const matches = wanted.filter((match) => match.space === space);
    const found = await services.reader.readCurrent(
      space,
      matches.map(({ stream, head }) => ({ type: stream.typeNumber, key: keyOfText(head.keyText) })),
    );
    for (const [index, match] of matches.entries()) {
      const row = found[index];
      if (row !== undefined && row.change !== 'delete') rows.set(match, row);
    }
  }
  const entries = wanted.flatMap((match, position) => {
    const row = rows.get(match);
    return row === undefined ? [] : [{ match, position, row }];
  });
  const spaces = new Map(entries.map(({ match, row }) => [row, match.space]));
  const page = await services.reader.completePage(
    entries.map(({ row }) => row),
    (row) => spaces.get(row) ?? context.space.number,
  );
  const isCut = page.length < entries.length;
  return {
    positions: entries.slice(0, page.length).map(({ position }) => position),
    versions: page.map((row, index) =>
      toStoredVersion(services, entries[index]?.match.stream.type ?? '', row),
    ),
    last: isCut ? (entries[page.length - 1]?.position ?? -1) : wanted.length - 1,
  };
}
