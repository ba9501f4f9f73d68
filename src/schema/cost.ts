/**
 * Calculates the greatest possible database cost of an operation before it runs. Each field that reads from the
 * database has its cost in its extensions, and the number of items for which the selection below is paid. A row costs
 * about one unit.
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
  /** Cost of the statement, which the fields of up to `FIELDS_OF_STATEMENT` items share. */
  readonly base: number;
  /** Additional cost with these arguments. */
  readonly more?: (given: Values) => number;
  /** Greatest number of items with these arguments. Each item is a row, and costs its selection. */
  readonly items?: (given: Values) => number;
  /** The argument without which the field reads nothing; undefined: it always reads. */
  readonly onlyWith?: string;
  /** True: it is answered outside of the snapshot of the query, so that it does not count as a level. */
  readonly isApart?: boolean;
}

/** A search takes a statement, even with few matches. */
export const SEARCH_COST = 10;
const READ_COST = 1;
/** Lists and references below many resources share statements (docs/understand/graphql-internals.md, Batches and snapshots). */
const FIELDS_OF_STATEMENT = 256;
/**
 * A search as of a moment tests the texts of all resources that have changed since, one by one: hundreds, up to 10,000.
 */
const PAST_COST = 1000;

/** The largest page of any search; it applies to larger requests too. */
export const MOST_ITEMS = 1000;

export const COST_OF_READ: FieldCost = Object.freeze({ base: READ_COST, items: () => 1 });

/** Validations, expansions, whole records: core bounds their size. */
export const COST_OF_OPERATION: FieldCost = Object.freeze({ base: 100, items: () => 1, isApart: true });

/** Separates the parts of a connection's cursor; the first part is the page size, or empty. */
export const CURSOR_SEPARATOR = '.';

/** Returns the page size of a request that has only this cursor; undefined: the default size. */
export function sizeInCursor(cursor: unknown): number | undefined {
  const size = typeof cursor === 'string' ? /^([0-9]{1,4})\./.exec(cursor)?.[1] : undefined;
  return size === undefined ? undefined : Number(size);
}

/** Returns the cost of a search whose page size is one of these arguments. */
export function costOfSearch(names: readonly string[], byDefault: number): FieldCost {
  return {
    base: SEARCH_COST,
    more: ({ asOf }) => (typeof asOf === 'string' ? PAST_COST : 0),
    items: (given) => {
      for (const name of names) {
        const size = given[name];
        if (typeof size === 'number') return Math.min(Math.max(0, size), MOST_ITEMS);
      }
      return Math.min(sizeInCursor(given._cursor ?? given.after ?? given.before) ?? byDefault, MOST_ITEMS);
    },
  };
}

/** A count reads up to a million index rows, or ten thousand texts. */
const COUNTING_COST = 500;

/**
 * Returns the cost of a count by values. `isRead`: the selection may read something for each value; their number is
 * `_count` or the greatest possible.
 */
export function costOfCounting(isRead: boolean): FieldCost {
  if (!isRead) return { base: COUNTING_COST };
  return {
    base: COUNTING_COST,
    items: ({ _count: count }) => (typeof count === 'number' ? Math.max(0, count) : MOST_ITEMS),
  };
}

/** Returns the extensions of a field with this cost. */
export function withCost(cost: FieldCost): { readonly extensions: { readonly cost: FieldCost } } {
  return { extensions: { cost } };
}

/** Returns the cost of a field that is selected with arguments of these names; undefined: it reads nothing. */
export function costOfField(
  { extensions }: GraphQLField<unknown, unknown>,
  given: Iterable<string>,
): FieldCost | undefined {
  const cost = extensions.cost as FieldCost | undefined;
  if (cost?.onlyWith === undefined) return cost;
  for (const name of given) if (name === cost.onlyWith) return cost;
  return undefined;
}

export interface OperationCost {
  readonly cost: number;
  /** Greatest depth of nested fields that read from the database. */
  readonly levels: number;
  /** The part of the cost that introspection has. */
  readonly ofSchema: number;
}

type Weight = Pick<OperationCost, 'cost' | 'levels'>;

const NOTHING: Weight = { cost: 0, levels: 0 };

type Parent = GraphQLNamedType | undefined;

