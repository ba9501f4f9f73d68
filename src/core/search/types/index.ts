import type { SearchParameterKind } from '../../fhir/definitions';
import type { StoredParameter } from '../parameter';
import { dateType } from './date';
import { referenceType } from './reference';
import type { SearchType } from './search-type';
import { stringType } from './string';
import { tokenType } from './token';
import { uriType } from './uri';

/** The kinds of search parameters that can be searched. Rows of the other kinds are written already. */
const SEARCH_TYPES: Readonly<Partial<Record<SearchParameterKind, SearchType>>> = Object.freeze({
  date: dateType,
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
  return storage === 'none' || PROMISE_MORE.has(parameter.code) ? undefined : SEARCH_TYPES[parameter.kind];
}
