/**
 * Puts types of one release in the place of the placeholders in the schema that type-graphql builds: its classes are
 * the same for all releases, the names of resource types are not.
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
 * The arguments in the order in which they are written. type-graphql has them from last to first, because that is the
 * order in which decorators of parameters run.
 */
function inOrder<V>(record: Readonly<Record<string, V>> | undefined): Record<string, V> {
  return Object.fromEntries(Object.entries(record ?? {}).reverse());
}

/** What the root of subscriptions is called: FHIR has a resource type Subscription. */
const SUBSCRIPTION_ROOT = 'LiveQuery';

type Fields = ReturnType<GraphQLObjectType['toConfig']>['fields'];

/** Fields that are added to the root types. */
export interface RootFields {
  readonly query?: Fields;
  readonly mutation?: Fields;
}

/**
 * A copy of `schema` in which each type named like one of `replacements` is that one, everywhere, and with further
 * fields at its root. The copy shares resolvers with `schema` and refers to none of its types. Throws where two fields
 * of the root have one name. `assumeValid`: the copy is marked as a valid GraphQL schema, which saves its check (0.1 to
 * 1 s).
 */
export function* graftSteps(
  schema: GraphQLSchema,
  replacements: readonly GraphQLNamedType[],
  further: RootFields = {},
  assumeValid = false,
): Steps<GraphQLSchema> {
  const types = new Map<string, GraphQLNamedType>(replacements.map((type) => [type.name, type]));

  function named<T extends GraphQLNamedType>(type: T): T {
    // Of the same name and place; a replacement of another kind is refused by graphql when the schema is made.
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
        ...mapValues(config.fields, (field) => ({ ...swapped(field), args: mapValues(inOrder(field.args), swapped) })),
        // Their own types may be among the replacements, those of their arguments among the copies.
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
        fields: () => mapValues(config.fields, (field) => ({ ...swapped(field), args: mapValues(inOrder(field.args), swapped) })),
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
    const fields = type === config.query ? further.query : type === config.mutation ? further.mutation : undefined;
    return fields ?? {};
  }
  for (const type of config.types) {
    if (type === config.subscription) continue;
    if (!types.has(type.name) && !isIntrospectionType(type)) types.set(type.name, copy(type));
  }
  const subscription = config.subscription && copyObject(config.subscription, SUBSCRIPTION_ROOT);
  if (subscription) types.set(subscription.name, subscription);
  const optional = (type: GraphQLObjectType | null | undefined): GraphQLObjectType | undefined => (type ? named(type) : undefined);
  const [query, mutation] = [optional(config.query), optional(config.mutation)];
  const roots = [query, mutation, subscription].filter(isObjectType);
  yield* makeFields([...types.values(), ...roots]);
  return new GraphQLSchema({ ...config, assumeValid, types: [...types.values()], query, mutation, subscription });
}

/** The same at once. */
export function graft(...parts: Parameters<typeof graftSteps>): GraphQLSchema {
  return finish(graftSteps(...parts));
}

/** The enum of the names of the resource types of one release; `names` are sorted. */
export function resourceTypeEnum(names: readonly string[]): GraphQLEnumType {
  return new GraphQLEnumType({
    name: 'ResourceType',
    description: 'The resource types of this FHIR release.',
    values: Object.fromEntries(names.map((name) => [name, { value: name }])),
  });
}
