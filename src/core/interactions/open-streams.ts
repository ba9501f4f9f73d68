import type { SearchRequest } from '../api';
import type { RequestContext } from '../context';
import type { NamedTypes, TypesQuery } from '../search/parse-types-search';
import type { Order } from '../search/plan';
import type { SearchQuery } from '../search/parse-search';
import type { ResourceKey } from '../search/resource-key';
import type { SearchTypeContext } from '../search/types/search-type';
import type { Services } from '../services';
import { findPopulatedTypes, findTypesHolding } from '../storage/populated-types';
import { typeNumberOf } from './resource-address';
import { criterionOf } from './search';
import { OwnStream, UnionStream, type TypeStream } from './type-stream';

interface SearchedType {
  readonly query: SearchQuery;
  readonly typeNumber: number;
}

/**
 * A stream for each type that can have matches, by type. Cost: one statement that tells which types have resources,
 * with `_id` those resources, so that a type without any costs nothing more.
 */
export async function openStreams(
  services: Services,
  context: RequestContext,
  typeContext: SearchTypeContext,
  { compartment }: SearchRequest,
  { named, common }: NamedTypes,
  { queries }: TypesQuery,
  order: Order | undefined,
): Promise<TypeStream[]> {
  const searched = [...queries.values()]
    .filter(({ type }) => named === undefined || common.includes(type))
    .map((query) => ({ query, typeNumber: typeNumberOf(services, context, query.type) }))
    .sort((a, b) => a.typeNumber - b.typeNumber);
  // Where types are named they are searched as each alone: conformance types in the base space too. A search that
  // names none is for the tenant's own data, which would drown among the thousands of base resources.
  const hasBase = ({ query }: SearchedType): boolean =>
    named !== undefined &&
    compartment === undefined &&
    services.isConformanceType(context.space.release, query.type);
  const populated = await findPopulated(
    services,
    context.space.number,
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

/** So many keys are asked for; more cost more than the types do. */
const MAX_KEYS = 10_000;

async function findPopulated(
  { database }: Services,
  space: number,
  types: readonly SearchedType[],
): Promise<ReadonlySet<number>> {
  if (types.length === 0) return new Set();
  const keys = types.map(({ query, typeNumber }) =>
    keysAsked(query)?.map((key) => ({ type: typeNumber, key })),
  );
  const addresses = keys.flatMap((some) => some ?? []);
  if (keys.every((some) => some !== undefined) && addresses.length <= MAX_KEYS)
    return addresses.length === 0 ? new Set() : findTypesHolding(database, space, addresses);
  return findPopulatedTypes(
    database,
    space,
    types.map(({ typeNumber }) => typeNumber),
  );
}

/** The keys of an `_id`; undefined: there is none. */
function keysAsked({ criteria }: SearchQuery): readonly ResourceKey[] | undefined {
  const asked = criteria.find(({ name }) => name === '_id');
  return asked?.anyOf.flatMap((predicate) => (predicate.index === 'key' ? predicate.keys : []));
}
