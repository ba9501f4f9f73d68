import { unescapeValue } from '../parameter-value';
import type { Predicate } from '../predicate';
import type { SearchType } from './search-type';

/** The whole uri, unfolded (search.html#uri). */
export const uriType: SearchType = {
  modifiers: [],
  predicates(_context, { stored }, value): Predicate[] {
    const text = unescapeValue(value);
    return stored.rowsOf.map(({ number }) => ({
      index: 'uri',
      parameter: number,
      value: text,
      version: undefined,
    }));
  },
};
