import { parseJson, stringifyJson, type JsonValue } from '../../../src/core/fhir/json';
import { applyJsonPatch, dropGeneratedNarrative } from '../../../src/core/fhir/patch';
import { refusalOf } from './refusal';

const limits = { maxOperations: 1000, maxGrowthBytes: 32_000_000, maxDepth: 64 };

/** Applies the text of a patch to the text of a document and writes the result. */
function patched(document: string, patch: string): string {
  const { value, marked } = applyJsonPatch(parseJson(document), parseJson(patch), limits);
  return stringifyJson(value, marked);
}

describe('the examples of RFC 6902', () => {
  test.each([
    [
      'A.1 adding an object member',
      '{"foo":"bar"}',
      '[{"op":"add","path":"/baz","value":"qux"}]',
      '{"foo":"bar","baz":"qux"}',
    ],
    [
      'A.2 adding an array element',
      '{"foo":["bar","baz"]}',
      '[{"op":"add","path":"/foo/1","value":"qux"}]',
      '{"foo":["bar","qux","baz"]}',
    ],
    [
      'A.3 removing an object member',
      '{"baz":"qux","foo":"bar"}',
      '[{"op":"remove","path":"/baz"}]',
      '{"foo":"bar"}',
    ],
    [
      'A.4 removing an array element',
      '{"foo":["bar","qux","baz"]}',
      '[{"op":"remove","path":"/foo/1"}]',
      '{"foo":["bar","baz"]}',
    ],
    [
      'A.5 replacing a value',
      '{"baz":"qux","foo":"bar"}',
      '[{"op":"replace","path":"/baz","value":"boo"}]',
      '{"baz":"boo","foo":"bar"}',
    ],
    [
      'A.6 moving a value',
      '{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}',
      '[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]',
      '{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}',
    ],
    [
      'A.7 moving an array element',
      '{"foo":["all","grass","cows","eat"]}',
      '[{"op":"move","from":"/foo/1","path":"/foo/3"}]',
      '{"foo":["all","cows","eat","grass"]}',
    ],
    [
      'A.8 testing a value: success',
      '{"baz":"qux","foo":["a",2,"c"]}',
      '[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]',
      '{"baz":"qux","foo":["a",2,"c"]}',
    ],
    [
      'A.10 adding a nested member object',
      '{"foo":"bar"}',
      '[{"op":"add","path":"/child","value":{"grandchild":{}}}]',
      '{"foo":"bar","child":{"grandchild":{}}}',
    ],
    [
      'A.11 ignoring unrecognized elements',
      '{"foo":"bar"}',
      '[{"op":"add","path":"/baz","value":"qux","xyz":123}]',
      '{"foo":"bar","baz":"qux"}',
    ],
    [
      'A.14 ~ escape ordering',
      '{"/":9,"~1":10}',
      '[{"op":"test","path":"/~01","value":10}]',
      '{"/":9,"~1":10}',
    ],
    [
      'A.16 adding an array value',
      '{"foo":["bar"]}',
      '[{"op":"add","path":"/foo/-","value":["abc","def"]}]',
      '{"foo":["bar",["abc","def"]]}',
    ],
  ])('%s', (_title, document, patch, expected) => {
    expect(patched(document, patch)).toBe(expected);
  });

  test.each([
    [
      'A.9 testing a value: error',
      '{"baz":"qux"}',
      '[{"op":"test","path":"/baz","value":"bar"}]',
      'patchTestFailed',
    ],
    [
      'A.12 adding to a nonexistent target',
      '{"foo":"bar"}',
      '[{"op":"add","path":"/baz/bat","value":"qux"}]',
      'patchNotApplicable',
    ],
    [
      'A.13 invalid JSON patch document',
      '{"foo":"bar"}',
      '[{"op":"add","path":"/baz","value":"qux","op":"remove"}]',
      'invalidResource',
    ],
    [
      'A.15 comparing strings and numbers',
      '{"/":9,"~1":10}',
      '[{"op":"test","path":"/~01","value":"10"}]',
      'patchTestFailed',
    ],
  ])('%s', (_title, document, patch, key) => {
    expect(refusalOf(() => patched(document, patch)).key).toBe(key);
  });
});

const patient =
  '{"resourceType":"Patient","id":"p1","active":true,"name":[{"family":"Chalmers","given":["Peter","James"]}]}';

