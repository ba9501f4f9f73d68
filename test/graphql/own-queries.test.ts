/** Searches that a tenant has given a name are fields of the schema of that tenant, and of no other. */
import { eventually } from '../support/eventually';
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { createSender, gatewayPath, type SendQuery } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

const CRITERIA = 'https://andiron.example/fhir/StructureDefinition/search-criteria';
let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
  for (const name of ['north', 'south']) await server.createTenant(name);
});
afterAll(() => server.close());

interface Input {
  readonly name: string;
  readonly type?: string;
  readonly searchType?: string;
  readonly min?: number;
  readonly max?: string;
}

function definition(
  code: string,
  criteria: string,
  inputs: readonly Input[],
  { id = code.toLowerCase(), resource = ['Observation'] }: { id?: string; resource?: string[] } = {},
): object {
  const parameter = inputs.map(({ min = 0, max = '1', type = 'string', ...more }) => ({
    ...{ use: 'in', min, max, type },
    ...more,
  }));
  return {
    resourceType: 'OperationDefinition',
    ...{ id, code, resource },
    ...{
      url: `http://example.org/OperationDefinition/${id}`,
      name: 'Query',
      status: 'active',
      kind: 'query',
    },
    ...{ system: false, type: true, instance: false },
    extension: [{ url: CRITERIA, valueString: criteria }],
    ...(parameter.length === 0 ? {} : { parameter }),
  };
}

const LATEST = definition(
  'latest-labs',
  'category=laboratory&subject={patient}&code=http%3A%2F%2Floinc.org%7C{code}&date=ge{from-date}&_sort=-date',
  [
    { name: 'patient', searchType: 'reference', min: 1 },
    { name: 'code', searchType: 'token', max: '*' },
    { name: 'from-date', searchType: 'date' },
  ],
);

