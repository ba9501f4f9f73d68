/** The rules of http://hl7.org/fhir/R4/fhirpatch.html: what a patch does. */
import { loadDefinitions } from '../../../src/core/fhir/definitions';
import { parseJson, stringifyJson, type JsonObject } from '../../../src/core/fhir/json';
import { applyFhirPathPatch } from '../../../src/core/fhir/patch';
import {
  add,
  changed,
  insert,
  limits,
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
import { TESTED_RELEASES } from '../../support/releases';

const [official, usual] = patient['name'] as JsonObject[];

describe.each(TESTED_RELEASES)('a FHIRPath Patch under %s', (release) => {
  test.each<[title: string, resource: JsonObject, step: PatchStep | PatchStep[], after: JsonObject]>([
    [
      'adds at the end of a list',
      patient,
      add('Patient.name[1].given', 'id', { valueString: 'x' }),
      changed(patient, { name: [official ?? {}, { ...usual, _given: [{ id: 'x' }] }] }),
    ],
    [
      'adds a value to a list of primitives, and what extends the others stays with them',
      patient,
      add('Patient.name[0]', 'given', { valueString: 'Karl' }),
      changed(patient, {
        name: [
          { ...official, given: ['Peter', 'James', 'Karl'], _given: [null, { id: 'second' }, null] },
          usual ?? {},
        ],
      }),
    ],
    [
      'adds a primitive that has extensions only',
      patient,
      add('Patient.name[1]', 'family', { _valueString: { id: 'unknown' } }),
      changed(patient, { name: [official ?? {}, { ...usual, _family: { id: 'unknown' } }] }),
    ],
    [
      'adds an element that does not repeat where there is none',
      changed(patient, { active: undefined }),
      add('Patient', 'active', { valueBoolean: false }),
      changed(patient, { active: false }),
    ],
    [
      'adds an extension to a primitive that has none yet',
      patient,
      add(
        'Patient.active',
        'extension',
        parts(['url', { valueUri: 'http://example.org/why' }], ['value', { valueString: 'because' }]),
      ),
      changed(patient, {
        _active: { extension: [{ url: 'http://example.org/why', valueString: 'because' }] },
      }),
    ],
    [
      'adds a choice by its name, with the type that the value says',
      changed(observation, { valueQuantity: undefined }),
      add('Observation', 'value', { valueCodeableConcept: { text: 'heavy' } }),
      changed(observation, { valueQuantity: undefined, valueCodeableConcept: { text: 'heavy' } }),
    ],
    [
      'adds a choice by the name of its definition',
      changed(observation, { valueQuantity: undefined }),
      add('Observation', 'value[x]', { valueString: 'heavy' }),
      changed(observation, { valueQuantity: undefined, valueString: 'heavy' }),
    ],
    [
      'adds a choice by the name of its member',
      changed(observation, { valueQuantity: undefined }),
      add('Observation', 'valueString', { valueString: 'heavy' }),
      changed(observation, { valueQuantity: undefined, valueString: 'heavy' }),
    ],
    [
      'adds nested elements of anonymous types, as deep as they go',
      observation,
      add(
        'Observation',
        'component',
        parts(
          ['code', { valueCodeableConcept: { text: 'left' } }],
          ['value', { valueQuantity: { value: 1 } }],
          [
            'referenceRange',
            parts(['text', { valueString: 'normal' }], ['low', { valueQuantity: { value: 0 } }]),
          ],
          ['referenceRange', parts(['text', { valueString: 'alarming' }])],
        ),
      ),
      changed(observation, {
        component: [
          {
            code: { text: 'left' },
            valueQuantity: { value: 1 },
            referenceRange: [{ text: 'normal', low: { value: 0 } }, { text: 'alarming' }],
          },
        ],
      }),
    ],
    [
      'adds an anonymous type within a data type',
      { resourceType: 'ServiceRequest', occurrenceTiming: { event: ['2026-01-01'] } },
      add(
        'ServiceRequest.occurrence',
        'repeat',
        parts(['frequency', { valuePositiveInt: 3 }], ['bounds', { valueDuration: { value: 5, code: 'd' } }]),
      ),
      {
        resourceType: 'ServiceRequest',
        occurrenceTiming: {
          event: ['2026-01-01'],
          repeat: { frequency: 3, boundsDuration: { value: 5, code: 'd' } },
        },
      },
    ],
    [
      'adds a data type by its parts',
      patient,
      add('Patient', 'maritalStatus', parts(['text', { valueString: 'married' }])),
      changed(patient, { maritalStatus: { text: 'married' } }),
    ],
    [
      'adds a contained resource',
      patient,
      add('Patient', 'contained', { resource: { resourceType: 'Organization', id: 'o', name: 'Acme' } }),
      changed(patient, { contained: [{ resourceType: 'Organization', id: 'o', name: 'Acme' }] }),
    ],
    [
      'inserts at the beginning',
      patient,
      insert('Patient.name', 0, { valueHumanName: { text: 'first' } }),
      changed(patient, { name: [{ text: 'first' }, official ?? {}, usual ?? {}] }),
    ],
    [
      'inserts at the end',
      patient,
      insert('Patient.name', 2, { valueHumanName: { text: 'last' } }),
      changed(patient, { name: [official ?? {}, usual ?? {}, { text: 'last' }] }),
    ],
    [
      'inserts an anonymous type',
      patient,
      insert('Patient.contact', 1, parts(['gender', { valueCode: 'male' }])),
      changed(patient, { contact: [{ gender: 'female' }, { gender: 'male' }, { name: { text: 'Marie' } }] }),
    ],
    [
      'inserts a primitive',
      patient,
      insert('Patient.name[0].given', 1, { valueString: 'Karl' }),
      changed(patient, {
        name: [
          { ...official, given: ['Peter', 'Karl', 'James'], _given: [null, null, { id: 'second' }] },
          usual ?? {},
        ],
      }),
    ],
    ['deletes what is there', patient, remove('Patient.active'), changed(patient, { active: undefined })],
    ['deletes nothing where nothing is there', patient, remove('Patient.gender'), patient],
    ['deletes nothing at an index beyond the list', patient, remove('Patient.name[7]'), patient],
    [
      'deletes a primitive with what extends it',
      patient,
      remove('Patient.birthDate'),
      changed(patient, { birthDate: undefined, _birthDate: undefined }),
    ],
    [
      'deletes an extension of a primitive',
      patient,
      remove("Patient.birthDate.extension('http://example.org/time')"),
      changed(patient, { _birthDate: undefined }),
    ],
    [
      'deletes a choice by its name',
      patient,
      remove('Patient.deceased'),
      changed(patient, { deceasedBoolean: undefined }),
    ],
    [
      'deletes one of a list of primitives, and what extends the others stays with them',
      patient,
      remove('Patient.name[0].given[0]'),
      changed(patient, {
        name: [{ ...official, given: ['James'], _given: [{ id: 'second' }] }, usual ?? {}],
      }),
    ],
    [
      'leaves no empty element behind',
      patient,
      remove('Patient.contact[1].name.text'),
      changed(patient, { contact: [{ gender: 'female' }] }),
    ],
    [
      'leaves no empty list behind',
      patient,
      [remove('Patient.contact[1]'), remove('Patient.contact[0].gender')],
      changed(patient, { contact: undefined }),
    ],
    [
      'replaces a primitive and what extended it',
      patient,
      replace('Patient.birthDate', { valueDate: '1974' }),
      changed(patient, { birthDate: '1974', _birthDate: undefined }),
    ],
    [
      'replaces one of a list',
      patient,
      replace("Patient.name.where(use = 'usual')", { valueHumanName: { text: 'Jim' } }),
      changed(patient, { name: [official ?? {}, { text: 'Jim' }] }),
    ],
    [
      'replaces a choice by one of another type',
      observation,
      replace('Observation.value', { valueString: 'heavy' }),
      changed(observation, { valueQuantity: undefined, valueString: 'heavy' }),
    ],
    [
      'replaces an element of a choice that is named by its type',
      observation,
      replace('(Observation.value as Quantity).unit', { valueString: 'kilogram' }),
      changed(observation, { valueQuantity: { value: 72.5, unit: 'kilogram' } }),
    ],
    [
      'replaces an element of a contained resource that the resource refers to',
      observation,
      replace('Observation.subject.resolve().name[0].family', { valueString: 'Chalmers' }),
      changed(observation, {
        contained: [{ resourceType: 'Patient', id: 'p', name: [{ family: 'Chalmers' }] }],
      }),
    ],
    [
      'takes a value of a type that specialises the one of the element',
      patient,
      replace('Patient.name[0].family', { valueMarkdown: 'Windsor' }),
      changed(patient, { name: [{ ...official, family: 'Windsor' }, usual ?? {}] }),
    ],
    [
      'moves within a list, forwards and back',
      changed(patient, { name: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] }),
      [move('Patient.name', 0, 2), move('Patient.name', 1, 0)],
      changed(patient, { name: [{ text: 'c' }, { text: 'b' }, { text: 'a' }] }),
    ],
    [
      'moves a primitive together with what extends it',
      patient,
      move('Patient.name[0].given', 1, 0),
      changed(patient, {
        name: [{ ...official, given: ['James', 'Peter'], _given: [{ id: 'second' }, null] }, usual ?? {}],
      }),
    ],
    [
      'does each operation on what the one before has left',
      patient,
      [
        add('Patient', 'telecom', { valueContactPoint: { value: '1' } }),
        add('Patient.telecom[0]', 'rank', { valuePositiveInt: 1 }),
        replace('Patient.telecom[0].value', { valueString: '2' }),
        remove('Patient.name[0]'),
        replace('Patient.name[0].given[0]', { valueString: 'James' }),
      ],
      changed(patient, { telecom: [{ value: '2', rank: 1 }], name: [{ ...usual, given: ['James'] }] }),
    ],
    [
      'may begin a path without the name of the type',
      patient,
      replace('birthDate', { valueDate: '1975' }),
      changed(patient, { birthDate: '1975', _birthDate: undefined }),
    ],
    [
      'changes tags, security labels and profiles',
      patient,
      add('Patient.meta', 'tag', { valueCoding: { code: 'b' } }),
      changed(patient, {
        meta: { versionId: '3', lastUpdated: '2026-01-01T00:00:00Z', tag: [{ code: 'a' }, { code: 'b' }] },
      }),
    ],
    ['with no operations changes nothing', patient, [], patient],
  ])('%s', (_title, resource, step, after) => {
    const before = structuredClone(resource);
    const steps = Array.isArray(step) ? step : [step];
    expect(run(release, resource, toParameters(...steps))).toEqual(after);
    expect(resource).toEqual(before);
  });

  test('keeps the digits of what it adds and of what it does not touch', () => {
    const current = parseJson(
      '{"resourceType":"Observation","valueQuantity":{"value":72.50},"component":[{"valueQuantity":{"value":1.0}}]}',
    );
    const patch = parseJson(
      '{"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":"replace"},{"name":"path","valueString":"Observation.component[0].value.value"},{"name":"value","valueDecimal":3.140}]}]}',
    ).value as JsonObject;
    const { value, marked } = applyFhirPathPatch(current, patch, loadDefinitions(release), limits);
    expect(stringifyJson(value, marked)).toBe(
      '{"resourceType":"Observation","valueQuantity":{"value":72.50},"component":[{"valueQuantity":{"value":3.140}}]}',
    );
  });
});
