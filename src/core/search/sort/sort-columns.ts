/** The rows that hold the values of a `_sort` key, whether or not they are in its order. */
import type { Definitions } from '../../fhir/definitions';
import type { ReferenceResolver } from '../../fhir/reference';
import { codeRowsOf, type CodeRowsOf } from '../values/code-values';
import type { Hasher } from '../rows/hash';
import { rowOwnersOf } from '../parameters/parameter';
import type { SortKey } from '../requests/parse-search';
import { referenceRowsOf, type ReferenceRowsOf } from '../values/reference-values';

export type SortColumn =
  | { readonly in: 'head'; readonly column: 'id' | 'last_updated' }
  | { readonly in: 'range'; readonly domain: 'date' | 'number'; readonly parameters: readonly number[] }
  | { readonly in: 'string' | 'uri'; readonly parameters: readonly number[] }
  | { readonly in: 'codes'; readonly rows: readonly CodeRowsOf[] }
  | { readonly in: 'references'; readonly rows: readonly ReferenceRowsOf[] };

/**
 * Returns undefined where rows do not hold the value: canonicals, and parameters with rows of another kind. Cost: some
 * microseconds.
 */
export function sortColumnOf(
  definitions: Definitions,
  type: string,
  { code, parameter }: SortKey,
  { hasher, references }: { readonly hasher: Hasher; readonly references: ReferenceResolver },
): SortColumn | undefined {
  if (code === '_lastUpdated') return { in: 'head', column: 'last_updated' };
  if (code === '_id' || parameter === undefined) return { in: 'head', column: 'id' };
  if (parameter.kind === 'token') {
    const rows = codeRowsOf(definitions, type, parameter, hasher);
    return rows && { in: 'codes', rows };
  }
  if (parameter.kind === 'reference') {
    const rows = referenceRowsOf(definitions, {
      type,
      searchParameterDefinition: parameter,
      hasher,
      references,
    });
    return rows && { in: 'references', rows };
  }
  const owners = rowOwnersOf(definitions, type, code);
  if (owners === undefined) return undefined;
  const parameters = owners.map(({ source }) => source.number);
  switch (parameter.kind) {
    case 'date':
      return { in: 'range', domain: 'date', parameters };
    case 'number':
    case 'quantity':
      return { in: 'range', domain: 'number', parameters };
    case 'string':
      return { in: 'string', parameters };
    case 'uri':
      return owners.some(({ owner }) => owner.valueTypes.includes('canonical'))
        ? undefined
        : { in: 'uri', parameters };
    case 'composite':
    case 'special':
      return undefined;
  }
}