describe.each(TESTED_RELEASES)('a named query of a tenant in %s', (release) => {
  let north: SendQuery;
  let south: SendQuery;
  const put = async (resource: object, tenant = 'north'): Promise<void> => {
    const { resourceType, id } = resource as { resourceType: string; id: string };
    const { status, text } = await server.request(
      'PUT',
      `${server.path(tenant, release)}/${resourceType}/${id}`,
      resource,
    );
    if (status !== 201 && status !== 200) throw new Error(text);
  };
  const LABS = `query ($cursor: String) {
    ObservationLatestLabs(patient: "Patient/ada", _count: 2, _cursor: $cursor) {
      count next edges { resource { id subject { resource { ... on Patient { id } } } } }
    }
  }`;

  beforeAll(async () => {
    north = createSender(server, 'north', release);
    south = createSender(server, 'south', release);
    for (const tenant of ['north', 'south'])
      for (const patient of ['ada', 'bob']) {
        await put({ resourceType: 'Patient', id: patient }, tenant);
        for (const [place, loinc] of ['718-7', '2345-7', '718-7'].entries())
          await put(
            {
              resourceType: 'Observation',
              id: `${patient}-${place}`,
              status: 'final',
              category: [
                {
                  coding: [
                    {
                      system: 'http://terminology.hl7.org/CodeSystem/observation-category',
                      code: 'laboratory',
                    },
                  ],
                },
              ],
              code: { coding: [{ system: 'http://loinc.org', code: loinc }] },
              subject: { reference: `Patient/${patient}` },
              effectiveDateTime: `2024-0${place + 1}-01`,
            },
            tenant,
          );
      }
    // Asked before the query is there: the process knows the schema without it.
    expect((await north(LABS)).status).toBe(400);
    await put(LATEST);
  });

  it('is a field of Query with its inputs as arguments, for that tenant alone', async () => {
    await eventually(async () => (await north(LABS)).status === 200);
    const { found } = await north(LABS);
    const { next, ...page } = found.ObservationLatestLabs;
    const edge = (id: string): object => ({ resource: { id, subject: { resource: { id: 'ada' } } } });
    expect(page).toEqual({ count: 3, edges: [edge('ada-2'), edge('ada-1')] });
    const behind = await north(LABS, { cursor: next });
    expect(behind.found.ObservationLatestLabs).toEqual({ count: 3, next: null, edges: [edge('ada-0')] });
    const elsewhere = await south(LABS);
    expect([elsewhere.status, elsewhere.found]).toEqual([400, undefined]);
  });

  it('finds the same as the search of REST by its name, with any further criteria', async () => {
    const ids = async (args: string): Promise<string[]> => {
      const { status, found, text } = await north(
        `{ page: ObservationLatestLabs(patient: "Patient/bob", ${args}) { edges { resource { id } } } }`,
      );
      if (status !== 200) throw new Error(text);
      return found.page.edges.map(({ resource }: { resource: { id: string } }) => resource.id);
    };
    const rest = async (query: string): Promise<string[]> => {
      const path = `${server.path('north', release)}/Observation?_query=latest-labs&patient=Patient/bob&${query}`;
      const { json } = await server.request('GET', path);
      return (json.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id);
    };
    for (const [args, query, expected] of [
      ['_count: 50', '_count=50', ['bob-2', 'bob-1', 'bob-0']],
      ['code: ["718-7"]', 'code=718-7', ['bob-2', 'bob-0']],
      ['code: ["718-7", "2345-7"]', 'code=718-7&code=2345-7', ['bob-2', 'bob-1', 'bob-0']],
      ['from_date: "2024-02-01"', 'from-date=2024-02-01', ['bob-2', 'bob-1']],
      ['_sort: "date"', '_sort=date', ['bob-0', 'bob-1', 'bob-2']],
      ['where: {code: {eq: "http://loinc.org|2345-7"}}', 'code:not=718-7&date=2024-02-01', ['bob-1']],
      ['_offset: 2', '_offset=2', ['bob-0']],
    ] as const) {
      expect([args, await ids(args)]).toEqual([args, expected]);
      if (!args.startsWith('where')) expect([query, await rest(query)]).toEqual([query, expected]);
    }
  });

  it('requires its required inputs, and accepts nothing else', async () => {
    for (const args of ['', '(code: ["718-7"])', '(patient: "Patient/ada", nothing: "x")']) {
      const { status, found } = await north(`{ ObservationLatestLabs${args} { count } }`);
      expect([args, status, found]).toEqual([args, 400, undefined]);
    }
  });

  it('is in the file of the schema and in introspection, for that tenant alone', async () => {
    const fieldIn = async (tenant: string): Promise<boolean> => {
      const { text } = await server.request(
        'GET',
        `${gatewayPath(server.tenant(tenant), release)}/schema.graphql`,
      );
      return text.includes(
        '  ObservationLatestLabs(patient: reference!, code: [token!], from_date: date, fhirpath: String, _sort: String,',
      );
    };
    expect([await fieldIn('north'), await fieldIn('south')]).toEqual([true, false]);
    const names = async (send: SendQuery): Promise<string[]> => {
      const { found } = await send('{ __schema { queryType { fields { name } } } }');
      return found.__schema.queryType.fields.map(({ name }: { name: string }) => name);
    };
    expect(await names(north)).toContain('ObservationLatestLabs');
    expect(await names(south)).not.toContain('ObservationLatestLabs');
    expect(await names(south)).toContain('ObservationList');
  });

  it('replaces no other field, and no paging argument', async () => {
    await put(definition('list', 'status=amended', []));
    await put(
      definition('places', 'status={where}&code={code}', [
        { name: 'where', searchType: 'token' },
        { name: 'code', searchType: 'token' },
      ]),
    );
    await put(definition('needing', 'status={where}', [{ name: 'where', searchType: 'token', min: 1 }]));
    const PLACES = '{ ObservationPlaces(code: "2345-7") { count } }';
    await eventually(async () => (await north(PLACES)).status === 200);
    expect((await north(PLACES)).found).toEqual({ ObservationPlaces: { count: 2 } });
    // Those of the name that it would have are as they are in the release.
    expect((await north('{ ObservationList(_id: "ada-0") { id } }')).found).toEqual({
      ObservationList: [{ id: 'ada-0' }],
    });
    expect((await north('{ ObservationNeeding { count } }')).status).toBe(400);
    const { found } = await north(
      '{ search(type: Observation, query: "_query=needing&where=final") { total } }',
    );
    expect(found).toEqual({ search: { total: 6 } });
  });

  it('is the currently stored query: changed, of other types, deleted', async () => {
    const CHANGED = '{ ObservationChanging { count } PatientChanging { count } }';
    const changing = (criteria: string, resource: string[]): object =>
      definition('changing', criteria, [], { resource });
    await put(changing('_id=ada-1', ['Observation', 'Patient']));
    await eventually(async () => (await north(CHANGED)).status === 200);
    expect((await north(CHANGED)).found).toEqual({
      ObservationChanging: { count: 1 },
      PatientChanging: { count: 0 },
    });
    await put(changing('_id=ada', ['Patient']));
    expect((await north('{ PatientChanging { count } }')).found).toEqual({ PatientChanging: { count: 1 } });
    // The published schema may still have the field; a request for it fails.
    const gone = await north('{ ObservationChanging { count } }');
    expect([gone.status, gone.found?.ObservationChanging ?? undefined]).toEqual([400, undefined]);
    const path = `${server.path('north', release)}/OperationDefinition/changing`;
    expect((await server.request('DELETE', path)).status).toBe(200);
    expect((await north('{ PatientChanging { count } }')).status).toBe(400);
    await eventually(async () => {
      const { text } = await server.request(
        'GET',
        `${gatewayPath(server.tenant('north'), release)}/schema.graphql`,
      );
      return text.includes('ObservationLatestLabs(') && !text.includes('PatientChanging(');
    });
  });
});
