import { parseJson, type JsonObject } from '../../../../../src/core';
import { isJsonObject } from '../../../../../src/core/fhir/json';
import { checker, claiming, profileSet, runClaims } from './checking';
import { profile } from './made-snapshots';

/** As it comes from a client, with its decimals. */
function parse(text: string): JsonObject {
  const { value } = parseJson(text);
  if (!isJsonObject(value)) throw new Error('no object');
  return value;
}

describe('A profile requires values', () => {
  it('that must be exactly so: with nothing more, nothing less, decimals by value', async () => {
    const check = await checker('Observation', [
      { path: 'Observation.code', fixedCodeableConcept: { coding: [{ system: 'urn:s', code: 'c' }] } },
      { path: 'Observation.status', fixedCode: 'final' },
      { path: 'Observation.value[x]', type: [{ code: 'Quantity' }], fixedQuantity: { value: 1.5 } },
    ]);
    const right = parse(
      '{"status":"final","code":{"coding":[{"code":"c","system":"urn:s"}]},"valueQuantity":{"value":1.50}}',
    );
    expect(check(right)).toEqual([]);
    expect(
      check({
        status: 'amended',
        code: { coding: [{ system: 'urn:s', code: 'c', display: 'C' }] },
        valueQuantity: { value: 1.5, unit: 'g' },
      }),
    ).toEqual([
      'Observation.status: The value must be exactly "final", but is "amended"',
      'Observation.code: The value must be exactly {"coding":[{"system":"urn:s","code":"c"}]}, but is {"coding":[{"system":"urn:s","code":"c","display":"C"}]}',
      'Observation.value.ofType(Quantity): The value must be exactly {"value":1.5}, but is {"value":1.5,"unit":"g"}',
    ]);
  });

  it('that must be exactly so: without an extension on a primitive', async () => {
    const check = await checker('Patient', [{ path: 'Patient.gender', fixedCode: 'female' }]);
    const extension = [{ url: 'http://x.example/why', valueString: 'x' }];
    expect(check({ gender: 'female' })).toEqual([]);
    expect(check({ gender: 'female', _gender: { extension } })).toHaveLength(1);
    expect(check({ _gender: { extension } })).toEqual([
      'Patient.gender: The value must be exactly "female", but is nothing',
    ]);
  });

  it('that must be found in it: more may be there', async () => {
    const check = await checker('Observation', [
      {
        path: 'Observation.code',
        patternCodeableConcept: { coding: [{ system: 'urn:s', code: 'c' }], text: 'T' },
      },
    ]);
    const coding: JsonObject[] = [{ code: 'x' }, { system: 'urn:s', code: 'c', display: 'C' }];
    expect(check({ code: { coding, text: 'T', id: '1' } })).toEqual([]);
    const split: JsonObject[] = [{ system: 'urn:s' }, { code: 'c' }];
    expect(check({ code: { coding } })).toHaveLength(1);
    expect(check({ code: { text: 'T', coding: split } })).toEqual([
      'Observation.code: The value must have all of {"coding":[{"system":"urn:s","code":"c"}],"text":"T"}, but is {"text":"T","coding":[{"system":"urn:s"},{"code":"c"}]}',
    ]);
  });

  it('that must be found in it: decimals by value, primitives exactly, arrays in any order', async () => {
    const check = await checker('Observation', [
      { path: 'Observation.value[x]', type: [{ code: 'Quantity' }], patternQuantity: { value: 2 } },
      { path: 'Observation.subject.display', patternString: 'Ada' },
      { path: 'Observation.category', patternCodeableConcept: { coding: [{ code: 'a' }, { code: 'b' }] } },
    ]);
    const right = parse(
      '{"valueQuantity":{"value":2.0,"unit":"g"},"subject":{"display":"Ada"},' +
        '"category":[{"coding":[{"code":"b"},{"code":"c"},{"code":"a"}]}]}',
    );
    expect(check(right)).toEqual([]);
    expect(
      check({
        valueQuantity: { value: 2.01 },
        subject: { display: 'Ada L.' },
        category: [{ coding: [{ code: 'b' }] }],
      }),
    ).toHaveLength(3);
  });

  it('between limits: numbers exactly, dates by their precision, times, quantities in their units', async () => {
    const check = await checker('Observation', [
      { path: 'Observation.value[x]', type: [{ code: 'Quantity' }] },
      { path: 'Observation.value[x].value', minValueDecimal: 0.1, maxValueDecimal: 10 },
      { path: 'Observation.effective[x]', type: [{ code: 'dateTime' }], minValueDateTime: '2020-05' },
      { path: 'Observation.component.value[x]', type: [{ code: 'time' }], maxValueTime: '12:00:00' },
      {
        path: 'Observation.referenceRange.low',
        maxValueQuantity: { value: 1, system: 'http://unitsofmeasure.org', code: 'g' },
      },
    ]);
    const low = (value: number, code: string) => [
      { low: { value, system: 'http://unitsofmeasure.org', code } },
    ];
    const component = (valueTime: string) => [{ code: { text: 'C' }, valueTime }];
    expect(check(parse('{"valueQuantity":{"value":0.10}}'))).toEqual([]);
    expect(check(parse('{"valueQuantity":{"value":10.000000000000000000001}}'))).toEqual([
      'Observation.value.ofType(Quantity).value: The value 10.000000000000000000001 must be at most 10',
    ]);
    for (const effectiveDateTime of ['2020', '2020-05-01', '2021'])
      expect(check({ effectiveDateTime })).toEqual([]);
    expect(check({ effectiveDateTime: '2020-04-30' })).toEqual([
      'Observation.effective.ofType(dateTime): The value "2020-04-30" must be at least "2020-05"',
    ]);
    expect(check({ component: component('12:00:00') })).toEqual([]);
    expect(check({ component: component('12:00:01') })).toHaveLength(1);
    expect(check({ referenceRange: low(1000, 'mg') })).toEqual([]);
    expect(check({ referenceRange: low(1001, 'mg') })).toHaveLength(1);
    expect(check({ referenceRange: low(1, 'm') })).toEqual([
      'warning Observation.referenceRange[0].low: The value {"value":1,"system":"http://unitsofmeasure.org","code":"m"} cannot be compared; it must be at most {"value":1,"system":"http://unitsofmeasure.org","code":"g"}',
    ]);
  });

  it('of a limited length, counted in characters', async () => {
    const check = await checker('Patient', [{ path: 'Patient.name.text', maxLength: 3 }]);
    expect(check({ name: [{ text: 'abc' }, { text: '𝒜𝒜𝒜' }] })).toEqual([]);
    expect(check({ name: [{ text: 'abcd' }, { text: '𝒜𝒜𝒜𝒜' }] })).toEqual([
      'Patient.name[0].text: The text is longer than 3 characters',
      'Patient.name[1].text: The text is longer than 3 characters',
    ]);
  });
});

