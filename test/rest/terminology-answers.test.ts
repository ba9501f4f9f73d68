/** Answers of terminology operations beyond the published examples: faults that others found, one of each kind. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const base = `http://terms.example/${release}`;
  const send = (method: string, rest: string, body?: unknown) =>
    server.request(method, `${server.path('system', release)}/${rest}`, body);
  const invoke = (rest: string, parameter: readonly object[]) =>
    send('POST', rest, { resourceType: 'Parameters', parameter });
  const valuesOf = (json: { parameter: readonly Record<string, unknown>[] }): Record<string, unknown> =>
    Object.fromEntries(
      json.parameter.map(({ name, ...value }) => [String(name), Object.values(value)[0]] as const),
    );
  /** The types of the issues of a validation in HL7's ecosystem. */
  const typesOf = (values: Record<string, unknown>): readonly string[] | undefined => {
    const issues = values['issues'] as { issue: { details?: { coding: { code: string }[] } }[] } | undefined;
    return issues?.issue.map(({ details }) => details?.coding[0]?.code ?? '');
  };
  const LANGUAGES = [
    { language: 'de', use: { code: '900000000000003001' }, value: 'Pferd (Tier)' },
    { language: 'de', use: { code: 'display' }, value: 'Pferd' },
    { language: 'en', value: 'equine' },
  ];

  beforeAll(async () => {
    const resources = [
      {
        resourceType: 'CodeSystem',
        id: 'animals',
        url: `${base}/animals`,
        version: 'May 2021',
        language: 'en',
        content: 'complete',
        concept: [{ code: 'horse', display: 'horse', designation: LANGUAGES, concept: [{ code: 'pony' }] }],
      },
      {
        resourceType: 'CodeSystem',
        id: 'plants',
        url: `${base}/plants`,
        content: 'fragment',
        concept: [{ code: 'oak' }],
      },
      {
        resourceType: 'ValueSet',
        id: 'listed',
        url: `${base}/listed`,
        compose: {
          include: [
            { system: `${base}/animals`, concept: [{ code: 'horse' }, { code: 'unicorn' }] },
            { system: `${base}/plants`, concept: [{ code: 'oak' }, { code: 'elm' }] },
          ],
        },
      },
      {
        resourceType: 'ValueSet',
        id: 'elsewhere',
        url: `${base}/elsewhere`,
        compose: { include: [{ system: `${base}/nowhere` }] },
      },
    ];
    for (const resource of resources) {
      const { resourceType, id } = resource;
      const { status } = await send('PUT', `${resourceType}/${id}`, { ...resource, status: 'active' });
      expect(status).toBe(201);
    }
  });

  it('an expansion names a version with a blank', async () => {
    const { status, json } = await send('GET', `ValueSet/$expand?url=${base}/listed`);
    expect(status).toBe(200);
    expect(json.expansion.parameter).toContainEqual({
      name: 'version',
      valueString: `${base}/animals|May 2021`,
    });
  });

  it.each([
    ['en', 'horse'],
    ['en-GB', 'horse'],
    ['de', 'Pferd'],
    ['de-AT', 'Pferd'],
    ['fr', 'horse'],
    ['fr, de;q=0.8, en', 'horse'],
    ['fr, de, en;q=0.9', 'Pferd'],
    ['en;q=0, de', 'Pferd'],
    ['*', 'horse'],
  ])('the display of a code in %s is %s', async (language, display) => {
    const lookup = `CodeSystem/$lookup?system=${base}/animals&code=horse&displayLanguage=${encodeURIComponent(language)}`;
    expect(valuesOf((await send('GET', lookup)).json)).toMatchObject({ display });
    const expand = `ValueSet/$expand?url=${base}/listed&displayLanguage=${encodeURIComponent(language)}`;
    expect((await send('GET', expand)).json.expansion.contains[0].display).toBe(display);
  });

  describe('without a parameter displayLanguage', () => {
    const stated = {
      url: 'http://hl7.org/fhir/StructureDefinition/valueset-expansion-parameter',
      extension: [
        { url: 'name', valueCode: 'displayLanguage' },
        { url: 'value', valueCode: 'de' },
      ],
    };
    const include = [{ system: `${base}/animals`, concept: [{ code: 'horse' }] }];
    const ask = async (
      language: string,
      valueSet: object,
      more: readonly object[] = [],
    ): Promise<{ display: string; designation: unknown; parameter: readonly { name: string }[] }> => {
      const resource = { resourceType: 'ValueSet', status: 'active', compose: { include }, ...valueSet };
      const parameter = [{ name: 'valueSet', resource }, ...more];
      const { json } = await server.request(
        'POST',
        `${server.path('system', release)}/ValueSet/$expand`,
        { resourceType: 'Parameters', parameter },
        { 'content-type': 'application/fhir+json', 'accept-language': language },
      );
      const [{ display, designation }] = json.expansion.contains;
      return { display, designation, parameter: json.expansion.parameter };
    };

    it.each([
      ['de-AT, en;q=0.5', {}, 'Pferd', 'de-AT, en;q=0.5'],
      ['en', {}, 'horse', 'en'],
      // A header that is no list of languages is no reason to refuse a request.
      ['de;en', {}, 'horse', undefined],
      ['*', {}, 'horse', undefined],
      ['*', { language: 'de' }, 'Pferd', 'de'],
      ['en', { language: 'de' }, 'horse', 'en'],
      ['en', { compose: { include, extension: [stated] } }, 'Pferd', 'de'],
    ])('%s and the value set %j show %s', async (language, valueSet, display, told) => {
      const answer = await ask(language, valueSet);
      expect(answer.display).toBe(display);
      const languages = answer.parameter.filter(({ name }) => name === 'displayLanguage');
      expect(languages).toEqual(told === undefined ? [] : [{ name: 'displayLanguage', valueCode: told }]);
    });

    it('the parameter goes before the header, and the display that it replaces is a designation', async () => {
      const parameters = [
        { name: 'displayLanguage', valueCode: 'de' },
        { name: 'includeDesignations', valueBoolean: true },
      ];
      const { display, designation } = await ask('en', {}, parameters);
      expect([display, designation]).toEqual([
        'Pferd',
        [
          expect.objectContaining({ language: 'en', value: 'horse' }),
          expect.objectContaining({ value: 'Pferd (Tier)' }),
          expect.objectContaining({ value: 'equine' }),
        ],
      ]);
    });

    it('a stored expansion is told apart by the header', async () => {
      const of = async (language: string): Promise<string> => {
        const { json } = await server.request(
          'GET',
          `${server.path('system', release)}/ValueSet/$expand?url=${base}/listed`,
          undefined,
          { 'accept-language': language },
        );
        return json.expansion.contains[0].display;
      };
      expect([await of('de'), await of('en'), await of('de')]).toEqual(['Pferd', 'horse', 'Pferd']);
      const lookup = `${server.path('system', release)}/CodeSystem/$lookup?system=${base}/animals&code=horse`;
      const { json } = await server.request('GET', lookup, undefined, { 'accept-language': 'de' });
      expect(valuesOf(json)).toMatchObject({ display: 'Pferd' });
    });
  });

  it.each(['-', 'de;en', 'de, ', 'de;q=2'])(
    'the language %s is refused, because it is none',
    async (language) => {
      for (const rest of [
        `CodeSystem/$lookup?system=${base}/animals&code=horse`,
        `ValueSet/$expand?url=${base}/listed`,
        `ValueSet/$validate-code?url=${base}/listed&system=${base}/animals&code=horse`,
      ]) {
        const { status, text } = await send('GET', `${rest}&displayLanguage=${encodeURIComponent(language)}`);
        expect([status, text]).toEqual([400, expect.stringMatching(/is not a language|is wrong/)]);
      }
    },
  );

  it('the value sets that a code system implies can be expanded and asked for codes', async () => {
    const all = encodeURIComponent(`${base}/animals?fhir_vs`);
    const { json } = await send('GET', `ValueSet/$expand?url=${all}`);
    expect(json.expansion.total).toBe(2);
    const below = encodeURIComponent(`${base}/animals?fhir_vs=isa/horse`);
    const checked = await send('GET', `ValueSet/$validate-code?url=${below}&code=pony`);
    expect(valuesOf(checked.json)).toMatchObject({ result: true, code: 'pony', system: `${base}/animals` });
  });

  it.each([
    ['animals', 'horse', true, undefined],
    ['animals', 'unicorn', false, ['not-in-vs', 'invalid-code']],
    ['plants', 'oak', true, undefined],
    ['plants', 'elm', true, ['invalid-code']],
  ])('a listed code of %s, %s, is valid: %s', async (system, code, result, types) => {
    const query = `url=${base}/listed&system=${base}/${system}&code=${code}`;
    const values = valuesOf((await send('GET', `ValueSet/$validate-code?${query}`)).json);
    expect(values).toMatchObject({ result, code, system: `${base}/${system}` });
    expect(typesOf(values)).toEqual(types);
  });

  describe('a code system of which only some codes are here', () => {
    const whole = (id: string, include: object, more: object = {}): object => ({
      ...{ resourceType: 'ValueSet', id, url: `${base}/${id}`, compose: { include: [include], ...more } },
    });
    const bound = (id: string, valueSet: string): object => ({
      ...{ resourceType: 'StructureDefinition', id, url: `${base}/${id}`, name: id.replace(/-/g, '') },
      ...{ kind: 'resource', abstract: false, type: 'Basic', derivation: 'constraint' },
      baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Basic',
      differential: {
        element: [
          { id: 'Basic', path: 'Basic' },
          {
            id: 'Basic.code',
            path: 'Basic.code',
            binding: { strength: 'required', valueSet: `${base}/${valueSet}` },
          },
        ],
      },
    });
    const tree = { system: `${base}/plants`, filter: [{ property: 'concept', op: 'is-a', value: 'oak' }] };
    const systems = ['1.2.0', '2.0.0'].map((version) => ({
      ...{ resourceType: 'CodeSystem', id: `editions-${version}`, url: `${base}/editions`, version },
      ...{ content: 'complete', concept: [{ code: `code-${version}` }] },
    }));

    beforeAll(async () => {
      const samples = {
        ...{ resourceType: 'CodeSystem', id: 'samples', url: `${base}/samples`, content: 'example' },
        concept: [{ code: 'one' }],
      };
      const resources = [
        samples,
        ...systems,
        whole(
          'all-plants',
          { system: `${base}/plants` },
          { exclude: [{ system: `${base}/plants`, concept: [{ code: 'fir' }] }] },
        ),
        whole('oaks', tree),
        whole('some-plants', { system: `${base}/plants`, concept: [{ code: 'oak' }] }),
        whole('all-samples', { system: `${base}/samples` }),
        whole('all-animals', { system: `${base}/animals` }),
        whole('both', { system: `${base}/plants`, valueSet: [`${base}/some-plants`] }),
        ...['1', '1.2', '1.2.0'].map((version) =>
          whole(`edition-${version}`, { system: `${base}/editions`, version }),
        ),
        ...['plants', 'samples', 'animals'].map((name) => bound(`only-${name}`, `all-${name}`)),
        bound('some-only', 'some-plants'),
      ];
      for (const resource of resources) {
        const { resourceType, id } = resource as { resourceType: string; id: string };
        const { status, text } = await send('PUT', `${resourceType}/${id}`, {
          ...resource,
          status: 'active',
        });
        expect([text, status]).toEqual([text, 201]);
      }
    });

    it.each([
      ['all-plants', 'plants', 'oak', true, undefined],
      ['all-plants', 'plants', 'elm', true, ['warning']],
      // Whatever else the system has, these rules keep the code out.
      ['all-plants', 'plants', 'fir', false, ['error', 'warning']],
      ['some-plants', 'plants', 'elm', false, ['error', 'warning']],
      ['both', 'plants', 'elm', false, ['error', 'warning']],
      ['all-plants', 'animals', 'horse', false, ['error']],
      ['oaks', 'plants', 'elm', true, ['warning']],
      ['all-samples', 'samples', 'two', true, ['warning']],
      ['all-animals', 'animals', 'unicorn', false, ['error', 'error']],
    ])('in %s the code of %s, %s, is valid: %s', async (valueSet, system, code, result, severities) => {
      const query = `url=${base}/${valueSet}&system=${base}/${system}&code=${code}`;
      const values = valuesOf((await send('GET', `ValueSet/$validate-code?${query}`)).json);
      expect(values).toMatchObject({ result, code });
      const issues = values['issues'] as { issue: { severity: string }[] } | undefined;
      expect(issues?.issue.map((issue) => issue.severity)).toEqual(severities);
    });

    it.each([
      ['plants', 'elm', true],
      ['samples', 'two', true],
      ['animals', 'unicorn', false],
    ])('of the code system %s the code %s is valid: %s', async (system, code, result) => {
      const query = `url=${base}/${system}&code=${code}`;
      expect(valuesOf((await send('GET', `CodeSystem/$validate-code?${query}`)).json)).toMatchObject({
        result,
      });
    });

    it.each([
      ['only-plants', 'plants', 'oak', 201, undefined],
      ['only-plants', 'plants', 'elm', 201, '1; warning'],
      ['only-samples', 'samples', 'two', 201, '1; warning'],
      ['only-plants', 'animals', 'horse', 422, undefined],
      ['only-plants', 'plants', 'fir', 422, undefined],
      ['some-only', 'plants', 'elm', 422, undefined],
    ])(
      'under the required binding of %s a write with %s|%s is %d',
      async (profile, system, code, status, issues) => {
        const basic = {
          ...{ resourceType: 'Basic', meta: { profile: [`${base}/${profile}`] } },
          code: { coding: [{ system: `${base}/${system}`, code }] },
        };
        const answer = await send('POST', 'Basic', basic);
        expect([answer.text, answer.status, answer.headers['x-issues']]).toEqual([
          answer.text,
          status,
          issues,
        ]);
        const judged = await invoke('$validate', [{ name: 'resource', resource: basic }]);
        const severities = (judged.json.issue as { severity: string }[]).map(({ severity }) => severity);
        expect([judged.text, severities.includes('error')]).toEqual([judged.text, status === 422]);
      },
    );

    it.each([
      ['edition-1.2.0', true],
      ['edition-1.2', false],
      ['edition-1', false],
    ])('%s has the codes of exactly that version: %s', async (valueSet, result) => {
      const query = `url=${base}/${valueSet}&system=${base}/editions&code=code-1.2.0`;
      expect(valuesOf((await send('GET', `ValueSet/$validate-code?${query}`)).json)).toMatchObject({
        result,
      });
    });
  });

  it.each([
    ['ValueSet/$validate-code', 'elsewhere'],
    ['CodeSystem/$validate-code', 'nowhere'],
  ])('%s of an unknown system is false, and says why', async (operation, name) => {
    const system = operation.startsWith('ValueSet') ? [{ name: 'system', valueUri: `${base}/nowhere` }] : [];
    const { status, json } = await invoke(operation, [
      { name: 'url', valueUri: `${base}/${name}` },
      ...system,
      { name: 'code', valueCode: 'a' },
    ]);
    expect(status).toBe(200);
    const values = valuesOf(json);
    expect(values['result']).toBe(false);
    expect(values['message']).toContain(`${base}/nowhere`);
    expect(values['issues']).toMatchObject({ issue: [{ severity: 'error', code: 'not-found' }] });
  });

  describe('a code system with several versions', () => {
    const url = `${base}/editions`;
    const include = (version?: string): object => ({
      system: url,
      ...(version === undefined ? {} : { version }),
    });
    const valueSets = { any: undefined, pinned: '1.0.0', pattern: '1.x', other: '3.x', beginning: '1' };

    beforeAll(async () => {
      for (const version of ['1.0.0', '1.2.0', '2.0.0'])
        await send('PUT', `CodeSystem/editions-${version}`, {
          ...{ resourceType: 'CodeSystem', id: `editions-${version}`, url, version, status: 'active' },
          ...{ content: 'complete', concept: [{ code: 'code', display: `Display of ${version}` }] },
        });
      for (const [name, version] of Object.entries(valueSets))
        await send('PUT', `ValueSet/editions-${name}`, {
          ...{ resourceType: 'ValueSet', id: `editions-${name}`, url: `${url}-${name}`, status: 'active' },
          compose: { include: [include(version)] },
        });
    });

    const validate = async (
      name: keyof typeof valueSets,
      given: Readonly<Record<string, string>>,
    ): Promise<Record<string, unknown>> => {
      const query = new URLSearchParams({ url: `${url}-${name}`, system: url, code: 'code', ...given });
      const { result, version } = valuesOf((await send('GET', `ValueSet/$validate-code?${query}`)).json);
      return { result, version };
    };

    it.each([
      ['any', {}, true, '2.0.0'],
      ['any', { systemVersion: '1.0.0' }, true, '1.0.0'],
      ['any', { 'system-version': `${url}|1.x` }, true, '1.2.0'],
      ['any', { 'force-system-version': `${url}|1.0.x` }, true, '1.0.0'],
      ['any', { 'check-system-version': `${url}|1.0.x` }, true, '1.0.0'],
      ['pinned', { 'system-version': `${url}|2.0.0` }, true, '1.0.0'],
      ['pinned', { 'force-system-version': `${url}|2.x` }, true, '2.0.0'],
      ['pinned', { 'check-system-version': `${url}|2.x` }, false, '1.0.0'],
      ['pattern', {}, true, '1.2.0'],
      ['pattern', { systemVersion: '1.0.0' }, true, '1.0.0'],
      ['pattern', { systemVersion: '2.0.0' }, false, '1.2.0'],
      ['other', {}, false, undefined],
      // An edition is another one than the next.
      ['beginning', {}, false, undefined],
    ] as const)('the value set %s with %j is %s by the version %s', async (name, given, result, version) => {
      expect(await validate(name, given)).toEqual({ result, version });
    });
  });

  it('an error of terminology has the code and text of the terminology ecosystem', async () => {
    const all = { include: [{ system: `${base}/animals`, version: '9' }] };
    const pinned = { name: 'check-system-version', valueCanonical: `${base}/animals|9` };
    const expand = (compose: object, more: readonly object[] = []) =>
      invoke('ValueSet/$expand', [
        { name: 'valueSet', resource: { resourceType: 'ValueSet', status: 'active', compose } },
        ...more,
      ]);
    const animals = { include: [{ system: `${base}/animals`, version: 'May 2021' }] };
    const imported = { include: [{ valueSet: [`${base}/never`] }] };
    for (const [{ status, json }, expected, code, type, text] of [
      [
        await send('GET', `ValueSet/$expand?url=${base}/never`),
        404,
        'not-found',
        'not-found',
        `value Set '${base}/never'`,
      ],
      [
        await expand(all),
        422,
        'not-found',
        'not-found',
        "version '9' could not be found, so the value set cannot be expanded. Valid versions: May 2021",
      ],
      [
        await expand(animals, [pinned]),
        422,
        'exception',
        'version-error',
        "The version 'May 2021' is not allowed",
      ],
      [await expand(imported), 422, 'not-found', 'not-found', `value Set '${base}/never'`],
      [
        await expand(animals, [{ name: 'useSupplement', valueCanonical: `${base}/never` }]),
        404,
        'not-found',
        'not-found',
        `Required supplement not found: ${base}/never`,
      ],
    ] as const) {
      const [issue] = json.issue;
      expect([status, issue.code, issue.details.coding]).toEqual([
        expected,
        code,
        [{ system: 'http://hl7.org/fhir/tools/CodeSystem/tx-issue-type', code: type }],
      ]);
      expect(issue.details.text).toContain(text);
    }
    // What is excluded is not needed where nothing of it is included.
    const { status } = await expand({ ...animals, exclude: [{ system: `${base}/plants`, version: '9' }] });
    expect(status).toBe(200);
  });

  it('a value set includes those that it contains', async () => {
    const contained = {
      ...{ resourceType: 'ValueSet', id: 'own', status: 'active' },
      compose: { include: [{ system: `${base}/animals`, concept: [{ code: 'pony' }] }] },
    };
    const valueSet = {
      ...{ resourceType: 'ValueSet', status: 'active', contained: [contained] },
      compose: { include: [{ valueSet: ['#own'] }] },
    };
    const { json } = await invoke('ValueSet/$expand', [{ name: 'valueSet', resource: valueSet }]);
    expect(json.expansion.contains).toMatchObject([{ code: 'pony' }]);
    const loop = { ...contained, compose: { include: [{ valueSet: ['#own'] }] } };
    const looping = { ...valueSet, contained: [loop] };
    const refused = await invoke('ValueSet/$expand', [{ name: 'valueSet', resource: looping }]);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('includes itself')]);
  });

  it('a code of a value set with an import that does not exist is false, and an expansion an error', async () => {
    const ask = (compose: object) => [
      { name: 'valueSet', resource: { resourceType: 'ValueSet', status: 'active', compose } },
      { name: 'system', valueUri: `${base}/animals` },
      { name: 'code', valueCode: 'horse' },
    ];
    const all = { system: `${base}/animals` };
    const unknown = { valueSet: [`${base}/never`] };
    const missing = `The included value set ${base}/never does not exist`;
    // What it would exclude may be the code.
    for (const compose of [{ include: [unknown] }, { include: [all], exclude: [unknown] }]) {
      const { json } = await invoke('ValueSet/$validate-code', ask(compose));
      expect(valuesOf(json)).toMatchObject({
        result: false,
        message: `A definition for the value Set '${base}/never' could not be found`,
      });
      const [valueSet] = ask(compose);
      const expansion = await invoke('ValueSet/$expand', valueSet === undefined ? [] : [valueSet]);
      expect([expansion.status, expansion.text]).toEqual([422, expect.stringContaining(missing)]);
    }
    const found = await invoke('ValueSet/$validate-code', ask({ include: [all, unknown] }));
    expect(valuesOf(found.json)).toMatchObject({ result: true });
  });

  it('an expansion has the properties that are asked for, and the extensions of its concepts', async () => {
    const weight = { url: 'http://hl7.org/fhir/StructureDefinition/itemWeight', valueDecimal: 2 };
    const uri = 'http://terms.example/legs';
    const codeSystem = {
      ...{
        resourceType: 'CodeSystem',
        id: 'legs',
        url: `${base}/legs`,
        status: 'active',
        content: 'complete',
      },
      property: [{ code: 'legs', uri, type: 'integer' }],
      concept: [
        {
          ...{ code: 'cat', definition: 'It purrs', extension: [weight] },
          property: [{ code: 'legs', valueInteger: 4 }],
        },
        { code: 'snake' },
      ],
    };
    expect((await send('PUT', 'CodeSystem/legs', codeSystem)).status).toBe(201);
    const expand = async (...properties: readonly string[]) => {
      const compose = { include: [{ system: `${base}/legs` }] };
      const { json } = await invoke('ValueSet/$expand', [
        { name: 'valueSet', resource: { resourceType: 'ValueSet', status: 'active', compose } },
        ...properties.map((valueString) => ({ name: 'property', valueString })),
      ]);
      return json.expansion;
    };
    const prefix = 'http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.expansion.';
    const of = (code: string, value: object): object => ({
      url: `${prefix}contains.property`,
      extension: [
        { url: 'code', valueCode: code },
        { url: 'value', ...value },
      ],
    });
    const declared = (code: string, valueUri: string): object => ({
      url: `${prefix}property`,
      extension: [
        { url: 'code', valueCode: code },
        { url: 'uri', valueUri },
      ],
    });
    const asked = await expand('legs', 'definition', 'wings');
    expect(asked.extension).toEqual([
      declared('legs', uri),
      declared('definition', 'http://hl7.org/fhir/concept-properties#definition'),
    ]);
    const [cat, snake] = asked.contains;
    expect(cat.extension).toEqual([
      weight,
      of('definition', { valueString: 'It purrs' }),
      of('legs', { valueInteger: 4 }),
    ]);
    expect(snake).not.toHaveProperty('extension');
    const plain = await expand();
    expect([plain.extension, plain.contains[0].extension]).toEqual([undefined, [weight]]);
  });

  it('a code is translated in both directions by the names of R5 too', async () => {
    const map = {
      ...{ resourceType: 'ConceptMap', status: 'active' },
      group: [
        {
          ...{ source: `${base}/animals`, target: `${base}/plants` },
          element: [{ code: 'horse', target: [{ code: 'oak', equivalence: 'equivalent' }] }],
        },
      ],
    };
    const uri = (name: string, value: string) => ({ name, valueUri: `${base}/${value}` });
    const translate = async (...parameter: readonly object[]): Promise<unknown> => {
      const sent = [{ name: 'conceptMap', resource: map }, ...parameter];
      const { json } = await invoke('ConceptMap/$translate', sent);
      return json.parameter[1]?.part?.[1]?.valueCoding?.code;
    };
    const horse = { system: `${base}/animals`, code: 'horse' };
    for (const asked of [
      [uri('sourceSystem', 'animals'), { name: 'sourceCode', valueCode: 'horse' }],
      [{ name: 'sourceCoding', valueCoding: horse }],
      [{ name: 'sourceCodeableConcept', valueCodeableConcept: { coding: [horse] } }],
      [uri('system', 'animals'), { name: 'sourceCode', valueCode: 'horse' }, uri('targetSystem', 'plants')],
    ])
      expect(await translate(...asked)).toBe('oak');
    const oak = { system: `${base}/plants`, code: 'oak' };
    expect(await translate({ name: 'targetCoding', valueCoding: oak })).toBe('horse');
    expect(await translate(uri('targetSystem', 'plants'), { name: 'targetCode', valueCode: 'oak' })).toBe(
      'horse',
    );
    expect(
      await translate({ name: 'sourceCoding', valueCoding: horse }, uri('targetSystem', 'animals')),
    ).toBeUndefined();
  });

  it('a code whose translation depends on what is not given is not taken for one that is unmapped', async () => {
    const dependsOn = [{ property: 'http://terms.example/sex', value: 'female' }];
    const target = [{ code: 'oak', equivalence: 'equivalent', dependsOn }];
    const group = {
      ...{ source: `${base}/animals`, target: `${base}/plants`, element: [{ code: 'horse', target }] },
      unmapped: { mode: 'fixed', code: 'elm' },
    };
    const map = { resourceType: 'ConceptMap', status: 'active', group: [group] };
    const translate = async (code: string) =>
      invoke('ConceptMap/$translate', [
        { name: 'conceptMap', resource: map },
        { name: 'system', valueUri: `${base}/animals` },
        { name: 'code', valueCode: code },
      ]);
    const horse = await translate('horse');
    expect(valuesOf(horse.json)).toEqual({
      result: false,
      message: 'A translation depends on other elements; give them as parameters dependency',
    });
    expect(JSON.stringify((await translate('pony')).json)).toContain('elm');
  });

  it('a coding is validated in its own code system where the request names none', async () => {
    const validate = async (system: string): Promise<unknown> => {
      const coding = { system: `${base}/${system}`, code: 'horse' };
      const { json } = await invoke('CodeSystem/$validate-code', [{ name: 'coding', valueCoding: coding }]);
      return valuesOf(json)['result'];
    };
    expect([await validate('animals'), await validate('plants'), await validate('never')]).toEqual([
      ...[true, true, false],
    ]);
    const withoutSystem = await invoke('CodeSystem/$validate-code', [
      { name: 'coding', valueCoding: { code: 'horse' } },
    ]);
    expect(withoutSystem.status).toBe(400);
  });

  it('an expansion names each code system that it used, also one without a code in it', async () => {
    const compose = { include: [{ system: `${base}/animals` }], exclude: [{ system: `${base}/plants` }] };
    const resource = { resourceType: 'ValueSet', status: 'active', compose };
    const { json } = await invoke('ValueSet/$expand', [{ name: 'valueSet', resource }]);
    expect(json.expansion.parameter).toEqual([
      { name: 'used-codesystem', valueString: `${base}/animals|May 2021` },
      { name: 'used-codesystem', valueUri: `${base}/plants` },
      { name: 'used-fragment', valueUri: `${base}/plants` },
      { name: 'version', valueString: `${base}/animals|May 2021` },
    ]);
  });

  it('an expansion names the value sets that it imports, and not those that it contains', async () => {
    const { status } = await send('PUT', 'ValueSet/imported', {
      ...{
        resourceType: 'ValueSet',
        id: 'imported',
        url: `${base}/imported`,
        version: '3',
        status: 'active',
      },
      compose: { include: [{ system: `${base}/animals` }] },
    });
    expect(status).toBe(201);
    const contained = {
      ...{ resourceType: 'ValueSet', id: 'inner', url: `${base}/inner`, status: 'active' },
      compose: { include: [{ valueSet: [`${base}/imported`] }] },
    };
    const resource = {
      ...{ resourceType: 'ValueSet', url: `${base}/outer`, status: 'active', contained: [contained] },
      compose: { include: [{ valueSet: ['#inner'] }] },
    };
    const { json } = await invoke('ValueSet/$expand', [{ name: 'valueSet', resource }]);
    const used = (json.expansion.parameter as { readonly name: string; readonly valueUri?: string }[])
      .filter(({ name }) => name === 'used-valueset')
      .map(({ valueUri }) => valueUri);
    expect(used).toEqual([`${base}/imported|3`]);
  });

  it('words and filters find codes by their designations too', async () => {
    const codes = async (compose: object, ...more: readonly object[]): Promise<readonly string[]> => {
      const resource = { resourceType: 'ValueSet', status: 'active', compose: { include: [compose] } };
      const { json } = await invoke('ValueSet/$expand', [{ name: 'valueSet', resource }, ...more]);
      return (json.expansion.contains ?? []).map(({ code }: { readonly code: string }) => code);
    };
    const animals = { system: `${base}/animals` };
    const filter = (valueString: string): object => ({ name: 'filter', valueString });
    expect(await codes(animals, filter('pferd'))).toEqual(['horse']);
    expect(await codes(animals, filter('equi horse'))).toEqual(['horse']);
    expect(await codes(animals, filter('cow'))).toEqual([]);
    const by = (op: string, value: string): object => ({
      ...animals,
      filter: [{ property: 'designation', op, value }],
    });
    expect(await codes(by('=', 'equine'))).toEqual(['horse']);
    expect(await codes(by('regex', 'Pferd.*'))).toEqual(['horse']);
    expect(await codes(by('exists', 'false'))).toEqual(['pony']);
  });

  it('a look-up gives all properties for *, and says of which it knows nothing', async () => {
    const lookup = async (...properties: readonly string[]) => {
      const { json } = await invoke('CodeSystem/$lookup', [
        { name: 'system', valueUri: `${base}/animals` },
        { name: 'code', valueCode: 'pony' },
        ...properties.map((valueCode) => ({ name: 'property', valueCode })),
      ]);
      const parts = (json.parameter as { readonly name: string; readonly part?: readonly object[] }[])
        .filter(({ name }) => name === 'property')
        .map(({ part = [] }) => part.map((each) => Object.values(each)[1]));
      return { parts, issues: valuesOf(json)['issues'] };
    };
    const parent = ['parent', 'horse', 'horse'];
    const inactive = ['inactive', false];
    expect(await lookup('*')).toEqual({ parts: [inactive, parent], issues: undefined });
    expect(await lookup('inactive', 'notSelectable', 'lang.de', 'definition')).toEqual({
      parts: [inactive, ['notSelectable', false]],
      issues: undefined,
    });
    expect(await lookup('parent', 'colour')).toEqual({
      parts: [parent],
      issues: {
        resourceType: 'OperationOutcome',
        issue: [
          {
            ...{ severity: 'warning', code: 'not-found' },
            diagnostics: `The code system ${base}/animals has no property 'colour'`,
          },
        ],
      },
    });
  });

  it('a validation returns the concept that was asked for, and says that a code is inactive', async () => {
    const codeSystem = {
      ...{ resourceType: 'CodeSystem', url: `${base}/old`, status: 'active', content: 'complete' },
      concept: [{ code: 'new' }, { code: 'old', property: [{ code: 'inactive', valueBoolean: true }] }],
    };
    const validate = async (code: string): Promise<Record<string, unknown>> => {
      const concept = { coding: [{ system: `${base}/old`, code }], text: 'as sent' };
      const { json } = await invoke('CodeSystem/$validate-code', [
        { name: 'codeSystem', resource: codeSystem },
        { name: 'codeableConcept', valueCodeableConcept: concept },
      ]);
      const values = valuesOf(json);
      expect(values['codeableConcept']).toEqual(concept);
      return { result: values['result'], inactive: values['inactive'] };
    };
    expect(await validate('new')).toEqual({ result: true, inactive: undefined });
    expect(await validate('old')).toEqual({ result: true, inactive: true });
    expect(await validate('none')).toEqual({ result: false, inactive: undefined });
  });

  describe('a supplement of a code system', () => {
    const supplement = `${base}/animals-it`;
    const required = {
      url: 'http://hl7.org/fhir/StructureDefinition/valueset-supplement',
      valueCanonical: supplement,
    };
    const valueSet = {
      resourceType: 'ValueSet',
      status: 'active',
      compose: { include: [{ system: `${base}/animals` }] },
    };
    const supplied = { ...valueSet, extension: [required] };
    const unknown = { ...valueSet, extension: [{ ...required, valueCanonical: `${base}/never` }] };
    const expand = async (resource: object, more: readonly object[] = []) =>
      invoke('ValueSet/$expand', [
        { name: 'valueSet', resource },
        { name: 'displayLanguage', valueCode: 'it' },
        ...more,
      ]);
    const named = (url: string): object => ({ name: 'useSupplement', valueCanonical: url });
    const displays = async (...sent: Parameters<typeof expand>): Promise<readonly string[]> =>
      (await expand(...sent)).json.expansion.contains[0].display;

    beforeAll(async () => {
      const { status } = await send('PUT', 'CodeSystem/animals-it', {
        ...{
          resourceType: 'CodeSystem',
          id: 'animals-it',
          url: supplement,
          status: 'active',
          language: 'it',
        },
        ...{ content: 'supplement', supplements: `${base}/animals` },
        concept: [{ code: 'horse', display: 'cavallo', designation: [{ language: 'it', value: 'equino' }] }],
      });
      expect(status).toBe(201);
    });

    it('gives displays where the request or the value set names it, and only there', async () => {
      expect(await displays(valueSet)).toBe('horse');
      expect(await displays(supplied)).toBe('cavallo');
      expect(await displays(valueSet, [named(supplement)])).toBe('cavallo');
      const lookup = `CodeSystem/$lookup?system=${base}/animals&code=horse&displayLanguage=it`;
      expect(valuesOf((await send('GET', lookup)).json)).toMatchObject({ display: 'horse' });
      const { json } = await send('GET', `${lookup}&useSupplement=${supplement}`);
      expect(valuesOf(json)).toMatchObject({ display: 'cavallo', 'used-supplement': supplement });
      const { json: expanded } = await expand(supplied);
      expect(expanded.expansion.parameter).toContainEqual({ name: 'used-supplement', valueUri: supplement });
    });

    it('makes its displays and designations right ones', async () => {
      const asked = `system=${base}/animals&url=${base}/animals&code=horse`;
      for (const display of ['cavallo', 'equino']) {
        const query = `CodeSystem/$validate-code?${asked}&display=${display}`;
        expect(valuesOf((await send('GET', query)).json)).toMatchObject({ result: false });
        const supplemented = await send('GET', `${query}&useSupplement=${supplement}`);
        expect(valuesOf(supplemented.json)).toMatchObject({ result: true });
      }
    });

    it('that does not exist is an error', async () => {
      const answers = [
        await expand(unknown),
        await expand(valueSet, [named(`${base}/never`)]),
        // It is a code system by itself.
        await expand(valueSet, [named(`${base}/plants`)]),
        await send('GET', `CodeSystem/$lookup?system=${base}/animals&code=horse&useSupplement=${base}/never`),
        await invoke('ValueSet/$validate-code', [
          ...[
            { name: 'valueSet', resource: unknown },
            { name: 'system', valueUri: `${base}/animals` },
          ],
          { name: 'code', valueCode: 'horse' },
        ]),
      ];
      for (const { status, text } of answers)
        expect([status, text]).toEqual([404, expect.stringMatching(/The supplement [^ ]+ does not exist/)]);
    });
  });

  it('CodeSystem/$validate-code of a system without its codes is false, and says why', async () => {
    const resource = { resourceType: 'CodeSystem', id: 'empty', url: `${base}/empty`, status: 'active' };
    const { status } = await send('PUT', 'CodeSystem/empty', { ...resource, content: 'not-present' });
    expect(status).toBe(201);
    for (const address of [
      `CodeSystem/$validate-code?url=${base}/empty&`,
      'CodeSystem/empty/$validate-code?',
    ]) {
      const answer = await send('GET', `${address}code=a`);
      expect(answer.status).toBe(200);
      expect(valuesOf(answer.json)).toMatchObject({
        result: false,
        message: expect.stringContaining('without its codes') as string,
      });
    }
  });

  it('a wrong display is false, or a warning where the request says so; other parameters are ignored with a warning', async () => {
    const asked = [
      { name: 'url', valueCanonical: `${base}/listed` },
      { name: 'coding', valueCoding: { system: `${base}/animals`, code: 'horse', display: 'cow' } },
    ];
    expect(valuesOf((await invoke('ValueSet/$validate-code', asked)).json)['result']).toBe(false);
    const { json } = await invoke('ValueSet/$validate-code', [
      ...asked,
      { name: 'lenient-display-validation', valueBoolean: true },
      { name: 'fetch-id', valueId: 'x' },
    ]);
    const values = valuesOf(json);
    expect(values).toMatchObject({ result: true, display: 'horse', version: 'May 2021' });
    expect(values['issues']).toMatchObject({
      issue: [
        { severity: 'warning', code: 'invalid' },
        {
          severity: 'warning',
          code: 'not-supported',
          diagnostics: expect.stringContaining("'fetch-id'") as string,
        },
      ],
    });
  });

  describe('the issues of a validation', () => {
    const notIn = (code: string, valueSet = `${base}/listed`): string =>
      `The provided code '${code}' was not found in the value set '${valueSet}'`;
    const validate = async (...parameter: readonly object[]): Promise<Record<string, unknown>> =>
      valuesOf(
        (await invoke('ValueSet/$validate-code', [{ name: 'url', valueUri: `${base}/listed` }, ...parameter]))
          .json,
      );
    const coding = (code: string, more: object = {}): object => ({
      name: 'coding',
      valueCoding: { system: `${base}/animals`, code, ...more },
    });

    it('have the types, texts and places of the terminology ecosystem', async () => {
      const unknown = `Unknown code 'cow' in the CodeSystem '${base}/animals' version 'May 2021'`;
      const values = await validate(coding('cow'));
      const issue = (type: string, text: string, place: string): object => ({
        ...{ severity: 'error', code: 'code-invalid' },
        details: {
          coding: [{ system: 'http://hl7.org/fhir/tools/CodeSystem/tx-issue-type', code: type }],
          text,
        },
        ...{ location: [place], expression: [place] },
      });
      expect(values).toMatchObject({
        result: false,
        message: `${notIn(`${base}/animals#cow`)}; ${unknown}`,
        version: 'May 2021',
      });
      expect(values['issues']).toEqual({
        resourceType: 'OperationOutcome',
        issue: [
          issue('not-in-vs', notIn(`${base}/animals#cow`), 'Coding.code'),
          issue('invalid-code', unknown, 'Coding.code'),
        ],
      });
      const separate = await validate(
        { name: 'system', valueUri: `${base}/animals` },
        { name: 'code', valueCode: 'cow' },
      );
      expect(separate['issues']).toMatchObject({
        issue: [{ expression: ['code'] }, { expression: ['code'] }],
      });
    });

    it('say of which coding of a concept each is, and what the concept lacks as a whole', async () => {
      const codings = ['pony', 'cow'].map((code) => ({ system: `${base}/animals`, code }));
      const concept = (...coding: readonly object[]): object => ({
        name: 'codeableConcept',
        valueCodeableConcept: { coding },
      });
      const values = await validate(concept(...codings));
      expect(values).toMatchObject({
        result: false,
        message: `No valid coding was found for the value set '${base}/listed'; Unknown code 'cow' in the CodeSystem '${base}/animals' version 'May 2021'`,
      });
      expect(values['issues']).toMatchObject({
        issue: [
          { severity: 'error', details: { coding: [{ code: 'not-in-vs' }] } },
          { severity: 'information', expression: ['CodeableConcept.coding[0].code'] },
          { severity: 'information', expression: ['CodeableConcept.coding[1].code'] },
          { severity: 'error', expression: ['CodeableConcept.coding[1].code'] },
        ],
      });
      const valid = await validate(concept({ system: `${base}/animals`, code: 'horse' }, ...codings));
      expect([valid['result'], typesOf(valid)]).toEqual([
        true,
        ['this-code-not-in-vs', 'this-code-not-in-vs'],
      ]);
    });

    it('name the code system that is not here, and its versions', async () => {
      const elsewhere = await validate({
        name: 'coding',
        valueCoding: { system: `${base}/never`, code: 'a' },
      });
      expect([elsewhere['x-unknown-system'], typesOf(elsewhere)]).toEqual([
        `${base}/never`,
        ['not-found', 'not-in-vs'],
      ]);
      const other = await validate(coding('horse', { version: '9' }));
      expect(other).toMatchObject({
        result: false,
        'x-caused-by-unknown-system': `${base}/animals|9`,
        message: `A definition for CodeSystem '${base}/animals' version '9' could not be found, so the code cannot be validated. Valid versions: May 2021`,
      });
      const own = await validate({ name: 'coding', valueCoding: { system: `${base}/listed`, code: 'a' } });
      expect(typesOf(own)).toEqual(['invalid-data', 'not-in-vs']);
    });

    it('tell a wrong display from one in another language', async () => {
      const message = async (display: string, displayLanguage?: string): Promise<unknown> => {
        const language =
          displayLanguage === undefined ? [] : [{ name: 'displayLanguage', valueCode: displayLanguage }];
        return (await validate(coding('horse', { display }), ...language))['message'];
      };
      const wrong = `Wrong Display Name 'cow' for ${base}/animals#horse.`;
      expect(await message('cow')).toBe(
        `${wrong} Valid display is one of 3 choices: 'horse' (en), 'Pferd' (de) or 'equine' (en) (for the language(s) '--')`,
      );
      expect(await message('cow', 'de')).toBe(
        `${wrong} Valid display is 'Pferd' (de) (for the language(s) 'de')`,
      );
      expect(await message('cow', 'fr')).toBe(
        `${wrong} There are no valid display names found for language(s) 'fr'. Default display is 'horse'`,
      );
      expect(await message('horse', 'fr')).toMatch(/^There are no valid display names found for the code/);
      expect(await message('horse')).toBeUndefined();
    });

    it('say that a code is inactive, deprecated or written in another case', async () => {
      const deprecated = {
        url: 'http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status',
        valueCode: 'deprecated',
      };
      const codeSystem = {
        ...{ resourceType: 'CodeSystem', id: 'states', url: `${base}/states`, status: 'active' },
        ...{ content: 'complete', caseSensitive: false },
        concept: [
          { code: 'old', property: [{ code: 'status', valueCode: 'retired' }] },
          { code: 'aging', extension: [deprecated] },
        ],
      };
      expect((await send('PUT', 'CodeSystem/states', codeSystem)).status).toBe(201);
      const ask = async (code: string, compose: object = {}, more: readonly object[] = []) =>
        valuesOf(
          (
            await invoke('ValueSet/$validate-code', [
              {
                name: 'valueSet',
                resource: {
                  ...{ resourceType: 'ValueSet', status: 'active' },
                  compose: { ...compose, include: [{ system: `${base}/states` }] },
                },
              },
              { name: 'coding', valueCoding: { system: `${base}/states`, code } },
              ...more,
            ])
          ).json,
        );
      const inactive = `The concept 'old' has a status of retired and inactive and its use should be reviewed`;
      expect(await ask('old')).toMatchObject({
        ...{ result: true, message: inactive, inactive: true, status: 'retired' },
      });
      const outside = `${inactive}; The concept 'old' is valid but is not active; ${notIn(`${base}/states#old`, '(unidentified)')}`;
      for (const refused of [
        await ask('old', { inactive: false }),
        await ask('old', {}, [{ name: 'activeOnly', valueBoolean: true }]),
      ])
        expect(refused).toMatchObject({ result: false, message: outside });
      expect(await ask('aging')).toMatchObject({ result: true, status: 'deprecated' });
      const upper = await ask('AGING');
      expect(upper).toMatchObject({ result: true, code: 'AGING', 'normalized-code': 'aging' });
      expect(typesOf(upper)).toEqual(['code-comment', 'code-rule']);
    });
  });

  it("names that HL7's validator gives its requests are in no answer", async () => {
    const names = 'uuid=urn:uuid:8acdbfdc-e9d2-11ed-a05b-0242ac120003&mode=lax';
    const query = `url=${base}/listed&system=${base}/animals&code=horse&${names}`;
    expect(valuesOf((await send('GET', `ValueSet/$validate-code?${query}`)).json)).not.toHaveProperty(
      'issues',
    );
    const { json } = await send('GET', `ValueSet/$expand?url=${base}/listed&${names}`);
    expect(json.expansion.parameter.map(({ name }: { name: string }) => name)).not.toContain('uuid');
  });

  it('a parameter that is none of R4 is ignored in a query too', async () => {
    const query = `url=${base}/listed&valueset-membership-only=true&code=horse`;
    expect((await send('GET', `ValueSet/$validate-code?${query}`)).status).toBe(200);
    expect((await send('GET', `ValueSet/$expand?url=${base}/listed&tx=1`)).status).toBe(200);
  });
});
