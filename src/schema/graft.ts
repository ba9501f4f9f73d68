/**
 * Replaces the placeholders in the schema that type-graphql builds by types of one release. The classes are the same
 * for all releases; the names of resource types are not.
 */
import {
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLUnionType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { finish, makeFields, type Steps } from './steps';

/** The fields and arguments of a GraphQL type config that `graft` rewrites. */
interface Typed<T> {
  type: T;
}

function mapValues<V, W>(record: Readonly<Record<string, V>>, map: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

/**
 * Returns the arguments in the order of the source. type-graphql has them in reverse order, because decorators of
 * parameters run from last to first.
 */
function inOrder<V>(record: Readonly<Record<string, V>> | undefined): Record<string, V> {
  return Object.fromEntries(Object.entries(record ?? {}).reverse());
}

/** Name of the root type of subscriptions; FHIR has a resource type Subscription. */
const SUBSCRIPTION_ROOT = 'LiveQuery';

type Fields = ReturnType<GraphQLObjectType['toConfig']>['fields'];

/** Fields that are added to the root types. */
export interface RootFields {
  readonly query?: Fields;
  readonly mutation?: Fields;
}

/**
 * Copies `schema`, replaces each type that has the name of one of `replacements` everywhere, and adds fields to its
 * root types. The copy shares resolvers with `schema` and refers to none of its types. `assumeValid` marks the copy as
 * a valid GraphQL schema, which saves its check (0.1 to 1 s).
 * Throws when two root fields have the same name.
 */
export function* graftSteps(
  schema: GraphQLSchema,
  replacements: readonly GraphQLNamedType[],
  further: RootFields = {},
  assumeValid = false,
): Steps<GraphQLSchema> {
  const types = new Map<string, GraphQLNamedType>(replacements.map((type) => [type.name, type]));

  function named<T extends GraphQLNamedType>(type: T): T {
    // The replacement has the same name and position; graphql refuses one of another kind when the schema is made.
    return (types.get(type.name) ?? type) as T;
  }
  function swap<T>(type: T): T {
    if (isNonNullType(type)) return new GraphQLNonNull(swap(type.ofType)) as T;
    if (isListType(type)) return new GraphQLList(swap(type.ofType)) as T;
    return named(type as T & GraphQLNamedType);
  }
  function swapped<T, V extends Typed<T>>(value: V): V {
    return { ...value, type: swap(value.type) };
  }
  function copyObject(type: GraphQLObjectType, name: string): GraphQLObjectType {
    const config = type.toConfig();
    const added = furtherOf(type);
    for (const field of Object.keys(added)) {
      if (field in config.fields) throw new Error(`Two fields of ${type.name} would be called ${field}`);
    }
    return new GraphQLObjectType({
      ...config,
      name,
      fields: () => ({
        ...mapValues(config.fields, (field) => ({
          ...swapped(field),
          args: mapValues(inOrder(field.args), swapped),
        })),
        // The types of these fields may be among the replacements, and those of their arguments among the copies.
        ...mapValues(added, (field) => ({ ...field, args: mapValues(field.args ?? {}, swapped) })),
      }),
      interfaces: () => config.interfaces.map(named),
    });
  }
  function copy(type: GraphQLNamedType): GraphQLNamedType {
    if (isObjectType(type)) return copyObject(type, type.name);
    if (isInterfaceType(type)) {
      const config = type.toConfig();
      return new GraphQLInterfaceType({
        ...config,
        fields: () =>
          mapValues(config.fields, (field) => ({
            ...swapped(field),
            args: mapValues(inOrder(field.args), swapped),
          })),
        interfaces: () => config.interfaces.map(named),
      });
    }
    if (isUnionType(type)) {
      const config = type.toConfig();
      return new GraphQLUnionType({ ...config, types: () => config.types.map(named) });
    }
    if (isInputObjectType(type)) {
      const config = type.toConfig();
      return new GraphQLInputObjectType({ ...config, fields: () => mapValues(config.fields, swapped) });
    }
    return type;
  }

  const config = schema.toConfig();
  function furtherOf(type: GraphQLNamedType): Fields {
    const fields =
      type === config.query ? further.query : type === config.mutation ? further.mutation : undefined;
    return fields ?? {};
  }
  for (const type of config.types) {
    if (type === config.subscription) continue;
    if (!types.has(type.name) && !isIntrospectionType(type)) types.set(type.name, copy(type));
  }
  const subscription = config.subscription && copyObject(config.subscription, SUBSCRIPTION_ROOT);
  if (subscription) types.set(subscription.name, subscription);
  const optional = (type: GraphQLObjectType | null | undefined): GraphQLObjectType | undefined =>
    type ? named(type) : undefined;
  const [query, mutation] = [optional(config.query), optional(config.mutation)];
  const roots = [query, mutation, subscription].filter(isObjectType);
  yield* makeFields([...types.values(), ...roots]);
  return new GraphQLSchema({
    ...config,
    assumeValid,
    types: [...types.values()],
    query,
    mutation,
    subscription,
  });
}

/** Does the work of `graftSteps` at once. */
export function graft(...parts: Parameters<typeof graftSteps>): GraphQLSchema {
  return finish(graftSteps(...parts));
}

/** Returns the enum of the resource types of one release; `names` are sorted. */
export function resourceTypeEnum(names: readonly string[]): GraphQLEnumType {
  return new GraphQLEnumType({
    name: 'ResourceType',
    description: 'The resource types of this FHIR release.',
    values: Object.fromEntries(names.map((name) => [name, { value: name }])),
  });
}
