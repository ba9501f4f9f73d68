/** Work on long records: it can pause anywhere, does the same as at once, and has bounds on what is drawn. */
import { parse, stringify } from 'lossless-json';
import { parseJson, parseLongJson, startOfJson, toJson, type JsonValue } from '../../console/src/api/json';
import { doSlice, finish, inSlices } from '../../console/src/api/slices';
import { diffSteps } from '../../console/src/fhir/compare/diff';
import { referenceSteps } from '../../console/src/fhir/references-in';
import { isSame } from '../../console/src/fhir/compare/same';
import { fitting, isLarge, sharesOf, sizeOf } from '../../console/src/fhir/weight';

/** A generator of numbers from 0 to 1, the same for each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

const WORDS = ['', 'a', 'é', '"quoted"', 'back\\slash', 'line\nbreak', '\u202e', '😀', '__proto__', '\u0000'];
const NUMBERS = ['0', '-0', '1.50', '1.00', '12345678901234567890', '1e400', '-1.5E-7', '100', '0.1'];

/** Random JSON as a text. */
function textOf(random: () => number, depth: number): string {
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
  const space = pick(['', ' ', '\n  ', '\t']);
  const kind = depth === 0 ? random() * 3 : random() * 6;
  if (kind < 1) return JSON.stringify(pick(WORDS));
  if (kind < 2) return pick(NUMBERS);
  if (kind < 3) return pick(['true', 'false', 'null']);
  const items = Array.from({ length: Math.floor(random() * 5) }, () => textOf(random, depth - 1));
  if (kind < 4.5) return `[${space}${items.join(`,${space}`)}${space}]`;
  const members = items.map((item, index) => `${JSON.stringify(`${pick(WORDS)}${index}`)}:${space}${item}`);
  return `{${space}${members.join(`${space},`)}${space}}`;
}

describe('JSON that is read and printed in steps', () => {
  it('has the values and digits that it has when it is read at once', () => {
    const random = numbers(4);
    for (let round = 0; round < 400; round++) {
      const text = textOf(random, 4);
      const compact = stringify(parse(text)) ?? '';
      expect(toJson(parseJson(text), 0)).toBe(compact);
      expect(toJson(parseJson(text))).toBe(stringify(parse(text), null, 2));
    }
  });

  it.each([
    ['{"a": 1,}', 'line 1, column 9'],
    ['{"a": 1\n"b": 2}', 'line 2, column 1'],
    ['[1 2]', 'line 1, column 4'],
    ['{"a": 01}', 'line 1, column 8'],
    ['{"a": "x', 'line 1, column 7'],
    ['{"a": "\\x"}', 'line 1, column 7'],
    ['{"a": 1, "a": 2}', 'line 1, column 10'],
    ['{"a": tru}', 'line 1, column 7'],
    ['1 2', 'line 1, column 3'],
    ['', 'line 1, column 1'],
    ['{a: 1}', 'line 1, column 2'],
  ])('says where %j is wrong', (text, place) => {
    expect(() => parseJson(text)).toThrow(place);
  });

  it('finds a repeated name among many', () => {
    const names = Array.from({ length: 100 }, (_, index) => `"n${index}": 1`).join();
    expect(() => parseJson(`{${names}, "n7": 2}`)).toThrow('repeated');
  });

  it('can pause: no slice has all of 200,000 values', async () => {
    const text = `[${Array.from({ length: 200_000 }, (_, index) => `{"n": ${index}.50}`).join()}]`;
    const value = await parseLongJson(text);
    expect(Array.isArray(value) && value.length).toBe(200_000);
    let pauses = 0;
    for (const steps = referenceSteps({ value }); steps.next().done !== true;) pauses++;
    expect(pauses).toBeGreaterThan(1_000);
    await expect(inSlices(referenceSteps({ value }), AbortSignal.abort(new Error('left')))).rejects.toThrow(
      'left',
    );
    expect(doSlice(referenceSteps({}))).toEqual({ value: [] });
  });

  it('is printed as far as it is shown', () => {
    const long: JsonValue = Array.from({ length: 100_000 }, (_, index) => index);
    const { text, isWhole } = startOfJson(long, 100);
    expect([text.length, isWhole]).toEqual([100, false]);
    expect(startOfJson([1.5], 100)).toEqual({ text: '[\n  1.5\n]', isWhole: true });
  });
});

describe('The comparison of values', () => {
  it('tells digits, types and what is missing apart, and not the order of members', () => {
    const same = (one: string, other: string): boolean => isSame(parseJson(one), parseJson(other));
    expect(same('{"a": 1, "b": [1.50]}', '{"b": [1.50], "a": 1}')).toBe(true);
    expect(same('[1.5]', '[1.50]')).toBe(false);
    expect(same('["1"]', '[1]')).toBe(false);
    expect(same('[true]', '["true"]')).toBe(false);
    expect(same('[null]', '["null"]')).toBe(false);
    expect(same('{"a": {}}', '{"a": []}')).toBe(false);
    expect(same('{"a": 1}', '{"a": 1, "b": 2}')).toBe(false);
  });

  it('finds one changed value among 40,000, and one that is taken out of a short list', () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({ n: index }));
    const changed = items.map((item) => (item.n === 7 ? { n: 8.5 } : item));
    expect(finish(diffSteps({ items }, { items: changed })).map(({ path }) => path)).toEqual([
      ['items', 7, 'n'],
    ]);
    const short = items.slice(0, 50);
    expect(finish(diffSteps({ short }, { short: short.toSpliced(3, 1) }))).toEqual([
      { path: ['short', 3], kind: 'removed', before: { n: 3 }, after: undefined },
    ]);
  });
});

describe('What is drawn of a large record at once', () => {
  const many = Array.from({ length: 50_000 }, (_, index) => ({ url: 'u', valueString: `v${index}` }));

  it('is bounded by its budget', () => {
    expect(sizeOf(many, 500)).toBe(500);
    expect(fitting(many, 0, 90)).toBe(30);
    expect(fitting(many, 49_990, 90)).toBe(10);
    // Something of each list is drawn.
    expect(fitting([many], 0, 10)).toBe(1);
    expect(
      fitting(
        Array.from({ length: 5_000 }, () => 'x'),
        0,
        4_000,
      ),
    ).toBe(100);
  });

  it('gives small values what they need, and the rest to the large ones', () => {
    expect(sharesOf([3, 5_000, 10, 5_000], 1_013, 12)).toEqual([3, 500, 10, 500]);
    const shares = sharesOf(
      Array.from({ length: 300 }, () => 900),
      1_200,
      12,
    );
    expect(shares.reduce((sum, share) => sum + share)).toBeLessThanOrEqual(300 * 12);
  });

  it('knows which records are large', () => {
    expect(isLarge({ resourceType: 'Basic', extension: many })).toBe(true);
    expect(isLarge({ resourceType: 'Basic', text: 'x'.repeat(2_000_000) })).toBe(true);
    expect(isLarge({ resourceType: 'Patient', name: [{ family: 'Anders' }] })).toBe(false);
  });
});
