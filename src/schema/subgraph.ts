/**
 * A schema as a subgraph of Apollo Federation 2 (https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec):
 * resources are entities, and there are no subscriptions, because composition takes FHIR's type Subscription for their root.
 */
import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  getNamedType,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  type InputValueDefinitionNode,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  parse,
  print,
  printType,
} from 'graphql';
import { ENTITY_FIELDS } from './fhir/entities';
import { fhirPlaceOf } from './fhir-path-extension';

export interface SubgraphRequest {
  /** The resource types that it has; undefined: all. */
  readonly types?: readonly string[];
  /** True: its types besides resources may also be those of another subgraph, which is a FHIR server too. */
  readonly isShareable: boolean;
}

const HEADER = `schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"]) {
  query: Query
  mutation: Mutation
}
`;
/** Resources are found by either; only the first finds those inside of others. */
const KEYS = ['_key', 'id'];
const NODE = 'Node';

/**
 * Returns the text of the subgraph. Arguments and inputs have no descriptions, because routers read all of it at each start.
 * Cost: about a second for a whole release.
 */
export function subgraphText(schema: GraphQLSchema, request: SubgraphRequest): string {
  const selection = new Selection(schema, request.types);
  const texts = selection.types().map((type) => print(toDefinition(type, selection, request.isShareable)));
  return [HEADER, ...texts].join('\n\n').concat('\n');
}

/** A field or an argument. */
interface Typed {
  readonly type: GraphQLType;
}

/** The types and fields of a schema without those of other resource types than the requested ones. */
class Selection {
  private readonly resourceTypes: ReadonlySet<string>;
  private readonly requested: ReadonlySet<string> | undefined;
  /** Types of other resource types, and those that would have no members without them. */
  private readonly dropped = new Set<string>();

  constructor(
    private readonly schema: GraphQLSchema,
    types: readonly string[] | undefined,
  ) {
    const node = schema.getType(NODE);
    const all = isInterfaceType(node) ? schema.getPossibleTypes(node) : [];
    this.resourceTypes = new Set(all.map(({ name }) => name));
    this.requested = types && new Set(types);
    if (types !== undefined) this.drop();
  }

  private drop(): void {
    const left = new Set(Object.values(this.schema.getTypeMap()));
    for (let isStable = false; !isStable;) {
      isStable = true;
      for (const type of left) {
        if (this.isOfRequested(type) && this.hasMembers(type)) continue;
        this.dropped.add(type.name);
        left.delete(type);
        isStable = false;
      }
    }
  }

  private isOfRequested(type: GraphQLNamedType): boolean {
    const place = fhirPlaceOf(type);
    if (place !== undefined && (isObjectType(type) || isInterfaceType(type)))
      return this.isRequested(place.split('.')[0]);
    // Filters of references are named after the first type that has one, and belong to all.
    return type.name.endsWith('ReferenceFilter') || this.isRequested(this.ownerOf(type.name));
  }

  private hasMembers(type: GraphQLNamedType): boolean {
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return true;
    const fields: readonly Typed[] = Object.values(type.getFields());
    return fields.some((field) => !this.dropped.has(getNamedType(field.type).name));
  }

  /** Returns the types that the roots lead to, in the order of the schema. */
  types(): readonly GraphQLNamedType[] {
    const reached = new Set<string>();
    const visit = (type: GraphQLNamedType): void => {
      if (reached.has(type.name) || this.dropped.has(type.name)) return;
      reached.add(type.name);
      for (const next of this.next(type)) visit(next);
    };
    for (const root of [this.schema.getQueryType(), this.schema.getMutationType()]) if (root) visit(root);
    return Object.values(this.schema.getTypeMap()).filter(
      (type) => reached.has(type.name) && !isSpecifiedScalarType(type) && !isIntrospectionType(type),
    );
  }

  /** True for a field or an argument with this type. */
  hasMember(name: string, type: GraphQLNamedType, isOfRoot = false): boolean {
    if (isOfRoot && (ENTITY_FIELDS.has(name) || !this.isRequested(this.ownerOf(name)))) return false;
    return !this.dropped.has(type.name);
  }

