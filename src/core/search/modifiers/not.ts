import type { Modifier } from '../types/search-type';
import { codePredicates } from '../types/token-codes';

/** None of the values is one of these codes; what has no value is found, too (search.html#token). */
export const tokenNot: Modifier = { isNegated: true, predicates: codePredicates };
