/** The fields of Query by which a router of Apollo Federation reads the subgraph and its entities, the resources. */
import {
  GraphQLError,
  type GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLString,
} from 'graphql';
import { withCost } from '../cost';
import type { Fields } from './elements';
import type { Handlers } from './handlers';

/** Limit on the representations of one field: they are read by one statement. */
const MOST_ENTITIES = 256;
const SERVICE = '_service';
const ENTITIES = '_entities';
/** They are no part of the subgraph's own text. */
export const ENTITY_FIELDS: ReadonlySet<string> = new Set([SERVICE, ENTITIES]);

const representation = new GraphQLScalarType<unknown, unknown>({
  name: '_Any',
  description: 'An entity by its key: `{__typename, _key}` or `{__typename, id}`.',
});

/** @param node the interface of all resource types */
export function entityFields<Context>(
  node: GraphQLInterfaceType,
  resourceTypes: readonly string[],
  handlers: Handlers<Context>,
): Fields<Context> {
  const types = new Set(resourceTypes);
  return {
    [SERVICE]: {
      type: new GraphQLNonNull(
        new GraphQLObjectType<unknown, Context>({
          name: '_Service',
          fields: {
            sdl: { type: GraphQLString, resolve: (_root, _given, context) => handlers.subgraph(context) },
          },
        }),
      ),
      description: 'The subgraph, for composition.',
      resolve: () => ({}),
    },
    [ENTITIES]: {
      type: new GraphQLNonNull(new GraphQLList(node)),
      ...withCost({
        base: 0,
        items: ({ representations: given }) =>
          Array.isArray(given) ? Math.min(given.length, MOST_ENTITIES) : 1,
      }),
      description: `The resources with these keys, in their order; null for those that are not stored. At most ${MOST_ENTITIES}.`,
      args: {
        representations: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(representation))) },
      },
      resolve(_root, { representations: given }, context) {
        const wanted = (Array.isArray(given) ? given : []).map((one) => entityOf(one, types));
        if (wanted.length > MOST_ENTITIES)
          throw badInput(`At most ${MOST_ENTITIES} entities are read at once`);
        return wanted.map(async ({ type, key }) => {
          const found = await handlers.node(key, context);
          return found?.resourceType === type ? found : undefined;
        });
      },
    },
  };
}

interface Entity {
  readonly type: string;
  /** Its `_key`. */
  readonly key: string;
}

function entityOf(given: unknown, types: ReadonlySet<string>): Entity {
  const { __typename: type, _key: key, id } = isObject(given) ? given : {};
  if (typeof type !== 'string' || !types.has(type))
    throw badInput(`${shortly(type)} is not a type of an entity`);
  if (typeof key === 'string') return { type, key };
  if (typeof id !== 'string') throw badInput(`A representation of ${type} needs '_key' or 'id'`);
  return { type, key: id.includes('/') ? id : `${type}/${id}` };
}

function shortly(type: unknown): string {
  return typeof type === 'string' ? `'${type.slice(0, 80)}'` : 'A representation without __typename';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}
