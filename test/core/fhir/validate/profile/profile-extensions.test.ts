import type { JsonObject } from '../../../../../src/core';
import {
  checkExtensions,
  collectExtensionUrls,
} from '../../../../../src/core/fhir/validate/profile/extensions';
import { stringMember } from '../../../../../src/core/fhir/terminology/members';
import type { ProfileSet } from '../../../../../src/core/fhir/validate/profile/profile-set';
import { ValidationRun } from '../../../../../src/core/fhir/validate/run';
import { checker, claiming, profileSet, runClaims, toLine } from './checking';
import { BASE, OWN, profile } from './made-snapshots';

/** The definition of an extension. */
function extension(name: string, elements: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  const url = `${OWN}/${name}`;
  return profile(name, 'Extension', [...elements, { path: 'Extension.url', fixedUri: url }], {
    kind: 'complex-type',
    ...more,
  });
}

const simple = (name: string, type: string): JsonObject =>
  extension(name, [
    { path: 'Extension.extension', max: '0' },
    { path: 'Extension.value[x]', min: 1, type: [{ code: type }] },
  ]);

const byUrl = (path: string, ...slices: JsonObject[]): JsonObject[] => [
  { path, slicing: { discriminator: [{ type: 'value', path: 'url' }], rules: 'open' } },
  ...slices,
];

function faultsOfExtensions(set: ProfileSet, resource: JsonObject): string[] {
  const run = new ValidationRun(stringMember(resource, 'resourceType') ?? '', resource, true);
  checkExtensions(resource, run, set);
  return run.findings.map(toLine);
}

describe('Slices of extensions', () => {
  const slice = (sliceName: string, name: string, more: JsonObject = {}): JsonObject => ({
    id: `Patient.extension:${sliceName}`,
    path: 'Patient.extension',
    sliceName,
    type: [{ code: 'Extension', profile: [name.includes(':') ? name : `${OWN}/${name}`] }],
    ...more,
  });

  it('are found by url, counted, and checked against their definitions', async () => {
    const check = await checker(
      'Patient',
      byUrl('Patient.extension', slice('race', 'Race', { min: 1, max: '1' }), slice('sect', 'Sect')),
      [simple('Race', 'code'), simple('Sect', 'string')],
    );
    const other = { url: 'http://x.example/other', valueString: 'x' };
    expect(check({ extension: [other, { url: `${OWN}/Race`, valueCode: 'c' }] })).toEqual([]);
    expect(
      check({
        extension: [
          { url: `${OWN}/Sect`, valueCode: 'c' },
          { url: `${OWN}/Sect`, extension: [other] },
        ],
      }),
    ).toEqual([
      "Patient.extension: There is nothing in the slice 'race' of Patient.extension; at least 1 must be there",
      'Patient.extension[0].value.ofType(code): Extension.value[x] is of type code; allowed are string',
      'Patient.extension[1].extension: Extension.extension occurs once; it is not allowed',
      'Patient.extension[1].value: Extension.value[x] is missing; at least 1 must be there',
    ]);
  });

  it('are found by url, and counted, also when their definition does not exist', async () => {
    const unknown = 'http://nowhere.example/StructureDefinition/x';
    const check = await checker(
      'Patient',
      byUrl('Patient.extension', slice('x', `${unknown}|2.0`, { max: '1' })),
    );
    const given = { url: unknown, valueString: 'x' };
    expect(check({ extension: [given, { ...given }] })).toEqual([
      `warning Patient.extension[0]: Conformance to ${unknown}|2.0, which the profile Own requires, was not checked: it could not be found`,
      "Patient.extension[1]: There are 2 in the slice 'x' of Patient.extension; at most 1 may be",
      `warning Patient.extension[1]: Conformance to ${unknown}|2.0, which the profile Own requires, was not checked: it could not be found`,
    ]);
  });

  it('of extensions of extensions', async () => {
    const check = await checker('Patient', byUrl('Patient.extension', slice('address', 'Place')), [
      extension('Place', [
        ...byUrl('Extension.extension'),
        { id: 'Extension.extension:lat', path: 'Extension.extension', sliceName: 'lat', min: 1, max: '1' },
        { id: 'Extension.extension:lat.url', path: 'Extension.extension.url', fixedUri: 'lat' },
        {
          id: 'Extension.extension:lat.value[x]',
          path: 'Extension.extension.value[x]',
          min: 1,
          type: [{ code: 'decimal' }],
        },
        { path: 'Extension.value[x]', max: '0' },
      ]),
    ]);
    const place = (...parts: JsonObject[]): JsonObject => ({ url: `${OWN}/Place`, extension: parts });
    expect(check({ extension: [place({ url: 'lat', valueDecimal: 1 })] })).toEqual([]);
    expect(
      check({ extension: [place({ url: 'lat', valueString: '1' }), place({ url: 'lon', valueDecimal: 1 })] }),
    ).toEqual([
      'Patient.extension[0].extension[0].value.ofType(string): Extension.extension:lat.value[x] is of type string; allowed are decimal',
      "Patient.extension[1].extension: There is nothing in the slice 'lat' of Extension.extension; at least 1 must be there",
    ]);
  });

  it('that contain themselves', async () => {
    const check = await checker('Patient', byUrl('Patient.extension', slice('node', 'Node')), [
      extension('Node', [
        ...byUrl('Extension.extension', {
          id: 'Extension.extension:node',
          path: 'Extension.extension',
          sliceName: 'node',
          type: [{ code: 'Extension', profile: [`${OWN}/Node`] }],
        }),
        { path: 'Extension.value[x]', type: [{ code: 'string' }] },
      ]),
    ]);
    const node = (depth: number): JsonObject =>
      depth === 0
        ? { url: `${OWN}/Node`, valueInteger: 1 }
        : { url: `${OWN}/Node`, extension: [node(depth - 1)] };
    const place = 'Patient.extension[0].extension[0].extension[0].value.ofType(integer)';
    expect(check({ extension: [node(2)] })).toEqual([
      `${place}: Extension.value[x] is of type integer; allowed are string`,
    ]);
  });
});

