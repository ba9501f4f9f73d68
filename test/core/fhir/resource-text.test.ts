import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, parseJson, stringifyJson, type JsonObject } from '../../../src/core/fhir/json';
import {
  formatInstant,
  toFullText,
  toStoredText,
  type ServerMeta,
} from '../../../src/core/fhir/resource-text';
import { readExamples } from '../../support/examples';
import { makeTree, Random, writeTree } from './random-json';
import { TESTED_RELEASES } from '../../support/releases';

const extensionBase = 'https://andiron.example/fhir/StructureDefinition';
const server: ServerMeta = {
  versionId: 3,
  lastUpdated: Date.UTC(2026, 10, 21, 2, 9, 18),
  sequence: 7,
  author: 'anonymous',
};
const SEQUENCE = { url: `${extensionBase}/version-sequence`, valueInteger: 7 };
const AUTHOR = {
  url: `${extensionBase}/author`,
  valueReference: { reference: 'ClientApplication/anonymous' },
};

function read(text: string): { resource: JsonObject; marked: boolean } {
  const { value, marked } = parseJson(text);
  if (!isJsonObject(value)) throw new Error('not an object');
  return { resource: value, marked };
}

function store(text: string, id = 'p1'): { text: string; metaOffset: number } {
  const { resource, marked } = read(text);
  return toStoredText(resource, marked, { id, extensionBase });
}

function answer(text: string, id = 'p1'): string {
  const stored = store(text, id);
  return toFullText(stored.text, stored.metaOffset, server, extensionBase);
}

const SERVER_PART =
  '"versionId":"3","lastUpdated":"2026-11-21T02:09:18.000+00:00","extension":[' +
  `${JSON.stringify(SEQUENCE)},${JSON.stringify(AUTHOR)}]`;

describe('the stored text', () => {
  test.each([
    ['{"resourceType":"Patient"}', '{"resourceType":"Patient","id":"p1","meta":{}}'],
    [
      '{"active":true,"resourceType":"Patient","gender":"male"}',
      '{"active":true,"resourceType":"Patient","id":"p1","meta":{},"gender":"male"}',
    ],
    ['{"id":"old","resourceType":"Patient"}', '{"id":"p1","meta":{},"resourceType":"Patient"}'],
    [
      '{"resourceType":"Patient","active":true,"id":"old"}',
      '{"resourceType":"Patient","active":true,"id":"p1","meta":{}}',
    ],
    ['{"meta":{"versionId":"8"},"resourceType":"Patient"}', '{"meta":{},"resourceType":"Patient","id":"p1"}'],
    [
      '{"resourceType":"Patient","active":true,"meta":{"source":"urn:a","lastUpdated":"2020-01-01","profile":["http://b"]}}',
      '{"resourceType":"Patient","id":"p1","active":true,"meta":{"source":"urn:a","profile":["http://b"]}}',
    ],
    [
      '{"resourceType":"Patient","meta":{"source":"urn:a","extension":[{"url":"http://c","valueDecimal":1.00}]}}',
      '{"resourceType":"Patient","id":"p1","meta":{"extension":[{"url":"http://c","valueDecimal":1.00}],"source":"urn:a"}}',
    ],
    [
      `{"resourceType":"Patient","meta":{"extension":[${JSON.stringify(SEQUENCE)},${JSON.stringify(AUTHOR)}]}}`,
      '{"resourceType":"Patient","id":"p1","meta":{}}',
    ],
    [
      `{"resourceType":"Patient","meta":{"extension":[${JSON.stringify(SEQUENCE)},{"url":"${extensionBase}/author-of-text"}]}}`,
      `{"resourceType":"Patient","id":"p1","meta":{"extension":[{"url":"${extensionBase}/author-of-text"}]}}`,
    ],
  ])('of %s', (input, expected) => {
    expect(store(input).text).toBe(expected);
  });

  test('leaves the given resource alone', () => {
    const { resource } = read('{"resourceType":"Patient","id":"a","meta":{"versionId":"1"}}');
    toStoredText(resource, false, { id: 'b', extensionBase });
    expect(resource).toEqual({ resourceType: 'Patient', id: 'a', meta: { versionId: '1' } });
  });
});

