/** Checks of $validate in the other definitions that a resource names. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

interface Issue {
  readonly severity: string;
  readonly diagnostics: string;
  readonly expression?: readonly string[];
}

const BASE = 'http://example.org/relations';
const KINDS = {
  resourceType: 'CodeSystem',
  id: 'kinds',
  url: `${BASE}/kinds`,
  status: 'active',
  content: 'complete',
  concept: [{ code: 'red' }, { code: 'blue' }],
};
const THINGS = {
  resourceType: 'CodeSystem',
  id: 'things',
  url: `${BASE}/things`,
  status: 'active',
  content: 'complete',
  property: [
    { code: 'kind', type: 'Coding' },
    { code: 'part', type: 'code' },
    { code: 'alive', type: 'boolean' },
  ],
  concept: [
    {
      code: 'apple',
      property: [
        { code: 'kind', valueCoding: { system: KINDS.url, code: 'red' } },
        { code: 'part', valueCode: 'seed' },
        { code: 'alive', valueBoolean: true },
      ],
    },
    { code: 'seed' },
  ],
};
const filtered = (property: string, value: string) => ({
  resourceType: 'ValueSet',
  status: 'active',
  compose: { include: [{ system: THINGS.url, filter: [{ property, op: '=', value }] }] },
});

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const send = (method: string, rest: string, body?: unknown) =>
    server.request(method, `${server.path('system', release)}/${rest}`, body);
  const store = async (...resources: readonly { resourceType: string; id: string }[]): Promise<void> => {
    for (const resource of resources)
      expect((await send('PUT', `${resource.resourceType}/${resource.id}`, resource)).status).toBeLessThan(
        300,
      );
  };
  const errorsIn = async (resource: { readonly resourceType: string }) => {
    const { json } = await send('POST', `${resource.resourceType}/$validate`, resource);
    return (json.issue as Issue[])
      .filter(({ severity }) => severity === 'error')
      .map(({ diagnostics, expression }) => [expression?.[0], diagnostics]);
  };
  beforeAll(() => store(KINDS, THINGS));

  it.each([
    ['kind', `${KINDS.url}#red`, undefined],
    ['kind', `${KINDS.url}#green`, `The property 'kind' has codings, and ${KINDS.url} has no code 'green'`],
    [
      'kind',
      'red',
      "The property 'kind' has codings, which are written as system#code or system|version#code, not 'red'",
    ],
    ['part', 'seed', undefined],
    ['part', 'stone', `The property 'part' has codes of ${THINGS.url}, which has no code 'stone'`],
    ['alive', 'true', undefined],
    ['alive', 'yes', "The property 'alive' is true or false, not 'yes'"],
  ])('a filter on %s by %s is checked by the type of the property', async (property, value, fault) => {
    const place = 'ValueSet.compose.include[0].filter[0].value';
    expect(await errorsIn(filtered(property, value))).toEqual(fault === undefined ? [] : [[place, fault]]);
  });

  it('a filter may name a Coding by its system and code', async () => {
    const { json } = await send('POST', 'ValueSet/$expand', {
      resourceType: 'Parameters',
      parameter: [{ name: 'valueSet', resource: filtered('kind', `${KINDS.url}#red`) }],
    });
    expect((json.expansion as { contains: { code: string }[] }).contains.map(({ code }) => code)).toEqual([
      'apple',
    ]);
  });

  it('the codes of a ConceptMap are of its value sets', async () => {
    const valueSet = (id: string, system: string, code: string) => ({
      resourceType: 'ValueSet',
      id,
      url: `${BASE}/${id}`,
      status: 'active',
      compose: { include: [{ system, concept: [{ code }] }] },
    });
    await store(valueSet('from', THINGS.url, 'apple'), valueSet('to', KINDS.url, 'red'));
    const map = (code: string, target: string) => ({
      resourceType: 'ConceptMap',
      status: 'active',
      sourceCanonical: `${BASE}/from`,
      targetCanonical: `${BASE}/to`,
      group: [
        {
          source: THINGS.url,
          target: KINDS.url,
          element: [{ code, target: [{ code: target, equivalence: 'equivalent' }] }],
        },
      ],
    });
    expect(await errorsIn(map('apple', 'red'))).toEqual([]);
    expect(await errorsIn(map('seed', 'blue'))).toEqual([
      ['ConceptMap.group[0].element[0].code', `'seed' is not in the value set ${BASE}/from of the map`],
      [
        'ConceptMap.group[0].element[0].target[0].code',
        `'blue' is not in the value set ${BASE}/to of the map`,
      ],
    ]);
  });

  it('a MeasureReport reports what its Measure defines', async () => {
    const coded = (code: string) => ({ code: { coding: [{ system: `${BASE}/measures`, code }] } });
    const criteria = { language: 'text/cql', expression: 'a' };
    await store({
      resourceType: 'Measure',
      id: 'beds',
      ...{ url: `${BASE}/beds`, status: 'active' },
      scoring: {
        coding: [{ system: 'http://terminology.hl7.org/CodeSystem/measure-scoring', code: 'cohort' }],
      },
      group: [
        {
          ...coded('beds'),
          population: [
            { ...coded('all'), criteria },
            { ...coded('free'), criteria },
          ],
        },
      ],
    } as { resourceType: string; id: string });
    const report = (group: object) => ({
      resourceType: 'MeasureReport',
      ...{ status: 'complete', type: 'summary', measure: `${BASE}/beds` },
      period: { start: '2026-01-01', end: '2026-01-31' },
      group: [group],
    });
    expect(await errorsIn(report({ ...coded('beds'), population: [coded('all'), coded('free')] }))).toEqual(
      [],
    );
    expect(
      await errorsIn(
        report({ ...coded('beds'), measureScore: { value: 1 }, population: [coded('all'), coded('other')] }),
      ),
    ).toEqual([
      ['MeasureReport.group[0].measureScore', 'A measure that counts a cohort has no measureScore'],
      [
        'MeasureReport.group[0].population[1]',
        'The population has no code of a population that the measure defines',
      ],
      ['MeasureReport.group[0]', `The measure's population '${BASE}/measures|free' is not reported`],
    ]);
  });

  it('an OperationDefinition has the parameters of its profile', async () => {
    await store({
      resourceType: 'StructureDefinition',
      id: 'relations-input',
      ...{ url: `${BASE}/input`, name: 'Input', status: 'active', kind: 'resource', abstract: false },
      ...{ type: 'Parameters', derivation: 'constraint' },
      baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Parameters',
      differential: {
        element: [
          { id: 'Parameters', path: 'Parameters' },
          {
            id: 'Parameters.parameter',
            path: 'Parameters.parameter',
            slicing: { discriminator: [{ type: 'value', path: 'name' }], rules: 'open' },
          },
          { id: 'Parameters.parameter:a', path: 'Parameters.parameter', sliceName: 'a', min: 1, max: '1' },
          { id: 'Parameters.parameter:a.name', path: 'Parameters.parameter.name', fixedString: 'a' },
          {
            id: 'Parameters.parameter:a.resource',
            path: 'Parameters.parameter.resource',
            type: [{ code: 'Patient' }],
          },
        ],
      },
    } as { resourceType: string; id: string });
    const operation = (parameter: object) => ({
      resourceType: 'OperationDefinition',
      ...{ name: 'Test', status: 'active', kind: 'operation', code: 'test' },
      ...{ system: true, type: false, instance: false, inputProfile: `${BASE}/input` },
      parameter: [{ name: 'a', use: 'in', ...parameter }],
    });
    expect(await errorsIn(operation({ min: 1, max: '1', type: 'Patient' }))).toEqual([]);
    expect(await errorsIn(operation({ min: 1, max: '1', type: 'Resource' }))).toEqual([]);
    const other = (name: string, value: string) => [
      `OperationDefinition.parameter[0].${name}`,
      `The profile ${BASE}/input has another ${name} of this parameter: ${value}`,
    ];
    expect(await errorsIn(operation({ min: 0, max: '*', type: 'Group' }))).toEqual([
      other('min', '1'),
      other('max', '1'),
      other('type', 'Patient'),
    ]);
  });

  it('a definition that is not stored says nothing, and a write does not ask', async () => {
    expect(
      await errorsIn({
        ...filtered('kind', 'red'),
        compose: {
          include: [{ system: `${BASE}/unknown`, filter: [{ property: 'a', op: '=', value: 'b' }] }],
        },
      } as { resourceType: string }),
    ).toEqual([]);
    expect((await send('POST', 'ValueSet', filtered('kind', 'green'))).status).toBe(201);
  });

  it('a differential contradicts neither a fixed value nor the type of what it slices', async () => {
    const extension = (id: string, base: string, element: readonly object[]) => ({
      resourceType: 'StructureDefinition',
      id,
      ...{ url: `${BASE}/${id}`, name: 'Test', status: 'active', kind: 'complex-type', abstract: false },
      ...{ type: 'Extension', baseDefinition: base, derivation: 'constraint' },
      context: [{ type: 'element', expression: 'Patient' }],
      differential: { element: [{ id: 'Extension', path: 'Extension' }, ...element] },
    });
    const url = (id: string) => ({ id: 'Extension.url', path: 'Extension.url', fixedUri: `${BASE}/${id}` });
    const root = 'http://hl7.org/fhir/StructureDefinition/Extension';
    await store(extension('relations-base', root, [url('relations-base')]));
    expect(await errorsIn(extension('derived', `${BASE}/relations-base`, [url('relations-base')]))).toEqual(
      [],
    );
    expect(await errorsIn(extension('derived', `${BASE}/relations-base`, [url('derived')]))).toEqual([
      [
        'StructureDefinition.differential.element[1]',
        `The value is fixed to "${BASE}/relations-base" by the base definition, not to "${BASE}/derived"`,
      ],
    ]);
    const sliced = (path: string) =>
      extension('sliced', root, [
        {
          id: 'Extension.extension',
          path: 'Extension.extension',
          slicing: { discriminator: [{ type: 'value', path }], rules: 'open' },
        },
      ]);
    expect(await errorsIn(sliced('url'))).toEqual([]);
    expect(await errorsIn(sliced('value'))).toEqual([]);
    expect(await errorsIn(sliced('type'))).toEqual([
      [
        'StructureDefinition.differential.element[1]',
        "The discriminator 'type' names no element of Extension",
      ],
    ]);
  });
});