describe('an operation', () => {
  test.each([
    ['replaces a member that an add names', '{"a":1}', '[{"op":"add","path":"/a","value":2}]', '{"a":2}'],
    [
      'adds at the beginning of an array',
      '{"a":[1]}',
      '[{"op":"add","path":"/a/0","value":0}]',
      '{"a":[0,1]}',
    ],
    [
      'adds at the end of an array by its index',
      '{"a":[1]}',
      '[{"op":"add","path":"/a/1","value":2}]',
      '{"a":[1,2]}',
    ],
    ['adds to an empty array', '{"a":[]}', '[{"op":"add","path":"/a/-","value":2}]', '{"a":[2]}'],
    ['adds null', '{"a":1}', '[{"op":"add","path":"/b","value":null}]', '{"a":1,"b":null}'],
    ['replaces by null', '{"a":1}', '[{"op":"replace","path":"/a","value":null}]', '{"a":null}'],
    ['tests null', '{"a":null}', '[{"op":"test","path":"/a","value":null}]', '{"a":null}'],
    ['replaces a null', '{"a":null}', '[{"op":"replace","path":"/a","value":1}]', '{"a":1}'],
    [
      'removes false, zero and the empty string',
      '{"a":false,"b":0,"c":""}',
      '[{"op":"remove","path":"/a"},{"op":"remove","path":"/b"},{"op":"remove","path":"/c"}]',
      '{}',
    ],
    ['moves a false', '{"a":false}', '[{"op":"move","from":"/a","path":"/b"}]', '{"b":false}'],
    [
      'reaches a member with an empty name',
      '{"":{"":1}}',
      '[{"op":"replace","path":"//","value":2}]',
      '{"":{"":2}}',
    ],
    [
      'reaches a member with a slash',
      '{"a/b":1}',
      '[{"op":"replace","path":"/a~1b","value":2}]',
      '{"a/b":2}',
    ],
    [
      'reaches a member with a tilde',
      '{"a~b":1}',
      '[{"op":"replace","path":"/a~0b","value":2}]',
      '{"a~b":2}',
    ],
    [
      'reaches a member with a percent sign, a quote or a space',
      '{"%25":1,"\\"":2," ":3}',
      '[{"op":"remove","path":"/%25"},{"op":"remove","path":"/\\""},{"op":"remove","path":"/ "}]',
      '{}',
    ],
    [
      'reaches a member called like a number',
      '{"0":1}',
      '[{"op":"replace","path":"/0","value":2}]',
      '{"0":2}',
    ],
    ['reaches a member called -', '{"-":1}', '[{"op":"replace","path":"/-","value":2}]', '{"-":2}'],
    [
      'adds a member called like a method',
      '{"a":1}',
      '[{"op":"add","path":"/toString","value":2}]',
      '{"a":1,"toString":2}',
    ],
    [
      'copies a value, not a link to it',
      '{"a":{"x":1}}',
      '[{"op":"copy","from":"/a","path":"/b"},{"op":"replace","path":"/b/x","value":2}]',
      '{"a":{"x":1},"b":{"x":2}}',
    ],
    ['copies into an array', '{"a":[1,2]}', '[{"op":"copy","from":"/a/0","path":"/a/-"}]', '{"a":[1,2,1]}'],
    [
      'copies a value into itself',
      '{"a":{"x":1}}',
      '[{"op":"copy","from":"/a","path":"/a/y"}]',
      '{"a":{"x":1,"y":{"x":1}}}',
    ],
    [
      'copies the whole into a member',
      '{"a":1}',
      '[{"op":"copy","from":"","path":"/b"}]',
      '{"a":1,"b":{"a":1}}',
    ],
    ['moves over an existing member', '{"a":1,"b":2}', '[{"op":"move","from":"/a","path":"/b"}]', '{"b":1}'],
    [
      'moves onto an ancestor',
      '{"a":{"b":{"c":1}}}',
      '[{"op":"move","from":"/a/b","path":"/a"}]',
      '{"a":{"c":1}}',
    ],
    ['moves to where it is', '{"a":1}', '[{"op":"move","from":"/a","path":"/a"}]', '{"a":1}'],
    [
      'moves to a name that begins alike',
      '{"a":{"x":1}}',
      '[{"op":"move","from":"/a","path":"/ab"}]',
      '{"ab":{"x":1}}',
    ],
    [
      'moves to the end of the same array',
      '{"a":[1,2]}',
      '[{"op":"move","from":"/a/0","path":"/a/1"}]',
      '{"a":[2,1]}',
    ],
    [
      'tests the whole',
      '{"a":[1,{"b":2}]}',
      '[{"op":"test","path":"","value":{"a":[1,{"b":2}]}}]',
      '{"a":[1,{"b":2}]}',
    ],
    [
      'tests objects whatever the order of their members',
      '{"a":{"x":1,"y":2}}',
      '[{"op":"test","path":"/a","value":{"y":2,"x":1}}]',
      '{"a":{"x":1,"y":2}}',
    ],
    [
      'sees what the operations before it did',
      '{"a":1}',
      '[{"op":"add","path":"/b","value":{}},{"op":"add","path":"/b/c","value":[]},{"op":"add","path":"/b/c/-","value":3}]',
      '{"a":1,"b":{"c":[3]}}',
    ],
    ['may be missing', '{"a":1}', '[]', '{"a":1}'],
    [
      'keeps the digits of decimals',
      '{"a":1.00,"b":2.50}',
      '[{"op":"copy","from":"/a","path":"/c"},{"op":"add","path":"/d","value":1e-7},{"op":"remove","path":"/b"}]',
      '{"a":1.00,"c":1.00,"d":1e-7}',
    ],
    [
      'tests decimals by value',
      '{"a":1.00,"b":100,"c":[0.10]}',
      '[{"op":"test","path":"/a","value":1.0},{"op":"test","path":"/a","value":1},{"op":"test","path":"/b","value":1.0e2},{"op":"test","path":"/c","value":[0.1]}]',
      '{"a":1.00,"b":100,"c":[0.10]}',
    ],
    [
      'tests the type of the resource',
      patient,
      '[{"op":"test","path":"/resourceType","value":"Patient"},{"op":"test","path":"/id","value":"p1"}]',
      patient,
    ],
  ])('%s', (_title, document, patch, expected) => {
    expect(patched(document, patch)).toBe(expected);
  });

  test('leaves the resource and the patch as they were', () => {
    const document = parseJson('{"a":{"x":1}}');
    const patch = parseJson(
      '[{"op":"add","path":"/b","value":{"y":1}},{"op":"add","path":"/b/z","value":2},{"op":"remove","path":"/a/x"}]',
    );
    const before = [JSON.stringify(document), JSON.stringify(patch)];
    applyJsonPatch(document, patch, limits);
    expect([JSON.stringify(document), JSON.stringify(patch)]).toEqual(before);
    expect(applyJsonPatch(document, patch, limits).value).toEqual({ a: {}, b: { y: 1, z: 2 } });
  });

  test('after a failing one nothing is changed', () => {
    const document = parseJson('{"a":1}');
    const patch = parseJson('[{"op":"replace","path":"/a","value":2},{"op":"remove","path":"/nothing"}]');
    expect(refusalOf(() => applyJsonPatch(document, patch, limits)).status).toBe(422);
    expect(document.value).toEqual({ a: 1 });
  });
});