/**
 * Returns the cost of a validated operation with these coerced variables. Selections that `@skip` and `@include` leave
 * out cost nothing. Fields of one name are merged as in the response.
 * Cost: one visit of each field with fragments expanded; `limitRule` limits their number.
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
  const { cost, levels } = costing.ofSelections(root, [operation.selectionSet], 1);
  return { cost: Math.ceil(cost), levels, ofSchema: Math.ceil(costing.ofSchema) };
}

/** Returns the cost of the usual introspection query of tools. */
export function costOfIntrospection(schema: GraphQLSchema): number {
  const document = parse(getIntrospectionQuery({ schemaDescription: true, inputValueDeprecation: true }));
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('an introspection without an operation');
  return costOfOperation(schema, document, operation, {}).cost;
}

/** Cost of an item of the schema in introspection, as a fraction of the time of a row. */
const INTROSPECTION_COST = 1 / 500;

/** Average number of items of an introspection list, by the name of its field; other fields have one. */
type IntrospectionSizes = ReadonlyMap<string, number>;

const introspectionSizes = new WeakMap<GraphQLSchema, IntrospectionSizes>();

function introspectionSizesOf(served: GraphQLSchema): IntrospectionSizes {
  // Reading all types of an extended schema would make them, so its base schema is used.
  const schema = served instanceof ExtendedSchema ? served.base : served;
  const cached = introspectionSizes.get(schema);
  if (cached) return cached;
  const types = Object.values(schema.getTypeMap());
  const composite = types.filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = composite.flatMap((type) => Object.values(type.getFields()));
  const inputs = types.filter(isInputObjectType);
  const average = (whole: number, parts: number): number => Math.max(1, whole / Math.max(1, parts));
  const sizes = new Map([
    ['types', types.length],
    ['directives', schema.getDirectives().length],
    ['fields', average(fields.length, composite.length)],
    [
      'args',
      average(
        fields.reduce((sum, { args }) => sum + args.length, 0),
        fields.length,
      ),
    ],
    [
      'inputFields',
      average(
        inputs.reduce((sum, type) => sum + Object.keys(type.getFields()).length, 0),
        inputs.length,
      ),
    ],
    [
      'possibleTypes',
      Math.max(1, ...types.map((type) => (isAbstractType(type) ? schema.getPossibleTypes(type).length : 0))),
    ],
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

  /** @param parents number of objects of the type that have this selection */
  ofSelections(type: Parent, sets: readonly SelectionSetNode[], parents: number): Weight {
    let cost = 0;
    let levels = 0;
    for (const { parent, nodes } of this.merged(type, sets)) {
      const one = this.ofField(parent, nodes, parents);
      cost += one.cost;
      levels = Math.max(levels, one.levels);
    }
    return { cost, levels };
  }

  /** Groups fields by response name and parent, with fragments expanded. */
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
        let fragment: {
          readonly typeCondition?: FragmentDefinitionNode['typeCondition'];
          readonly selectionSet: SelectionSetNode;
        };
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

  private ofField(parent: Parent, nodes: readonly FieldNode[], parents: number): Weight {
    const [node] = nodes;
    if (node === undefined) return NOTHING;
    const field = this.fieldOf(parent, node.name.value);
    if (field === undefined) return NOTHING;
    const type = getNamedType(field.type);
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const below = (objects: number): Weight =>
      isCompositeType(type) && sets.length > 0 ? this.ofSelections(type, sets, objects) : NOTHING;
    if (isIntrospectionType(type)) {
      const items = parents * (introspectionSizesOf(this.schema).get(field.name) ?? 1);
      const cost = items * INTROSPECTION_COST + below(items).cost;
      if (parent === this.schema.getQueryType()) this.ofSchema += cost;
      return { cost, levels: 0 };
    }
    if (field.extensions.cost === undefined) return below(parents);
    const given = this.argumentsOf(field, node);
    const names = Object.keys(given).filter((name) => given[name] !== undefined && given[name] !== null);
    const own = costOfField(field, names);
    if (own === undefined) return below(parents);
    const rows = parents * (own.items?.(given) ?? 0);
    const statements = Math.ceil(parents / FIELDS_OF_STATEMENT);
    const { cost, levels } = below(rows);
    return {
      cost: statements * (own.base + (own.more?.(given) ?? 0)) + rows + cost,
      levels: own.isApart === true ? levels : levels + 1,
    };
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

/** Code of errors for operations that cost too much; `formatError` adds FHIR's code. */
export const TOO_COSTLY = 'TOO_COSTLY';

export function refuseCost(cost: number, limit: number): GraphQLError {
  const message = `The operation may cost ${cost}, and the limit is ${limit}: request smaller pages (_count, first), fewer levels or fewer fields that read`;
  return new GraphQLError(message, { extensions: { code: TOO_COSTLY } });
}
