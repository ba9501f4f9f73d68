/** A permission for resources of a type, as a letter of SMART (v2): create, read, update, delete, search. */
export type Right = 'c' | 'r' | 'u' | 'd' | 's';

/** In the order of SMART. */
const LETTERS: readonly Right[] = ['c', 'r', 'u', 'd', 's'];

export const WRITING: readonly Right[] = ['c', 'u', 'd'];

/** `rs`, `cruds` …: some of the letters, in their order. Undefined for any other text. */
export function parseRights(text: string): ReadonlySet<Right> | undefined {
  const rights = LETTERS.filter((letter) => text.includes(letter));
  return text !== '' && rights.join('') === text ? new Set(rights) : undefined;
}

export const ANY_TYPE = '*';
