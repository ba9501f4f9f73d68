import { BASE, OWN, idsBelow, make, profile, typesOf } from './made-snapshots';

describe('A choice of types', () => {
  it('is narrowed to the types that the differential names', async () => {
    const made = await make(
      profile('Simple', 'Observation', [
        { path: 'Observation.value[x]', type: [{ code: 'Quantity' }, { code: 'string' }] },
      ]),
    );
    expect(typesOf(made.elements.get('Observation.value[x]'))).toEqual(['Quantity', 'string']);
    expect(idsBelow(made, 'Observation.value[x]')).toEqual(['Observation.value[x]']);
  });

  it('that is narrowed to one type has its elements', async () => {
    const made = await make(
      profile('Measured', 'Observation', [
        { path: 'Observation.value[x]', type: [{ code: 'Quantity' }] },
        { path: 'Observation.value[x].unit', min: 1 },
      ]),
    );
    expect(made.elements.get('Observation.value[x].unit')).toMatchObject({
      min: 1,
      path: 'Observation.value[x].unit',
    });
  });

  it('named in the short form valueQuantity allows this type only', async () => {
    const made = await make(
      profile('Measured', 'Observation', [
        { path: 'Observation.valueQuantity', min: 1 },
        { path: 'Observation.valueQuantity.code', fixedCode: 'kg' },
      ]),
    );
    expect(made.elements.get('Observation.value[x]')).toMatchObject({
      min: 1,
      type: [{ code: 'Quantity' }],
      slicing: { discriminator: [{ type: 'type', path: '$this' }], rules: 'closed' },
    });
    expect(made.elements.get('Observation.value[x]:valueQuantity.code')).toMatchObject({
      path: 'Observation.value[x].code',
      fixedCode: 'kg',
    });
  });

  it('named in two short forms allows both types', async () => {
    const made = await make(
      profile('Measured', 'Observation', [
        { path: 'Observation.valueQuantity.unit', min: 1 },
        { path: 'Observation.valueString', min: 1, maxLength: 80 },
      ]),
    );
    expect(made.elements.get('Observation.value[x]')).toMatchObject({
      min: 0,
      type: [{ code: 'Quantity' }, { code: 'string' }],
    });
    expect(made.elements.get('Observation.value[x]:valueString')).toMatchObject({
      maxLength: 80,
      type: [{ code: 'string' }],
    });
    expect(made.elements.get('Observation.value[x]:valueQuantity.unit')).toMatchObject({ min: 1 });
  });

  it('sliced by type leaves the other types allowed, and takes the type of a slice from its name', async () => {
    const made = await make(
      profile('Measured', 'Observation', [
        {
          id: 'Observation.value[x]:valueQuantity',
          path: 'Observation.value[x]',
          sliceName: 'valueQuantity',
          mustSupport: true,
        },
        { id: 'Observation.value[x]:valueQuantity.unit', path: 'Observation.value[x].unit', min: 1 },
      ]),
    );
    expect(made.findings).toEqual([]);
    expect(typesOf(made.elements.get('Observation.value[x]'))).toHaveLength(11);
    expect(made.elements.get('Observation.value[x]')).toMatchObject({ slicing: { rules: 'open' } });
    expect(typesOf(made.elements.get('Observation.value[x]:valueQuantity'))).toEqual(['Quantity']);
    expect(made.elements.get('Observation.value[x]:valueQuantity.unit')).toMatchObject({ min: 1 });
  });
});

