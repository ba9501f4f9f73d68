import type { JsonObject } from '../../../../../src/core';
import { objectsMember } from '../../../../../src/core/fhir/terminology/members';
import { BASE, OWN, constraintKeys, idsBelow, make, profile } from './made-snapshots';
import { specificationStructures } from './specification-structures';

describe('A snapshot', () => {
  it('has all elements of the base, each overlaid by the differential', async () => {
    const made = await make(
      profile('Patient', 'Patient', [
        {
          path: 'Patient',
          constraint: [{ key: 'own-1', severity: 'error', human: 'A name', expression: 'name.exists()' }],
        },
        { path: 'Patient.identifier', min: 1, max: '3', mustSupport: true },
        {
          path: 'Patient.maritalStatus',
          binding: { strength: 'required', valueSet: 'http://clinic.example/vs' },
        },
        { path: 'Patient.active', fixedBoolean: true },
        { path: 'Patient.link.type', patternCode: 'seealso' },
      ]),
    );
    expect(made.findings).toEqual([]);
    const base = specificationStructures('r4').get(`${BASE}/Patient`)?.['snapshot'];
    expect([...made.elements.keys()]).toEqual(
      objectsMember(base as JsonObject, 'element').map(({ id }) => id),
    );
    const identifier = made.elements.get('Patient.identifier');
    expect(identifier).toMatchObject({
      path: 'Patient.identifier',
      min: 1,
      max: '3',
      mustSupport: true,
      isSummary: true,
    });
    expect(identifier).toMatchObject({ base: { path: 'Patient.identifier', min: 0, max: '*' } });
    expect(constraintKeys(made.elements.get('Patient'))).toEqual([
      'dom-2',
      'dom-3',
      'dom-4',
      'dom-5',
      'dom-6',
      'own-1',
    ]);
    expect(objectsMember(made.elements.get('Patient') ?? {}, 'constraint').at(-1)).toMatchObject({
      source: `${OWN}/Patient`,
    });
    expect(made.elements.get('Patient.maritalStatus')).toMatchObject({
      binding: { strength: 'required', valueSet: 'http://clinic.example/vs' },
    });
    expect(made.elements.get('Patient.active')).toMatchObject({ fixedBoolean: true });
    expect(made.elements.get('Patient.link.type')).toMatchObject({ patternCode: 'seealso', min: 1 });
  });

  it('is the snapshot of the base for a profile without changes, with the short text of each element as its definition', async () => {
    const { elements, findings } = await make(profile('Same', 'Basic', []));
    expect(findings).toEqual([]);
    const base = specificationStructures('r4').get(`${BASE}/Basic`)?.['snapshot'];
    const expected = objectsMember(base as JsonObject, 'element').map(({ short = '', ...element }) => {
      return { ...element, short, definition: short };
    });
    expect([...elements.values()]).toEqual(expected);
  });

  it('accumulates over profiles on profiles, none of which needs a snapshot', async () => {
    const first = profile('First', 'Patient', [
      { path: 'Patient.name', min: 1, constraint: [{ key: 'a', severity: 'error', human: 'A' }] },
      { path: 'Patient.name.family', min: 1 },
    ]);
    const second = profile(
      'Second',
      'Patient',
      [{ path: 'Patient.name', max: '1', constraint: [{ key: 'b', severity: 'error', human: 'B' }] }],
      { baseDefinition: `${OWN}/First` },
    );
    const third = profile('Third', 'Patient', [{ path: 'Patient.name.given', min: 1 }], {
      baseDefinition: `${OWN}/Second`,
    });
    const made = await make(third, [first, second]);
    expect(made.findings).toEqual([]);
    expect(made.elements.get('Patient.name')).toMatchObject({ min: 1, max: '1' });
    expect(constraintKeys(made.elements.get('Patient.name'))).toEqual(['ele-1', 'a', 'b']);
    expect(made.elements.get('Patient.name.family')).toMatchObject({ min: 1, max: '1' });
    expect(made.elements.get('Patient.name.given')).toMatchObject({ min: 1, max: '*' });
  });

  it('replaces a pattern by a fixed value and a constraint by its key, and continues texts that begin with ...', async () => {
    const first = profile('First', 'Observation', [
      {
        path: 'Observation.code',
        definition: 'What was seen.',
        patternCodeableConcept: { text: 'a' },
        constraint: [{ key: 'a', severity: 'warning', human: 'Old' }],
      },
    ]);
    const second = profile(
      'Second',
      'Observation',
      [
        {
          path: 'Observation.code',
          definition: '... In our clinic.',
          fixedCodeableConcept: { text: 'a' },
          constraint: [{ key: 'a', severity: 'error', human: 'New' }],
        },
      ],
      { baseDefinition: `${OWN}/First` },
    );
    const code = (await make(second, [first])).elements.get('Observation.code');
    expect(code).toMatchObject({
      fixedCodeableConcept: { text: 'a' },
      definition: 'What was seen.\n In our clinic.',
    });
    expect(code).not.toHaveProperty('patternCodeableConcept');
    expect(objectsMember(code ?? {}, 'constraint').filter(({ key }) => key === 'a')).toMatchObject([
      { human: 'New' },
    ]);
  });
});

