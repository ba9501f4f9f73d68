/** Functions that all searches for strings share. */
import type { StoredParameter } from '../parameters/parameter';
import type { Predicate } from '../predicate';
import type { SearchTypeContext } from './search-type';

/** Sorts after every text that begins with the text before it (the index compares by code points). */
export const LAST_CHARACTER = '\u{10FFFF}';

/**
 * Returns a predicate for resources that meet one of the predicates and have a text that begins with the folded one or
 * contains it.
 */
export function readBeside(
  { definitions: { release } }: SearchTypeContext,
  { parameter }: StoredParameter,
  {
    anyOf,
    kind,
    text,
  }: { readonly anyOf: readonly Predicate[]; readonly kind: 'beginning' | 'part'; readonly text: string },
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