describe('the full text', () => {
  test.each([
    ['{"resourceType":"Patient"}', `{"resourceType":"Patient","id":"p1","meta":{${SERVER_PART}}}`],
    [
      '{"resourceType":"Patient","meta":{"tag":[{"code":"x"}]},"active":true}',
      `{"resourceType":"Patient","id":"p1","meta":{${SERVER_PART},"tag":[{"code":"x"}]},"active":true}`,
    ],
    [
      '{"resourceType":"Patient","meta":{"extension":[{"url":"http://c"}],"tag":[{"code":"]"}]}}',
      `{"resourceType":"Patient","id":"p1","meta":{"extension":[{"url":"http://c"},${JSON.stringify(SEQUENCE)},${JSON.stringify(AUTHOR)}],` +
        '"versionId":"3","lastUpdated":"2026-11-21T02:09:18.000+00:00","tag":[{"code":"]"}]}}',
    ],
  ])('of %s', (input, expected) => {
    expect(answer(input)).toBe(expected);
  });

  test('sent back as an update is stored as it was', () => {
    for (const input of [
      '{"resourceType":"Patient","active":true}',
      '{"resourceType":"Patient","meta":{"tag":[{"code":"x"}],"extension":[{"url":"http://c","valueDecimal":1e-7}]},"active":true}',
    ]) {
      expect(store(answer(input))).toEqual(store(input));
    }
  });

  test('escapes the settings and the name of the author', () => {
    const stored = store('{"resourceType":"Patient"}');
    const text = toFullText(stored.text, stored.metaOffset, { ...server, author: 'a"b\\' }, 'http://x/"y');
    expect(JSON.parse(text)).toMatchObject({
      meta: {
        extension: [
          { url: 'http://x/"y/version-sequence' },
          { url: 'http://x/"y/author', valueReference: { reference: 'ClientApplication/a"b\\' } },
        ],
      },
    });
  });
});

/** Returns the resource that a client reads: as it was written, with the id and the server's part of meta. */
function expectedOf(resource: JsonObject, id: string): JsonObject {
  const meta = isJsonObject(resource['meta']) ? resource['meta'] : {};
  const extension = Array.isArray(meta['extension']) ? meta['extension'] : [];
  const foreign = extension.filter(
    (one) => !isJsonObject(one) || (one['url'] !== SEQUENCE.url && one['url'] !== AUTHOR.url),
  );
  return {
    ...resource,
    id,
    meta: {
      ...meta,
      versionId: '3',
      lastUpdated: '2026-11-21T02:09:18.000+00:00',
      extension: [...foreign, SEQUENCE, AUTHOR],
    },
  };
}

function expectSame(text: string): void {
  const { resource, marked } = read(text);
  const stored = toStoredText(resource, marked, { id: 'new', extensionBase });
  JSON.parse(stored.text);
  const full = toFullText(stored.text, stored.metaOffset, server, extensionBase);
  const expected = expectedOf(resource, 'new');
  if (!isDeepStrictEqual(parseJson(full).value, expected)) expect(parseJson(full).value).toEqual(expected);
  const withoutServerPart = (value: JsonObject): string[] =>
    Object.keys(value).filter((name) => name !== 'id' && name !== 'meta');
  expect(withoutServerPart(read(full).resource)).toEqual(withoutServerPart(resource));
}

test('resources of random content are restored to the last digit', () => {
  const random = new Random(31);
  const member = (name: string): string => `"${name}":${writeTree(makeTree(random, 3))}`;
  for (let run = 0; run < 2000; run++) {
    const extensions = [
      '{"url":"http://a","valueDecimal":1.00}',
      JSON.stringify(SEQUENCE),
      '{"url":"http://b","x":"]"}',
      JSON.stringify(AUTHOR),
    ];
    const metaMembers = [
      '"versionId":"77"',
      '"lastUpdated":"x"',
      '"profile":["http://p"]',
      '"tag":[{"code":"t"}]',
      member('other'),
      '"source":"urn:s"',
    ]
      .concat(`"extension":[${extensions.filter(() => random.below(2) === 0).join(',')}]`)
      .filter(() => random.below(3) > 0)
      .sort(() => random.below(3) - 1);
    const members = [
      '"id":"old"',
      `"meta":{${metaMembers.join(',')}}`,
      member('name'),
      member('value'),
      member('unit'),
    ]
      .filter(() => random.below(4) > 0)
      .concat('"resourceType":"Patient"')
      .sort(() => random.below(3) - 1);
    expectSame(`{${members.join(',')}}`);
  }
});

/** The structure and the number literals of a text, without its strings: the oracle for decimals. */
function literalsOf(text: string): string {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '""').replace(/\s/g, '');
}

test.each(TESTED_RELEASES)('every official example of %s comes back to the last digit', (release) => {
  const changed: string[] = [];
  const examples = readExamples(release);
  for (const { type, id, text, document, resource } of examples) {
    const written = stringifyJson(resource, document.marked);
    const isSame =
      isDeepStrictEqual(JSON.parse(written), JSON.parse(text)) && literalsOf(written) === literalsOf(text);
    if (!isSame) changed.push(`${type}/${id}`);
    expectSame(text);
  }
  expect(changed).toEqual([]);
  expect(examples.length).toBeGreaterThan(700);
});

test.each([
  [0, '1970-01-01T00:00:00.000+00:00'],
  [Date.UTC(2026, 10, 21, 2, 9, 18, 5), '2026-11-21T02:09:18.005+00:00'],
])('the instant %d is written as %s', (milliseconds, expected) => {
  expect(formatInstant(milliseconds)).toBe(expected);
});
