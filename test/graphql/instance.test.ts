/**
 * Queries on one resource, {fhir_root}/{type}/{id}/$graphql, and the forms of their answers: the sentences and examples of
 * HL7's page (http://hl7.org/fhir/R4/graphql.html#flattening) over its patient.
 */
import { openSharedServer, type Answer, type HttpServer } from '../support/shared-server';
import { putExample } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('north');
  for (const release of TESTED_RELEASES) {
    await putExample(server, 'system', release, 'Patient-example');
    const gone = `${server.path('system', release)}/Patient/gone`;
    await server.request('PUT', gone, { resourceType: 'Patient', id: 'gone' });
    await server.request('DELETE', gone);
  }
});
afterAll(() => server.close());

const IDENTIFIER = { system: ['urn:oid:1.2.36.146.595.217.0.1'], value: ['12345'], active: true };
/** The queries of the page, and its answers. */
const EXAMPLES: readonly (readonly [title: string, query: string, answer: object])[] = [
  [
    'children of a flattened field that repeats become lists',
    '{ identifier @flatten { system value } active name @flatten { text given family } }',
    {
      ...IDENTIFIER,
      given: ['Peter', 'James', 'Jim', 'Peter', 'James'],
      family: ['Chalmers', 'Windsor'],
    },
  ],
  [
    'the first of a list is that of its own context in the source',
    '{ identifier @flatten { system value } active name @flatten { text given @first family } }',
    { ...IDENTIFIER, given: ['Peter', 'Jim', 'Peter'], family: ['Chalmers', 'Windsor'] },
  ],
  [
    'a singleton overrides that flattening the parent makes lists',
    '{ identifier @flatten { system @singleton value @singleton } active name @flatten @first { text given family @singleton } }',
    {
      system: 'urn:oid:1.2.36.146.595.217.0.1',
      value: '12345',
      active: true,
      given: ['Peter', 'James'],
      family: 'Chalmers',
    },
  ],
  [
    'what is no singleton stays a list, though only the first is taken',
    '{ name @flatten @first { family } }',
    { family: ['Chalmers'] },
  ],
  [
    'slices by an element',
    '{ identifier @flatten { system value } active name @flatten @slice(path: "use") { given family @singleton } }',
    {
      ...IDENTIFIER,
      'given.official': ['Peter', 'James'],
      'family.official': 'Chalmers',
      'given.usual': ['Jim'],
      'given.maiden': ['Peter', 'James'],
      'family.maiden': 'Windsor',
    },
  ],
  [
    'slices by the position',
    '{ identifier @flatten { system value } active name @flatten @slice(path: "$index") { given family @singleton } }',
    {
      ...IDENTIFIER,
      'given.0': ['Peter', 'James'],
      'family.0': 'Chalmers',
      'given.1': ['Jim'],
      'given.2': ['Peter', 'James'],
      'family.2': 'Windsor',
    },
  ],
  [
    'slices are lists, unless a singleton is asked for',
    '{ name @slice(path: "$index") @flatten { given @first @singleton family } }',
    {
      'given.0': 'Peter',
      'family.0': ['Chalmers'],
      'given.1': 'Jim',
      'given.2': 'Peter',
      'family.2': ['Windsor'],
    },
  ],
  [
    'a field that is not flattened has the suffix itself',
    '{ telecom(system: phone) @slice(path: "use") { value } }',
    {
      'telecom.work': [{ value: '(03) 5555 6473' }],
      'telecom.mobile': [{ value: '(03) 3410 5613' }],
      'telecom.old': [{ value: '(03) 5555 8834' }],
    },
  ],
  [
    'suffixes are joined when slices are nested',
    '{ contact @flatten @slice(path: "$index") { telecom @flatten @slice(path: "system") { value } } }',
    { 'value.0.phone': ['+33 (237) 998327'] },
  ],
  [
    'slices by a FHIRPath expression over what is not selected',
    '{ name @slice(path: "given.first()") { family } }',
    { 'name.Peter': [{ family: 'Chalmers' }, { family: 'Windsor' }], 'name.Jim': [{ family: null }] },
  ],
  [
    'slices by a text that FHIRPath makes',
    `{ telecom(system: phone) @flatten @slice(path: "system & '-' & use") { value @singleton } }`,
    {
      'value.phone-work': '(03) 5555 6473',
      'value.phone-mobile': '(03) 3410 5613',
      'value.phone-old': '(03) 5555 8834',
    },
  ],
  [
    'slices by whether there is something',
    '{ name @slice(path: "period.exists()") { use } }',
    { 'name.false': [{ use: 'official' }, { use: 'usual' }], 'name.true': [{ use: 'maiden' }] },
  ],
  [
    'slices of values by FHIRPath on each',
    '{ name @first { given @slice(path: "length()") @first } }',
    { name: [{ 'given.5': ['Peter'] }] },
  ],
  [
    'a singleton below two flattened fields',
    '{ contact @flatten { name @flatten { family @singleton given } } }',
    { family: 'du Marché', given: ['Bénédicte'] },
  ],
  [
    '@skip and @include stand beside them',
    '{ name @flatten @skip(if: true) { family } identifier @flatten @include(if: true) { value } }',
    { value: ['12345'] },
  ],
];

