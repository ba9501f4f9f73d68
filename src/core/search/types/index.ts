import type { SearchParameterKind } from '../../fhir/definitions';
import { dateType } from './date';
import { referenceType } from './reference';
import type { SearchType } from './search-type';
import { stringType } from './string';
import { tokenType } from './token';
import { uriType } from './uri';

/** The kinds of search parameters that can be searched. Rows of the other kinds are written already. */
export const SEARCH_TYPES: Readonly<Partial<Record<SearchParameterKind, SearchType>>> = Object.freeze({
  date: dateType,
  reference: referenceType,
  string: stringType,
  token: tokenType,
  uri: uriType,
});