describe('a generated narrative', () => {
  const narrative = { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">Peter</div>' };
  const after = (value: JsonValue, before: JsonValue): JsonValue =>
    dropGeneratedNarrative({ value: before, marked: false }, { value, marked: false }).value;
  const before = { resourceType: 'Patient', text: narrative, active: true, meta: { tag: [{ code: 'a' }] } };

  test('is dropped when the content was changed and it was not', () => {
    expect(after({ ...before, active: false }, before)).toEqual({
      resourceType: 'Patient',
      active: false,
      meta: before.meta,
    });
    expect(
      after({ ...before, multipleBirthInteger: '\u00012.0' }, { ...before, multipleBirthInteger: 2 }),
    ).not.toHaveProperty('text');
  });

  test.each([
    ['nothing was changed', before],
    ['only meta was changed', { ...before, meta: {} }],
    ['it was changed too', { ...before, active: false, text: { ...narrative, div: '<div>Paul</div>' } }],
    ['only the order of members was changed', { active: true, text: narrative, resourceType: 'Patient' }],
  ])('stays when %s', (_case, value: JsonValue) => {
    expect(after(value, before)).toEqual(value);
  });

  test('stays when it was not generated, or is new', () => {
    const additional = { ...before, text: { ...narrative, status: 'additional' } };
    expect(after({ ...additional, active: false }, additional)).toHaveProperty('text');
    expect(after({ ...before, active: false }, { resourceType: 'Patient', active: true })).toHaveProperty(
      'text',
    );
  });
});
