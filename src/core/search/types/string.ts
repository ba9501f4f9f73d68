import { cut, fold, MAX_STRING_LENGTH } from '../rows/fold';
import { stringContains } from '../modifiers/contains';
import { stringExact } from '../modifiers/exact';
import { stringText } from '../modifiers/text';
import { unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Predicate } from '../predicate';
import type { SearchType } from './search-type';
import { LAST_CHARACTER, readBeside } from './string-texts';

/**
 * Starts-with on the folded value (search.html#string). A row decides, unless the search value is longer than a row:
 * then the texts with the same beginning are read.
 */
export const stringType: SearchType = {
  modifiers: new Map([
    ['exact', stringExact],
    ['contains', stringContains],
    ['text', stringText],
  ]),
  predicates(context, { stored }, value): Predicate[] {
    const folded = fold(unescapeValue(value));
    // A value without a letter or a digit matches nothing; an empty prefix would match every resource.
    if (folded === '') return [];
    const from = cut(folded, MAX_STRING_LENGTH);
    const isLonger = from.length < folded.length;
    const to = isLonger ? undefined : from + LAST_CHARACTER;
    const begins = stored.rowsOf.map(({ number }): Predicate => ({
      index: 'string',
      parameter: number,
      from,
      to,
      exact: undefined,
    }));
    return isLonger
      ? [readBeside(context, stored, { anyOf: begins, kind: 'beginning', text: folded })]
      : begins;
  },
};
