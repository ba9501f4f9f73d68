/** Searches for words by examples: search.html#text and docs/use/search-reference.md. */
import { readWords, wordsOf } from './words';

const meets = (text: string, search: string): boolean => readWords(search)(text.split(' / ').map(wordsOf));

it.each([
  ['Bad headache', 'head', true],
  ['Bad headache', 'ache', false],
  ['liver metastases', '(bone OR liver) and metastases', true],
  ['liver', '(bone OR liver) and metastases', false],
  ['bone', 'bone or liver metastases', true],
  ['liver', 'bone or liver metastases', false],
  ['two old words', '"old words"', true],
  ['two old words', '"two words"', false],
  ['two / words', '"two words"', false],
  ['two / words', 'words two', true],
  ['Smith-Jones', 'jones', true],
  ['and so', '"and"', true],
])('%s is met by %s: %s', (text, search, expected) => {
  expect(meets(text, search)).toBe(expected);
});

it.each(['', '(', 'a and', 'or a', 'a )', '"', '--'])('refuses %j', (search) => {
  expect(() => readWords(search)).toThrow();
});
