import { cut, fold, foldForIndex, MAX_STRING_LENGTH } from '../fold';
import { ROW_SCHEME } from '../index-rows';
import type { StoredParameter } from '../parameter';
import { unescapeValue } from '../parameter-value';
import type { Predicate } from '../predicate';
import { parseWords } from '../words';
import type { SearchType, SearchTypeContext } from './search-type';

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
    if (modifier === 'exact') return exactPredicates(context, stored, text);
    const folded = fold(text);
    // Without a letter or a digit there is nothing to look for; it must not find everyone.
    if (folded === '') return [];
    return modifier === 'contains'
      ? containsPredicates(context, stored, folded)
      : beginningPredicates(context, stored, folded);
  },
};

/** By a hash of the whole value. */
function exactPredicates(
  { hasher }: SearchTypeContext,
  { rowsOf }: StoredParameter,
  text: string,
): Predicate[] {
  const from = foldForIndex(text);
  const exact = hasher.short(text);
  return rowsOf.map(({ number }) => ({ index: 'string', parameter: number, from, to: undefined, exact }));
}

/** What a row holds tells, but for a search value that is longer: then the texts that begin alike are read. */
function beginningPredicates(
  context: SearchTypeContext,
  stored: StoredParameter,
  folded: string,
): Predicate[] {
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
  return isLonger ? [readBeside(context, stored, begins, 'beginning', folded)] : begins;
}

/** Of a text that is longer than its row the row cannot tell: those texts are read. */
function containsPredicates(
  context: SearchTypeContext,
  stored: StoredParameter,
  folded: string,
): Predicate[] {
  const { rowsOf } = stored;
  const long = rowsOf.map(({ number }): Predicate => {
    const parameter = number + ROW_SCHEME.longText;
    return { index: 'string', parameter, from: '', to: undefined, exact: undefined };
  });
  const read = readBeside(context, stored, long, 'part', folded);
  if (folded.length > MAX_STRING_LENGTH) return [read];
  return [
    ...rowsOf.map(({ number }): Predicate => ({ index: 'substring', parameter: number, text: folded })),
    read,
  ];
}

/** The resources that meet one of the predicates, and of which a text has the folded one at its beginning or in it. */
function readBeside(
  { definitions: { release } }: SearchTypeContext,
  { parameter }: StoredParameter,
  anyOf: readonly Predicate[],
  kind: 'beginning' | 'part',
  text: string,
): Predicate {
  const { type, code } = parameter;
  const scan = { kind, release, type, parameter, text } as const;
  return {
    index: 'all',
    criteria: [
      { name: code, anyOf },
      { name: code, anyOf: [{ index: 'scan', scan }] },
    ],
  };
}
