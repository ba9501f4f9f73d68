/**
 * HL7's cases of FHIRPath Patch (github.com/FHIR/fhir-test-cases, r4/patch: fhir-patch-tests.xml and its forerunner
 * fhir-path-tests.xml), restated in JSON under their names.
 */
import type { JsonObject } from '../../src/core/fhir/json';
import { parts, type PatchStep } from './fhirpath-patch';

const born = { birthDate: '1920-01-01' };
const contact = (members: JsonObject): JsonObject => ({ contact: [members] });
const named = { name: { text: 'a name' } };
const identifier = (number: number): JsonObject => ({
  system: 'http://example.org',
  value: `value ${number}`,
});
const identifiers = (...numbers: number[]): JsonObject => ({ identifier: numbers.map(identifier) });
const third = { valueIdentifier: identifier(3) };
const move = (source: number, destination: number): PatchStep => {
  return { type: 'move', path: 'Patient.identifier', source, destination };
};
const remove = (path: string): PatchStep => ({ type: 'delete', path });

const chalmers: JsonObject = {
  id: 'example',
  text: {
    status: 'generated',
    div: '<div xmlns="http://www.w3.org/1999/xhtml"><table><tbody><tr><td>Name</td><td>Peter James <b>Chalmers</b> ("Jim")</td></tr></tbody></table></div>',
  },
  identifier: [
    {
      use: 'usual',
      type: { coding: [{ system: 'http://hl7.org/fhir/v2/0203', code: 'MR' }] },
      system: 'urn:oid:1.2.36.146.595.217.0.1',
      value: '12345',
      period: { start: '2001-05-06' },
      assigner: { display: 'Acme Healthcare' },
    },
  ],
  active: true,
  name: [
    { use: 'official', family: 'Chalmers', given: ['Peter', 'James'] },
    { use: 'usual', given: ['Jim'] },
  ],
  telecom: [{ use: 'home' }, { system: 'phone', value: '(03) 5555 6473', use: 'work' }],
  gender: 'male',
  birthDate: '1974-12-25',
  _birthDate: {
    extension: [
      {
        url: 'http://hl7.org/fhir/StructureDefinition/patient-birthTime',
        valueDateTime: '1974-12-25T14:35:45-05:00',
      },
    ],
  },
  deceasedBoolean: false,
  managingOrganization: { reference: 'Organization/1' },
};
const renamed = structuredClone(chalmers);
const narrative = {
  status: 'generated',
  div: '<div xmlns="http://www.w3.org/1999/xhtml"><table><tbody><tr><td>Name</td><td>Peter James <b>Chalmers1</b> ("Jim")</td></tr></tbody></table></div>',
};
renamed['text'] = narrative;
renamed['name'] = [
  { use: 'official', family: 'Chalmers1', given: ['Peter', 'James'] },
  { use: 'usual', given: ['Jim'] },
];

const marche: JsonObject = {
  name: {
    family: 'du Marché',
    _family: {
      extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/humanname-own-prefix', valueString: 'WW' }],
    },
    given: ['Bénédicte'],
  },
};

