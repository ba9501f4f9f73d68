import type { SearchRequest } from '../../search/requests/search-request';
import type { RequestContext, Space } from '../../context';
import type { NamedTypes, TypesQuery } from '../../search/requests/parse-types-search';
import type { Order } from '../../search/sort/order';
import type { SearchQuery } from '../../search/requests/parse-search';
import type { ResourceKey } from '../../search/rows/resource-key';
import type { SearchTypeContext } from '../../search/types/search-type';
import type { SearchServices, Services } from '../../ports';
import {
  findPopulatedTypes,
  findTypesHolding,
  findTypesReferredTo,
} from '../../storage/read/populated-types';
import { typeNumberOf } from '../../versions/resource-address';
import { criterionOf } from '../plan/prepare-search';
import { OwnStream, UnionStream, type TypeStream } from './type-stream';

interface SearchedType {
  readonly query: SearchQuery;
  readonly typeNumber: number;
}

/** A search of several types, parsed. */
export interface StreamsRequest {
  readonly typeContext: SearchTypeContext;
  readonly searchRequest: SearchRequest;
  readonly namedTypes: NamedTypes;
  readonly typesQuery: TypesQuery;
  readonly order: Order | undefined;
}

/**
 * A stream for each type that can have matches, by type. Cost: one statement that finds the types with resources; with
 * `_id`, the types of those ids; with `_list`, the types on the lists. A type without any costs nothing more.
 */
export async function openStreams(
  services: SearchServices,
  context: RequestContext,
  {
    typeContext,
    searchRequest: { compartment },
    namedTypes: { named, common },
    typesQuery: { queries },
    order,
  }: StreamsRequest,
): Promise<TypeStream[]> {
  const searched = [...queries.values()]
    .filter(({ type }) => named === undefined || common.includes(type))
    .map((query) => ({ query, typeNumber: typeNumberOf(services, context, query.type) }))
    .sort((a, b) => a.typeNumber - b.typeNumber);
  // Named types are searched as each alone: conformance types in the base space too. A search without `_type`
  // covers only the tenant's own data, which would be lost among the thousands of base resources.
  const hasBase = ({ query }: SearchedType): boolean =>
    named !== undefined &&
    compartment === undefined &&
    services.isConformanceType(context.space.release, query.type);
  const populated = await findPopulated(
    services,
    context.space,
    searched.filter((type) => !hasBase(type)),
  );
  return searched
    .filter((type) => hasBase(type) || populated.has(type.typeNumber))
    .map((type) => {
      const within =
        compartment === undefined ? [] : [criterionOf(typeContext, compartment, type.query.type)];
      const options = { ...type, services, context, within, order };
      return hasBase(type) ? new UnionStream(options) : new OwnStream(options);
    });
}

/** Maximum number of keys in the statement; more keys cost more than the search for types. */
const MAX_KEYS = 10_000;

async function findPopulated(
  services: Pick<Services, 'database' | 'definitions'>,
  { number: space, release }: Space,
  types: readonly SearchedType[],
): Promise<ReadonlySet<number>> {
  const { database } = services;
  if (types.length === 0) return new Set();
  const keys = types.map(({ query, typeNumber }) =>
    keysInCriteria(query)?.map((key) => ({ type: typeNumber, key })),
  );
  const addresses = keys.flatMap((some) => some ?? []);
  if (keys.every((some) => some !== undefined) && addresses.length <= MAX_KEYS)
    return addresses.length === 0 ? new Set() : findTypesHolding(database, space, addresses);
  const numbers = types.map(({ typeNumber }) => typeNumber);
  const [first] = types;
  const list = first === undefined ? undefined : listInCriteria(first.query);
  return list === undefined
    ? findPopulatedTypes(database, space, numbers)
    : findTypesReferredTo(database, space, list, services.definitions(release).resourceTypes.length);
}

/** The lists of a `_list` that names them, equal for all types; undefined: no `_list`, or one by function. */
function listInCriteria({ criteria }: SearchQuery): Parameters<typeof findTypesReferredTo>[2] | undefined {
  const listed = criteria.find(({ name }) => name === '_list')?.anyOf;
  if (listed === undefined) return undefined;
  const [predicate, ...others] = listed;
  if (predicate?.index !== 'source' || others.length > 0) return undefined;
  const { parameters, source } = predicate;
  const keys = source.criteria.flatMap(({ anyOf }) =>
    anyOf.flatMap((inner) => (inner.index === 'key' ? inner.keys : [])),
  );
  return { type: source.type, keys, parameters };
}

/** The keys of the `_id` criterion; undefined: there is none. */
function keysInCriteria({ criteria }: SearchQuery): readonly ResourceKey[] | undefined {
  const criterion = criteria.find(({ name }) => name === '_id');
  return criterion?.anyOf.flatMap((predicate) => (predicate.index === 'key' ? predicate.keys : []));
}
