/**
 * What an operation asks of the database at most, told before it runs: each field that asks it says in its extensions
 * what it costs, and how often what is selected below is paid for. A row is about one unit.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getIntrospectionQuery,
  getNamedType,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  isAbstractType,
  isCompositeType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  Kind,
  parse,
  type GraphQLNamedType,
  type OperationDefinitionNode,
  type SelectionSetNode,
  typeFromAST,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from 'graphql';
import { ExtendedSchema } from './extended-schema';

type Values = Readonly<Record<string, unknown>>;

export interface FieldCost {
  /** Of the field itself. */
  readonly base: number;
  /** What it costs besides with these arguments. */
  readonly more?: (given: Values) => number;
  /** How many items it may have with these arguments, each of which costs what is selected of it, and at least 1. */
  readonly items?: (given: Values) => number;
}

/** A search is a statement, however few it finds. */
export const SEARCH_COST = 10;
const READ_COST = 1;
/** A search as of a moment tests the texts of what has changed since, one by one: of hundreds, up to 10,000. */
const PAST_COST = 1000;

/** The largest page of any search: more are not given, whatever was asked for. */
export const MOST_ITEMS = 1000;

export const COST_OF_READ: FieldCost = Object.freeze({ base: READ_COST, items: () => 1 });

/** Between the parts of the cursor of a connection; the first is the size of its pages, or nothing. */
export const CURSOR_SEPARATOR = '.';

/** How many a page has that is asked for by this cursor alone; undefined: as many as by default. */
export function sizeInCursor(cursor: unknown): number | undefined {
  const size = typeof cursor === 'string' ? /^([0-9]{1,4})\./.exec(cursor)?.[1] : undefined;
  return size === undefined ? undefined : Number(size);
}

/** Of a search that takes its page size by one of these arguments. */
export function costOfSearch(names: readonly string[], byDefault: number): FieldCost {
  return {
    base: SEARCH_COST,
    more: ({ asOf }) => (typeof asOf === 'string' ? PAST_COST : 0),
    items: (given) => {
      for (const name of names) {
        const size = given[name];
        if (typeof size === 'number') return Math.min(Math.max(0, size), MOST_ITEMS);
      }
      return Math.min(sizeInCursor(given._cursor) ?? byDefault, MOST_ITEMS);
    },
  };
}

/** Up to a million index rows are looked at, or ten thousand texts. */
const COUNTING_COST = 500;

/** Of a count by values; `isRead`: of each of them, `_count` or the most there may be, something may be read. */
export function costOfCounting(isRead: boolean): FieldCost {
  if (!isRead) return { base: COUNTING_COST };
  return {
    base: COUNTING_COST,
    items: ({ _count: count }) => (typeof count === 'number' ? Math.max(0, count) : MOST_ITEMS),
  };
}

/** Where a field of the schema keeps its cost. */
export function withCost(cost: FieldCost): { readonly extensions: { readonly cost: FieldCost } } {
  return { extensions: { cost } };
}

export function costOfField(field: GraphQLField<unknown, unknown>): FieldCost | undefined {
  return field.extensions.cost as FieldCost | undefined;
}

export interface OperationCost {
  readonly cost: number;
  /** Fields that ask the database, one below the other, at most. */
  readonly levels: number;
  /** The part of the cost that questions about the schema have. */
  readonly ofSchema: number;
}

type Weight = Pick<OperationCost, 'cost' | 'levels'>;

const NOTHING: Weight = { cost: 0, levels: 0 };

type Parent = GraphQLNamedType | undefined;

/**
 * The cost of a validated operation with these variables, coerced; what `@skip` and `@include` leave out costs nothing.
 * Fields of one name are merged as in the answer. Cost: a look at each field, fragments spread out, which `limitRule` has
 * counted.
 */
export function costOfOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Values,
): OperationCost {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const costing = new Costing(schema, fragments, variables);
  const root = schema.getRootType(operation.operation) ?? undefined;
  const { cost, levels } = costing.ofSelections(root, [operation.selectionSet]);
  return { cost: Math.ceil(cost), levels, ofSchema: Math.ceil(costing.ofSchema) };
}

/** What the introspection costs that tools send. */
export function costOfIntrospection(schema: GraphQLSchema): number {
  const document = parse(getIntrospectionQuery({ schemaDescription: true, inputValueDeprecation: true }));
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('an introspection without an operation');
  return costOfOperation(schema, document, operation, {}).cost;
}

/** Something of the schema that introspection tells takes so much of the time of a row. */
const INTROSPECTION_COST = 1 / 500;

/** How many there are of what introspection lists, on average, by the name of its field; others are one. */
type IntrospectionSizes = ReadonlyMap<string, number>;

const introspectionSizes = new WeakMap<GraphQLSchema, IntrospectionSizes>();

