import { parseJson, stringifyJson, type JsonValue } from '../../../src/core/fhir/json';
import { applyJsonPatch } from '../../../src/core/fhir/patch';
import { refusalOf } from './refusal';
import { leastProcessorMilliseconds } from '../../support/processor-time';

const limits = { maxOperations: 1000, maxGrowthBytes: 32_000_000, maxDepth: 64 };

/** Applies the text of a patch to the text of a document and writes the result. */
function patched(document: string, patch: string): string {
  const { value, marked } = applyJsonPatch(parseJson(document), parseJson(patch), limits);
  return stringifyJson(value, marked);
}

describe('limits', () => {
  const removals = (count: number): JsonValue =>
    Array.from({ length: count }, () => ({ op: 'test', path: '', value: { a: 1 } }));

  test('1000 operations are allowed, 1001 are not', () => {
    const document = parseJson('{"a":1}');
    expect(applyJsonPatch(document, { value: removals(1000), marked: false }, limits).value).toEqual({
      a: 1,
    });
    expect(
      refusalOf(() => applyJsonPatch(document, { value: removals(1001), marked: false }, limits)),
    ).toMatchObject({
      key: 'tooManyPatchOperations',
      status: 413,
    });
  });

  test('copies that double the resource each time are refused in time', () => {
    const document = parseJson(`{"list":["${'x'.repeat(2000)}"]}`);
    const inside = Array.from({ length: 60 }, () => ({ op: 'copy', from: '/list', path: '/list/-' }));
    const whole = Array.from({ length: 60 }, (_unused, index) => ({
      op: 'copy',
      from: '',
      path: `/b${index}`,
    }));
    const spent = leastProcessorMilliseconds(3000, () => {
      for (const value of [inside, whole]) {
        expect(refusalOf(() => applyJsonPatch(document, { value, marked: false }, limits)).key).toBe(
          'tooCostly',
        );
      }
    });
    expect(spent).toBeLessThan(3000);
  });

  test('a large value copied many times is refused before it is copied', () => {
    const document = { value: { a: 'x'.repeat(10_000_000) }, marked: false };
    const value: JsonValue = Array.from({ length: 1000 }, (_unused, index) => ({
      op: 'copy',
      from: '/a',
      path: `/b${index}`,
    }));
    const spent = leastProcessorMilliseconds(1000, () => {
      expect(refusalOf(() => applyJsonPatch(document, { value, marked: false }, limits)).key).toBe(
        'tooCostly',
      );
    });
    expect(spent).toBeLessThan(1000);
  });

  describe('copied content', () => {
    const element = '{"system":"a","value":"b"}';
    const large = `{"large":[${Array.from({ length: 2_000 }, () => element).join(',')}],"list":[]}`;
    const small = `{"large":${element},"list":[]}`;
    const copies = (count: number): string =>
      JSON.stringify(Array.from({ length: count }, () => ({ op: 'copy', from: '/large', path: '/list/-' })));

    test('is at most a megabyte and sixteen times the patch', () => {
      const room = 1024 * 1024 + 16 * copies(1000).length;
      const most = Math.floor(room / large.length);
      expect(most).toBeGreaterThan(20);
      expect(patched(large, copies(Math.floor(most / 2))).length).toBeGreaterThan(room / 4);
      const begun = process.memoryUsage().heapUsed;
      expect(refusalOf(() => patched(large, copies(1000)))).toMatchObject({
        key: 'tooCostly',
        status: 422,
        reason: expect.stringContaining('it copies more than'),
        expression: expect.stringMatching(/^\$this\[\d\d\]$/),
      });
      expect(process.memoryUsage().heapUsed - begun).toBeLessThan(64 * 1024 * 1024);
    });

    test('is counted before it is copied', () => {
      const huge = {
        value: { list: [], large: Array.from({ length: 1_000_000 }, () => ({})) },
        marked: false,
      };
      const operations = parseJson(copies(1));
      const spent = leastProcessorMilliseconds(1000, () => {
        expect(refusalOf(() => applyJsonPatch(huge, operations, limits)).key).toBe('tooCostly');
      });
      expect(spent).toBeLessThan(1000);
    });

    test('is as much as a long patch of small copies may want', () => {
      const result = JSON.parse(patched(small, copies(1000))) as { list: unknown[] };
      expect(result.list).toHaveLength(1000);
    });
  });

  test('operations on a large resource cost no copy of it each', () => {
    const document = parseJson(
      `{"list":[${Array.from({ length: 100_000 }, (_unused, index) => `{"value":${index}}`).join(',')}]}`,
    );
    const value: JsonValue = Array.from({ length: 1000 }, (_unused, index) => ({
      op: 'move',
      from: '/list/0',
      path: index % 2 === 0 ? '/list/-' : '/list/1',
    }));
    const spent = leastProcessorMilliseconds(3000, () => {
      applyJsonPatch(document, { value, marked: false }, limits);
    });
    expect(spent).toBeLessThan(3000);
  });

  test('a result that is nested too deep is refused, however it came about', () => {
    const path = '/a'.repeat(40);
    const chain = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
    const moves = `[{"op":"move","from":"/b","path":"${path}"}]`;
    const deep = `{"resourceType":"Basic","a":${chain(40)},"b":${chain(40)}}`;
    expect(refusalOf(() => patched(deep, moves))).toMatchObject({
      key: 'tooCostly',
      status: 422,
      expression: `Basic${'.a'.repeat(64)}`,
    });
    expect(patched(`{"a":${chain(40)},"b":${chain(20)}}`, moves)).toBe(
      `{"a":${'{"a":'.repeat(39)}${chain(20)}${'}'.repeat(39)}}`,
    );
    const nesting: JsonValue = Array.from({ length: 1000 }, (_unused, index) => ({
      op: 'move',
      from: `/c${index}`,
      path: `/c${index + 1}${path}`,
    }));
    const chains = Object.fromEntries(
      Array.from({ length: 1001 }, (_unused, index) => [`c${index}`, JSON.parse(chain(40)) as JsonValue]),
    );
    expect(
      refusalOf(() =>
        applyJsonPatch({ value: chains, marked: false }, { value: nesting, marked: false }, limits),
      ).status,
    ).toBe(422);
  });
});
