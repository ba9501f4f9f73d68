/** Messages to the operator about an index that other rules have made. */
import { describeDifferences, rowRules } from '../../src/core/search/parameters/row-rules';

const now = rowRules(['https://fhir.example']);
const change = (part: RegExp, other: string): string => now.r4.replace(part, other);

it.each([
  [[now.r4], []],
  [[change(/own addresses .*/, 'own addresses none')], ['another PUBLIC_URL, HOST or PORT']],
  [[change(/definitions \w+/, 'definitions 0')], ['other definitions of FHIR']],
  [[change(/rows \d+/, 'rows 0')], ['the indexing rules of another version of the program']],
  [
    [
      `${now.r4b}; ${change(/own addresses .*/, 'own addresses http://localhost:1')}`,
      change(/rows \d+/, 'rows 1'),
    ],
    ['another PUBLIC_URL, HOST or PORT', 'the indexing rules of another version of the program'],
  ],
  [['something of a later version'], ['other indexing rules']],
])('rules %j differ from those of this process by %j', (madeWith, words) => {
  expect(describeDifferences(madeWith, now)).toEqual(words);
});