function introspectionSizesOf(asked: GraphQLSchema): IntrospectionSizes {
  // To look at all types of one that shares those of another would be to make them.
  const schema = asked instanceof ExtendedSchema ? asked.base : asked;
  const known = introspectionSizes.get(schema);
  if (known) return known;
  const types = Object.values(schema.getTypeMap());
  const composite = types.filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = composite.flatMap((type) => Object.values(type.getFields()));
  const inputs = types.filter(isInputObjectType);
  const average = (whole: number, parts: number): number => Math.max(1, whole / Math.max(1, parts));
  const sizes = new Map([
    ['types', types.length],
    ['directives', schema.getDirectives().length],
    ['fields', average(fields.length, composite.length)],
    ['args', average(fields.reduce((sum, { args }) => sum + args.length, 0), fields.length)],
    [
      'inputFields',
      average(inputs.reduce((sum, type) => sum + Object.keys(type.getFields()).length, 0), inputs.length),
    ],
    ['possibleTypes', Math.max(1, ...types.map((type) => (isAbstractType(type) ? schema.getPossibleTypes(type).length : 0)))],
  ]);
  introspectionSizes.set(schema, sizes);
  return sizes;
}

class Costing {
  ofSchema = 0;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    private readonly variables: Values,
  ) {}

  ofSelections(type: Parent, sets: readonly SelectionSetNode[]): Weight {
    let cost = 0;
    let levels = 0;
    for (const { parent, nodes } of this.merged(type, sets)) {
      const one = this.ofField(parent, nodes);
      cost += one.cost;
      levels = Math.max(levels, one.levels);
    }
    return { cost, levels };
  }

  /** Fields of the same answer name and parent, fragments spread out. */
  private merged(
    type: Parent,
    sets: readonly SelectionSetNode[],
  ): Iterable<{ readonly parent: Parent; readonly nodes: FieldNode[] }> {
    const groups = new Map<string, { readonly parent: Parent; readonly nodes: FieldNode[] }>();
    const visited = new Set<string>();
    const collect = (parent: Parent, { selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        if (this.isLeftOut(selection)) continue;
        if (selection.kind === Kind.FIELD) {
          const key = `${parent?.name ?? ''} ${(selection.alias ?? selection.name).value}`;
          const group = groups.get(key);
          if (group) group.nodes.push(selection);
          else groups.set(key, { parent, nodes: [selection] });
          continue;
        }
        let fragment: { readonly typeCondition?: FragmentDefinitionNode['typeCondition']; readonly selectionSet: SelectionSetNode };
        if (selection.kind === Kind.INLINE_FRAGMENT) fragment = selection;
        else {
          const name = selection.name.value;
          const named = this.fragments.get(name);
          if (named === undefined || visited.has(name)) continue;
          visited.add(name);
          fragment = named;
        }
        const condition = fragment.typeCondition && typeFromAST(this.schema, fragment.typeCondition);
        collect(condition ?? parent, fragment.selectionSet);
      }
    };
    for (const set of sets) collect(type, set);
    return groups.values();
  }

  private ofField(parent: Parent, nodes: readonly FieldNode[]): Weight {
    const [node] = nodes;
    if (node === undefined) return NOTHING;
    const field = this.fieldOf(parent, node.name.value);
    if (field === undefined) return NOTHING;
    const type = getNamedType(field.type);
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const below = isCompositeType(type) && sets.length > 0 ? this.ofSelections(type, sets) : NOTHING;
    if (isIntrospectionType(type)) {
      const items = introspectionSizesOf(this.schema).get(field.name) ?? 1;
      const cost = items * (INTROSPECTION_COST + below.cost);
      if (parent === this.schema.getQueryType()) this.ofSchema += cost;
      return { cost, levels: 0 };
    }
    const own = costOfField(field);
    if (own === undefined) return below;
    const given = this.argumentsOf(field, node);
    const items = own.items?.(given) ?? 0;
    const cost = own.base + (own.more?.(given) ?? 0) + items * Math.max(1, below.cost);
    return { cost, levels: below.levels + 1 };
  }

  private fieldOf(parent: Parent, name: string): GraphQLField<unknown, unknown> | undefined {
    if (!isObjectType(parent) && !isInterfaceType(parent)) return undefined;
    if (parent === this.schema.getQueryType()) {
      if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
      if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
    }
    return parent.getFields()[name];
  }

  private argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Values {
    const given: Record<string, unknown> = {};
    for (const { name, defaultValue } of field.args) given[name] = defaultValue;
    for (const { name, value } of node.arguments ?? []) {
      if (value.kind === Kind.VARIABLE && !(value.name.value in this.variables)) continue;
      given[name.value] = valueFromASTUntyped(value, { ...this.variables });
    }
    return given;
  }

  private isLeftOut({ directives = [] }: SelectionSetNode['selections'][number]): boolean {
    return directives.some(({ name, arguments: given = [] }) => {
      if (name.value !== 'skip' && name.value !== 'include') return false;
      const condition = given.find((argument) => argument.name.value === 'if');
      if (condition === undefined) return false;
      const { value } = condition;
      const isTrue =
        value.kind === Kind.VARIABLE
          ? this.variables[value.name.value] === true
          : value.kind === Kind.BOOLEAN && value.value;
      return isTrue === (name.value === 'skip');
    });
  }
}

/** Code of what is refused because it is too much; formatError gives it FHIR's. */
export const TOO_COSTLY = 'TOO_COSTLY';

export function refuseCost(cost: number, limit: number): GraphQLError {
  const message = `This may cost ${cost}, and the limit is ${limit}: ask for smaller pages (_count, first), fewer levels or fewer fields that read`;
  return new GraphQLError(message, { extensions: { code: TOO_COSTLY } });
}
