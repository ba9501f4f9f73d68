import type { JsonObject } from '../../../../../src/core';
import { checker, claiming, faults, profileSet } from './checking';
import { OWN, profile } from './made-snapshots';
import { bySystem, IDENTIFIER, inSlice, slice, sliced } from './sliced';

describe('A discriminator', () => {
  const CATEGORY = 'Observation.category';

  it('by value: a fixed value', async () => {
    const check = await checker('Patient', bySystem({ max: '1' }, { rules: 'closed' }));
    expect(check({ identifier: [{ system: 'urn:a ', value: '1' }] })).toHaveLength(1);
    expect(check({ identifier: [{ value: '1' }] })).toHaveLength(1);
  });

  it('by value: a pattern at the path, or above it', async () => {
    for (const path of ['$this', 'coding', 'coding.code']) {
      const check = await checker(
        'Observation',
        sliced(
          CATEGORY,
          [['value', path]],
          [
            slice(CATEGORY, 'vital', {
              max: '1',
              patternCodeableConcept: { coding: [{ system: 'urn:s', code: 'vital' }] },
            }),
          ],
        ),
      );
      const vital = { coding: [{ code: 'x' }, { system: 'urn:s', code: 'vital', display: 'V' }] };
      const other = { coding: [{ code: 'x' }] };
      expect(check({ category: [vital, other, other] })).toEqual([]);
      expect(check({ category: [vital, other, vital] })).toEqual([
        "Observation.category[2]: There are 2 in the slice 'vital' of Observation.category; at most 1 may be",
      ]);
    }
  });

  it('by pattern', async () => {
    const component = 'Observation.component';
    const check = await checker(
      'Observation',
      sliced(
        component,
        [['pattern', 'code']],
        [
          slice(component, 'systolic', { min: 1, max: '1' }),
          inSlice(component, 'systolic', 'code', {
            patternCodeableConcept: { coding: [{ system: 'http://loinc.org', code: '8480-6' }] },
          }),
          inSlice(component, 'systolic', 'value[x]', { min: 1, type: [{ code: 'Quantity' }] }),
        ],
      ),
    );
    const coding = [{ system: 'http://loinc.org', code: '8480-6' }];
    expect(check({ component: [{ code: { coding }, valueQuantity: { value: 1 } }] })).toEqual([]);
    expect(check({ component: [{ code: { coding }, valueString: '1' }, { code: { text: 'x' } }] })).toEqual([
      'Observation.component[0].value.ofType(string): Observation.component:systolic.value[x] is of type string; allowed are Quantity',
    ]);
  });

  it('by value: the codes of a required value set', async () => {
    const valueSet = 'http://hl7.org/fhir/ValueSet/identifier-use';
    const check = await checker(
      'Observation',
      sliced(
        CATEGORY,
        [['value', '$this']],
        [slice(CATEGORY, 'use', { max: '1', binding: { strength: 'required', valueSet } })],
      ),
    );
    const use = { coding: [{ system: 'http://hl7.org/fhir/identifier-use', code: 'usual' }] };
    const other = { coding: [{ system: 'http://hl7.org/fhir/identifier-use', code: 'other' }] };
    expect(check({ category: [use, other, { text: 'x' }] })).toEqual([]);
    expect(check({ category: [use, other, use] })).toEqual([
      "Observation.category[2]: There are 2 in the slice 'use' of Observation.category; at most 1 may be",
    ]);
  });

  it('by value: the codes of a value set that the space has or not', async () => {
    const valueSet = 'http://clinic.example/ValueSet/own';
    const elements = sliced(
      CATEGORY,
      [['value', '$this']],
      [slice(CATEGORY, 'own', { max: '0', binding: { strength: 'required', valueSet } })],
    );
    const observation: JsonObject = { category: [{ coding: [{ system: 'urn:s', code: 'c' }] }] };
    const codes = {
      [valueSet]: {
        hasCode: (code: string) => code === 'c',
        hasCoding: (system: string, code: string) => system === 'urn:s' && code === 'c',
      },
    };
    expect((await checker('Observation', elements, [], codes))(observation)).toHaveLength(1);
    expect((await checker('Observation', elements))(observation)).toEqual([
      `warning Observation: The slices of Observation.category are not checked: the codes of ${valueSet}, by which they differ, are not available`,
    ]);
  });

  it('by existence', async () => {
    const check = await checker(
      'Patient',
      sliced(
        'Patient.name',
        [['exists', 'period']],
        [
          slice('Patient.name', 'former'),
          inSlice('Patient.name', 'former', 'period', { min: 1 }),
          inSlice('Patient.name', 'former', 'text', { min: 1 }),
          slice('Patient.name', 'present', { min: 1, max: '1' }),
          inSlice('Patient.name', 'present', 'period', { max: '0' }),
        ],
        { rules: 'closed' },
      ),
    );
    const period = { end: '2000' };
    expect(check({ name: [{ period, text: 'A' }, { text: 'B' }] })).toEqual([]);
    expect(check({ name: [{ period }, { period, text: 'B' }] })).toEqual([
      'Patient.name[0].text: Patient.name:former.text is missing; at least 1 must be there',
      "Patient.name: There is nothing in the slice 'present' of Patient.name; at least 1 must be there",
    ]);
  });

  it('by type: of a choice', async () => {
    const value = 'Observation.value[x]';
    const check = await checker('Observation', [
      ...sliced(
        value,
        [['type', '$this']],
        [
          slice(value, 'valueQuantity', { type: [{ code: 'Quantity' }] }),
          inSlice(value, 'valueQuantity', 'code', { min: 1 }),
          slice(value, 'valueString', { type: [{ code: 'string' }], maxLength: 3 }),
        ],
      ),
    ]);
    expect(check({ valueQuantity: { code: 'g' } })).toEqual([]);
    expect(check({ valueInteger: 1 })).toEqual([]);
    expect(check({ valueQuantity: { value: 1 } })).toEqual([
      'Observation.value.ofType(Quantity).code: Observation.value[x]:valueQuantity.code is missing; at least 1 must be there',
    ]);
    expect(check({ valueString: 'long' })).toEqual([
      'Observation.value.ofType(string): The text is longer than 3 characters',
    ]);
  });

  it('by type: of the resources of a Bundle', async () => {
    const entry = 'Bundle.entry';
    const check = await checker(
      'Bundle',
      sliced(
        entry,
        [['type', 'resource']],
        [
          slice(entry, 'patient', { min: 1, max: '1' }),
          inSlice(entry, 'patient', 'resource', { min: 1, type: [{ code: 'Patient' }] }),
          inSlice(entry, 'patient', 'resource.name', { min: 1 }),
        ],
      ),
    );
    const bundle = (...resources: JsonObject[]): JsonObject => ({
      type: 'collection',
      entry: resources.map((resource) => ({ resource })),
    });
    const basic = { resourceType: 'Basic' };
    expect(check(bundle(basic, { resourceType: 'Patient', name: [{ text: 'A' }] }))).toEqual([]);
    expect(check(bundle(basic, { resourceType: 'Patient' }))).toEqual([
      'Bundle.entry[1].resource.name: Bundle.entry:patient.resource.name is missing; at least 1 must be there',
    ]);
    expect(check(bundle(basic))).toHaveLength(1);
  });

  it('by profile: of the resources of a Bundle', async () => {
    const entry = 'Bundle.entry';
    const check = await checker(
      'Bundle',
      sliced(
        entry,
        [['profile', 'resource']],
        [
          slice(entry, 'named', { min: 1 }),
          inSlice(entry, 'named', 'resource', {
            min: 1,
            type: [{ code: 'Patient', profile: [`${OWN}/Named`] }],
          }),
        ],
        { rules: 'closed' },
      ),
      [profile('Named', 'Patient', [{ path: 'Patient.name', min: 1 }])],
    );
    const named = { resource: { resourceType: 'Patient', name: [{ text: 'A' }] } };
    expect(check({ type: 'collection', entry: [named] })).toEqual([]);
    expect(check({ type: 'collection', entry: [named, { resource: { resourceType: 'Patient' } }] })).toEqual([
      'Bundle.entry[1]: This is in no slice of Bundle.entry; there are named, and no others are allowed',
    ]);
  });

  it('by a value in an extension, and of one type of a choice', async () => {
    const url = 'http://x.example/kind';
    const kind = profile(
      'Kind',
      'Extension',
      [
        { path: 'Extension.url', fixedUri: url },
        { path: 'Extension.value[x]', type: [{ code: 'code' }] },
      ],
      { kind: 'complex-type', url },
    );
    const inExtension = (name: string): JsonObject[] => [
      slice(IDENTIFIER, name, { max: '1' }),
      {
        id: `${IDENTIFIER}:${name}.extension`,
        path: `${IDENTIFIER}.extension`,
        slicing: { discriminator: [{ type: 'value', path: 'url' }], rules: 'open' },
      },
      {
        id: `${IDENTIFIER}:${name}.extension:kind`,
        path: `${IDENTIFIER}.extension`,
        sliceName: 'kind',
        min: 1,
        type: [{ code: 'Extension', profile: [url] }],
      },
      {
        id: `${IDENTIFIER}:${name}.extension:kind.value[x]`,
        path: `${IDENTIFIER}.extension.value[x]`,
        min: 1,
        fixedCode: name,
      },
    ];
    const set = await profileSet([
      kind,
      profile(
        'Own',
        'Patient',
        sliced(
          IDENTIFIER,
          [['value', `extension('${url}').value.ofType(code)`]],
          ['a', 'b'].flatMap(inExtension),
          { rules: 'closed' },
        ),
      ),
    ]);
    const check = (...codes: string[]): string[] =>
      faults(
        set,
        claiming('Own', {
          resourceType: 'Patient',
          identifier: codes.map((valueCode) => ({
            extension: [
              { url: 'http://x.example/other', valueCode: 'x' },
              { url, valueCode },
            ],
          })),
        }),
      );
    expect(check('a', 'b')).toEqual([]);
    expect(check('a', 'b', 'a')).toEqual([
      "Patient.identifier[2]: There are 2 in the slice 'a' of Patient.identifier; at most 1 may be",
    ]);
    expect(check('c')).toHaveLength(1);
  });

  it('that is one of two: both must fit', async () => {
    const coding = 'Observation.code.coding';
    const check = await checker(
      'Observation',
      sliced(
        coding,
        [
          ['value', 'system'],
          ['value', 'code'],
        ],
        [
          slice(coding, 'own', { min: 1, max: '1' }),
          inSlice(coding, 'own', 'system', { min: 1, fixedUri: 'urn:s' }),
          inSlice(coding, 'own', 'code', { min: 1, fixedCode: 'c' }),
        ],
      ),
    );
    expect(
      check({
        code: {
          coding: [
            { system: 'urn:s', code: 'x' },
            { system: 'urn:s', code: 'c' },
          ],
        },
      }),
    ).toEqual([]);
    expect(
      check({
        code: {
          coding: [
            { system: 'urn:s', code: 'x' },
            { system: 'urn:x', code: 'c' },
          ],
        },
      }),
    ).toHaveLength(1);
  });

  it('may be missing: a value that meets a slice is in it', async () => {
    const check = await checker(
      'Patient',
      sliced(
        'Patient.telecom',
        [],
        [
          slice('Patient.telecom', 'phone', { min: 1 }),
          inSlice('Patient.telecom', 'phone', 'system', { min: 1, fixedCode: 'phone' }),
          inSlice('Patient.telecom', 'phone', 'rank', { min: 1 }),
        ],
        { rules: 'closed' },
      ),
    );
    expect(check({ telecom: [{ system: 'phone', rank: 1 }] })).toEqual([]);
    expect(check({ telecom: [{ system: 'phone' }] })).toHaveLength(2);
  });

  it('may not constrain a slice: a value that meets the slice is in it', async () => {
    const check = await checker(
      'Patient',
      sliced(
        'Patient.telecom',
        [['value', "extension('http://x.example/use').value"]],
        [slice('Patient.telecom', 'usual', { max: '1' })],
      ),
    );
    expect(check({ telecom: [{ value: '1' }, { value: '2' }] })).toHaveLength(1);
  });

  it('that cannot be evaluated is reported, and its slices are left out', async () => {
    const check = await checker(
      'Patient',
      sliced(IDENTIFIER, [['value', 'where(system.exists())']], [slice(IDENTIFIER, 'a', { min: 1 })]),
    );
    expect(check({})).toEqual([
      "warning Patient: The slices of Patient.identifier are not checked: 'where(system.exists())' is not a path of a discriminator",
    ]);
  });
});
