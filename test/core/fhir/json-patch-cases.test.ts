/**
 * The cases of json-patch-tests (github.com/json-patch/json-patch-tests, tests.json), restated: each document stands as
 * a member of a resource, and the pointers of its patch begin there.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseJson, stringifyJson, type JsonValue } from '../../../src/core/fhir/json';
import { applyJsonPatch } from '../../../src/core/fhir/patch';
import { refusalOf } from './refusal';

const limits = { maxOperations: 1000, maxGrowthBytes: 32_000_000, maxDepth: 64 };

/** Title, document, patch (a text where JSON cannot say it twice), and the expected document; without: refused. */
type Case = [title: string, document: JsonValue, patch: JsonValue[] | string, expected?: JsonValue];

const cases = readFileSync(path.join(__dirname, 'patch-cases', 'json-patch.ndjson'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);

/** Every pointer of a patch, one level further down. */
function moveDown(text: string): string {
  return text.replace(/"(path|from)":"(?=[/"])/g, '"$1":"/content');
}

function patched(document: JsonValue, patch: JsonValue[] | string): JsonValue {
  const resource = JSON.stringify({ resourceType: 'Basic', id: 'example', content: document });
  const text = moveDown(typeof patch === 'string' ? patch : JSON.stringify(patch));
  const { value, marked } = applyJsonPatch(parseJson(resource), parseJson(text), limits);
  return JSON.parse(stringifyJson(value, marked)) as JsonValue;
}

test('there are 95 cases', () => {
  expect(cases).toHaveLength(95);
});

test.each(cases)(
  'a JSON Patch does what json-patch-tests say: %s (check 53)',
  (_title, document, patch, ...rest) => {
    if (rest.length === 0) {
      expect([400, 422]).toContain(refusalOf(() => patched(document, patch)).status);
    } else {
      const [content] = rest;
      expect(patched(document, patch)).toEqual({ resourceType: 'Basic', id: 'example', content });
    }
  },
);
