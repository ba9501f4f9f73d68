import { cut, fold, MAX_STRING_LENGTH } from '../fold';
import { unescapeValue } from '../parameter-value';
import type { Predicate } from '../predicate';
import { parseWords } from '../words';
import type { SearchType } from './search-type';

/** Sorts after every text that begins with what stands before it (the index compares by code point). */
export const LAST_CHARACTER = '\u{10FFFF}';

/**
 * Starts-with on the folded value, :exact on the value as it is, or :text on its words (search.html#string, #text).
 */
export const stringType: SearchType = {
  modifiers: ['exact', 'contains', 'text'],
  predicates(context, { stored, name, modifier }, value): Predicate[] {
    const text = unescapeValue(value);
    if (modifier === 'text') {
      const { parameter } = stored;
      const { release } = context.definitions;
      const condition = parseWords(name, text);
      return [
        {
          index: 'scan',
          scan: { kind: 'words', release, type: parameter.type, texts: { parameter }, condition },
        },
      ];
    }
    const from = cut(fold(text), MAX_STRING_LENGTH);
    // Without a letter or a digit there is nothing to look for; it must not find everyone.
    if (from === '' && modifier !== 'exact') return [];
    if (modifier === 'contains')
      return stored.rowsOf.map(({ number }) => ({ index: 'substring', parameter: number, text: from }));
    const exact = modifier === 'exact';
    return stored.rowsOf.map(({ number }) => ({
      index: 'string',
      parameter: number,
      from,
      to: exact ? undefined : from + LAST_CHARACTER,
      exact: exact ? context.hasher.short(text) : undefined,
    }));
  },
};
