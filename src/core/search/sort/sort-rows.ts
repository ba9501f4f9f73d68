/** Index rows that are in the order of a search parameter (search.html#sort). */
import type { Definitions, SearchParameterDefinition } from '../../fhir/definitions';
import { compositeOrders } from './composite-order';
import { ROW_SCHEME } from '../rows/index-rows';
import { storedParameters } from '../parameters/parameter';
import { isSingleValued } from '../parameters/single-valued';

/** The rows of one parameter; each resource has one marked as its least and one as its greatest. */
export interface SortRows {
  /** Uris have no marks, so only parameters with one value in a resource are sorted by their rows. */
  readonly index: 'range' | 'string' | 'uri';
  /** The kind of values: milliseconds since 1970, sort positions (doubles) of numbers, texts. */
  readonly domain: 'date' | 'number' | 'text';
  /** The parameter number of the rows. */
  readonly parameter: number;
  /** Ordinal of the bit that says whether a resource has a value. */
  readonly ordinal: number;
  /** Rows that are in the same order under each code of another parameter. */
  readonly underCodes: readonly CodeOrderedRows[];
}

/** Range rows, qualified by codes; each resource has one row under one code. */
export interface CodeOrderedRows {
  /** The parameter number of the rows with the codes. */
  readonly code: number;
  /** The rows have one of these numbers. */
  readonly parameters: readonly number[];
}

const INDEX_OF_KIND: Readonly<Partial<Record<SearchParameterDefinition['kind'], SortRows['index']>>> = {
  date: 'range',
  number: 'range',
  quantity: 'range',
  string: 'string',
  uri: 'uri',
};

/** True for kinds whose rows are in the order of their values; rows of tokens and references have hashes and keys. */
export function isSortedByRows(kind: SearchParameterDefinition['kind']): boolean {
  return INDEX_OF_KIND[kind] !== undefined;
}

/**
 * Returns the rows that are in the order of a parameter. Undefined where there are none: rows of several parameters
 * together have no common marks, and a canonical has two columns. Cost: two lookups.
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
