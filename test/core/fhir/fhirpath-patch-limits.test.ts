import { loadDefinitions } from '../../../src/core/fhir/definitions';
import type { JsonObject } from '../../../src/core/fhir/json';
import { applyFhirPathPatch, createShortPathBudget } from '../../../src/core/fhir/patch';
import {
  add,
  parts,
  patient,
  remove,
  replace,
  toParameters,
  type PatchStep,
} from '../../support/fhirpath-patch';
import { refusalOf } from './refusal';

const limits = { maxOperations: 1000, maxGrowthBytes: 32_000_000, maxDepth: 64 };

describe('a FHIRPath Patch has limits', () => {
  const definitions = loadDefinitions('r4');
  const refuse = (resource: JsonObject, patch: JsonObject, changedLimits = {}): unknown =>
    refusalOf(() =>
      applyFhirPathPatch({ value: resource, marked: false }, patch, definitions, {
        ...limits,
        ...changedLimits,
      }),
    );
  const times = (count: number, step: (index: number) => PatchStep): JsonObject =>
    toParameters(...Array.from({ length: count }, (_unused, index) => step(index)));

  test('1,000 operations are allowed, 1,001 are not', () => {
    const steps = (count: number): JsonObject =>
      times(count, () => replace('Patient.active', { valueBoolean: true }));
    expect(
      applyFhirPathPatch({ value: patient, marked: false }, steps(1000), definitions, limits).value,
    ).toEqual(patient);
    expect(refuse(patient, steps(1001))).toMatchObject({ key: 'tooManyPatchOperations', status: 413 });
  });

  test('added content may not grow beyond the limit', () => {
    const grow = times(100, () => add('Patient', 'name', { valueHumanName: { text: 'x'.repeat(1000) } }));
    expect(refuse(patient, grow, { maxGrowthBytes: 50_000 })).toMatchObject({
      key: 'tooCostly',
      status: 422,
    });
  });

  test('the result may not be nested too deep', () => {
    const nest = times(80, (index) =>
      add(`Questionnaire${'.item'.repeat(index)}`, 'item', parts(['linkId', { valueString: `q${index}` }])),
    );
    const questionnaire = { resourceType: 'Questionnaire', status: 'draft' };
    expect(refuse(questionnaire, nest)).toMatchObject({ key: 'tooCostly', status: 422 });
  });

  test('paths may not go through too many values, nor be too long together', () => {
    const name = Array.from({ length: 500 }, (_unused, index) => ({ text: `n${index}` }));
    const many = times(1000, (index) => remove(`Patient.name.where(text = 'm${index}').text`));
    const nested = times(1, () =>
      remove("Patient.name.where($this.combine(%resource.name).where(text = 'y').exists())"),
    );
    const long = times(1000, (index) => remove(`Patient.name.where(text = '${'x'.repeat(120)}${index}')`));
    expect(refuse({ resourceType: 'Patient', name }, many, { paths: createShortPathBudget() })).toMatchObject(
      {
        key: 'tooCostly',
        expression: expect.stringMatching(/^Parameters\.parameter\[\d+\]\.part\[1\]\.value$/),
      },
    );
    expect(
      refuse({ resourceType: 'Patient', name }, nested, { paths: createShortPathBudget() }),
    ).toMatchObject({ key: 'tooCostly' });
    expect(refuse(patient, long, { paths: createShortPathBudget() })).toMatchObject({ key: 'tooCostly' });
  });

  test('members that reach into prototypes are refused', () => {
    const evil = JSON.parse('{"valueHumanName":{"__proto__":{"polluted":true},"text":"x"}}') as JsonObject;
    expect(refuse(patient, toParameters(add('Patient', 'name', evil)))).toMatchObject({
      key: 'invalidValue',
    });
    const named = add('Patient', '__proto__', { valueString: 'x' });
    expect(refuse(patient, toParameters(named))).toMatchObject({ key: 'patchNotApplicable' });
    expect(refuse(patient, toParameters(remove('Patient.constructor.prototype')))).toMatchObject({
      key: 'patchNotApplicable',
    });
    expect('polluted' in {}).toBe(false);
  });
});
