import type { SearchParameterKind } from '../../fhir/definitions';
import type { StoredParameter } from '../parameters/parameter';
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

/** The search type of each kind of search parameter. The only special parameter with rows is `near`. */
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
 * Parameters that are not supported because their rows do not match their meaning: `phonetic` shares the rows of
 * `name`, which are not phonetic (docs/use/search-reference.md, String).
 */
const PROMISE_MORE: ReadonlySet<string> = new Set(['phonetic']);

/** Returns the search type of a parameter; undefined: the parameter is not supported, and not in metadata. */
export function searchTypeOf({ parameter, storage }: StoredParameter): SearchType | undefined {
  if (storage === 'none' || PROMISE_MORE.has(parameter.code)) return undefined;
  return SEARCH_TYPES[parameter.kind];
}
