import type { SearchParameterKind } from '../../fhir/definitions';
import type { StoredParameter } from '../parameter';
import { compositeType } from './composite';
import { dateType } from './date';
import { numberType } from './number';
import { quantityType } from './quantity';
import { referenceType } from './reference';
import type { SearchType } from './search-type';
import { stringType } from './string';
import { tokenType } from './token';
import { uriType } from './uri';

/** The kinds of search parameters that can be searched. Rows of the other kinds are written already. */
const SEARCH_TYPES: Readonly<Partial<Record<SearchParameterKind, SearchType>>> = Object.freeze({
  composite: compositeType,
  date: dateType,
  number: numberType,
  quantity: quantityType,
  reference: referenceType,
  string: stringType,
  token: tokenType,
  uri: uriType,
});

/**
 * Parameters that promise more than their kind: `phonetic` shares the rows of `name`, which are not phonetic, so that
 * it is not offered (search-rules.md, String).
 */
const PROMISE_MORE: ReadonlySet<string> = new Set(['phonetic']);

/** How a parameter is searched; undefined: it is not offered, in metadata neither. */
export function searchTypeOf({ parameter, storage }: StoredParameter): SearchType | undefined {
  if (storage === 'none' || PROMISE_MORE.has(parameter.code)) return undefined;
  // Two numbers behind a code (the coordinates of a variant) lie in one row, of which a part cannot be asked yet.
  if (parameter.components.length > 2) return undefined;
  return SEARCH_TYPES[parameter.kind];
}
