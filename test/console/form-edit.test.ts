/** Edits of a form change one place of the text of a draft, and nothing else of it. */
import {
  isArray,
  isObject,
  parseJson,
  toJson,
  type JsonObject,
  type JsonValue,
} from '../../console/src/api/json';
import {
  moveItem,
  nodeAt,
  pruneIn,
  removeIn,
  removeItem,
  setIn,
  typedNumber,
} from '../../console/src/editor/json-edit';
import { readTree } from '../../console/src/editor/json-tree';
import type { JsonPath } from '../../console/src/fhir/compare/diff';

/** A generator of numbers from 0 to 1, the same for each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

const NAMES = ['status', '_status', 'given', 'value', 'extension', 'unknown', 'x'];
const LEAVES = [
  '"final"',
  '"\\u00e9 \\"a\\""',
  '1.50',
  '1.00',
  '-0',
  '12345678901234567890',
  '1E+2',
  'true',
  'null',
];

/** A random draft as somebody could have written it: any digits, order, spaces and members. */
function draftText(random: () => number, depth = 4): string {
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
  const space = (): string => pick(['', ' ', '\n', '\n    ']);
  const valueText = (left: number): string => {
    const kind = left === 0 ? 0 : random();
    if (kind < 0.4) return pick(LEAVES);
    if (kind < 0.7) {
      const items = Array.from({ length: Math.floor(random() * 4) }, () => valueText(left - 1));
      return `[${space()}${items.join(`${space()},${space()}`)}${space()}]`;
    }
    return objectText(left);
  };
  const objectText = (left: number): string => {
    const names = NAMES.filter(() => random() < 0.5).toSorted(() => random() - 0.5);
    const members = names.map((name) => `"${name}"${space()}:${space()}${valueText(left - 1)}`);
    return `{${space()}${members.join(`${space()},${space()}`)}${space()}}`;
  };
  return objectText(depth);
}

/** All paths of a value that a form could edit, its own excluded. */
function pathsIn(value: JsonValue | undefined): readonly JsonPath[] {
  const steps: (readonly [string | number, JsonValue | undefined])[] = isArray(value)
    ? value.map((each, index) => [index, each] as const)
    : isObject(value)
      ? Object.entries(value)
      : [];
  return steps.flatMap(([step, each]) => [[step], ...pathsIn(each).map((path) => [step, ...path])]);
}

/** What the edit means, on values. */
function changed(
  value: JsonValue | undefined,
  path: JsonPath,
  next: JsonValue | undefined,
): JsonValue | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return next;
  if (typeof step === 'number') {
    const items = isArray(value) ? [...value] : [];
    const inner = changed(items[step], rest, next);
    return inner === undefined ? items.toSpliced(step, 1) : items.with(step, inner);
  }
  const entries = isObject(value) ? Object.entries(value) : [];
  const inner = changed(isObject(value) ? value[step] : undefined, rest, next);
  const isKnown = entries.some(([name]) => name === step);
  const all = isKnown
    ? entries.map(([name, each]) => [name, name === step ? inner : each] as const)
    : [...entries, [step, inner] as const];
  return Object.fromEntries(all.filter(([, each]) => each !== undefined));
}

const at = (value: JsonValue | undefined, path: JsonPath): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((inner, step) => {
    if (typeof step === 'number') return isArray(inner) ? inner[step] : undefined;
    return isObject(inner) ? inner[step] : undefined;
  }, value);

/** The digits and the order of members are part of it. */
const printed = (value: JsonValue | undefined): string => (value === undefined ? '' : toJson(value, 0));

