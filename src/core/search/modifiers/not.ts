import type { Modifier } from '../types/search-type';
import { codePredicates } from '../types/token-codes';

/** Matches where none of the values is one of these codes, and where there is no value (search.html#token). */
export const tokenNot: Modifier = { isNegated: true, predicates: codePredicates };
