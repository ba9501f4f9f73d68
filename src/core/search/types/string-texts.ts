/** What searches for strings have in common. */
import type { StoredParameter } from '../parameter';
import type { Predicate } from '../predicate';
import type { SearchTypeContext } from './search-type';

/** Sorts after every text that begins with what stands before it (the index compares by code point). */
export const LAST_CHARACTER = '\u{10FFFF}';

/** The resources that meet one of the predicates, and of which a text has the folded one at its beginning or in it. */
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
