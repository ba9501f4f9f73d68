import type { SearchParameterKind } from '../../fhir/definitions';
import type { StoredParameter } from '../parameter';
import { compositeType } from './composite';
import { dateType } from './date';
import { nearType } from './near';
import { numberType } from './number';
import { quantityType } from './quantity';
import { referenceType } from './reference';
import type { SearchType } from './search-type';
import { stringType } from './string';
import { tokenType } from './token';
import { uriType } from './uri';

/** How each kind of search parameters is searched. The one special parameter that has rows is `near`. */
const SEARCH_TYPES: Readonly<Record<SearchParameterKind, SearchType>> = Object.freeze({
  composite: compositeType,
  date: dateType,
  number: numberType,
  quantity: quantityType,
  reference: referenceType,
  special: nearType,
  string: stringType,
  token: tokenType,
  uri: uriType,
});

/**
 * Parameters that are not offered because their rows do not do what the name says: `phonetic` shares the rows of `name`,
 * which are not phonetic (docs/search.md, String).
 */
const PROMISE_MORE: ReadonlySet<string> = new Set(['phonetic']);

/** How a parameter is searched; undefined: it is not offered, in metadata neither. */
export function searchTypeOf({ parameter, storage }: StoredParameter): SearchType | undefined {
  if (storage === 'none' || PROMISE_MORE.has(parameter.code)) return undefined;
  return SEARCH_TYPES[parameter.kind];
}
