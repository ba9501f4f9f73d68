/**
 * A schema that shares the types of a base schema and makes its own types on demand. A schema with thousands of types
 * then costs only those that documents name. (graphql's GraphQLSchema makes and visits all of them at once.)
 */
import {
  type GraphQLAbstractType,
  type GraphQLFieldConfig,
  type GraphQLInterfaceType,
  type GraphQLField,
  type GraphQLFieldMap,
  type GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
  isInterfaceType,
  isObjectType,
  OperationTypeNode,
} from 'graphql';

/** Makers by name; each returns the same object on every call. */
type MemberMakers<Made> = ReadonlyMap<string, () => Made>;

export interface Extension<Context> {
  /** New types, and types that replace those of the same name. They include all types that refer to one of them. */
  readonly types: MemberMakers<GraphQLNamedType>;
  /**
   * New root fields, and root fields that replace those of the same name. They include all fields that refer to one of
   * `types`.
   */
  readonly query: MemberMakers<GraphQLFieldConfig<unknown, Context>>;
  readonly mutation: MemberMakers<GraphQLFieldConfig<unknown, Context>>;
}

/** A root type that makes each field on demand, with the extensions that the field has in `base`. */
class ExtendedRoot<Context> extends GraphQLObjectType<unknown, Context> {
  readonly #base: GraphQLObjectType<unknown, Context>;
  readonly #makers: MemberMakers<GraphQLFieldConfig<unknown, Context>>;
  #fields: GraphQLFieldMap<unknown, Context> | undefined;

  constructor(
    base: GraphQLObjectType<unknown, Context>,
    makers: MemberMakers<GraphQLFieldConfig<unknown, Context>>,
  ) {
    const { name, description, extensions } = base;
    super({ name, description, extensions, fields: {} });
    this.#base = base;
    this.#makers = makers;
  }

  override getFields(): GraphQLFieldMap<unknown, Context> {
    const ofBase = this.#base.getFields();
    const names = new Set([...Object.keys(ofBase), ...this.#makers.keys()]);
    return (this.#fields ??= lazily(
      [...names].map((field) => {
        const make = this.#makers.get(field);
        const inherited = ofBase[field] && { extensions: ofBase[field].extensions };
        return [field, make && (() => toField<Context>(this.name, field, { ...make(), ...inherited }))];
      }),
      ofBase,
    ));
  }
}

/** Makes one field; graphql makes fields only with a whole type. */
function toField<Context>(
  of: string,
  name: string,
  config: GraphQLFieldConfig<unknown, Context>,
): GraphQLField<unknown, Context> {
  const made = new GraphQLObjectType<unknown, Context>({ name: of, fields: { [name]: config } }).getFields()[
    name
  ];
  if (made === undefined) throw new Error(`the field ${name} was not made`);
  return made;
}

/** Returns an object whose members are made when they are first read. Members without a maker come from `ofBase`. */
function lazily<Value>(
  makers: Iterable<readonly [name: string, make: (() => Value) | undefined]>,
  ofBase: Readonly<Record<string, Value>>,
): Record<string, Value> {
  const members = Object.create(null) as Record<string, Value>;
  for (const [name, make] of makers) {
    const value = ofBase[name];
    if (make !== undefined) {
      Object.defineProperty(members, name, {
        enumerable: true,
        configurable: true,
        get() {
          const made = make();
          Object.defineProperty(members, name, { enumerable: true, value: made });
          return made;
        },
      });
    } else if (value !== undefined) members[name] = value;
  }
  return members;
}

type Root<Context> = GraphQLObjectType<unknown, Context> | null | undefined;

export class ExtendedSchema<Context> extends GraphQLSchema {
  readonly #query: GraphQLObjectType | undefined;
  readonly #mutation: GraphQLObjectType | undefined;
  readonly #types: Record<string, GraphQLNamedType>;

  /** @param base a valid schema; the result is then valid too, and is not validated */
  constructor(
    readonly base: GraphQLSchema,
    { types, query, mutation }: Extension<Context>,
  ) {
    super({
      assumeValid: true,
      description: base.description,
      extensions: base.extensions,
      directives: base.getDirectives(),
    });
    const ofQuery: Root<Context> = base.getQueryType();
    const ofMutation: Root<Context> = base.getMutationType();
    this.#query = ofQuery ? new ExtendedRoot<Context>(ofQuery, query) : undefined;
    this.#mutation = ofMutation ? new ExtendedRoot<Context>(ofMutation, mutation) : undefined;
    const makers = new Map<string, (() => GraphQLNamedType) | undefined>(types);
    for (const root of [this.#query, this.#mutation]) if (root) makers.set(root.name, () => root);
    const ofBase = base.getTypeMap();
    const names = new Set([...Object.keys(ofBase), ...makers.keys()]);
    this.#types = lazily(
      [...names].map((name) => [name, makers.get(name)] as const),
      ofBase,
    );
  }

  override getQueryType(): GraphQLObjectType | undefined {
    return this.#query;
  }

  override getMutationType(): GraphQLObjectType | undefined {
    return this.#mutation;
  }

  override getSubscriptionType(): GraphQLObjectType | null | undefined {
    return this.base.getSubscriptionType();
  }

  override getRootType(operation: OperationTypeNode): GraphQLObjectType | null | undefined {
    if (operation === OperationTypeNode.QUERY) return this.#query;
    return operation === OperationTypeNode.MUTATION ? this.#mutation : this.getSubscriptionType();
  }

  /** Returns the types by name. Reading all members makes all types. */
  override getTypeMap(): Record<string, GraphQLNamedType> {
    return this.#types;
  }

  override getType(name: string): GraphQLNamedType | undefined {
    return this.#types[name];
  }

  override getPossibleTypes(abstractType: GraphQLAbstractType): readonly GraphQLObjectType[] {
    return this.#own(this.base.getPossibleTypes(abstractType));
  }

  override getImplementations(interfaceType: GraphQLInterfaceType): {
    objects: readonly GraphQLObjectType[];
    interfaces: readonly GraphQLInterfaceType[];
  } {
    const { objects, interfaces } = this.base.getImplementations(interfaceType);
    return { objects: this.#own(objects), interfaces };
  }

  override isSubType(
    abstractType: GraphQLAbstractType,
    maybeSubType: GraphQLObjectType | GraphQLInterfaceType,
  ): boolean {
    const ofBase = this.base.getType(maybeSubType.name);
    if (this.#types[maybeSubType.name] !== maybeSubType || !(isObjectType(ofBase) || isInterfaceType(ofBase)))
      return false;
    return this.base.isSubType(abstractType, ofBase);
  }

  #own(types: readonly GraphQLObjectType[]): GraphQLObjectType[] {
    return types.map(({ name }) => this.#types[name]).filter(isObjectType);
  }
}