describe('A profile binds codes', () => {
  const gender = 'http://hl7.org/fhir/ValueSet/administrative-gender';

  it('to value sets whose codes are available: a code must be present and in the value set', async () => {
    const check = await checker('Patient', [
      { path: 'Patient.maritalStatus', binding: { strength: 'required', valueSet: `${gender}|4.0.1` } },
      { path: 'Patient.communication.language', binding: { strength: 'extensible', valueSet: gender } },
    ]);
    const system = 'http://hl7.org/fhir/administrative-gender';
    expect(check({ maritalStatus: { coding: [{ code: 'x' }, { system, code: 'male' }] } })).toEqual([]);
    expect(check({ maritalStatus: { text: 'male' }, communication: [{ language: { text: 'x' } }] })).toEqual([
      `Patient.maritalStatus: A text alone is not enough: one coding must be in the value set ${gender}|4.0.1; allowed are male, female, other, unknown of ${system}`,
    ]);
    expect(
      check({
        maritalStatus: { coding: [{ system, code: 'x' }] },
        communication: [{ language: { coding: [{ system, code: 'x' }] } }],
      }).map((line) => line.replace(/:.*/, '')),
    ).toEqual([
      'Patient.maritalStatus.coding[0].code',
      'warning Patient.communication[0].language.coding[0].code',
    ]);
  });

  it('to others: they wait for the terminology service', async () => {
    const valueSet = 'http://clinic.example/ValueSet/own';
    const set = await profileSet([
      profile('Own', 'Patient', [
        { path: 'Patient.maritalStatus', binding: { strength: 'required', valueSet } },
        { path: 'Patient.gender', binding: { strength: 'required', valueSet: gender } },
      ]),
    ]);
    const coding = [{ system: 'urn:s', code: 'c' }];
    const run = runClaims(
      set,
      claiming('Own', { resourceType: 'Patient', gender: 'x', maritalStatus: { coding } }),
    );
    expect(run.findings).toEqual([]);
    expect(run.pending).toEqual([
      { valueSet, strength: 'required', codings: coding, expression: 'Patient.maritalStatus.coding[0].code' },
    ]);
  });
});

describe('A profile has constraints', () => {
  it('that are run at each place, with %resource, and not again where the base has them', async () => {
    const check = await checker('Patient', [
      {
        path: 'Patient',
        constraint: [
          { key: 'own-1', severity: 'error', human: 'A name is there', expression: 'name.exists()' },
          { key: 'own-2', severity: 'warning', human: 'Better with a photo', expression: 'photo.exists()' },
        ],
      },
      {
        path: 'Patient.contact',
        constraint: [
          {
            key: 'own-3',
            severity: 'error',
            human: 'Not of the same gender',
            expression: 'gender != %resource.gender',
          },
        ],
      },
      {
        path: 'Patient.deceased[x]',
        constraint: [
          { key: 'own-4', severity: 'error', human: 'Dead', expression: '$this is boolean implies $this' },
        ],
      },
    ]);
    expect(
      check({ gender: 'male', contact: [{ gender: 'female' }, { gender: 'male' }], deceasedBoolean: false }),
    ).toEqual([
      'Patient: own-1: A name is there',
      'warning Patient: own-2: Better with a photo',
      'Patient.deceased.ofType(boolean): own-4: Dead',
      // pat-1 of the base (a contact has details) is not told here: the base is checked on its own.
      'Patient.contact[1]: own-3: Not of the same gender',
    ]);
  });

  it('of which those that cannot be run are named', async () => {
    const check = await checker('Patient', [
      {
        path: 'Patient.name',
        constraint: [
          { key: 'own-1', severity: 'error', human: 'x', expression: 'familie.exists()' },
          { key: 'own-2', severity: 'error', human: 'x', expression: 'family.memberOf(1)' },
          { key: 'own-3', severity: 'error', human: 'x', expression: 'family.' },
          { key: 'own-4', severity: 'error', human: 'For people' },
        ],
      },
    ]);
    expect(check({ name: [{ family: 'F' }] }).map((line) => line.slice(0, 75))).toEqual([
      'warning Patient: The constraint own-1 of Patient.name is not checked: Human',
      'warning Patient: The constraint own-2 of Patient.name is not checked: membe',
      'warning Patient: The constraint own-3 of Patient.name is not checked: A nam',
    ]);
  });
});
