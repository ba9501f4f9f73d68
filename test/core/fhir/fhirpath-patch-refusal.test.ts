/** The rules of http://hl7.org/fhir/R4/fhirpatch.html: what is refused, and how it is told. */
import { FhirError } from '../../../src/core/errors';
import type { JsonObject, JsonValue } from '../../../src/core/fhir/json';
import {
  add,
  changed,
  insert,
  move,
  observation,
  parts,
  patient,
  remove,
  replace,
  run,
  toParameters,
  type PatchStep,
} from '../../support/fhirpath-patch';
import { refusalOf } from './refusal';
import { TESTED_RELEASES } from '../../support/releases';

describe.each(TESTED_RELEASES)('a FHIRPath Patch under %s', (release) => {
  // prettier-ignore
  test.each<[title: string, resource: JsonObject, step: PatchStep, part: string, reason: string]>([
    ['add to what is not there', patient, add('Patient.maritalStatus', 'text', { valueString: 'x' }), 'part[1].value', 'there is nothing at this path'],
    ['add to several', patient, add('Patient.name', 'text', { valueString: 'x' }), 'part[1].value', 'leads to 2 elements'],
    ['add what is there and does not repeat', patient, add('Patient', 'active', { valueBoolean: true }), 'part[2].value', 'does not repeat'],
    ['add a choice that is there with another type', patient, add('Patient', 'deceased', { valueDateTime: '2020' }), 'part[2].value', 'does not repeat'],
    ['add an element that the type does not have', patient, add('Patient', 'weight', { valueDecimal: 1 }), 'part[2].value', "Patient has no element 'weight'"],
    ['add a value of a wrong type', patient, add('Patient', 'gender', { valueString: 'male' }), 'part[3].value', 'A value of the type code is required here, not a string'],
    ['add a value of a type that the choice does not have', patient, add('Patient.contact[0]', 'name', { valueString: 'x' }), 'part[3].value', 'of the type HumanName'],
    ['add a data type for an anonymous type', patient, add('Patient', 'contact', { valueHumanName: { text: 'x' } }), 'part[3].value', 'given with parts'],
    ['add a data type for an anonymous type within a data type', { resourceType: 'ServiceRequest', occurrenceTiming: { event: ['2026-01-01'] } }, add('ServiceRequest.occurrence', 'repeat', { valueTiming: {} }), 'part[3].value', 'given with parts'],
    ['add a date where a dateTime is needed', { resourceType: 'ServiceRequest', status: 'draft' }, add('ServiceRequest', 'authoredOn', { valueDate: '2026-01-01' }), 'part[3].value', 'of the type dateTime'],
    ['add parts for a choice', changed(observation, { valueQuantity: undefined }), add('Observation', 'value', parts(['text', { valueString: 'x' }])), 'part[3].part', 'parts do not determine its type'],
    ['add a part that the type does not have', patient, add('Patient', 'contact', parts(['weight', { valueString: 'x' }])), 'part[3].part[0].name', 'no element'],
    ['add a part of a wrong type', patient, add('Patient', 'contact', parts(['gender', { valueCode: 'male' }], ['name', { valueString: 'x' }])), 'part[3].part[1].value', 'of the type HumanName'],
    ['add a part twice', patient, add('Patient', 'contact', parts(['gender', { valueCode: 'male' }], ['gender', { valueCode: 'male' }])), 'part[3].part[1].name', 'does not repeat'],
    ['add a resource for an element', patient, add('Patient', 'name', { resource: { resourceType: 'Basic' } }), 'part[3].resource', 'not a resource'],
    ['insert into a list that is not there', patient, insert('Patient.telecom', 0, { valueContactPoint: {} }), 'part[1].value', 'there is nothing at this path'],
    ['insert beyond the end', patient, insert('Patient.name', 3, { valueHumanName: { text: 'x' } }), 'part[2].value', 'beyond the end of the list of 2'],
    ['insert into what is no list', patient, insert('Patient.birthDate', 0, { valueDate: '1974' }), 'part[1].value', 'is not a list'],
    ['insert into a part of a list', patient, insert("Patient.name.where(use = 'usual')", 0, { valueHumanName: {} }), 'part[1].value', 'one list'],
    ['insert into several lists', patient, insert('Patient.name.given', 0, { valueString: 'x' }), 'part[1].value', 'one list'],
    ['insert a value of a wrong type', patient, insert('Patient.name', 0, { valueString: 'x' }), 'part[3].value', 'of the type HumanName'],
    ['delete several', patient, remove('Patient.name'), 'part[1].value', 'leads to 2 elements'],
    ['delete the resource', patient, remove('Patient'), 'part[1].value', 'the resource itself'],
    ['delete what is computed', patient, remove('Patient.name.count()'), 'part[1].value', 'does not lead to an element'],
    ['delete what is written in the path', patient, remove("'x'"), 'part[1].value', 'does not lead to an element'],
    ['delete what only tells a type', patient, remove('Patient.birthDate.type().name'), 'part[1].value', 'does not lead to an element'],
    ['delete an element that the type does not have', patient, remove('Patient.weight'), 'part[1].value', "no element 'weight'"],
    ['replace what is not there', patient, replace('Patient.gender', { valueCode: 'male' }), 'part[1].value', 'there is nothing at this path'],
    ['replace several', patient, replace('Patient.name.given', { valueString: 'x' }), 'part[1].value', 'leads to 3 elements'],
    ['replace a value by one of a wrong type', patient, replace('Patient.birthDate', { valueString: '1974' }), 'part[2].value', 'of the type date'],
    ['replace an element of another resource', changed(observation, { subject: { reference: 'Patient/1' } }), replace('Observation.subject.resolve().id', { valueId: '2' }), 'part[1].value', 'does not lead to an element'],
    ['move in a list that is not there', patient, move('Patient.telecom', 0, 0), 'part[1].value', 'there is nothing at this path'],
    ['move from beyond the end', patient, move('Patient.name', 2, 0), 'part[2].value', 'the index 2 does not exist in the list of 2'],
    ['move to beyond the end', patient, move('Patient.name', 0, 2), 'part[3].value', 'the index 2 does not exist in the list of 2'],
    ['move in what is no list', patient, move('Patient.birthDate', 0, 0), 'part[1].value', 'is not a list'],
  ])('cannot %s', (_title, resource, step, part, reason) => {
    const before = structuredClone(resource);
    // The operation before it is not kept either.
    const patch = toParameters(add('$this', 'language', { valueCode: 'en' }), step);
    const refusal = refusalOf(() => run(release, resource, patch));
    expect(refusal).toMatchObject({
      key: 'patchNotApplicable',
      status: 422,
      expression: `Parameters.parameter[1].${part}`,
    });
    expect(refusal.reason).toContain(reason);
    expect(resource).toEqual(before);
  });

  // prettier-ignore
  test.each([
    ['the id', replace('Patient.id', { valueId: 'other' }), 'Patient.id'],
    ['the id by deleting it', remove('Patient.id'), 'Patient.id'],
    ['what extends the id', add('Patient.id', 'extension', parts(['url', { valueUri: 'http://example.org' }])), 'Patient.id'],
    ['the type', add('Patient', 'resourceType', { valueString: 'Person' }), 'Patient.resourceType'],
    ['the version', replace('Patient.meta.versionId', { valueId: '9' }), 'Patient.meta.versionId'],
    ['the time', remove('Patient.meta.lastUpdated'), 'Patient.meta.lastUpdated'],
  ])('may not change %s', (_title, step, path) => {
    expect(refusalOf(() => run(release, patient, toParameters(step)))).toMatchObject({
      key: 'patchForbidden',
      status: 422,
      reason: `A patch may not change ${path}`,
      expression: 'Parameters.parameter[0].part[1].value',
    });
  });

  // prettier-ignore
  test.each<[title: string, operation: JsonValue, place: string, reason: string]>([
    ['another name', { name: 'op', part: [] }, '.name', "'operation'"],
    ['no parts', { name: 'operation' }, '', 'it needs parts'],
    ['no type', { name: 'operation', part: [{ name: 'path', valueString: 'Patient' }] }, '', "'type' is missing"],
    ['no path', { name: 'operation', part: [{ name: 'type', valueCode: 'delete' }] }, '', "'path' is missing"],
    ['a type that is none', { name: 'operation', part: [{ name: 'type', valueCode: 'copy' }, { name: 'path', valueString: 'Patient' }] }, '.part[0].value', "not 'copy'"],
    ['a type of another type', { name: 'operation', part: [{ name: 'type', valueBoolean: true }, { name: 'path', valueString: 'Patient' }] }, '.part[0]', 'must be given as a code'],
    ['two paths', { name: 'operation', part: [{ name: 'type', valueCode: 'delete' }, { name: 'path', valueString: 'Patient' }, { name: 'path', valueString: 'Patient' }] }, '.part[2]', 'given twice'],
    ['a part that the operation does not have', { name: 'operation', part: [{ name: 'type', valueCode: 'delete' }, { name: 'path', valueString: 'Patient' }, { name: 'value', valueString: 'x' }] }, '.part[2].name', "'delete' has no part 'value'"],
    ['an index below 0', { name: 'operation', part: [{ name: 'type', valueCode: 'insert' }, { name: 'path', valueString: 'Patient.name' }, { name: 'index', valueInteger: -1 }, { name: 'value', valueHumanName: {} }] }, '.part[2].value', 'whole number from 0'],
    ['no index', { name: 'operation', part: [{ name: 'type', valueCode: 'insert' }, { name: 'path', valueString: 'Patient.name' }, { name: 'value', valueHumanName: {} }] }, '', "'index' is missing"],
    ['no name', { name: 'operation', part: [{ name: 'type', valueCode: 'add' }, { name: 'path', valueString: 'Patient' }, { name: 'value', valueBoolean: true }] }, '', "'name' is missing"],
    ['no destination', { name: 'operation', part: [{ name: 'type', valueCode: 'move' }, { name: 'path', valueString: 'Patient.name' }, { name: 'source', valueInteger: 0 }] }, '', "'destination' is missing"],
    ['a modifier extension', { name: 'operation', modifierExtension: [{ url: 'http://example.org/not' }], part: [{ name: 'type', valueCode: 'delete' }, { name: 'path', valueString: 'Patient.active' }] }, '.modifierExtension', 'not supported'],
    ['two values', { name: 'operation', part: [{ name: 'type', valueCode: 'replace' }, { name: 'path', valueString: 'Patient.birthDate' }, { name: 'value', valueDate: '1974', valueString: 'x' }] }, '.part[2]', 'only one of'],
    ['a value that is empty', { name: 'operation', part: [{ name: 'type', valueCode: 'replace' }, { name: 'path', valueString: 'Patient.birthDate' }, { name: 'value' }] }, '.part[2]', 'needs a value'],
    ['a path that is no FHIRPath', { name: 'operation', part: [{ name: 'type', valueCode: 'delete' }, { name: 'path', valueString: 'Patient.name[' }] }, '.part[1].value', 'too early'],
  ])('with %s is not one', (_title, operation, place, reason) => {
    const refusal = refusalOf(() => {
      return run(release, patient, { resourceType: 'Parameters', parameter: [operation] });
    });
    expect(refusal).toMatchObject({
      key: 'fhirPathPatchInvalid',
      status: 400,
      expression: `Parameters.parameter[0]${place}`,
    });
    expect(refusal.reason).toContain(reason);
  });

  test('with unsupported FHIRPath is refused as not supported', () => {
    const patch = toParameters(remove("Patient.name.where(use.memberOf('http://example.org/vs'))"));
    expect(refusalOf(() => run(release, patient, patch))).toMatchObject({
      key: 'notSupported',
      status: 422,
      expression: 'Parameters.parameter[0].part[1].value',
    });
  });

  test('gets all faults of its form at once', () => {
    expect.assertions(1);
    try {
      run(release, patient, toParameters({ type: 'add' }, { type: 'jump', path: 'Patient' }));
    } catch (thrown) {
      if (!(thrown instanceof FhirError)) throw thrown;
      expect(thrown.issues.map(({ expression }) => expression)).toEqual([
        'Parameters.parameter[0]',
        'Parameters.parameter[0]',
        'Parameters.parameter[0]',
        'Parameters.parameter[1].part[0].value',
      ]);
    }
  });
});
