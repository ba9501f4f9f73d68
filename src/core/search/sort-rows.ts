/** By which index rows resources lie in the order of a search parameter (search.html#sort). */
import type { Definitions, SearchParameterDefinition } from '../fhir/definitions';
import { compositeOrders } from './composite-order';
import { ROW_SCHEME } from './index-rows';
import { storedParameters } from './parameter';
import { isSingleValued } from './single-valued';

/** The rows of one parameter, of which a resource has one marked as its least and one as its greatest. */
export interface SortRows {
  /** Uris have no marks: only parameters of which a resource has one value are sorted by their rows. */
  readonly index: 'range' | 'string' | 'uri';
  /** What the values are: milliseconds since 1970, the doubles at which numbers stand, texts. */
  readonly domain: 'date' | 'number' | 'text';
  /** The number of the rows. */
  readonly parameter: number;
  /** Of the bit that tells whether a resource has a value. */
  readonly ordinal: number;
  /** Rows that lie in the same order under each code of another parameter. */
  readonly underCodes: readonly CodeOrderedRows[];
}

/** Range rows, qualified by codes, each resource once under one code. */
export interface CodeOrderedRows {
  /** The number of the rows of the parameter of the codes. */
  readonly code: number;
  /** All of these numbers together. */
  readonly parameters: readonly number[];
}

const INDEX_OF_KIND: Readonly<Partial<Record<SearchParameterDefinition['kind'], SortRows['index']>>> = {
  date: 'range',
  number: 'range',
  quantity: 'range',
  string: 'string',
  uri: 'uri',
};

/** True for kinds whose rows lie in the order of their values; tokens and references are hashes and keys. */
export function isSortedByRows(kind: SearchParameterDefinition['kind']): boolean {
  return INDEX_OF_KIND[kind] !== undefined;
}

/**
 * Undefined where no rows lie in the order of the parameter: those of several others together have no common marks, and
 * a canonical stands in two columns. Cost: two lookups.
 */
export function sortRowsOf(
  definitions: Definitions,
  type: string,
  { code, kind, ordinal }: SearchParameterDefinition,
): SortRows | undefined {
  const index = INDEX_OF_KIND[kind];
  const stored = storedParameters(definitions, type).get(code);
  const [source, ...others] = stored?.rowsOf ?? [];
  if (index === undefined || stored === undefined || source === undefined || others.length > 0)
    return undefined;
  if (index === 'uri' && (stored.valueTypes.includes('canonical') || !isSingleValued(definitions, stored)))
    return undefined;
  const domain = index !== 'range' ? 'text' : kind === 'date' ? 'date' : 'number';
  const underCodes = compositeOrders(definitions, type)
    .filter((order) => index === 'range' && order.sorted.code === code)
    .map(({ code: codeRows, composite, isPartial }): CodeOrderedRows => ({
      code: codeRows,
      parameters: isPartial ? [composite, composite + ROW_SCHEME.ordered] : [composite],
    }));
  return { index, domain, parameter: source.number, ordinal, underCodes };
}
