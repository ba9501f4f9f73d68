/** Resources that a terminology request hands along (tx-resource), as HL7's validator sends those of a guide. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

interface Contained {
  readonly code: string;
  readonly contains?: readonly Contained[];
}

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const base = `http://handed.example/${release}`;
  const tools = `${base}/tools`;
  const all = `${base}/all-tools`;
  const send = (method: string, rest: string, body?: unknown) =>
    server.request(method, `${server.path('system', release)}/${rest}`, body);
  const invoke = (rest: string, ...parameter: readonly object[]) =>
    send('POST', rest, { resourceType: 'Parameters', parameter });
  const handed = (resource: object): object => ({
    name: 'tx-resource',
    resource: { status: 'active', ...resource },
  });
  const codeSystem = (codes: readonly string[], more: object = {}): object => ({
    ...{ resourceType: 'CodeSystem', url: tools, content: 'complete' },
    concept: codes.map((code) => ({ code, display: `the ${code}` })),
    ...more,
  });
  const valueSet = (url: string, more: object = {}): object => ({
    ...{ resourceType: 'ValueSet', url, compose: { include: [{ system: tools }] } },
    ...more,
  });
  const url = (valueUri: string): object => ({ name: 'url', valueUri });
  const codesOf = (contains: readonly Contained[] = []): readonly string[] =>
    contains.flatMap(({ code, contains: below }) => [code, ...codesOf(below)]);
  const expanded = async (...parameter: readonly object[]): Promise<unknown> => {
    const { status, json } = await invoke('ValueSet/$expand', ...parameter);
    return status === 200 ? codesOf(json.expansion.contains) : status;
  };
  const valuesOf = (json: { parameter: readonly Record<string, unknown>[] }): Record<string, unknown> =>
    Object.fromEntries(
      json.parameter.map(({ name, ...value }) => [String(name), Object.values(value)[0]] as const),
    );

  beforeAll(async () => {
    const stored = [
      { ...codeSystem(['hammer']), id: 'tools' },
      { ...valueSet(all), id: 'all-tools' },
    ];
    for (const resource of stored) {
      const { resourceType, id } = resource as unknown as { resourceType: string; id: string };
      const { status } = await send('PUT', `${resourceType}/${id}`, { status: 'active', ...resource });
      expect(status).toBe(201);
    }
  });

  it('an expansion uses them before the stored ones, and each request its own', async () => {
    const saw = handed(codeSystem(['saw']));
    const drill = handed(codeSystem(['drill', 'plane']));
    expect(await expanded(url(all))).toEqual(['hammer']);
    expect(await expanded(url(all), saw)).toEqual(['saw']);
    expect(await expanded(url(all), drill)).toEqual(['drill', 'plane']);
    expect(await expanded(url(all), saw)).toEqual(['saw']);
    expect(await expanded(url(all))).toEqual(['hammer']);
  });

  it('a value set may consist of others that are handed along too, and nothing of them is stored', async () => {
    const [outer, inner] = [`${base}/outer`, `${base}/inner`];
    const resources = [
      handed(valueSet(outer, { compose: { include: [{ valueSet: [inner] }] } })),
      handed(valueSet(inner)),
      handed(codeSystem(['file'])),
    ];
    expect(await expanded(url(outer), ...resources)).toEqual(['file']);
    expect(await expanded(url(outer), ...resources.slice(0, 1))).toBe(422);
    expect(await expanded(url(outer))).toBe(404);
    for (const each of [outer, inner]) expect((await send('GET', `ValueSet?url=${each}`)).json.total).toBe(0);
    expect((await send('GET', `CodeSystem?url=${tools}`)).json.entry).toHaveLength(1);
  });

  it('codes are checked, looked up, compared and translated by them', async () => {
    const resources = [
      handed(
        codeSystem([], {
          version: '2',
          concept: [{ code: 'saw', display: 'Saw', concept: [{ code: 'jigsaw' }] }],
        }),
      ),
      handed(valueSet(`${base}/new`)),
      handed({
        ...{ resourceType: 'ConceptMap', url: `${base}/map` },
        group: [
          {
            ...{ source: tools, target: 'urn:other' },
            element: [{ code: 'saw', target: [{ code: 's', equivalence: 'equal' }] }],
          },
        ],
      }),
    ];
    const coding = { name: 'coding', valueCoding: { system: tools, code: 'saw' } };
    const ask = async (rest: string, ...parameter: readonly object[]) =>
      valuesOf((await invoke(rest, ...parameter, ...resources)).json);
    expect(await ask('ValueSet/$validate-code', url(`${base}/new`), coding)).toEqual({
      ...{ result: true, display: 'Saw', code: 'saw', system: tools, version: '2' },
    });
    expect(await ask('CodeSystem/$validate-code', url(tools), coding)).toMatchObject({ result: true });
    expect(await ask('CodeSystem/$lookup', coding)).toMatchObject({ display: 'Saw', version: '2' });
    expect(
      await ask(
        'CodeSystem/$subsumes',
        { name: 'system', valueUri: tools },
        { name: 'codeA', valueCode: 'saw' },
        { name: 'codeB', valueCode: 'jigsaw' },
      ),
    ).toEqual({ outcome: 'subsumes' });
    for (const naming of [[], [url(`${base}/map`)]])
      expect(await ask('ConceptMap/$translate', ...naming, coding)).toMatchObject({ result: true });
    expect((await invoke('ConceptMap/$translate', coding)).status).toBe(404);
    const { json } = await invoke('CodeSystem/$lookup', coding);
    expect(json.issue[0].diagnostics).toContain(`The code system ${tools} has no code 'saw'`);
  });

  it('a handed map goes before the stored one of its url', async () => {
    const map = (code: string): object => ({
      ...{ resourceType: 'ConceptMap', url: `${base}/stored-map`, status: 'active' },
      group: [
        {
          ...{ source: `${base}/nails`, target: 'urn:other' },
          element: [{ code: 'nail', target: [{ code, equivalence: 'equal' }] }],
        },
      ],
    });
    const { status } = await send('PUT', 'ConceptMap/stored-map', { ...map('old'), id: 'stored-map' });
    expect(status).toBe(201);
    const coding = { name: 'coding', valueCoding: { system: `${base}/nails`, code: 'nail' } };
    for (const naming of [[], [url(`${base}/stored-map`)]]) {
      const { text } = await invoke('ConceptMap/$translate', ...naming, coding, handed(map('new')));
      expect([text.includes('"new"'), text.includes('"old"')]).toEqual([true, false]);
      expect((await invoke('ConceptMap/$translate', ...naming, coding)).text).toContain('"old"');
    }
  });

  it('many validations share them, and one may have more', async () => {
    const validation = (code: string, ...more: readonly object[]): object => ({
      name: 'validation',
      resource: {
        resourceType: 'Parameters',
        parameter: [{ name: 'coding', valueCoding: { system: tools, code } }, ...more],
      },
    });
    const { json } = await invoke(
      'ValueSet/$batch-validate-code',
      url(`${base}/shared`),
      handed(valueSet(`${base}/shared`)),
      validation('hammer'),
      validation('saw'),
      validation('saw', handed(codeSystem(['saw']))),
      validation('saw'),
    );
    const results = json.parameter.map(({ resource }: { resource: never }) => valuesOf(resource)['result']);
    expect(results).toEqual([true, false, true, false]);
  });

  it('of several versions the one counts that is asked for, without one the newest', async () => {
    const resources = ['1.2.0', '1.10.0'].map((version) => handed(codeSystem([`v${version}`], { version })));
    const of = (version: string | undefined): object =>
      handed(valueSet(`${base}/one`, { compose: { include: [{ system: tools, version }] } }));
    expect(await expanded(url(`${base}/one`), of(undefined), ...resources)).toEqual(['v1.10.0']);
    expect(await expanded(url(`${base}/one`), of('1.2.0'), ...resources)).toEqual(['v1.2.0']);
    expect(await expanded(url(`${base}/one`), of('1.x'), ...resources)).toEqual(['v1.10.0']);
    expect(await expanded(url(`${base}/one`), of('3'), ...resources)).toBe(422);
  });

  it('a code system without its codes does not hide the stored one', async () => {
    const head = handed({ resourceType: 'CodeSystem', url: tools, content: 'not-present' });
    expect(await expanded(url(all), head)).toEqual(['hammer']);
  });

  it('the value set that a code system names has its codes', async () => {
    const named = handed(codeSystem(['saw'], { valueSet: `${base}/named` }));
    expect(await expanded(url(`${base}/named`), named)).toEqual(['saw']);
  });

  it('a supplement is used where the request names it', async () => {
    const supplement = handed({
      ...{ resourceType: 'CodeSystem', url: `${base}/german`, content: 'supplement', supplements: tools },
      concept: [{ code: 'hammer', designation: [{ language: 'de', value: 'Hammer' }] }],
    });
    const { json } = await invoke(
      'CodeSystem/$lookup',
      { name: 'coding', valueCoding: { system: tools, code: 'hammer' } },
      { name: 'useSupplement', valueCanonical: `${base}/german` },
      { name: 'displayLanguage', valueCode: 'de' },
      supplement,
    );
    expect(valuesOf(json)['display']).toBe('Hammer');
  });

  it('names of a cache and of a request change nothing', async () => {
    const names = (id: string): object[] => [
      { name: 'cache-id', valueId: id },
      { name: 'uuid', valueString: id },
    ];
    const [one, other] = [
      await invoke('ValueSet/$expand', url(all), ...names('one')),
      await invoke('ValueSet/$expand', url(all), ...names('other')),
    ];
    // The same identifier: the second comes from the cache of answers.
    expect(one.json.expansion.identifier).toBe(other.json.expansion.identifier);
    expect(one.text).not.toContain('cache-id');
    const coding = { name: 'coding', valueCoding: { system: tools, code: 'hammer' } };
    const { json } = await invoke('ValueSet/$validate-code', url(all), coding, ...names('one'));
    expect(valuesOf(json)).not.toHaveProperty('issues');
  });

  it.each([
    ['another type', { resourceType: 'Patient' }, 400, 'must be a ValueSet, CodeSystem, ConceptMap'],
    ['none that can be found', { resourceType: 'ValueSet', status: 'active' }, 400, 'needs a url'],
    ['an invalid one', { resourceType: 'ValueSet', url: `${base}/bad`, status: 'good' }, 422, 'good'],
  ])('%s is refused', async (_name, resource, expected, words) => {
    const { status, text } = await invoke('ValueSet/$expand', url(all), { name: 'tx-resource', resource });
    expect([status, text]).toEqual([expected, expect.stringContaining(words)]);
  });

  it('at most 500 are taken', async () => {
    const many = Array.from({ length: 501 }, (_none, index) => handed(valueSet(`${base}/many-${index}`)));
    const { status, text } = await invoke('ValueSet/$expand', url(all), ...many);
    expect([status, text]).toEqual([422, expect.stringContaining('at most 500')]);
    expect(await expanded(url(all), ...many.slice(1))).toEqual(['hammer']);
  });
});