describe('A differential on elements of a type', () => {
  it('adds the elements of the data type', async () => {
    const made = await make(profile('Named', 'Patient', [{ path: 'Patient.name.period.start', min: 1 }]));
    expect(idsBelow(made, 'Patient.name.')).toEqual([
      ...['id', 'extension', 'use', 'text', 'family', 'given', 'prefix', 'suffix', 'period'].map(
        (name) => `Patient.name.${name}`,
      ),
      ...['id', 'extension', 'start', 'end'].map((name) => `Patient.name.period.${name}`),
    ]);
    expect(made.elements.get('Patient.name.period.start')).toMatchObject({
      path: 'Patient.name.period.start',
      min: 1,
      base: { path: 'Period.start', min: 0, max: '1' },
    });
  });

  it('adds those of the profile of the type', async () => {
    const address = profile('Address', 'Address', [{ path: 'Address.city', min: 1 }], {
      kind: 'complex-type',
    });
    const made = await make(
      profile('Housed', 'Patient', [
        { path: 'Patient.address', type: [{ code: 'Address', profile: [`${OWN}/Address`] }] },
        { path: 'Patient.address.country', min: 1 },
      ]),
      [address],
    );
    expect(made.findings).toEqual([]);
    expect(made.elements.get('Patient.address.city')).toMatchObject({ min: 1 });
    expect(made.elements.get('Patient.address.country')).toMatchObject({ min: 1 });
  });

  it('adds those of the referenced element for a contentReference, to the depth of the differential', async () => {
    const made = await make(
      profile('Form', 'Questionnaire', [{ path: 'Questionnaire.item.item.item.text', min: 1 }]),
    );
    expect(made.findings).toEqual([]);
    expect(made.elements.get('Questionnaire.item.item')).toMatchObject({
      type: [{ code: 'BackboneElement' }],
    });
    expect(made.elements.get('Questionnaire.item.item')).not.toHaveProperty('contentReference');
    expect(made.elements.get('Questionnaire.item.item.item.text')).toMatchObject({ min: 1 });
    expect(made.elements.get('Questionnaire.item.item.item.item')).toMatchObject({
      contentReference: '#Questionnaire.item',
    });
    expect(made.elements.get('Questionnaire.item.text')).toMatchObject({ min: 0 });
  });

  it('adds the extensions of a primitive', async () => {
    const made = await make(
      profile('Born', 'Patient', [
        {
          path: 'Patient.birthDate.extension',
          sliceName: 'time',
          type: [{ code: 'Extension', profile: [`${BASE}/patient-birthTime`] }],
          min: 1,
        },
      ]),
    );
    expect(made.findings).toEqual([]);
    expect(made.elements.get('Patient.birthDate.extension:time')).toMatchObject({
      min: 1,
      max: '1',
      sliceName: 'time',
    });
  });
});

describe('A structure that is no profile', () => {
  it('has the elements of its base and its own', async () => {
    const made = await make({
      resourceType: 'StructureDefinition',
      url: `${OWN}/Visit`,
      kind: 'logical',
      type: `${OWN}/Visit`,
      baseDefinition: `${BASE}/Element`,
      derivation: 'specialization',
      differential: {
        element: [
          { id: 'Visit', path: 'Visit', short: 'A visit' },
          { id: 'Visit.place', path: 'Visit.place', min: 0, max: '1', type: [{ code: 'BackboneElement' }] },
          { id: 'Visit.place.room', path: 'Visit.place.room', min: 1, max: '1', type: [{ code: 'string' }] },
        ],
      },
    });
    expect(made.findings).toEqual([]);
    expect([...made.elements.keys()]).toEqual([
      ...['Visit', 'Visit.id', 'Visit.extension', 'Visit.place', 'Visit.place.id', 'Visit.place.extension'],
      ...['Visit.place.modifierExtension', 'Visit.place.room'],
    ]);
    expect(made.elements.get('Visit.place.room')).toMatchObject({
      base: { path: 'Visit.place.room', min: 1, max: '1' },
    });
  });

  it('uses its own snapshot when it has no differential', async () => {
    const patient = specificationStructures('r4').get(`${BASE}/Patient`) ?? {};
    const { elements, findings } = await make(patient);
    expect(findings).toEqual([]);
    expect(elements.size).toBe(45);
  });
});
