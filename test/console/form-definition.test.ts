/** Forms are made from the definitions alone. */
import { isObject, parseJson, textOf, type JsonObject } from '../../console/src/api/json';
import {
  fieldsOf,
  fits,
  hasChildren,
  placeOfType,
  readForm,
  sameAs,
  templateOf,
} from '../../console/src/fhir/form/form-definition';
import type { FormField, FormPlace } from '../../console/src/fhir/form/form-types';
import { sliceFor } from '../../console/src/fhir/form/form-slices';
import { RELEASE_NAMES, type Release } from '../../src/core';
import { readBaseResources } from '../../src/core/fhir/definitions';

const json = (text: string): JsonObject => parseJson(text) as JsonObject;
const read = new Map<Release, ReadonlyMap<string, JsonObject>>();

function structuresOf(release: Release): ReadonlyMap<string, JsonObject> {
  const known = read.get(release);
  if (known !== undefined) return known;
  const structures = new Map(
    [...readBaseResources(release)].flatMap(({ type, text }) => {
      if (type !== 'StructureDefinition') return [];
      const structure = json(text);
      return isObject(structure['snapshot']) ? [[textOf(structure['id']) ?? '', structure] as const] : [];
    }),
  );
  read.set(release, structures);
  return structures;
}

function rootOf(structure: JsonObject): FormPlace {
  const definition = readForm(structure);
  return { definition, id: definition.root };
}

const named = (place: FormPlace, name: string): FormField => {
  const field = fieldsOf(place).find((each) => each.name === name);
  if (field === undefined) throw new Error(`${place.id} has no ${name}`);
  return field;
};

describe.each(RELEASE_NAMES)('A form of %s', (release) => {
  const structures = structuresOf(release);
  const structure = (id: string): JsonObject => structures.get(id) ?? {};

  it('opens every element of every type', () => {
    const missing: string[] = [];
    for (const [name, each] of structures) {
      if (each['kind'] !== 'resource' || each['derivation'] !== 'specialization') continue;
      const root = rootOf(each);
      const places = [root];
      for (const place of places)
        for (const { id, types } of fieldsOf(place)) {
          const { definition } = place;
          if (hasChildren(definition, id)) places.push({ definition, id });
          else if (sameAs(definition, id) === undefined)
            missing.push(
              ...types.filter(({ code }) => !structures.has(code)).map(({ code }) => `${name} ${id} ${code}`),
            );
        }
    }
    expect(missing).toEqual([]);
  });

  it('asks first for what is required, and leaves out what the server writes', () => {
    const fields = fieldsOf(rootOf(structure('Observation')));
    expect(fields.slice(0, 2).map(({ name }) => name)).toEqual(['status', 'code']);
    expect(fields.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['meta']));
    expect(fieldsOf(rootOf(structure('CodeableConcept'))).map(({ name }) => name)).toEqual([
      'coding',
      'text',
    ]);
    expect(fieldsOf(rootOf(structure('Patient'))).map(({ name }) => name)).not.toContain('text');
  });

  it('knows types, targets, bindings and which elements are lists', () => {
    const root = rootOf(structure('Observation'));
    expect(named(root, 'value').types.map(({ member }) => member)).toContain('valueQuantity');
    expect(named(root, 'subject').types[0]?.targets).toEqual(
      expect.arrayContaining(['Patient', 'Group', 'Device', 'Location']),
    );
    expect(named(root, 'status').binding?.strength).toBe('required');
    expect([named(root, 'category').isList, named(root, 'code').isList]).toEqual([true, false]);
  });

  it('follows an element that is defined by another one', () => {
    const { definition } = rootOf(structure('Questionnaire'));
    expect(sameAs(definition, 'Questionnaire.item.item')).toBe('Questionnaire.item');
  });

  it('has the slices of a profile, what they fix, and finds the slice of a value', () => {
    const root = rootOf(structure('bp'));
    const component = named(root, 'component');
    const [systolic] = component.slices;
    expect(component.slices.map(({ isRequired }) => isRequired)).toEqual([true, true]);
    const template = templateOf(root.definition, systolic?.id ?? '');
    const code = { coding: [{ system: 'http://loinc.org', code: '8480-6' }] };
    expect(template).toMatchObject({ code });
    expect(sliceFor(root.definition, component, { code, valueQuantity: { value: 120 } })?.id).toBe(
      systolic?.id,
    );
    expect(sliceFor(root.definition, component, { code: { text: 'other' } })).toBeUndefined();
    const inside = fieldsOf({ definition: root.definition, id: systolic?.id ?? '' });
    expect(inside.map(({ name }) => name)).toEqual(expect.arrayContaining(['code', 'value']));
    const value = inside.find(({ name }) => name === 'value');
    expect(value?.types.map(({ member }) => member)).toEqual(['valueQuantity']);
    const [type] = value?.types ?? [];
    const at = type && placeOfType({ definition: root.definition, id: value?.id ?? '' }, type);
    expect(at && templateOf(at.definition, at.id)).toEqual({
      system: 'http://unitsofmeasure.org',
      code: 'mm[Hg]',
    });
  });
});

it('a pattern fits what has all of it', () => {
  const pattern = json('{"coding": [{"system": "s", "code": "c"}]}');
  expect(
    fits(
      json('{"text": "t", "coding": [{"code": "x"}, {"code": "c", "system": "s", "display": "d"}]}'),
      pattern,
    ),
  ).toBe(true);
  expect(fits(json('{"coding": [{"code": "c"}]}'), pattern)).toBe(false);
});

