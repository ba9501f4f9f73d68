import { foldForIndex } from '../rows/fold';
import { unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Modifier } from '../types/search-type';

/** Matches the whole value with case and accents, by its hash (search.html#string). */
export const stringExact: Modifier = {
  predicates({ hasher }, { stored }, value) {
    const text = unescapeValue(value);
    const from = foldForIndex(text);
    const exact = hasher.short(text);
    return stored.rowsOf.map(({ number }) => ({
      index: 'string',
      parameter: number,
      from,
      to: undefined,
      exact,
    }));
  },
};
