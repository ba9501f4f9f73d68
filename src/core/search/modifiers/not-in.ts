import type { Modifier } from '../types/search-type';
import { tokenIn } from './in';

/** None of the codes is in the value set; what has no code is found, too (search.html#token). */
export const tokenNotIn: Modifier = { ...tokenIn, isNegated: true };