describe.each(TESTED_RELEASES)('a query on one resource in %s', (release) => {
  const address = (place = 'Patient/example', tenant = 'system'): string =>
    `${server.path(tenant, release)}/${place}/$graphql`;
  const send = (query: string, place?: string, tenant?: string): Promise<Answer> =>
    server.request('POST', address(place, tenant), query, { 'content-type': 'application/graphql' });

  it.each(EXAMPLES)('is answered in another form: %s', async (_title, query, data) => {
    const { status, json } = await send(query);
    expect([status, json]).toEqual([200, { data }]);
  });

  it('refuses several flattened values for a singleton, and values of several types', async () => {
    const several = await send('{ id name @flatten { family @singleton } }');
    expect([several.json.data, several.json.errors[0].path]).toEqual([
      { id: 'example', family: null },
      ['family'],
    ]);
    const types = await send('{ name @flatten { use } identifier @flatten { use: system } }');
    expect([types.json.data, types.json.errors[0].extensions.code]).toEqual([{ use: null }, 'business-rule']);
  });

  it('refuses a slice by an invalid FHIRPath, before anything runs, or by a value that is not simple', async () => {
    for (const path of ['given.', 'nonsense()', 'family.nothing']) {
      const { status, json } = await send(`{ name @slice(path: "${path}") { family } }`);
      expect([path, status, json.data]).toEqual([path, 400, undefined]);
    }
    const { json } = await send('{ id name @slice(path: "period") { family } }');
    expect([json.data.id, json.errors.map(({ path }: { path: unknown }) => path)]).toEqual([
      'example',
      [['name']],
    ]);
  });

  it('is queried by GET, as GraphQL and as JSON with variables, fragments and a name, with the same answer', async () => {
    const query = `
      query other { id }
      query mine($use: code = "maiden", $no: Boolean!) {
        ...Known  name(use: $use) { family }  birthDate @skip(if: $no)
      }
      fragment Known on Patient { __typename id }`;
    const variables = { no: true };
    const search = new URLSearchParams({
      query,
      operationName: 'mine',
      variables: JSON.stringify(variables),
    });
    const answers = [
      await server.request('GET', `${address()}?${search.toString()}`, undefined, {
        accept: 'application/json',
      }),
      await server.request(
        'POST',
        address(),
        { query, variables, operationName: 'mine' },
        { 'content-type': 'application/json' },
      ),
    ];
    for (const { status, json } of answers)
      expect([status, json]).toEqual([
        200,
        { data: { __typename: 'Patient', id: 'example', name: [{ family: 'Windsor' }] } },
      ]);
    expect((await send('{ id }')).json).toEqual({ data: { id: 'example' } });
  });

  it('reports errors by the places in the sent document', async () => {
    const unknown = await send('{\n  id nothing\n}');
    expect([unknown.status, unknown.json.errors[0].locations]).toEqual([400, [{ line: 2, column: 6 }]]);
    const first = await send('{ nothing }');
    expect(first.json.errors[0].locations).toEqual([{ line: 1, column: 3 }]);
    const broken = await send('{ id');
    expect([broken.status, broken.json.errors[0].extensions.code]).toEqual([400, 'structure']);
    const reference = await send('{ id managingOrganization { resource { id } } }');
    expect([reference.json.data, reference.json.errors[0].path, reference.json.errors[0].locations]).toEqual([
      { id: 'example', managingOrganization: { resource: null } },
      ['managingOrganization', 'resource'],
      [{ line: 1, column: 29 }],
    ]);
  });

  it('reports a missing resource like a read, and nothing of other tenants', async () => {
    const answers = await Promise.all([
      send('{ id }', 'Patient/nobody'),
      send('{ id }', 'Patient/gone'),
      send('{ id }', 'Patient/example', 'north'),
    ]);
    expect(answers.map(({ status, json }) => [status, json.data, json.errors[0].extensions.code])).toEqual([
      [404, null, 'not-found'],
      [410, null, 'deleted'],
      [404, null, 'not-found'],
    ]);
    expect((await send('{ id }', 'Nothing/example')).status).toBe(404);
    expect((await send('{ id }', 'Patient/not_an_id')).json).toMatchObject({
      resourceType: 'OperationOutcome',
      issue: [{ code: 'value' }],
    });
  });

  it('refuses mutations, and content beyond its limits', async () => {
    const change = await send('mutation { delete(type: Patient, id: "example") { versionId } }');
    expect([change.status, change.json.errors[0].extensions.code]).toEqual([400, 'value']);
    const wide = await send(
      `{ ${Array.from({ length: 600 }, (_none, index) => `a${index}: id`).join(' ')} }`,
    );
    expect([wide.status, wide.json.data]).toEqual([400, undefined]);
    expect((await send('{ id }')).status).toBe(200);
  });
});
