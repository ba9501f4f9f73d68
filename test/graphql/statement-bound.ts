import { Kind, parse, print, type FieldNode, type SelectionSetNode } from 'graphql';

/** Arguments of lists that do not test the resources. */
const NOT_CRITERIA: ReadonlySet<string> = new Set([
  '_count',
  '_offset',
  '_cursor',
  '_sort',
  '_total',
  'type',
  'first',
]);
/** The orders that are possible for resources of any type. */
const ORDER_OF_ALL = /^-?_lastUpdated$/;
const READS = /^(?:[A-Z]\w*|search)$/;

interface Kinds {
  /** The largest number of statements of the kind itself. */
  most: number;
  readonly below: Map<string, Kinds>;
}

/**
 * The greatest number of statements of a query, which docs/use/graphql-reference.md (Statements) derives from its text alone: the
 * sum over its levels of the kinds of reads. `dates`: parameters of the clinical date of a type.
 */
export function boundOf(query: string, dates: readonly string[] = ['date']): number {
  const [operation] = parse(query).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('there is no operation');
  const kinds: Kinds = { most: 0, below: new Map() };
  collect(operation.selectionSet, kinds, '', dates);
  return sumOf(kinds);
}

function sumOf({ most, below }: Kinds): number {
  return [...below.values()].reduce((sum, kinds) => sum + sumOf(kinds), most);
}

function collect(set: SelectionSetNode, kinds: Kinds, parent: string, dates: readonly string[]): void {
  for (const selection of set.selections) {
    if (selection.kind !== Kind.FIELD) {
      if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet, kinds, parent, dates);
      continue;
    }
    const { name, selectionSet } = selection;
    const kind = kindOf(selection, parent);
    let own = kinds;
    if (kind !== undefined) {
      own = kinds.below.get(kind) ?? { most: 0, below: new Map() };
      own.most = Math.max(own.most, statementsOf(selection, dates));
      kinds.below.set(kind, own);
    }
    if (selectionSet) collect(selectionSet, own, name.value, dates);
  }
}

function isById({ name: { value }, arguments: given = [] }: FieldNode, parent: string): boolean {
  if (value === 'resource') return parent !== 'edges';
  return READS.test(value) && given.length === 1 && given[0]?.name.value === 'id';
}

function kindOf(field: FieldNode, parent: string): string | undefined {
  if (isById(field, parent)) return 'by id';
  if (!/(?:List|Connection)$|^search$/.test(field.name.value)) return undefined;
  return print({ ...field, alias: undefined, selectionSet: undefined });
}

function statementsOf(field: FieldNode, dates: readonly string[]): number {
  if (!/(?:List|Connection)$|^search$/.test(field.name.value)) return 1;
  const given = new Map(
    (field.arguments ?? []).map(({ name, value }) => [
      name.value,
      value.kind === Kind.STRING ? value.value : print(value),
    ]),
  );
  const query = [...new URLSearchParams(given.get('query') ?? '')];
  given.delete('query');
  for (const [name, value] of query) given.set(name, value);
  const criteria = [...given.keys()].filter((name) => !NOT_CRITERIA.has(name)).length;
  const sort = given.get('_sort');
  const isOwnOrder =
    sort !== undefined && !ORDER_OF_ALL.test(sort) && !dates.includes(sort.replace(/^-/, ''));
  const isCounted = selects(field, 'count');
  const isListed = !field.name.value.endsWith('Connection') || selects(field, 'edges');
  const chosen = criteria > 1 || isOwnOrder ? 1 : 0;
  return chosen + (isListed ? 1 : 0) + (isCounted ? 1 : 0) + (isOwnOrder ? 1 : 0);
}

function selects({ selectionSet }: FieldNode, name: string): boolean {
  return selectionSet?.selections.some((one) => one.kind === Kind.FIELD && one.name.value === name) ?? false;
}
