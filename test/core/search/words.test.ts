import { narrativeText } from '../../../src/core/search/rows/narrative-text';
import { allWords, meetsWords, parseWords, patternsOf, wordsOf } from '../../../src/core/search/values/words';
import { leastProcessorMilliseconds } from '../../support/processor-time';

/** Matches the patterns as PostgreSQL does; JavaScript reads these the same way. */
function passes(json: string, patterns: readonly string[]): boolean {
  return patterns.every((pattern) => new RegExp(pattern, 'i').test(json));
}

describe('searches for words', () => {
  it.each<[string, string, boolean]>([
    ['head', 'Tension-type headache', true],
    ['ache', 'Tension-type headache', false],
    ['headache tension', 'Tension-type headache', true],
    ['headache migraine', 'Tension-type headache', false],
    ['headache OR migraine', 'Tension-type headache', true],
    ['headache or migraine', 'Tension-type headache', true],
    ['(bone OR liver) and metastases', 'metastases of the liver', true],
    ['(bone OR liver) and metastases', 'metastases of the lung', false],
    ['bone OR liver and metastases', 'bone', true],
    ['bone OR liver and metastases', 'liver', false],
    ['"tension type"', 'Tension-type headache', true],
    ['"type tension"', 'Tension-type headache', false],
    ['"type head"', 'Tension-type headache', true],
    ['MÜLLER', 'mueller und muller', true],
    ["o'brien", 'OBRIEN', true],
    ['()headache', 'headache', true],
    ['or headache or', 'headache', true],
  ])("'%s' in '%s': %s", (search, text, expected) => {
    expect(meetsWords(wordsOf(text), parseWords('_text', search))).toBe(expected);
  });

  it.each(['', '  ', '...', 'and', '"', '(a', 'a)', '("")'])("'%s' is refused", (search) => {
    expect(() => parseWords('_text', search)).toThrow(/is not a value for the search parameter '_text'/);
  });

  it('treats AND and OR as words in a plain text search', () => {
    expect(meetsWords(['pain'], allWords('code:text', 'pain and'))).toBe(false);
    expect(meetsWords(['and', 'pain'], allWords('code:text', 'pain and'))).toBe(true);
  });
});

describe('the patterns that filter texts in the database', () => {
  it.each<[search: string, json: string]>([
    ['headache', '{"text":"Headache"}'],
    ['headache', '{"text":"HEADACHE"}'],
    ['obrien', `{"text":"O'Brien"}`],
    ['obrien', '{"text":"O\\"Brien"}'],
    ['usa', '{"text":"U.S.A."}'],
    ['headache', '{"text":"\\u0048eadache"}'],
    ['strasse', '{"text":"Straße"}'],
    ['anna', '{"text":"ánna"}'],
    ['анна', '{"text":"АННА"}'],
    ['анна', '{"text":"\\u0410\\u041d\\u041d\\u0410"}'],
    ['c++', '{"text":"C++"}'],
    ['a OR zebra', '{"text":"zebra"}'],
    ['(a OR zebra) okapi', '{"text":"zebra okapi"}'],
    ['"tension type"', '{"text":"tension-type"}'],
    ['one two three four five', '{"text":"five four three two one"}'],
  ])("match '%s' in a text that has it: %s", (search, json) => {
    const { text } = JSON.parse(json) as { text: string };
    const condition = parseWords('_text', search);
    expect(meetsWords(wordsOf(text), condition)).toBe(true);
    expect(passes(json, patternsOf(condition, false))).toBe(true);
    expect(passes(json, patternsOf(condition, true))).toBe(true);
  });

  it.each<[search: string, div: string]>([
    ['headache', '<p>head<b>ache</b></p>'],
    ['headache', '<p>head<b title="x &gt; y">ache</b></p>'],
    ['headache', "<p>head<b title='a>b'>ache</b></p>"],
    ['headache', '<p>head<!-- < --><i>ache</i></p>'],
    ['headache', '<p>h&#101;adache</p>'],
    ['headache', '<p>h&#x65;adache</p>'],
    ['q&a', '<p>Q&amp;A</p>'],
    ['obrien', '<p>O&apos;Brien</p>'],
    ['obrien', '<p>O&#39;Brien</p>'],
    ['<5', '<p>&lt;5</p>'],
    ['<5', '<p>&lt;<b>5</b></p>'],
    ['>5', '<p>>5</p>'],
  ])("match '%s' in markup: %s", (search, div) => {
    const condition = parseWords('_text', search);
    expect(meetsWords(wordsOf(narrativeText(div)), condition)).toBe(true);
    expect(passes(JSON.stringify({ text: { div } }), patternsOf(condition, true))).toBe(true);
  });

  it('exclude texts without any of the words', () => {
    const json = '{"resourceType":"Condition","code":{"text":"Migraine"}}';
    for (const search of ['headache', 'migraine headache', 'bone OR liver', '(bone OR liver) migraine']) {
      expect([search, passes(json, patternsOf(parseWords('_text', search), true))]).toEqual([search, false]);
    }
  });
});

describe('the text of a narrative', () => {
  it.each<[string, string]>([
    ['<div>a <b>b</b>c</div>', ' a bc '],
    ['<table><tr><td>a</td><td>b</td></tr></table>', '   a  b   '],
    ['a<br/>b', 'a b'],
    ['a<img src="x" alt="b > c"/>d', 'a d'],
    ['a<!-- b > c -->d', 'ad'],
    ['1 &lt; 2 &amp;&amp; 3 &gt; 2', '1 < 2 && 3 > 2'],
    ['a&nbsp;b', 'a b'],
    ['a & b', 'a & b'],
    ['a <b', 'a '],
  ])('%s', (xhtml, expected) => {
    expect(narrativeText(xhtml)).toBe(expected);
  });

  it('takes time that is linear in its length', () => {
    const spent = leastProcessorMilliseconds(2_000, () => {
      narrativeText('<'.repeat(200_000) + '&'.repeat(200_000));
      narrativeText('<a b="'.repeat(100_000));
    });
    expect(spent).toBeLessThan(2_000);
  });
});