describe('An edit of a form, on random drafts', () => {
  const random = numbers(11);
  const drafts = Array.from({ length: 300 }, () => draftText(random));
  const choose = <Item>(list: readonly Item[]): Item | undefined => list[Math.floor(random() * list.length)];
  const newValues = ['2.50', '"new"', '{"a": [1.0]}', '[]'].map(parseJson);

  it('writes a value, and keeps every character outside of it', () => {
    for (const text of drafts) {
      const path = choose(pathsIn(parseJson(text)));
      const next = choose(newValues);
      if (path === undefined || next === undefined) continue;
      const edited = setIn(text, path, next);
      expect(printed(parseJson(edited))).toBe(printed(changed(parseJson(text), path, next)));
      const { from, to } = nodeAt(readTree(text), path) ?? { from: 0, to: 0 };
      const [start, end] = [commonStart(text, edited), commonStart(flip(text), flip(edited))];
      expect(text.length - start - end).toBeLessThanOrEqual(to - from);
    }
  });

  it('adds a member with the containers that it needs', () => {
    for (const text of drafts) {
      const objects = [[], ...pathsIn(parseJson(text))].filter((path) => isObject(at(parseJson(text), path)));
      const path = choose(objects);
      if (path === undefined) continue;
      const edited = setIn(text, [...path, 'added', 0, 'part'], '1');
      const expected = changed(parseJson(text), [...path, 'added'], [{ part: '1' }]);
      expect(printed(parseJson(edited))).toBe(printed(expected));
    }
  });

  it('removes a value', () => {
    for (const text of drafts) {
      const path = choose(pathsIn(parseJson(text)));
      if (path === undefined) continue;
      expect(printed(parseJson(removeIn(text, path)))).toBe(
        printed(changed(parseJson(text), path, undefined)),
      );
    }
  });

  it('moves and removes items together with their ids and extensions', () => {
    for (const text of drafts) {
      const lists = pathsIn(parseJson(text)).filter((path) => {
        const list = at(parseJson(text), path);
        return typeof path.at(-1) === 'string' && isArray(list) && list.length > 1;
      });
      const list = choose(lists);
      if (list === undefined) continue;
      const before = at(parseJson(text), list);
      const moved = moveItem(text, list, 0, 1);
      if (!isArray(before)) continue;
      const [first = null, second = null, ...more] = before;
      expect(printed(at(parseJson(moved), list))).toBe(printed([second, first, ...more]));
      expect(printed(parseJson(moveItem(moved, list, 0, 1)))).toHaveLength(printed(parseJson(text)).length);
      expect(printed(at(parseJson(removeItem(text, list, 0)), list))).toBe(printed([second, ...more]));
    }
  });
});

const flip = (text: string): string => [...text].toReversed().join('');
function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

describe('An edit of a form', () => {
  const NAME = `{
  "resourceType": "Patient",
  "unknown": 1.50,
  "name": [
    {
      "given": ["Ann", "Bea", null],
      "_given": [null, { "id": "b" }, { "extension": [{ "url": "u", "valueCode": "masked" }] }]
    }
  ]
}`;
  const given: JsonPath = ['name', 0, 'given'];
  const value = (text: string): JsonObject => at(parseJson(text), ['name', 0]) as JsonObject;

  it('writes a new member in a line of its own', () => {
    expect(setIn(NAME, ['active'], true)).toBe(NAME.replace('  ]\n}', '  ],\n  "active": true\n}'));
    expect(setIn('{}', ['name', 0, 'family'], 'Anders')).toBe(
      '{\n  "name": [\n    {\n      "family": "Anders"\n    }\n  ]\n}',
    );
    expect(setIn('{"a": {"b": 1}}', ['a', 'c'], 2)).toBe('{"a": {"b": 1, "c": 2}}');
  });

  it('moves what stands beside a text with it', () => {
    expect(value(moveItem(NAME, given, 0, 1))).toEqual({
      given: ['Bea', 'Ann', null],
      _given: [{ id: 'b' }, null, { extension: [{ url: 'u', valueCode: 'masked' }] }],
    });
    expect(value(removeItem(NAME, given, 0))).toEqual({
      given: ['Bea', null],
      _given: [{ id: 'b' }, { extension: [{ url: 'u', valueCode: 'masked' }] }],
    });
    expect(value(removeItem(removeItem(NAME, given, 2), given, 1))).toEqual({ given: ['Ann'] });
  });

  it('leaves nothing empty behind, and the reason why a text is missing in its place', () => {
    const cleared = setIn(NAME, [...given, 1], '');
    expect(value(pruneIn(cleared, [...given, 1]))['given']).toEqual(['Ann', null, null]);
    expect(value(pruneIn(setIn(NAME, [...given, 0], ''), [...given, 0]))['given']).toEqual(['Bea', null]);
    const alone = '{"id": "a", "name": [{"family": "x"}]}';
    expect(pruneIn(removeIn(alone, ['name', 0, 'family']), ['name', 0])).toBe('{"id": "a"}');
  });

  it('takes numbers as they are typed', () => {
    expect(setIn('{}', ['value'], typedNumber('1.50') ?? null)).toContain('1.50');
    for (const wrong of ['1,5', '1.', '.5', '01', '1e', '', 'NaN'])
      expect(typedNumber(wrong)).toBeUndefined();
  });
});
