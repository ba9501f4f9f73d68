/** Strings: folded, by the beginning of a value; family names by the beginning of each word. */
import { isObject, textsOf, type Json } from './json';

/** Letters that are no letter with a mark, and that are written without a stroke or as two. */
const PLAIN: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
};

/** Case, accents, punctuation and white space make no difference; an apostrophe parts no word. */
export function folded(text: string): string {
  return (
    text
      .toLowerCase()
      .normalize('NFD')
      .replace(/\p{M}+/gu, '')
      .replace(/[øłđßæœ]/g, (letter) => PLAIN[letter] ?? letter)
      .replace(/['’]/g, '')
      // Signs are no punctuation.
      .replace(/[^\p{L}\p{N}$+<=>^|~]+/gu, ' ')
      .trim()
  );
}

export interface Text {
  readonly text: string;
  /** The beginning of each of its words counts. */
  readonly isFamily: boolean;
}

const NAME_PARTS = ['text', 'given', 'prefix', 'suffix'];
const ADDRESS_PARTS = ['text', 'line', 'city', 'district', 'state', 'postalCode', 'country'];

/**
 * The texts of one element, each for itself.
 * @param isFamily of a family name by itself
 */
export function textsOfElement(type: string, value: Json, isFamily: boolean): Text[] {
  if (typeof value === 'string') return [{ text: value, isFamily }];
  if (!isObject(value)) return [];
  const take = (names: readonly string[], family: boolean): Text[] =>
    names.flatMap((name) => textsOf(value, name).map((text) => ({ text, isFamily: family })));
  if (type === 'HumanName') return [...take(NAME_PARTS, false), ...take(['family'], true)];
  if (type === 'Address') return take(ADDRESS_PARTS, false);
  return [];
}

const wordsOf = (text: string): string[] => folded(text).split(' ');

/** @param modifier '', 'exact' or 'contains' */
export function meetsString({ text, isFamily }: Text, modifier: string, search: string): boolean {
  if (modifier === 'exact') return text === search;
  const sought = folded(search);
  // Nothing is found for a text of punctuation alone.
  if (sought === '') return false;
  switch (modifier) {
    case 'contains':
      return folded(text).includes(sought);
    default: {
      const words = wordsOf(text);
      const starts = isFamily ? words.map((_word, index) => words.slice(index).join(' ')) : [words.join(' ')];
      return starts.some((start) => start.startsWith(sought));
    }
  }
}
