/** The parsing of a search: separators, escapes, prefixes. */
import { BadSearch } from './refusal';

const PREFIXES = ['eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb', 'ap'];

/** Splits at `separator` where no backslash precedes it; the escapes stay in the pieces. */
export function splitAt(text: string, separator: string): string[] {
  const pieces = [''];
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? '';
    if (character === '\\') {
      pieces[pieces.length - 1] += character + (text[index + 1] ?? '');
      index += 1;
    } else if (character === separator) pieces.push('');
    else pieces[pieces.length - 1] += character;
  }
  return pieces;
}

/** `\,` `\|` `\$` and `\\` stand for the characters themselves. */
export const unescaped = (text: string): string => text.replace(/\\([,|$\\])/g, '$1');

export const escaped = (text: string): string => text.replace(/[,|$\\]/g, '\\$&');

/** The alternatives of a value; empty ones are ignored. */
export const alternativesOf = (text: string): string[] => splitAt(text, ',').filter((piece) => piece !== '');

/** Splits a prefix off; '' where there is none. */
export function readPrefix(text: string): { readonly prefix: string; readonly rest: string } {
  const letters = /^[a-z]+/i.exec(text)?.[0] ?? '';
  if (letters === '') return { prefix: '', rest: text };
  if (!PREFIXES.includes(letters)) throw new BadSearch(`there is no prefix '${letters}'`);
  return { prefix: letters, rest: text.slice(letters.length) };
}