describe('A profile of a hospital', () => {
  const element = (id: string, more: object): object => ({ id, path: id.replaceAll(/:[^.]*/g, ''), ...more });
  const profile = json(
    JSON.stringify({
      resourceType: 'StructureDefinition',
      snapshot: {
        element: [
          element('Patient', {}),
          element('Patient.extension', { max: '*', type: [{ code: 'Extension' }] }),
          element('Patient.extension:ward', {
            ...{ sliceName: 'ward', short: 'The ward', max: '1' },
            type: [{ code: 'Extension', profile: ['http://example.org/ward|2'] }],
          }),
          element('Patient.active', { max: '0', type: [{ code: 'boolean' }] }),
          element('Patient.identifier', {
            min: 1,
            max: '*',
            base: { max: '*' },
            type: [{ code: 'Identifier' }],
          }),
          element('Patient.identifier:mrn', {
            sliceName: 'mrn',
            min: 1,
            max: '1',
            type: [{ code: 'Identifier' }],
          }),
          element('Patient.identifier:mrn.system', {
            min: 1,
            max: '1',
            fixedUri: 'urn:mrn',
            type: [{ code: 'uri' }],
          }),
          element('Patient.identifier:mrn.value', { min: 1, max: '1', type: [{ code: 'string' }] }),
          element('Patient.gender', { min: 0, max: '1', type: [{ code: 'code' }] }),
          element('Patient.birthDate', { min: 0, max: '1', mustSupport: true, type: [{ code: 'date' }] }),
          element('Patient.address', { min: 0, max: '1', base: { max: '*' }, type: [{ code: 'Address' }] }),
        ],
      },
    }),
  );
  const root = rootOf(profile);

  it('puts what it requires and supports first, and leaves out what it forbids', () => {
    expect(fieldsOf(root).map(({ name }) => name)).toEqual([
      'identifier',
      'birthDate',
      'extension',
      'gender',
      'address',
    ]);
    // A list stays a list in JSON where one value is allowed.
    expect(named(root, 'address')).toMatchObject({ isList: true, most: 1 });
  });

  it('tells extensions apart by their url, and other slices by what they fix', () => {
    expect(templateOf(root.definition, 'Patient.identifier:mrn')).toEqual({ system: 'urn:mrn' });
    const value = { url: 'http://example.org/ward', valueString: 'B' };
    expect(sliceFor(root.definition, named(root, 'extension'), value)?.name).toBe('ward');
    expect(
      sliceFor(root.definition, named(root, 'identifier'), { system: 'urn:mrn', value: '7' })?.name,
    ).toBe('mrn');
    expect(sliceFor(root.definition, named(root, 'identifier'), { system: 'urn:other' })).toBeUndefined();
  });
});

describe('Slices that fix no value', () => {
  const base = 'http://hl7.org/fhir/StructureDefinition';
  const element = (id: string, more: object): object => ({ id, path: id.replaceAll(/:[^.]*/g, ''), ...more });
  const reference = (...types: readonly string[]): object => ({
    type: [{ code: 'Reference', targetProfile: types.map((type) => `${base}/${type}`) }],
  });
  const list = { min: 0, max: '*', base: { max: '*' } };
  const slicedBy = (type: string, path: string): object => ({
    ...list,
    slicing: { discriminator: [{ type, path }] },
  });
  const root = rootOf(
    json(
      JSON.stringify({
        resourceType: 'StructureDefinition',
        snapshot: {
          element: [
            element('Observation', {}),
            element('Observation.hasMember', {
              ...slicedBy('profile', 'resolve()'),
              ...reference('Observation', 'QuestionnaireResponse', 'MolecularSequence'),
            }),
            element('Observation.hasMember:survey', {
              ...{ sliceName: 'survey', ...list },
              ...reference('QuestionnaireResponse'),
            }),
            element('Observation.hasMember:measured', {
              ...{ sliceName: 'measured', ...list },
              ...reference('Observation'),
            }),
            element('Observation.component', {
              ...slicedBy('type', 'value'),
              type: [{ code: 'BackboneElement' }],
            }),
            element('Observation.component.value[x]', {
              type: [{ code: 'Quantity' }, { code: 'string' }, { code: 'CodeableConcept' }],
            }),
            ...['Quantity', 'CodeableConcept'].flatMap((code) => [
              element(`Observation.component:${code}`, {
                ...{ sliceName: code, ...list },
                type: [{ code: 'BackboneElement' }],
              }),
              element(`Observation.component:${code}.value[x]`, { type: [{ code }] }),
            ]),
          ],
        },
      }),
    ),
  );
  const sliceOf = (name: string, value: object): string | undefined =>
    sliceFor(root.definition, named(root, name), json(JSON.stringify(value)))?.name;

  it('are known by the type of what a value refers to', () => {
    expect(sliceOf('hasMember', { reference: 'QuestionnaireResponse/1' })).toBe('survey');
    expect(sliceOf('hasMember', { reference: 'https://other.example/x', type: 'Observation' })).toBe(
      'measured',
    );
    expect(sliceOf('hasMember', { reference: 'MolecularSequence/1' })).toBeUndefined();
    expect(sliceOf('hasMember', { display: 'a survey' })).toBeUndefined();
  });

  it('are known by the type of a value inside', () => {
    expect(sliceOf('component', { valueQuantity: { value: 1 } })).toBe('Quantity');
    expect(sliceOf('component', { valueCodeableConcept: { text: 'x' } })).toBe('CodeableConcept');
    expect(sliceOf('component', { valueString: 'x' })).toBeUndefined();
  });
});
