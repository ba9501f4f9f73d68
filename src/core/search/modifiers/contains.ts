import { fold, MAX_STRING_LENGTH } from '../fold';
import { ROW_SCHEME } from '../index-rows';
import { unescapeValue } from '../parameter-value';
import type { Predicate } from '../predicate';
import type { Modifier } from '../types/search-type';
import { readBeside } from '../types/string-texts';

/**
 * The folded value anywhere in a string (search.html#string). Of a text that is longer than its row the row cannot tell:
 * those texts are read.
 */
export const stringContains: Modifier = {
  // Each is a look into the index of parts (measured 3 ms each beside other work), and one at long texts.
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

/** A part of a uri anywhere, which is more than R4 has. */
export const uriContains: Modifier = {
  // Each is looked for in every value of the parameter.
  maxAlternatives: 100,
  predicates(_context, { stored }, value) {
    const text = unescapeValue(value);
    return stored.rowsOf.map(({ number }) => ({ index: 'uriSubstring', parameter: number, text }));
  },
};
