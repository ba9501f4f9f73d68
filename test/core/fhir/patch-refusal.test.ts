import { FhirError } from '../../../src/core/errors';
import { parseJson, stringifyJson, type JsonValue } from '../../../src/core/fhir/json';
import { applyJsonPatch } from '../../../src/core/fhir/patch';
import { refusalOf } from './refusal';

const limits = { maxOperations: 1000, maxGrowthBytes: 32_000_000, maxDepth: 64 };

/** Applies the text of a patch to the text of a document and writes the result. */
function patched(document: string, patch: string): string {
  const { value, marked } = applyJsonPatch(parseJson(document), parseJson(patch), limits);
  return stringifyJson(value, marked);
}

const patient =
  '{"resourceType":"Patient","id":"p1","active":true,"name":[{"family":"Chalmers","given":["Peter","James"]}]}';

describe('a body that is not a JSON Patch is refused with 400', () => {
  test.each([
    ['{"op":"remove","path":"/a"}', 'it must be an array of operations'],
    ['"remove"', 'it must be an array of operations'],
    ['[1]', 'operation 0: it must be an object'],
    ['[null]', 'operation 0: it must be an object'],
    ['[[]]', 'operation 0: it must be an object'],
    ['[{}]', "operation 0: 'op' must be one of add, remove, replace, move, copy, test"],
    [
      '[{"op":"spam","path":"/a"}]',
      "operation 0: 'op' must be one of add, remove, replace, move, copy, test, not 'spam'",
    ],
    ['[{"op":"_get","path":"/a"}]', "'op' must be one of"],
    ['[{"op":"toString","path":"/a"}]', "'op' must be one of"],
    ['[{"op":["add"],"path":"/a","value":1}]', "'op' must be one of"],
    ['[{"op":"remove"}]', "operation 0: 'path' is missing"],
    ['[{"op":"remove","path":null}]', "'path' must be a string"],
    ['[{"op":"remove","path":"a"}]', "'path' must be a JSON Pointer such as /name/0/family, not 'a'"],
    ['[{"op":"remove","path":"#/a"}]', "'path' must be a JSON Pointer"],
    ['[{"op":"remove","path":"/a~2"}]', "'path' must be a JSON Pointer"],
    ['[{"op":"remove","path":"/a~"}]', "'path' must be a JSON Pointer"],
    ['[{"op":"add","path":"/a"}]', "'add' needs a 'value'"],
    ['[{"op":"replace","path":"/a"}]', "'replace' needs a 'value'"],
    ['[{"op":"test","path":"/a"}]', "'test' needs a 'value'"],
    ['[{"op":"copy","path":"/a"}]', "'from' is missing"],
    ['[{"op":"move","path":"/a","from":1}]', "'from' must be a string"],
    ['[{"op":"move","path":"/a","from":"b"}]', "'from' must be a JSON Pointer"],
    ['[{"op":"move","from":"/a","path":"/a/b"}]', "'/a' cannot be moved into itself"],
    ['[{"op":"move","from":"","path":"/a"}]', 'cannot be moved into itself'],
    ['[{"op":"add","path":"/__proto__/polluted","value":1}]', "'path' may not lead through '__proto__'"],
    [
      '[{"op":"add","path":"/constructor/prototype/polluted","value":1}]',
      "'path' may not lead through 'constructor'",
    ],
    ['[{"op":"add","path":"/a/prototype/polluted","value":1}]', "'path' may not lead through 'prototype'"],
    ['[{"op":"copy","from":"/__proto__","path":"/a"}]', "'from' may not lead through '__proto__'"],
    [
      '[{"op":"test","path":"/constructor/name","value":"Object"}]',
      "'path' may not lead through 'constructor'",
    ],
  ])('%s', (patch, reason) => {
    const refusal = refusalOf(() => patched('{"a":{"b":1}}', patch));
    expect(refusal).toMatchObject({ key: 'patchInvalid', status: 400 });
    expect(refusal.reason).toContain(`The patch is not a JSON Patch: `);
    expect(refusal.reason).toContain(reason);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('with every operation that is at fault, and before a single one is applied', () => {
    expect.assertions(2);
    try {
      patched(
        '{"a":1}',
        '[{"op":"remove","path":"/nothing"},{"op":"x","path":"/a"},{"op":"add","path":"/id","value":1},{"op":"add"}]',
      );
    } catch (thrown) {
      if (!(thrown instanceof FhirError)) throw thrown;
      expect(thrown.key).toBe('patchInvalid');
      expect(thrown.issues.map((issue) => issue.expression)).toEqual(['$this[1]', '$this[3]']);
    }
  });

  test('dangerous values are refused from GraphQL too, where no parser has seen them', () => {
    const dangerous: JsonValue[] = [
      JSON.parse('{"__proto__":{"polluted":1}}') as JsonValue,
      { a: [{ constructor: { prototype: {} } }] },
      'a\u0001b',
    ];
    for (const value of dangerous) {
      const patch = { value: [{ op: 'add', path: '/a', value }], marked: false };
      expect(refusalOf(() => applyJsonPatch(parseJson('{}'), patch, limits)).key).toBe('invalidValue');
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('a patch that cannot be applied is refused with 422', () => {
  test.each([
    ['[{"op":"remove","path":"/x"}]', "operation 0 (remove '/x'): there is nothing at '/x'"],
    ['[{"op":"replace","path":"/x","value":1}]', "there is nothing at '/x'"],
    ['[{"op":"test","path":"/x","value":1}]', "there is nothing at '/x'"],
    ['[{"op":"test","path":"/x","value":null}]', "there is nothing at '/x'"],
    ['[{"op":"copy","from":"/x","path":"/y"}]', "operation 0 (copy '/y'): there is nothing at '/x'"],
    ['[{"op":"move","from":"/x","path":"/x"}]', "there is nothing at '/x'"],
    ['[{"op":"add","path":"/x/y","value":1}]', 'there is no object or array to add to'],
    ['[{"op":"add","path":"/text/y","value":1}]', 'there is no object or array to add to'],
    ['[{"op":"add","path":"/text/0","value":1}]', 'there is no object or array to add to'],
    ['[{"op":"add","path":"/none/y","value":1}]', 'there is no object or array to add to'],
    ['[{"op":"add","path":"/list/4","value":1}]', "'4' is not a place in an array of 3"],
    ['[{"op":"add","path":"/list/01","value":1}]', "'01' is not a place in an array of 3"],
    ['[{"op":"add","path":"/list/-1","value":1}]', "'-1' is not a place in an array of 3"],
    ['[{"op":"add","path":"/list/1e0","value":1}]', "'1e0' is not a place in an array of 3"],
    ['[{"op":"add","path":"/list/length","value":1}]', "'length' is not a place in an array of 3"],
    ['[{"op":"add","path":"/list/4294967296","value":1}]', "'4294967296' is not a place in an array of 3"],
    ['[{"op":"add","path":"/list/","value":1}]', "'' is not a place in an array of 3"],
    ['[{"op":"remove","path":"/list/-"}]', "there is nothing at '/list/-'"],
    ['[{"op":"remove","path":"/list/00"}]', "there is nothing at '/list/00'"],
    ['[{"op":"replace","path":"/list/3","value":1}]', "there is nothing at '/list/3'"],
    ['[{"op":"replace","path":"/list/4294967296","value":1}]', "there is nothing at '/list/4294967296'"],
    ['[{"op":"test","path":"/list/01","value":2}]', "there is nothing at '/list/01'"],
    ['[{"op":"remove","path":"/toString"}]', "there is nothing at '/toString'"],
    ['[{"op":"test","path":"/text/length","value":3}]', "there is nothing at '/text/length'"],
    ['[{"op":"copy","from":"/hasOwnProperty","path":"/x"}]', "there is nothing at '/hasOwnProperty'"],
    ['[{"op":"move","from":"/list/0","path":"/list/3"}]', "'3' is not a place in an array of 2"],
    ['[{"op":"add","path":"","value":[]}]', 'a resource must be a JSON object'],
    ['[{"op":"replace","path":"","value":null}]', 'a resource must be a JSON object'],
  ])('%s', (patch, reason) => {
    const refusal = refusalOf(() => patched('{"list":[1,2,3],"text":"abc","none":null}', patch));
    expect(refusal).toMatchObject({ key: 'patchNotApplicable', status: 422, expression: '$this[0]' });
    expect(refusal.reason).toContain('The patch cannot be applied: operation 0 (');
    expect(refusal.reason).toContain(reason);
  });

  test.each([
    ['{"a":1}', '1', '"1"'],
    ['{"a":1.00}', '1.00', '1.01'],
    ['{"a":[1,2]}', '[1,2]', '[2,1]'],
    ['{"a":{"x":1}}', '{"x":1}', '{"x":1,"y":2}'],
    ['{"a":{"x":1,"y":2}}', '{"y":2,"x":1}', '{"x":1}'],
    ['{"a":null}', 'null', 'false'],
    ['{"a":[]}', '[]', '{}'],
    ['{"a":""}', '""', 'null'],
  ])('a failed test: %s holds %s, not %s', (document, equal, different) => {
    expect(patched(document, `[{"op":"test","path":"/a","value":${equal}}]`)).toBe(document);
    const refusal = refusalOf(() => patched(document, `[{"op":"test","path":"/a","value":${different}}]`));
    expect(refusal).toMatchObject({ key: 'patchTestFailed', status: 422, expression: '$this[0]' });
  });
});

describe('elements that the server controls cannot be patched', () => {
  test.each([
    ['[{"op":"replace","path":"/id","value":"p2"}]', '/id'],
    ['[{"op":"remove","path":"/id"}]', '/id'],
    ['[{"op":"replace","path":"/id","value":"p1"}]', '/id'],
    ['[{"op":"move","from":"/id","path":"/implicitRules"}]', '/id'],
    ['[{"op":"copy","from":"/name/0/family","path":"/id"}]', '/id'],
    ['[{"op":"add","path":"/id/x","value":1}]', '/id/x'],
    ['[{"op":"replace","path":"/resourceType","value":"Group"}]', '/resourceType'],
    ['[{"op":"remove","path":"/meta/versionId"}]', '/meta/versionId'],
    ['[{"op":"add","path":"/meta/lastUpdated","value":"2020-01-01T00:00:00Z"}]', '/meta/lastUpdated'],
    ['[{"op":"move","from":"/meta/versionId","path":"/x"}]', '/meta/versionId'],
    ['[{"op":"remove","path":""}]', '/resourceType by removing the whole resource'],
    ['[{"op":"replace","path":"","value":{"resourceType":"Group"}}]', '/resourceType'],
    ['[{"op":"add","path":"","value":{"resourceType":"Patient","id":"p2"}}]', '/id'],
    ['[{"op":"copy","from":"/name/0","path":""},{"op":"add","path":"/id","value":"x"}]', '/id'],
  ])('%s', (patch, path) => {
    expect(refusalOf(() => patched(patient, patch))).toMatchObject({
      key: 'patchForbidden',
      status: 422,
      reason: `A patch may not change ${path}`,
    });
  });

  test.each([
    [
      '[{"op":"replace","path":"","value":{"active":false}}]',
      '{"resourceType":"Patient","id":"p1","active":false}',
    ],
    [
      '[{"op":"replace","path":"","value":{"gender":"male","id":"p1"}}]',
      '{"resourceType":"Patient","gender":"male","id":"p1"}',
    ],
    [
      '[{"op":"copy","from":"/name/0","path":""}]',
      '{"resourceType":"Patient","id":"p1","family":"Chalmers","given":["Peter","James"]}',
    ],
    [
      '[{"op":"move","from":"/name/0","path":""}]',
      '{"resourceType":"Patient","id":"p1","family":"Chalmers","given":["Peter","James"]}',
    ],
    ['[{"op":"move","from":"","path":""}]', patient],
    [
      '[{"op":"add","path":"/name/0/id","value":"n1"},{"op":"remove","path":"/name/0/given"}]',
      '{"resourceType":"Patient","id":"p1","active":true,"name":[{"family":"Chalmers","id":"n1"}]}',
    ],
  ])('%s', (patch, expected) => {
    expect(patched(patient, patch)).toBe(expected);
  });
});
