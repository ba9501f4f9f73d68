/** Requirements of profiles of implementation guides: faults found with published guides, one of each kind. */
import { RELEASES } from '../../src/core/fhir/release';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

interface Issue {
  readonly severity: string;
  readonly code: string;
  readonly diagnostics: string;
  readonly expression?: readonly string[];
}

const URL = 'http://example.org/StructureDefinition';
const PRACTITIONER = 'urn:uuid:6a7a5c9e-0f7e-4a3b-8a0e-1f2f3f4f5f6a';
const COMPOSITION = 'urn:uuid:0b1c2d3e-4f50-4a61-8b72-8c93a0b1c2d4';

const CODE_SYSTEM = {
  resourceType: 'CodeSystem',
  id: 'cs1',
  url: 'http://example.org/cs1',
  status: 'active',
  content: 'complete',
  concept: [{ code: 'a' }, { code: 'b' }],
};
const VALUE_SET = {
  resourceType: 'ValueSet',
  id: 'vs1',
  url: 'http://example.org/vs1',
  status: 'active',
  compose: { include: [{ system: CODE_SYSTEM.url, concept: [{ code: 'a' }] }] },
};

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const send = (method: string, rest: string, body?: unknown) =>
    server.request(method, `${server.path('system', release)}/${rest}`, body);
  const profile = (id: string, type: string, element: readonly object[], more: object = {}) => ({
    resourceType: 'StructureDefinition',
    id,
    url: `${URL}/${id}`,
    name: id.replace(/-/g, ''),
    status: 'active',
    fhirVersion: RELEASES[release].fhirVersion,
    kind: 'resource',
    abstract: false,
    type,
    baseDefinition: `http://hl7.org/fhir/StructureDefinition/${type}`,
    derivation: 'constraint',
    differential: {
      element: element.some((each) => 'id' in each && each.id === type)
        ? element
        : [{ id: type, path: type }, ...element],
    },
    ...more,
  });
  const store = async (...resources: readonly { resourceType: string; id: string }[]): Promise<void> => {
    for (const resource of resources) {
      const { status, text } = await send('PUT', `${resource.resourceType}/${resource.id}`, resource);
      expect([resource.id, status, status < 300 ? '' : text]).toEqual([
        resource.id,
        status < 300 ? status : 201,
        '',
      ]);
    }
  };
  const validate = async (resource: object, canonical?: string): Promise<readonly Issue[]> => {
    const { json } = await send('POST', '$validate', {
      resourceType: 'Parameters',
      parameter: [
        { name: 'resource', resource },
        ...(canonical === undefined ? [] : [{ name: 'profile', valueUri: canonical }]),
      ],
    });
    return json.issue as Issue[];
  };
  const errorsOf = (issues: readonly Issue[]): readonly string[] =>
    issues
      .filter(({ severity }) => severity === 'error')
      .map(({ expression = [], diagnostics }) => `${expression.join()} ${diagnostics}`);

  beforeAll(() => store(CODE_SYSTEM, VALUE_SET));

  const observation = (code: string): object => ({
    resourceType: 'Observation',
    status: 'final',
    code: { coding: [{ system: CODE_SYSTEM.url, code }] },
  });
  const coded = () =>
    profile('coded', 'Observation', [
      {
        id: 'Observation.code',
        path: 'Observation.code',
        binding: { strength: 'required', valueSet: VALUE_SET.url },
      },
    ]);
  const collection = (...resources: readonly object[]): object => ({
    resourceType: 'Bundle',
    type: 'collection',
    entry: resources.map((resource, index) => ({
      fullUrl: `urn:uuid:6a7a5c9e-0f7e-4a3b-8a0e-1f2f3f4f5f${10 + index}`,
      resource,
    })),
  });

  it("a code outside a tenant's value set keeps an entry out of the slice of its profile", async () => {
    const slices = profile('entries', 'Bundle', [
      {
        id: 'Bundle.entry',
        path: 'Bundle.entry',
        slicing: { discriminator: [{ type: 'profile', path: 'resource' }], rules: 'open' },
      },
      { id: 'Bundle.entry:a', path: 'Bundle.entry', sliceName: 'a', min: 1, max: '1' },
      {
        id: 'Bundle.entry:a.resource',
        path: 'Bundle.entry.resource',
        type: [{ code: 'Observation', profile: [coded().url] }],
      },
    ]);
    await store(coded(), slices);
    expect(errorsOf(await validate(collection(observation('b'), observation('a')), slices.url))).toEqual([]);
    const [error, ...others] = errorsOf(await validate(collection(observation('b')), slices.url));
    expect(others).toEqual([]);
    expect(error).toMatch(/^Bundle.entry There is nothing in the slice 'a'.*http:\/\/example.org\/vs1/);
  });

  it("a code outside a tenant's value set decides between profiles of a type, and about a target", async () => {
    const quantity = (id: string, valueSet: string) =>
      profile(
        id,
        'Quantity',
        [{ id: 'Quantity.code', path: 'Quantity.code', binding: { strength: 'required', valueSet } }],
        { kind: 'complex-type' },
      );
    const other = { ...VALUE_SET, id: 'vs2', url: 'http://example.org/vs2' };
    const choice = profile('choice', 'Observation', [
      {
        id: 'Observation.value[x]',
        path: 'Observation.value[x]',
        type: [{ code: 'Quantity', profile: [`${URL}/quantity-1`, `${URL}/quantity-2`] }],
      },
      {
        id: 'Observation.hasMember',
        path: 'Observation.hasMember',
        type: [{ code: 'Reference', targetProfile: [coded().url] }],
      },
    ]);
    await store(
      coded(),
      other,
      quantity('quantity-1', VALUE_SET.url),
      quantity('quantity-2', other.url),
      choice,
    );
    const resource = (code: string, member: string): object => ({
      ...observation('b'),
      contained: [{ id: 'm', ...observation(member) }],
      valueQuantity: { value: 1, unit: 'x', system: CODE_SYSTEM.url, code },
      hasMember: [{ reference: '#m' }],
    });
    expect(errorsOf(await validate(resource('a', 'a'), choice.url))).toEqual([]);
    const errors = errorsOf(await validate(resource('b', 'b'), choice.url));
    expect(errors.map((error) => error.split(' ')[0])).toEqual([
      'Observation.value.ofType(Quantity)',
      'Observation.hasMember[0]',
    ]);
  });

  it('memberOf() asks the terminology of the tenant; an unknown value set is a warning', async () => {
    const constrained = (id: string, valueSet: string) =>
      profile(id, 'Observation', [
        {
          id: 'Observation.code',
          path: 'Observation.code',
          constraint: [
            {
              key: 'mem-1',
              severity: 'error',
              human: 'A code of the set',
              expression: `memberOf('${valueSet}')`,
            },
          ],
        },
      ]);
    await store(
      constrained('member', VALUE_SET.url),
      constrained('member-of-none', 'http://example.org/none'),
    );
    expect(errorsOf(await validate(observation('a'), `${URL}/member`))).toEqual([]);
    expect(errorsOf(await validate(observation('b'), `${URL}/member`))).toEqual([
      expect.stringMatching(/^Observation.code mem-1: A code of the set/),
    ]);
    const issues = await validate(observation('a'), `${URL}/member-of-none`);
    expect(errorsOf(issues)).toEqual([]);
    expect(issues).toContainEqual(
      expect.objectContaining({
        severity: 'warning',
        diagnostics: expect.stringContaining('mem-1') as string,
      }),
    );
  });

  it.each([
    ['a urn', PRACTITIONER, PRACTITIONER],
    ['an absolute url', 'http://a.example/fhir/Practitioner/p1', 'http://a.example/fhir/Practitioner/p1'],
    ['a relative reference', 'http://a.example/fhir/Practitioner/p1', 'Practitioner/p1'],
    ['a contained resource', PRACTITIONER, '#c'],
  ])(
    'resolve() in a constraint of a Bundle, or of an entry, follows %s',
    async (_how, fullUrl, reference) => {
      const resolving = profile('resolving', 'Bundle', [
        {
          id: 'Bundle',
          path: 'Bundle',
          constraint: [
            {
              key: 'rb-1',
              severity: 'error',
              human: 'The author has an identifier',
              expression:
                "entry.resource.ofType(Composition).author.where($this.reference.startsWith('#').not()).all(resolve() is Practitioner and resolve().identifier.exists())",
            },
          ],
        },
      ]);
      const author = profile('author', 'Composition', [
        {
          id: 'Composition.author',
          path: 'Composition.author',
          constraint: [
            {
              key: 'rb-2',
              severity: 'error',
              human: 'It is known',
              expression: "resolve().identifier.value = '1'",
            },
          ],
        },
      ]);
      await store(resolving, author);
      const practitioner = (value: string): object => ({
        resourceType: 'Practitioner',
        identifier: [{ system: 'http://example.org/i', value }],
      });
      const document = (value: string): object => ({
        resourceType: 'Bundle',
        type: 'document',
        timestamp: '2024-01-01T00:00:00Z',
        identifier: { system: 'http://example.org/i', value: 'd' },
        entry: [
          {
            fullUrl:
              COMPOSITION.startsWith('urn') && reference.includes('/')
                ? 'http://a.example/fhir/Composition/c1'
                : COMPOSITION,
            resource: {
              resourceType: 'Composition',
              id: 'c1',
              meta: { profile: [author.url] },
              status: 'final',
              type: { text: 'x' },
              date: '2024-01-01',
              title: 't',
              ...(reference === '#c' ? { contained: [{ ...practitioner(value), id: 'c' }] } : {}),
              author: [{ reference }],
            },
          },
          { fullUrl, resource: { ...practitioner(value), id: 'p1' } },
        ],
      });
      expect(errorsOf(await validate(document('1'), resolving.url))).toEqual([]);
      expect(errorsOf(await validate(document('2'), resolving.url))).toEqual([
        expect.stringContaining('rb-2: It is known') as string,
      ]);
    },
  );

  it('.value of a primitive in a constraint is its value', async () => {
    const valued = profile('valued', 'Parameters', [
      {
        id: 'Parameters.parameter.value[x]',
        path: 'Parameters.parameter.value[x]',
        constraint: [
          { key: 'pv-1', severity: 'error', human: 'It begins with a', expression: "value.startsWith('a')" },
        ],
      },
    ]);
    await store(valued);
    const parameters = (valueString: string): object => ({
      resourceType: 'Parameters',
      parameter: [{ name: 'p', valueString }],
    });
    expect(errorsOf(await validate(parameters('abc'), valued.url))).toEqual([]);
    expect(errorsOf(await validate(parameters('bcd'), valued.url))).toEqual([
      expect.stringContaining('pv-1: It begins with a') as string,
    ]);
  });

  it('a version of two numbers stands for its newest patch', async () => {
    const versioned = (version: string, min: number) =>
      profile(
        `version-${version.replace(/\./g, '-')}`,
        'Patient',
        [{ id: 'Patient.gender', path: 'Patient.gender', min }],
        {
          url: `${URL}/versioned`,
          version,
        },
      );
    await store(versioned('1.4.1', 0), versioned('1.4.10', 1), versioned('1.5.0', 0));
    const patient = (version: string): object => ({
      resourceType: 'Patient',
      meta: { profile: [`${URL}/versioned|${version}`] },
    });
    expect(errorsOf(await validate(patient('1.4')))).toEqual([
      expect.stringMatching(/^Patient.gender Patient.gender is missing/),
    ]);
    expect(errorsOf(await validate(patient('1.4.1')))).toEqual([]);
    expect(errorsOf(await validate(patient('1')))).toEqual([]);
    const unknown = await validate(patient('1.4.2'));
    expect(errorsOf(unknown)).toEqual([]);
    expect(unknown).toContainEqual(
      expect.objectContaining({ severity: 'warning', expression: ['Patient.meta.profile[0]'] }),
    );
  });

  it('a differential may constrain what all types of a choice have', async () => {
    const timed = profile('timed', 'MedicationStatement', [
      {
        id: 'MedicationStatement.effective[x].extension',
        path: 'MedicationStatement.effective[x].extension',
        max: '0',
      },
    ]);
    await store(timed);
    const statement = (more: object): object => ({
      resourceType: 'MedicationStatement',
      status: 'active',
      medicationCodeableConcept: { text: 'x' },
      subject: { display: 'x' },
      effectiveDateTime: '2020',
      ...more,
    });
    const extension = [{ url: 'http://example.org/e', valueString: 'a' }];
    expect(errorsOf(await validate(statement({}), timed.url))).toEqual([]);
    expect(
      errorsOf(await validate(statement({ _effectiveDateTime: { extension } }), timed.url)),
    ).toHaveLength(1);
  });

  it('slices that only an unknown profile tells apart are not checked, with a warning', async () => {
    const sliced = profile('sliced-by-unknown', 'Patient', [
      {
        id: 'Patient.identifier',
        path: 'Patient.identifier',
        slicing: { discriminator: [{ type: 'value', path: 'system' }], rules: 'open' },
      },
      {
        id: 'Patient.identifier:a',
        path: 'Patient.identifier',
        sliceName: 'a',
        min: 0,
        max: '1',
        type: [{ code: 'Identifier', profile: [`${URL}/not-loaded`] }],
      },
    ]);
    await store(sliced);
    const issues = await validate(
      {
        resourceType: 'Patient',
        identifier: [
          { system: 'http://example.org/1', value: '1' },
          { system: 'http://example.org/2', value: '2' },
        ],
      },
      sliced.url,
    );
    expect(errorsOf(issues)).toEqual([]);
    expect(issues.filter(({ diagnostics }) => diagnostics.includes('not-loaded'))).toMatchObject([
      { severity: 'warning', diagnostics: expect.stringContaining('are not checked') as string },
    ]);
  });

  it('an error names the slice that it is about, and gives the whole text of a constraint', async () => {
    const human = `The first part is needed. ${'It says how much. '.repeat(20)}End.`;
    const named = profile('named-slices', 'Observation', [
      {
        id: 'Observation.component',
        path: 'Observation.component',
        slicing: { discriminator: [{ type: 'pattern', path: 'code' }], rules: 'open' },
      },
      {
        id: 'Observation.component:first',
        path: 'Observation.component',
        sliceName: 'first',
        constraint: [{ key: 'first-1', severity: 'error', human, expression: 'interpretation.exists()' }],
      },
      {
        id: 'Observation.component:first.code',
        path: 'Observation.component.code',
        patternCodeableConcept: { coding: [{ system: CODE_SYSTEM.url, code: 'a' }] },
      },
      { id: 'Observation.component:first.value[x]', path: 'Observation.component.value[x]', min: 1 },
    ]);
    await store(named);
    const component = [{ code: { coding: [{ system: CODE_SYSTEM.url, code: 'a' }] } }];
    const errors = errorsOf(await validate({ ...observation('a'), component }, named.url));
    expect([...errors].sort()).toEqual([
      expect.stringContaining(`first-1: ${human}`) as string,
      expect.stringMatching(
        /^Observation.component\[0\].value Observation.component:first.value\[x\] is missing/,
      ) as string,
    ]);
  });

  it('a SearchParameter with the code of one of FHIR, or with a JSON name in its path, is stored with a warning', async () => {
    const parameter = (id: string, more: object): object => ({
      resourceType: 'SearchParameter',
      id,
      url: `http://example.org/SearchParameter/${id}`,
      name: 'A',
      status: 'active',
      description: 'd',
      ...more,
    });
    for (const [id, more] of [
      ['sp-id', { code: '_id', base: ['Patient'], type: 'token', expression: 'Patient.id' }],
      [
        'sp-ad',
        {
          code: 'asserted-date',
          base: ['Condition'],
          type: 'date',
          expression: "Condition.extension.where(url='http://example.org/a').valueDateTime",
        },
      ],
    ] as const) {
      const { status, headers } = await send('PUT', `SearchParameter/${id}`, parameter(id, more));
      expect([id, status, headers['x-issues']]).toEqual([id, 201, '1; warning']);
    }
  });

  it('a code that its code system lacks and a supplement are errors of $validate, a wrong display is a warning; a write warns', async () => {
    const animals = {
      ...CODE_SYSTEM,
      id: 'animals',
      url: 'http://example.org/animals',
      version: '1',
      concept: [{ code: 'cat', display: 'Cat', designation: [{ language: 'de', value: 'Katze' }] }],
    };
    const supplement = {
      ...CODE_SYSTEM,
      id: 'supplement',
      url: 'http://example.org/supplement',
      content: 'supplement',
      supplements: animals.url,
    };
    const fragment = { ...animals, id: 'fragment', url: 'http://example.org/fragment', content: 'fragment' };
    await store(animals, supplement, fragment);
    const basic = (coding: object): object => ({ resourceType: 'Basic', code: { coding: [coding] } });
    const codes: readonly (readonly [object, string | undefined])[] = [
      [{ system: animals.url, code: 'cat', display: 'cat' }, undefined],
      [{ system: animals.url, code: 'cat', display: 'Katze' }, undefined],
      [{ system: animals.url, code: 'cat', display: 'Dog' }, 'Basic.code.coding[0].display'],
      [{ system: animals.url, code: 'dog' }, 'Basic.code.coding[0].code'],
      [{ system: animals.url, version: '1', code: 'dog' }, 'Basic.code.coding[0].code'],
      [{ system: animals.url, version: '2', code: 'dog' }, undefined],
      [{ system: fragment.url, code: 'dog' }, undefined],
      [{ system: supplement.url, code: 'cat' }, 'Basic.code.coding[0].system'],
      [{ system: 'http://loinc.org', code: 'any', display: 'any' }, undefined],
      [{ system: 'http://unitsofmeasure.org', code: 'mg', display: 'milligram' }, undefined],
      [{ system: 'http://unitsofmeasure.org', code: 'spoon' }, 'Basic.code.coding[0].code'],
    ];
    for (const [coding, place] of codes) {
      const issues = await validate(basic(coding));
      const found = issues.filter(({ code }) => code === 'code-invalid');
      expect([coding, ...found.map(({ severity, expression }) => [severity, expression?.[0]])]).toEqual([
        coding,
        ...(place === undefined ? [] : [[place.endsWith('display') ? 'warning' : 'error', place]]),
      ]);
      const { status, headers } = await send('POST', 'Basic', basic(coding));
      expect([status, headers['x-issues']]).toEqual([201, place === undefined ? undefined : '1; warning']);
    }
  });

  it('constraints that are published wrong are checked as they are meant: pd-1 of US Core, opd-3', async () => {
    const role = profile('role', 'PractitionerRole', [
      {
        id: 'PractitionerRole',
        path: 'PractitionerRole',
        constraint: [
          { key: 'pd-1', severity: 'error', human: 'A way to contact', expression: 'telecom or endpoint' },
        ],
      },
    ]);
    await store(role);
    const telecom = [
      { system: 'phone', value: '1' },
      { system: 'email', value: 'a@b.example' },
    ];
    expect(errorsOf(await validate({ resourceType: 'PractitionerRole', telecom }, role.url))).toEqual([]);
    expect(errorsOf(await validate({ resourceType: 'PractitionerRole' }, role.url))).toHaveLength(1);
    const operation = (type: string): object => ({
      resourceType: 'OperationDefinition',
      name: 'A',
      status: 'active',
      kind: 'operation',
      code: 'a',
      system: true,
      type: false,
      instance: false,
      parameter: [{ name: 'in', use: 'in', min: 0, max: '1', type, targetProfile: [`${URL}/coded`] }],
    });
    expect(errorsOf(await validate(operation('Observation')))).toEqual([]);
    expect(errorsOf(await validate(operation('string')))).toHaveLength(1);
  });

  it('a differential that fits no base is an error of its StructureDefinition', async () => {
    const unfit = profile('unfit', 'Patient', [{ id: 'Patient.nick', path: 'Patient.nick', min: 1 }]);
    const place = 'StructureDefinition.differential.element[1]';
    const refused = await send('PUT', 'StructureDefinition/unfit', unfit);
    expect([refused.status, refused.json.issue[0].expression]).toEqual([422, [place]]);
    expect(errorsOf(await validate(unfit))).toEqual([expect.stringContaining(place) as string]);
    // A base that is not there (yet) is no error.
    const early = { ...unfit, id: 'early', baseDefinition: `${URL}/later` };
    expect((await send('PUT', 'StructureDefinition/early', early)).status).toBe(201);
  });

  it('%resource of a constraint on contained and bundled resources is the one that has them', async () => {
    const constrained = (id: string, type: string, path: string, expression: string) =>
      profile(id, type, [
        { id: path, path, constraint: [{ key: 'res-1', severity: 'error', human: 'It is', expression }] },
      ]);
    const ofContained = constrained(
      'of-contained',
      'Patient',
      'Patient.contained',
      "%context.type().name = 'Organization' and %resource.type().name = 'Patient' and %rootResource.type().name = 'Patient'",
    );
    const ofEntry = constrained(
      'of-entry',
      'Bundle',
      'Bundle.entry.resource',
      "%context.type().name = 'Observation' and %resource.type().name = 'Bundle' and %rootResource.type().name = 'Bundle'",
    );
    await store(ofContained, ofEntry);
    const patient = {
      resourceType: 'Patient',
      contained: [{ resourceType: 'Organization', id: 'o', name: 'O' }],
      managingOrganization: { reference: '#o' },
    };
    expect(errorsOf(await validate(patient, ofContained.url))).toEqual([]);
    expect(errorsOf(await validate(collection(observation('a')), ofEntry.url))).toEqual([]);
  });

  it('the definition of a base type may be named as a profile', async () => {
    const based = profile('based', 'Bundle', [
      {
        id: 'Bundle.entry.resource',
        path: 'Bundle.entry.resource',
        type: [
          {
            code: 'Resource',
            profile: ['Observation', 'Patient'].map(
              (type) => `http://hl7.org/fhir/StructureDefinition/${type}`,
            ),
          },
        ],
      },
    ]);
    await store(based);
    const issues = await validate(collection(observation('a'), { resourceType: 'Patient' }), based.url);
    expect(issues.filter(({ diagnostics }) => !diagnostics.startsWith('dom-6'))).toEqual([]);
    const [error] = errorsOf(
      await validate(collection({ resourceType: 'Basic', code: { text: 'a' } }), based.url),
    );
    expect(error).toMatch(/^Bundle.entry\[0\].resource This meets none of/);
  });

  it('a search parameter agrees with the one of FHIR that it is derived from', async () => {
    const NAME = 'http://hl7.org/fhir/SearchParameter/Organization-name';
    const parameter = (more: object): object => ({
      resourceType: 'SearchParameter',
      url: 'http://example.org/SearchParameter/name',
      name: 'A',
      status: 'active',
      description: 'd',
      code: 'own-name',
      base: ['Organization'],
      type: 'string',
      expression: 'Organization.name',
      derivedFrom: NAME,
      ...more,
    });
    const places = async (resource: object): Promise<readonly string[]> =>
      errorsOf(await validate(resource)).map((error) => error.split(' ')[0] ?? '');
    expect(await places(parameter({}))).toEqual([]);
    expect(await places(parameter({ type: 'token' }))).toEqual(['SearchParameter.type']);
    expect(await places(parameter({ base: ['Organization', 'Patient'] }))).toEqual([
      'SearchParameter.base[1]',
    ]);
  });

  it('an extension at a place that its definition does not allow is a warning', async () => {
    const extension = (id: string, ...expressions: string[]) =>
      profile(id, 'Extension', [{ id: 'Extension.url', path: 'Extension.url', fixedUri: `${URL}/${id}` }], {
        kind: 'complex-type',
        context: expressions.map((expression) => ({ type: 'element', expression })),
      });
    await store(
      extension('of-family', 'HumanName.family'),
      extension('of-name', 'Patient.name', 'Practitioner.name'),
      extension('of-any', 'Element'),
      extension('of-domain', 'DomainResource'),
      extension('of-contact', 'Patient.contact'),
      extension('of-deceased', 'Patient.deceased[x]'),
      extension('of-string', 'string'),
    );
    const use = (id: string): object => ({ extension: [{ url: `${URL}/${id}`, valueString: 'a' }] });
    const places: readonly (readonly [place: (id: string) => object, allowed: readonly string[]])[] = [
      [(id) => ({ ...use(id) }), ['of-any', 'of-domain']],
      [(id) => ({ name: [{ text: 'a', ...use(id) }] }), ['of-any', 'of-name']],
      [(id) => ({ name: [{ family: 'a', _family: use(id) }] }), ['of-any', 'of-family', 'of-string']],
      [
        (id) => ({ contact: [{ gender: 'male', name: { text: 'a' }, ...use(id) }] }),
        ['of-any', 'of-contact'],
      ],
      [(id) => ({ deceasedBoolean: true, _deceasedBoolean: use(id) }), ['of-any', 'of-deceased']],
    ];
    const ids = ['of-any', 'of-contact', 'of-deceased', 'of-domain', 'of-family', 'of-name', 'of-string'];
    for (const [place, allowed] of places) {
      const found: string[] = [];
      for (const id of ids)
        if (
          !(await validate({ resourceType: 'Patient', ...place(id) })).some(({ diagnostics }) =>
            diagnostics.includes('is not for'),
          )
        )
          found.push(id);
      expect([place('x'), found]).toEqual([place('x'), allowed]);
    }
  });
});
