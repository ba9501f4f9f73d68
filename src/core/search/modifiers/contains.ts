import { fold, MAX_STRING_LENGTH } from '../rows/fold';
import { ROW_SCHEME } from '../rows/index-rows';
import { unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Predicate } from '../predicate';
import type { Modifier } from '../types/search-type';
import { readBeside } from '../types/string-texts';

/**
 * Matches the folded value anywhere in a string (search.html#string). Texts that are longer than their rows are read,
 * because the row does not hold the whole text.
 */
export const stringContains: Modifier = {
  // Each alternative costs a probe of the substring index (measured 3 ms each beside other work), and one of long
  // texts.
  maxAlternatives: 100,
  predicates(context, { stored }, value) {
    const folded = fold(unescapeValue(value));
    if (folded === '') return [];
    const { rowsOf } = stored;
    const long = rowsOf.map(({ number }): Predicate => {
      const parameter = number + ROW_SCHEME.longText;
      return { index: 'string', parameter, from: '', to: undefined, exact: undefined };
    });
    const read = readBeside(context, stored, { anyOf: long, kind: 'part', text: folded });
    if (folded.length > MAX_STRING_LENGTH) return [read];
    return [
      ...rowsOf.map(({ number }): Predicate => ({ index: 'substring', parameter: number, text: folded })),
      read,
    ];
  },
};

/** Matches a text anywhere in a uri, which R4 does not define. */
export const uriContains: Modifier = {
  // Each alternative is searched in every value of the parameter.
  maxAlternatives: 100,
  predicates(_context, { stored }, value) {
    const text = unescapeValue(value);
    return stored.rowsOf.map(({ number }) => ({ index: 'uriSubstring', parameter: number, text }));
  },
};
