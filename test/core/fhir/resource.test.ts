import { FhirError } from '../../../src/core/errors';
import { parseJson } from '../../../src/core/fhir/json';
import { checkResource, isValidId, type IdMode } from '../../../src/core/fhir/resource';
import { refusalOf } from './refusal';

const releaseTypes = new Set(['Patient', 'Observation']);
const check = (text: string, idMode: IdMode = 'assigned'): unknown =>
  checkResource(parseJson(text), { type: 'Patient', releaseTypes, idMode });

test.each([
  ['a', true],
  ['A-1.b', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['', false],
  ['a b', false],
  ['a_b', false],
  ['ä', false],
  ['a\n', false],
])('%j is a valid id: %s', (id, expected) => {
  expect(isValidId(id)).toBe(expected);
});

describe('a resource is accepted', () => {
  test.each([
    ['{"resourceType":"Patient"}', 'assigned'],
    ['{"resourceType":"Patient","id":"client-sent"}', 'assigned'],
    ['{"id":"p1","resourceType":"Patient"}', { id: 'p1' }],
    ['{"resourceType":"Patient","meta":5}', 'assigned'],
    ['{"resourceType":"Patient","meta":{"tag":[null,"SUBSETTED"]}}', 'assigned'],
    [
      '{"resourceType":"Patient","meta":{"versionId":"9","lastUpdated":"2020-01-01T00:00:00Z","source":"urn:a","profile":["http://a"],' +
        '"security":[{"code":"R"}],"tag":[{"system":"http://b","code":"SUBSETTED"}],"extension":[{"url":"http://c","valueCode":"d"}]}}',
      'assigned',
    ],
    ['{"resourceType":"Patient","meta":{"profile":[null],"_profile":[{"id":"x"}]}}', 'assigned'],
  ] satisfies [string, IdMode][])('%s', (text, idMode) => {
    expect(check(text, idMode)).toEqual(JSON.parse(text));
  });
});

describe('a resource is refused with 400', () => {
  test.each([
    ['[]', 'The body must be a JSON object: a Patient resource', undefined],
    ['null', 'The body must be a JSON object: a Patient resource', undefined],
    ['"Patient"', 'The body must be a JSON object: a Patient resource', undefined],
    ['{}', "The body has no resourceType; at this address it must be 'Patient'", 'Patient.resourceType'],
    ['{"resourceType":1}', 'resourceType must be a string', 'Patient.resourceType'],
    [
      '{"resourceType":"Observation"}',
      "The body is a 'Observation', but the address is for Patient",
      'Patient.resourceType',
    ],
    [
      '{"resourceType":"patient"}',
      "The body is a 'patient', which is not a resource type of this FHIR release, but the address is for Patient; did you mean Patient?",
      'Patient.resourceType',
    ],
  ])('%s', (text, reason, expression) => {
    expect(refusalOf(() => check(text))).toEqual({
      key: 'invalidResource',
      status: 400,
      reason,
      ...(expression === undefined ? {} : { expression }),
    });
  });

  test.each([
    ['{"resourceType":"Patient"}', "The body has no id; an update must repeat the id of its address, 'p1'"],
    [
      '{"resourceType":"Patient","id":"p2"}',
      "The id in the body, 'p2', differs from the id of the address, 'p1'",
    ],
    ['{"resourceType":"Patient","id":1}', 'id must be a string'],
  ])('an update with %s', (text, reason) => {
    expect(refusalOf(() => check(text, { id: 'p1' }))).toMatchObject({
      status: 400,
      reason,
      expression: 'Patient.id',
    });
  });

  test('all faults are reported at once, and a SUBSETTED tag does not hide them', () => {
    const text =
      '{"resourceType":"Observation","meta":{"tag":[{"system":"http://terminology.hl7.org/CodeSystem/v3-ObservationValue","code":"SUBSETTED"}]}}';
    try {
      check(text, { id: 'p1' });
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(FhirError);
      expect(thrown).toMatchObject({ status: 400 });
      const expressions = thrown instanceof FhirError ? thrown.issues.map((issue) => issue.expression) : [];
      expect(expressions).toEqual(['Patient.resourceType', 'Patient.id']);
    }
    expect.assertions(3);
  });
});

test('a resource tagged SUBSETTED is refused with 422', () => {
  const text =
    '{"resourceType":"Patient","meta":{"tag":[{"code":"x"},{"system":"http://terminology.hl7.org/CodeSystem/v3-ObservationValue","code":"SUBSETTED"}]}}';
  expect(refusalOf(() => check(text))).toMatchObject({
    key: 'subsetted',
    status: 422,
    expression: 'Patient.meta.tag[1]',
  });
});
