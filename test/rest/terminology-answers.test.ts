/** What terminology operations answer beyond the published examples: faults that others found, of which each is a kind. */
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
  ])('the display of a code in %s is %s', async (language, display) => {
    const lookup = `CodeSystem/$lookup?system=${base}/animals&code=horse&displayLanguage=${language}`;
    expect(valuesOf((await send('GET', lookup)).json)).toMatchObject({ display });
    const expand = `ValueSet/$expand?url=${base}/listed&displayLanguage=${language}`;
    expect((await send('GET', expand)).json.expansion.contains[0].display).toBe(display);
  });

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
    ['animals', 'unicorn', false, 'error'],
    ['plants', 'oak', true, undefined],
    ['plants', 'elm', true, 'warning'],
  ])('a listed code of %s, %s, is valid: %s', async (system, code, result, severity) => {
    const query = `url=${base}/listed&system=${base}/${system}&code=${code}`;
    const values = valuesOf((await send('GET', `ValueSet/$validate-code?${query}`)).json);
    expect(values).toMatchObject({ result, code, system: `${base}/${system}` });
    const issues = values['issues'] as { issue: { severity: string }[] } | undefined;
    expect(issues?.issue.map((issue) => issue.severity)).toEqual(
      severity === undefined ? undefined : [severity],
    );
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
      { name: 'cache-id', valueId: 'x' },
    ]);
    const values = valuesOf(json);
    expect(values).toMatchObject({ result: true, display: 'horse', version: 'May 2021' });
    expect(values['issues']).toMatchObject({
      issue: [
        { severity: 'warning', code: 'invalid' },
        {
          severity: 'warning',
          code: 'not-supported',
          diagnostics: expect.stringContaining("'cache-id'") as string,
        },
      ],
    });
  });

  it('a parameter that is none of R4 is ignored in a query too', async () => {
    const query = `url=${base}/listed&valueset-membership-only=true&code=horse`;
    expect((await send('GET', `ValueSet/$validate-code?${query}`)).status).toBe(200);
    expect((await send('GET', `ValueSet/$expand?url=${base}/listed&tx=1`)).status).toBe(200);
  });
});
