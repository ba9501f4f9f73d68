import type { Modifier } from '../types/search-type';
import { tokenIn } from './in';

/** Matches where none of the codes is in the value set, and where there is no code (search.html#token). */
export const tokenNotIn: Modifier = { ...tokenIn, isNegated: true };
