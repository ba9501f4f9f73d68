/** A long body as plain values and texts: put together again, it is what it was. */
import { parseJson, stringifyJson, type JsonValue } from '../../../src/core/fhir/json';
import { outlineOf, type JsonOutline } from '../../../src/core/fhir/json/outline';
import { makeTree, Random, writeTree } from './random-json';

/** The text of an outline with its parts in their places. */
function join({ value, parts }: JsonOutline): string {
  const texts = new Map(parts.map(({ path, text }) => [JSON.stringify(path), text]));
  const write = (below: JsonValue, path: readonly (string | number)[]): string => {
    const text = texts.get(JSON.stringify(path));
    if (text !== undefined) return text;
    if (Array.isArray(below)) return `[${below.map((each, index) => write(each, [...path, index])).join()}]`;
    if (typeof below !== 'object' || below === null) return stringifyJson(below, true);
    const members = Object.entries(below).map(
      ([name, each]) => `${JSON.stringify(name)}:${write(each, [...path, name])}`,
    );
    return `{${members.join()}}`;
  };
  return write(value, []);
}

it('nothing is lost, whatever stays text', () => {
  const random = new Random(20_261_121);
  let parts = 0;
  for (let round = 0; round < 5_000; round++) {
    const text = writeTree(makeTree(random, 6));
    const { value, marked } = parseJson(text);
    const outline = outlineOf(parseJson(text), random.below(4), random.below(30));
    expect(join(outline)).toBe(stringifyJson(value, marked));
    parts += outline.parts.length;
  }
  expect(parts).toBeGreaterThan(1_000);
});

describe('of a body with two levels that are parsed', () => {
  const outline = (body: object, largest: number): JsonOutline =>
    outlineOf(parseJson(JSON.stringify(body)), 2, largest);
  const names = Array.from({ length: 40 }, (_, index) => ({ family: `F${index}`, given: ['A'] }));

  it('small content stays as it is', () => {
    const body = { query: 'x', variables: { r: { resourceType: 'Patient', name: names } } };
    expect(outline(body, 1_000)).toEqual({ value: body, parts: [] });
  });

  it('the members of a resource are there, the long ones of them as text', () => {
    const resource = { resourceType: 'Patient', id: 'a', name: names, active: true };
    expect(outline({ query: 'x', variables: { r: resource } }, 100)).toEqual({
      value: { query: 'x', variables: { r: { ...resource, name: null } } },
      parts: [{ path: ['variables', 'r', 'name'], text: JSON.stringify(names) }],
    });
  });

  it('so are the operations of a patch, the long values of them as text', () => {
    const patch = [
      { op: 'add', path: '/name', value: names },
      { op: 'add', path: '/active', value: true },
    ];
    expect(outline({ variables: { patch } }, 100)).toEqual({
      value: { variables: { patch: [{ ...patch[0], value: null }, patch[1]] } },
      parts: [{ path: ['variables', 'patch', 0, 'value'], text: JSON.stringify(names) }],
    });
  });

  it('texts count by their length', () => {
    const line = ['x'.repeat(5_000), 'y'.repeat(5_000)];
    const { parts } = outline({ variables: { r: { resourceType: 'Patient', line } } }, 50);
    expect(parts).toEqual([{ path: ['variables', 'r', 'line'], text: JSON.stringify(line) }]);
  });

  it('a long string of a resource is text; of a patch, where it may not be one, it stays', () => {
    const data = 'QUJD'.repeat(4_000);
    const variables = {
      r: { resourceType: 'Binary', data },
      patch: [{ op: 'add', path: '/data', value: data }],
    };
    expect(outline({ variables }, 100)).toEqual({
      value: { variables: { ...variables, r: { resourceType: 'Binary', data: null } } },
      parts: [{ path: ['variables', 'r', 'data'], text: JSON.stringify(data) }],
    });
  });

  it('a list of too many is text at any depth', () => {
    const { value, parts } = outline({ variables: { patch: names } }, 30);
    expect(value).toEqual({ variables: { patch: null } });
    expect(parts).toEqual([{ path: ['variables', 'patch'], text: JSON.stringify(names) }]);
  });
});
