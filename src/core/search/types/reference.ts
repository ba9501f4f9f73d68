import { referenceAbove } from '../modifiers/above';
import { referenceBelow } from '../modifiers/below';
import { referenceIdentifier } from '../modifiers/identifier';
import { referenceOfType } from '../modifiers/type';
import { referencePredicates } from './reference-targets';
import { ANY_TYPE, type SearchType } from './search-type';

/** `Type/id`, `id`, an absolute url, a canonical (search.html#reference). */
export const referenceType: SearchType = {
  modifiers: new Map([
    [ANY_TYPE, referenceOfType],
    ['identifier', referenceIdentifier],
    ['below', referenceBelow],
    ['above', referenceAbove],
  ]),
  predicates: referencePredicates,
};