/** Name, Patient before, operations, Patient after; undefined: refused because nothing is at the path. */
export const fhirPathPatchCases: [
  name: string,
  before: JsonObject,
  steps: PatchStep[],
  after: JsonObject | undefined,
][] = [
  ['No Difference', born, [], born],
  [
    'Replace Primitive',
    born,
    [{ type: 'replace', path: 'Patient.birthDate', value: { valueDate: '1930-01-01' } }],
    { birthDate: '1930-01-01' },
  ],
  ['Delete Primitive', born, [remove('Patient.birthDate')], {}],
  [
    'Add Primitive',
    {},
    [{ type: 'add', path: 'Patient', name: 'birthDate', value: { valueDate: '1930-01-01' } }],
    { birthDate: '1930-01-01' },
  ],
  ['Delete Primitive #2', born, [remove('Patient.birthDate')], {}],
  [
    'Replace Nested Primitive #1',
    contact({ ...named, gender: 'male' }),
    [{ type: 'replace', path: 'Patient.contact[0].gender', value: { valueCode: 'female' } }],
    contact({ ...named, gender: 'female' }),
  ],
  [
    'Replace Nested Primitive #2',
    contact({ ...named, gender: 'male' }),
    [{ type: 'replace', path: 'Patient.contact[0].name.text', value: { valueString: 'the name' } }],
    contact({ name: { text: 'the name' }, gender: 'male' }),
  ],
  [
    'Delete Nested Primitive #1',
    contact({ ...named, gender: 'male' }),
    [remove('Patient.contact[0].gender')],
    contact(named),
  ],
  [
    'Delete Nested Primitive #2',
    contact({ ...named, gender: 'male' }),
    [remove('Patient.contact[0].name.text')],
    contact({ gender: 'male' }),
  ],
  [
    'Add Nested Primitive',
    contact(named),
    [{ type: 'add', path: 'Patient.contact[0]', name: 'gender', value: { valueCode: 'male' } }],
    contact({ ...named, gender: 'male' }),
  ],
  [
    'Add Complex',
    {},
    [
      {
        type: 'add',
        path: 'Patient',
        name: 'maritalStatus',
        value: { valueCodeableConcept: { text: 'married' } },
      },
    ],
    { maritalStatus: { text: 'married' } },
  ],
  [
    'Replace Complex',
    { maritalStatus: { id: '1', text: 'married' } },
    [
      {
        type: 'replace',
        path: 'Patient.maritalStatus',
        value: { valueCodeableConcept: { id: '2', text: 'not married' } },
      },
    ],
    { maritalStatus: { id: '2', text: 'not married' } },
  ],
  ['Delete Complex', { maritalStatus: { text: 'married' } }, [remove('Patient.maritalStatus')], {}],
  [
    'Add Anonymous Type',
    {},
    [
      {
        type: 'add',
        path: 'Patient',
        name: 'contact',
        value: parts(['name', { valueHumanName: { text: 'a name' } }]),
      },
    ],
    contact(named),
  ],
  ['Delete Anonymous Type', contact(named), [remove('Patient.contact[0]')], {}],
  ['List unchanged', identifiers(1, 2), [], identifiers(1, 2)],
  [
    'List unchanged, contents changed',
    {
      identifier: [
        { id: 'a', ...identifier(1) },
        { id: 'b', ...identifier(2) },
      ],
    },
    [
      { type: 'replace', path: 'Patient.identifier[0].value', value: { valueString: 'value 2' } },
      { type: 'replace', path: 'Patient.identifier[1].value', value: { valueString: 'value 1' } },
    ],
    {
      identifier: [
        { id: 'a', ...identifier(2) },
        { id: 'b', ...identifier(1) },
      ],
    },
  ],
  [
    'Add to list',
    identifiers(1, 2),
    [{ type: 'add', path: 'Patient', name: 'identifier', value: third }],
    identifiers(1, 2, 3),
  ],
  [
    'Add to list, by insert',
    identifiers(1, 2),
    [{ type: 'insert', path: 'Patient.identifier', index: 2, value: third }],
    identifiers(1, 2, 3),
  ],
  [
    'Insert in list #1',
    identifiers(1, 2),
    [{ type: 'insert', path: 'Patient.identifier', index: 1, value: third }],
    identifiers(1, 3, 2),
  ],
  [
    'Insert in list #2',
    identifiers(1, 2),
    [{ type: 'insert', path: 'Patient.identifier', index: 0, value: third }],
    identifiers(3, 1, 2),
  ],
  ['Delete from List #1', identifiers(1, 2, 3), [remove('Patient.identifier[0]')], identifiers(2, 3)],
  ['Delete from List #2', identifiers(1, 2, 3), [remove('Patient.identifier[1]')], identifiers(1, 3)],
  ['Delete from List #3', identifiers(1, 2, 3), [remove('Patient.identifier[2]')], identifiers(1, 2)],
  ['Reorder List #1', identifiers(1, 2, 3, 4), [move(3, 1)], identifiers(1, 4, 2, 3)],
  ['Reorder List #2', identifiers(1, 2, 3, 4), [move(3, 0)], identifiers(4, 1, 2, 3)],
  ['Reorder List #3', identifiers(1, 2, 3, 4), [move(3, 2)], identifiers(1, 2, 4, 3)],
  ['Reorder List #4', identifiers(1, 2, 3, 4), [move(0, 3)], identifiers(2, 3, 4, 1)],
  ['Reorder List #5', identifiers(1, 2, 3, 4), [move(1, 0), move(2, 1)], identifiers(2, 3, 1, 4)],
  ['Reorder List #6', identifiers(1, 2, 3, 4), [move(3, 0), move(3, 1), move(3, 2)], identifiers(4, 3, 2, 1)],
  [
    'Operation on missing element',
    { identifier: [{ use: 'official', value: '123' }] },
    [
      {
        type: 'add',
        path: "Patient.identifier.where(use = 'official').period",
        name: 'end',
        value: { valueDate: '2021-12-01' },
      },
    ],
    undefined,
  ],
  [
    'Operation on missing element #2',
    {},
    [{ type: 'add', path: 'Patient', name: 'identifier', value: third }],
    identifiers(3),
  ],
  [
    'Full Resource',
    chalmers,
    [
      { type: 'replace', path: 'Patient.text.div', value: { valueString: narrative.div } },
      { type: 'replace', path: 'Patient.name[0].family', value: { valueString: 'Chalmers1' } },
    ],
    renamed,
  ],
  [
    'Consecutive operations',
    { id: 'example', ...contact(marche) },
    [
      { type: 'add', path: 'Patient.contact[0]', name: 'gender', value: { valueCode: 'male' } },
      { type: 'add', path: 'Patient', name: 'contact', value: parts(['gender', { valueCode: 'male' }]) },
    ],
    { id: 'example', contact: [{ ...marche, gender: 'male' }, { gender: 'male' }] },
  ],
];