describe('Slices', () => {
  const slicing = { discriminator: [{ type: 'value', path: 'system' }], rules: 'open' };

  it('begin with the rules of all elements, are optional unless the profile requires them, and stay in order', async () => {
    const made = await make(
      profile('Identified', 'Patient', [
        { path: 'Patient.identifier', slicing, min: 2, mustSupport: true },
        { path: 'Patient.identifier.value', min: 1 },
        { path: 'Patient.identifier', sliceName: 'passport', max: '1' },
        { path: 'Patient.identifier.system', fixedUri: 'http://passport.example' },
        { path: 'Patient.identifier', sliceName: 'insurance', min: 1 },
        { path: 'Patient.identifier.system', fixedUri: 'http://insurance.example' },
      ]),
    );
    expect(made.findings).toEqual([]);
    const starts = idsBelow(made, 'Patient.identifier').filter((id) => !id.includes('.', 8));
    expect(starts).toEqual([
      'Patient.identifier',
      'Patient.identifier:passport',
      'Patient.identifier:insurance',
    ]);
    expect(made.elements.get('Patient.identifier')).toMatchObject({ slicing, min: 2, max: '*' });
    const passport = made.elements.get('Patient.identifier:passport');
    expect(passport).toMatchObject({
      path: 'Patient.identifier',
      sliceName: 'passport',
      min: 0,
      max: '1',
      mustSupport: true,
    });
    expect(passport).not.toHaveProperty('slicing');
    expect(made.elements.get('Patient.identifier:insurance')).toMatchObject({ min: 1, max: '*' });
    for (const [slice, system] of [
      ['passport', 'http://passport.example'],
      ['insurance', 'http://insurance.example'],
    ]) {
      expect(made.elements.get(`Patient.identifier:${slice}.system`)).toMatchObject({ fixedUri: system });
      expect(made.elements.get(`Patient.identifier:${slice}.value`)).toMatchObject({ min: 1 });
    }
    expect(made.elements.get('Patient.identifier.system')).not.toHaveProperty('fixedUri');
  });

  it('from the base can be constrained, extended by new ones, and sliced again', async () => {
    const first = profile('First', 'Patient', [
      { path: 'Patient.identifier', slicing },
      { path: 'Patient.identifier', sliceName: 'national', max: '2' },
      { path: 'Patient.identifier.system', fixedUri: 'http://nation.example' },
      { path: 'Patient.identifier', sliceName: 'local' },
    ]);
    const second = profile(
      'Second',
      'Patient',
      [
        { path: 'Patient.identifier', slicing: { rules: 'closed' } },
        {
          path: 'Patient.identifier',
          sliceName: 'national',
          min: 1,
          slicing: { discriminator: [{ type: 'value', path: 'use' }], rules: 'open' },
        },
        { path: 'Patient.identifier', sliceName: 'other' },
        { path: 'Patient.identifier', sliceName: 'national/official', max: '1' },
        { path: 'Patient.identifier.use', fixedCode: 'official' },
      ],
      { baseDefinition: `${OWN}/First` },
    );
    const made = await make(second, [first]);
    expect(made.findings).toEqual([]);
    expect(made.elements.get('Patient.identifier')).toMatchObject({
      slicing: { ...slicing, rules: 'closed' },
    });
    const starts = idsBelow(made, 'Patient.identifier').filter((id) => !id.includes('.', 8));
    expect(starts).toEqual(
      ['', ':national', ':national/official', ':local', ':other'].map(
        (slice) => `Patient.identifier${slice}`,
      ),
    );
    expect(made.elements.get('Patient.identifier:national')).toMatchObject({
      min: 1,
      max: '2',
      slicing: { rules: 'open' },
    });
    expect(made.elements.get('Patient.identifier:national/official')).toMatchObject({ min: 0, max: '1' });
    expect(made.elements.get('Patient.identifier:national/official.system')).toMatchObject({
      fixedUri: 'http://nation.example',
    });
    expect(made.elements.get('Patient.identifier:national/official.use')).toMatchObject({
      fixedCode: 'official',
    });
  });

  it('on extensions need no declared slicing, and have the cardinality of the extension', async () => {
    const made = await make(
      profile('Extended', 'Patient', [
        {
          path: 'Patient.extension',
          sliceName: 'birthPlace',
          type: [{ code: 'Extension', profile: [`${BASE}/patient-birthPlace`] }],
          mustSupport: true,
        },
      ]),
    );
    expect(made.findings).toEqual([]);
    expect(made.elements.get('Patient.extension')).toMatchObject({
      slicing: { discriminator: [{ type: 'value', path: 'url' }], ordered: false, rules: 'open' },
    });
    expect(made.elements.get('Patient.extension:birthPlace')).toMatchObject({
      min: 0,
      max: '1',
      mustSupport: true,
    });
  });

  it('for the extensions of an extension definition are its parts', async () => {
    const made = await make(
      profile(
        'Parts',
        'Extension',
        [
          { path: 'Extension.extension', sliceName: 'code', min: 1, max: '1' },
          { path: 'Extension.extension.url', fixedUri: 'code' },
          { path: 'Extension.extension.valueCoding.code', min: 1 },
          { path: 'Extension.url', fixedUri: `${OWN}/Parts` },
          { path: 'Extension.value[x]', max: '0' },
        ],
        { kind: 'complex-type', context: [{ type: 'element', expression: 'Patient' }] },
      ),
    );
    expect(made.findings).toEqual([]);
    expect(made.elements.get('Extension.extension:code.url')).toMatchObject({ fixedUri: 'code', min: 1 });
    expect(typesOf(made.elements.get('Extension.extension:code.value[x]'))).toEqual(['Coding']);
    expect(made.elements.get('Extension.extension:code.value[x]:valueCoding.code')).toMatchObject({ min: 1 });
    expect(made.elements.get('Extension.url')).toMatchObject({ fixedUri: `${OWN}/Parts` });
    expect(made.elements.get('Extension.value[x]')).toMatchObject({ max: '0' });
  });

  it('that a derived profile names again with their extension have the same cardinality as before', async () => {
    const type = [{ code: 'Extension', profile: [`${BASE}/patient-birthPlace`] }];
    const first = profile('First', 'Patient', [
      { path: 'Patient.extension', sliceName: 'place', type, min: 1 },
    ]);
    const second = profile(
      'Second',
      'Patient',
      [{ path: 'Patient.extension', sliceName: 'place', type, mustSupport: true }],
      {
        baseDefinition: `${OWN}/First`,
      },
    );
    const made = await make(second, [first]);
    expect(made.elements.get('Patient.extension:place')).toMatchObject({
      min: 1,
      max: '1',
      mustSupport: true,
    });
  });
});
