/** The cases of json-patch-tests on a resource; over HTTP: test/rest/json-patch-cases.test.ts. */
import { parseJson, stringifyJson, type JsonValue } from '../../../src/core/fhir/json';
import { applyJsonPatch } from '../../../src/core/fhir/patch';
import { jsonPatchCases, moveDown } from '../../support/json-patch-cases';
import { refusalOf } from './refusal';

const limits = { maxOperations: 1000, maxGrowthBytes: 32_000_000, maxDepth: 64 };

function patched(document: JsonValue, patch: JsonValue[] | string): JsonValue {
  const resource = JSON.stringify({ resourceType: 'Basic', id: 'example', content: document });
  const { value, marked } = applyJsonPatch(parseJson(resource), parseJson(moveDown(patch)), limits);
  return JSON.parse(stringifyJson(value, marked)) as JsonValue;
}

test('there are 95 cases', () => {
  expect(jsonPatchCases).toHaveLength(95);
});

test.each(jsonPatchCases)(
  'a JSON Patch does what json-patch-tests say: %s',
  (_title, document, patch, ...rest) => {
    if (rest.length === 0) {
      expect([400, 422]).toContain(refusalOf(() => patched(document, patch)).status);
    } else {
      const [content] = rest;
      expect(patched(document, patch)).toEqual({ resourceType: 'Basic', id: 'example', content });
    }
  },
);