  private isRequested(resourceType: string | undefined): boolean {
    if (resourceType === undefined || this.requested === undefined) return true;
    return !this.resourceTypes.has(resourceType) || this.requested.has(resourceType);
  }

  /** Returns the resource type of `ObservationDefinitionList`: the longest one with which the name begins. */
  private ownerOf(name: string): string | undefined {
    for (let end = name.length; end > 0; end--) {
      const isEnd = end === name.length || /[A-Z]/.test(name.charAt(end));
      if (isEnd && this.resourceTypes.has(name.slice(0, end))) return name.slice(0, end);
    }
    return undefined;
  }

  private next(type: GraphQLNamedType): readonly GraphQLNamedType[] {
    if (isInputObjectType(type))
      return Object.values(type.getFields()).map((field) => getNamedType(field.type));
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    const isRoot = this.isRoot(type.name);
    const fields = Object.values(type.getFields()).filter((field) =>
      this.hasMember(field.name, getNamedType(field.type), isRoot),
    );
    return [
      ...type.getInterfaces(),
      ...(isInterfaceType(type) ? this.schema.getPossibleTypes(type) : []),
      ...fields.flatMap((field) =>
        [field.type, ...field.args.map((arg) => arg.type)].map((one) => getNamedType(one)),
      ),
    ];
  }

  isRoot(name: string): boolean {
    return name === this.schema.getQueryType()?.name || name === this.schema.getMutationType()?.name;
  }

  isEntity(name: string): boolean {
    return this.resourceTypes.has(name);
  }
}

function toDefinition(type: GraphQLNamedType, selection: Selection, isShareable: boolean): DefinitionNode {
  const [definition] = parse(printType(type), { noLocation: true }).definitions;
  if (definition === undefined) throw new Error(`${type.name} was not printed`);
  if (isInputObjectType(type) && definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) {
    const members = type.getFields();
    const fields = definition.fields?.filter(({ name: { value } }) => {
      const field = members[value];
      return field !== undefined && selection.hasMember(value, getNamedType(field.type));
    });
    // Federation does not know @oneOf.
    return { ...definition, directives: [], fields: fields?.map(withoutDescription) };
  }
  const isObject = definition.kind === Kind.OBJECT_TYPE_DEFINITION;
  if (!isObject && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) return definition;
  if (!isObjectType(type) && !isInterfaceType(type)) return definition;
  const isRoot = selection.isRoot(type.name);
  const members = type.getFields();
  const fields = definition.fields?.flatMap((node): FieldDefinitionNode[] => {
    const field = members[node.name.value];
    if (field === undefined || !selection.hasMember(field.name, getNamedType(field.type), isRoot)) return [];
    const types = new Map(field.args.map((arg) => [arg.name, getNamedType(arg.type)]));
    const args = node.arguments?.filter(({ name: { value } }) => {
      const ofArgument = types.get(value);
      return ofArgument !== undefined && selection.hasMember(value, ofArgument);
    });
    return [{ ...node, arguments: args?.map(withoutDescription) }];
  });
  if (!isObject) return { ...definition, fields };
  const added = selection.isEntity(type.name)
    ? KEYS.map((key) => directive('key', { fields: key }))
    : isShareable && !isRoot
      ? [directive('shareable')]
      : [];
  return { ...definition, fields, directives: [...(definition.directives ?? []), ...added] };
}

function withoutDescription(node: InputValueDefinitionNode): InputValueDefinitionNode {
  const { description: _none, ...rest } = node;
  return rest;
}

function directive(name: string, given: Readonly<Record<string, string>> = {}): ConstDirectiveNode {
  const nameOf = (value: string): { readonly kind: Kind.NAME; readonly value: string } => ({
    kind: Kind.NAME,
    value,
  });
  return {
    kind: Kind.DIRECTIVE,
    name: nameOf(name),
    arguments: Object.entries(given).map(([argument, value]) => ({
      kind: Kind.ARGUMENT,
      name: nameOf(argument),
      value: { kind: Kind.STRING, value },
    })),
  };
}
