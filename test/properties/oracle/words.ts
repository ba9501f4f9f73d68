/** Searches for words: AND, OR, parentheses and phrases (search.html#text). */
import { BadSearch } from './refusal';
import { folded } from './string';

/** @param parts the words of each part of a text; a phrase lies inside one */
export type WordTest = (parts: readonly (readonly string[])[]) => boolean;

/** The words of a text, in their order. */
export const wordsOf = (text: string): string[] => {
  const plain = folded(text);
  return plain === '' ? [] : plain.split(' ');
};

/** A word of the search is the beginning of a word of the text. */
const hasWord =
  (sought: string): WordTest =>
  (parts) =>
    parts.some((words) => words.some((word) => word.startsWith(sought)));

const hasPhrase =
  (sought: readonly string[]): WordTest =>
  (parts) =>
    parts.some((words) =>
      words.some((_word, index) =>
        sought.every((one, offset) => words[index + offset]?.startsWith(one) === true),
      ),
    );

/** @throws BadSearch for parentheses that do not fit, and where no word is left */
export function readWords(text: string): WordTest {
  const pieces = text.match(/"[^"]*"|[()]|[^\s()"]+/g) ?? [];
  const isWord = (piece: string | undefined, word: string): boolean => piece?.toLowerCase() === word;

  function readOr(): WordTest {
    const one = readAnd();
    if (!isWord(pieces[0], 'or')) return one;
    pieces.shift();
    const other = readOr();
    return (parts) => one(parts) || other(parts);
  }

  function readAnd(): WordTest {
    const one = readUnit();
    if (isWord(pieces[0], 'and')) pieces.shift();
    else if (pieces[0] === undefined || pieces[0] === ')' || isWord(pieces[0], 'or')) return one;
    const other = readAnd();
    return (parts) => one(parts) && other(parts);
  }

  function readUnit(): WordTest {
    const piece = pieces.shift();
    if (piece === undefined || piece === ')' || isWord(piece, 'and') || isWord(piece, 'or'))
      throw new BadSearch(`${text}: a word is missing`);
    if (piece === '(') {
      const inner = readOr();
      if (pieces.shift() !== ')') throw new BadSearch(`${text}: ) is missing`);
      return inner;
    }
    const sought = wordsOf(piece);
    if (sought.length === 0) throw new BadSearch(`${piece} is no word`);
    if (piece.startsWith('"')) return hasPhrase(sought);
    return (parts) => sought.every((one) => hasWord(one)(parts));
  }

  const test = readOr();
  if (pieces.length > 0) throw new BadSearch(`${text}: ${pieces.join(' ')} is too much`);
  return test;
}
