import { loadDefinitions } from '../../../../src/core/fhir/definitions';
import { compilePath, PathBudgetError, UnsupportedPathError } from '../../../../src/core/fhir/path';
import { leastProcessorMilliseconds } from '../../../support/processor-time';
import { Random } from '../random-json';

const options = { definitions: loadDefinitions('r4'), rootType: 'HumanName', isStrict: true };

function isMatch(pattern: string, family: string, isForeign: boolean, name = 'matches'): unknown {
  const literal = pattern.replace(/[\\']/g, '\\$&');
  return compilePath(`family.${name}('${literal}')`, { ...options, isFromClient: isForeign })({ family })[0]
    ?.value;
}

describe("a client's regular expression", () => {
  it.each([
    ['(a+)+$', `${'a'.repeat(2_000)}!`, false],
    ['^(a|a)*$', `${'a'.repeat(2_000)}!`, false],
    ['^(a|aa)+$', `${'a'.repeat(2_000)}!`, false],
    ['(.*)(.*)(.*)x', 'a'.repeat(2_000), false],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(2_000), false],
  ])('%s is answered at once, whatever the text', (pattern, text, expected) => {
    let found: unknown;
    const spent = leastProcessorMilliseconds(1000, () => {
      found = isMatch(pattern, text, true);
    });
    expect(found).toBe(expected);
    expect(spent).toBeLessThan(1000);
  });

  const PATTERNS = [
    'a', '^a', 'a$', '^a$', 'a|b', '(a|b)|c', '[ab]+', '[^ab]', 'a.c', '^.$', '\\.', '[.]', '[$^]', 'a\\$', '^\\^',
    '(a|b)$', '^(a|b)', '^[A-Z][a-z]*$', '\\d{2,3}', '^\\d{2,3}$', 'a{2}', '\\s', '^\\S+$', 'x*', '^$', '(?:ab)+', 'a[|]b', '\\|',
  ]; // prettier-ignore
  const PIECES = ['a', 'b', 'c', 'A', 'x', '1', '23', '.', '|', '$', '^', ' ', '\n', 'é', '😀'];

  it.each(PATTERNS)('%s means what it means in the definitions', (pattern) => {
    const random = new Random(1 + pattern.length * 31);
    for (let round = 0; round < 200; round++) {
      const text = Array.from({ length: random.below(6) }, () => random.pick(PIECES)).join('');
      const expected = isMatch(pattern, text, false);
      expect([text, isMatch(pattern, text, true)]).toEqual([text, expected]);
      expect([text, isMatch(pattern, text, true, 'matchesFull')]).toEqual([
        text,
        isMatch(pattern, text, false, 'matchesFull'),
      ]);
    }
  });

  it.each(['(?=a)b', '(a)\\1', '^a|b$', '(^a)', '[a', 'a{1,99999}'])('%s is refused', (pattern) => {
    expect(() => isMatch(pattern, 'a', true)).toThrow(UnsupportedPathError);
  });

  it('cannot be computed from the resource', () => {
    const compile = (expression: string) => compilePath(expression, { ...options, isFromClient: true });
    expect(() => compile('family.matches(text)')).toThrow('computed pattern');
    expect(() => compile("family.replaceMatches('a', 'b')")).toThrow(UnsupportedPathError);
  });

  it('ends when it costs too much for a long text', () => {
    expect(() => isMatch('(a{1,30}b?){1,10}c', 'a'.repeat(100_000), true)).toThrow(PathBudgetError);
  });

  it('may have classes of many characters, which cost accordingly', () => {
    const many = `[${'bcdefghijklmnopqrstuvwxyz0123456789'.repeat(13)}a]*x`;
    expect(isMatch(many, 'aaax', true)).toBe(true);
    const match = (): unknown => isMatch(many, 'a'.repeat(500_000), true, 'matchesFull');
    expect(leastProcessorMilliseconds(100, () => void expect(match).toThrow(PathBudgetError))).toBeLessThan(
      100,
    );
  });
});

describe('an expression with nested loops', () => {
  it('is given up after ten million steps', () => {
    const expression = "given.all(($this | %context.given).all($this != 'x'))";
    const path = compilePath(expression, options);
    const name = (length: number) => ({ given: Array.from({ length }, (_value, index) => `g${index}`) });
    expect(path(name(500))[0]?.value).toBe(true);
    expect(() => path(name(5000))).toThrow(PathBudgetError);
  });

  it('costs no more than one loop where the inner one does not depend on the outer', () => {
    const path = compilePath("given.all(%context.given.all($this != 'x'))", options);
    const given = Array.from({ length: 100_000 }, (_value, index) => `g${index}`);
    expect(path({ given })[0]?.value).toBe(true);
  });
});
