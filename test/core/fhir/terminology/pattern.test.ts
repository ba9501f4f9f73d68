import { compilePattern } from '../../../../src/core/fhir/terminology/pattern';
import { leastProcessorMilliseconds } from '../../../support/processor-time';

/** Characters that make patterns and values meet often. */
const VALUES = [
  '',
  'a',
  'b',
  'ab',
  'ba',
  'aa',
  'aab',
  'abb',
  'A1',
  '1',
  '12',
  '1-2',
  'a-b',
  'a.b',
  'a\\',
  'a$',
  'a b',
  'LP12-3',
  'é',
  'ab\n',
];
const PATTERNS = [
  'a',
  'a*',
  'a+b?',
  '(ab)+',
  'a|b',
  '(a|b)*',
  '[ab]+',
  '[^a]+',
  '[a-c-]*',
  '.*',
  'a.b',
  'a\\.b',
  'a\\\\$',
  'a\\$',
  '\\d+',
  '\\d+-\\d',
  '\\w*',
  '\\W*',
  '\\s*',
  'a{2}',
  'a{1,2}b{0,}',
  '(?:a|1).*',
  '^a.*$',
  '(a|ab)(b|)',
  '[A-Z]{1,2}\\d+(-\\d)?',
  'a*?b',
  '()a',
  '(a*)*b',
  '[\\d-]+',
  '[]a]',
  'a{0}',
];

test('agrees with the regular expressions of JavaScript', () => {
  for (const pattern of PATTERNS) {
    const matches = compilePattern(pattern);
    // A ] directly after [ is a character here, as in POSIX; JavaScript must have it escaped.
    const expected = new RegExp(`^(?:${pattern.replace('[]', '[\\]')})$`, 'u');
    for (const value of VALUES)
      expect([pattern, value, matches(value)]).toEqual([pattern, value, expected.test(value)]);
  }
});

test('takes linear time for a pattern that makes other engines run for ever', () => {
  const matches = compilePattern('(a+)+(a|aa)*(a*)*b');
  let isMatch: boolean | undefined;
  const spent = leastProcessorMilliseconds(2_000, () => (isMatch = matches('a'.repeat(20_000))));
  expect(isMatch).toBe(false);
  expect(spent).toBeLessThan(2_000);
});

test.each([
  ['(a){1000}(b){1000}(c){1000}', 'too many steps'],
  ['((((a{50}){50}){50}){50}){50}', 'too many steps'],
  ['((){9999}){9999}', ''],
  ['(', 'not closed'],
  ['a)', 'no ('],
  ['[a', 'not closed'],
  ['[b-a]', 'wrong way round'],
  ['a{2,1}', 'wrong way round'],
  ['*a', 'not valid'],
  ['a**', 'nothing to repeat'],
  ['(?=a)', 'look-around'],
  ['(a)\\1', 'not supported'],
  ['\\p{L}', 'not supported'],
  ['a\\', 'backslash'],
  ['a'.repeat(501), 'longer than'],
])('explains the fault in %s', (pattern, reason) => {
  if (reason === '') expect(compilePattern(pattern)('')).toBe(true);
  else expect(() => compilePattern(pattern)).toThrow(reason);
});
