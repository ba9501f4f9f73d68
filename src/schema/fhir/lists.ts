/** Arguments of lists of elements (http://hl7.org/fhir/R4/graphql.html, Lists & Filters). */
import { type GraphQLFieldConfigArgumentMap, GraphQLInt, GraphQLString } from 'graphql';
import { isJsonObject, type Json } from '../json';

/** Arguments for the primitive elements of the items of a list. */
export type Filters = GraphQLFieldConfigArgumentMap;

const PAGING: GraphQLFieldConfigArgumentMap = {
  fhirpath: { type: GraphQLString },
  _offset: { type: GraphQLInt },
  _count: { type: GraphQLInt },
};

const OTHERS: ReadonlySet<string> = new Set(Object.keys(PAGING));

export function listArguments(filters: Filters): GraphQLFieldConfigArgumentMap {
  return { ...filters, ...PAGING };
}

/**
 * Filters a list of elements by the arguments of its field; returns any other value unchanged. Returns a promise when
 * it calls `filter`.
 */
export function selectElements(
  value: unknown,
  args: Readonly<Record<string, unknown>>,
  /** Returns the elements for which an expression is true. */
  filter: (elements: readonly Json[], expression: string) => Promise<readonly Json[]>,
): unknown {
  if (!Array.isArray(value)) return value;
  let selected: readonly Json[] = value as Json[];
  for (const name in args) {
    const wanted = args[name];
    if (wanted === undefined || wanted === null || OTHERS.has(name)) continue;
    selected = selected.filter((element) => isJsonObject(element) && isValue(element[name], wanted));
  }
  const { fhirpath } = args;
  if (typeof fhirpath !== 'string') return pageOf(selected, args);
  return filter(selected, fhirpath).then((found) => pageOf(found, args));
}

function pageOf(selected: readonly Json[], args: Readonly<Record<string, unknown>>): readonly Json[] {
  const { _offset: offset, _count: count } = args;
  if (typeof offset !== 'number' && typeof count !== 'number') return selected;
  const start = typeof offset === 'number' ? Math.max(0, offset) : 0;
  return selected.slice(start, typeof count === 'number' ? start + Math.max(0, count) : undefined);
}

/** Compares values as text; for a repeating element one equal value is enough. */
function isValue(value: Json | undefined, wanted: unknown): boolean {
  if (Array.isArray(value)) return value.some((single) => isValue(single, wanted));
  return isPlain(value) && isPlain(wanted) && String(value) === String(wanted);
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
