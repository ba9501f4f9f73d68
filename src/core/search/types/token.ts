import { tokenAbove } from '../modifiers/above';
import { tokenBelow } from '../modifiers/below';
import { tokenIn } from '../modifiers/in';
import { tokenNot } from '../modifiers/not';
import { tokenNotIn } from '../modifiers/not-in';
import { tokenOfType } from '../modifiers/of-type';
import { tokenText } from '../modifiers/text';
import type { SearchType } from './search-type';
import { codePredicates } from './token-codes';

/** `code`, `system|code`, `|code` (no system), `system|` (any code of it) (search.html#token). */
export const tokenType: SearchType = {
  modifiers: new Map([
    ['not', tokenNot],
    ['of-type', tokenOfType],
    ['text', tokenText],
    ['in', tokenIn],
    ['not-in', tokenNotIn],
    ['above', tokenAbove],
    ['below', tokenBelow],
  ]),
  predicates: codePredicates,
};