describe('Extensions anywhere in a resource', () => {
  it('are checked where their definition exists, also on primitives and in contained resources', async () => {
    const set = await profileSet([simple('Text', 'string')]);
    const wrong = (): JsonObject => ({ url: `${OWN}/Text`, valueCode: 'c' });
    const resource: JsonObject = {
      resourceType: 'Patient',
      contained: [{ resourceType: 'Organization', id: 'o', name: 'O', _name: { extension: [wrong()] } }],
      name: [{ given: ['A', null], _given: [null, { extension: [wrong()] }] }],
      deceasedBoolean: true,
      _deceasedBoolean: { extension: [{ url: `${OWN}/Text`, valueString: 's' }, wrong()] },
      contact: [{ modifierExtension: [{ url: 'http://nowhere.example/x', extension: [wrong()] }] }],
    };
    const sentence = 'Extension.value[x] is of type code; allowed are string';
    expect(faultsOfExtensions(set, resource)).toEqual([
      `Patient.contained[0].name.extension[0].value.ofType(code): ${sentence}`,
      `Patient.name[0].given[1].extension[0].value.ofType(code): ${sentence}`,
      `Patient.deceased.ofType(boolean).extension[1].value.ofType(code): ${sentence}`,
      `Patient.contact[0].modifierExtension[0].extension[0].value.ofType(code): ${sentence}`,
    ]);
    expect(collectExtensionUrls(resource)).toEqual(new Set([`${OWN}/Text`, 'http://nowhere.example/x']));
  });

  it('are not reported twice where a profile names them too', async () => {
    const set = await profileSet([
      simple('Text', 'string'),
      profile('Own', 'Patient', [
        ...byUrl('Patient.extension', {
          id: 'Patient.extension:text',
          path: 'Patient.extension',
          sliceName: 'text',
          type: [{ code: 'Extension', profile: [`${OWN}/Text`] }],
        }),
      ]),
    ]);
    const resource = claiming('Own', {
      resourceType: 'Patient',
      extension: [{ url: `${OWN}/Text`, valueCode: 'c' }],
    });
    const run = runClaims(set, resource);
    checkExtensions(resource, run, set);
    expect(run.findings).toHaveLength(1);
  });

  it('are in modifierExtension exactly if they modify', async () => {
    const changing = extension('Changing', [
      { path: 'Extension', isModifier: true, isModifierReason: 'It does.' },
      { path: 'Extension.value[x]', type: [{ code: 'boolean' }] },
    ]);
    const set = await profileSet([changing, simple('Text', 'string')]);
    const resource: JsonObject = {
      resourceType: 'Patient',
      extension: [{ url: `${OWN}/Changing`, valueBoolean: true }],
      modifierExtension: [
        { url: `${OWN}/Changing`, valueBoolean: true },
        { url: `${OWN}/Text`, valueString: 's' },
      ],
    };
    expect(faultsOfExtensions(set, resource)).toEqual([
      "Patient.extension[0]: The extension Changing must be in 'modifierExtension', not in 'extension'",
      "Patient.modifierExtension[1]: The extension Text must be in 'extension', not in 'modifierExtension'",
    ]);
  });

  it('must be defined as extensions', async () => {
    const set = await profileSet([]);
    const resource: JsonObject = {
      resourceType: 'Patient',
      extension: [{ url: `${BASE}/bp`, valueString: 's' }],
    };
    expect(faultsOfExtensions(set, resource)).toEqual([
      `Patient.extension[0]: This is of type Extension, but the profile ${BASE}/bp is for Observation`,
    ]);
  });
});
