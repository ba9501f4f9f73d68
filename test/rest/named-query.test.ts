/** `_query`: searches that a tenant has given a name (search.html#query). */
import type { Release } from '../../src/core';
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
const CRITERIA = 'https://andiron.example/fhir/StructureDefinition/search-criteria';
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('elsewhere');
});
afterAll(() => server.close());

interface Input {
  readonly name: string;
  readonly searchType?: string;
  readonly min?: number;
  readonly max?: string;
}

function definition(code: string, criteria: string, inputs: readonly Input[], over: object = {}): object {
  return {
    resourceType: 'OperationDefinition',
    id: code,
    url: `http://example.org/OperationDefinition/${code}`,
    name: 'Query',
    status: 'active',
    kind: 'query',
    code,
    resource: ['Observation'],
    system: false,
    type: true,
    instance: false,
    extension: [{ url: CRITERIA, valueString: criteria }],
    ...(inputs.length === 0
      ? {}
      : {
          parameter: inputs.map(({ name, searchType = 'token', min = 0, max = '1' }) => ({
            ...{ name, use: 'in', min, max, type: 'string', searchType },
          })),
        }),
    ...over,
  };
}

const LATEST = definition(
  'latest-labs',
  'category=laboratory&patient={patient}&code=http%3A%2F%2Floinc.org%7C{code}&date=ge{from}&_sort=-date&_include=Observation:patient',
  [
    { name: 'patient', searchType: 'reference', min: 1 },
    { name: 'code', max: '*' },
    { name: 'from', searchType: 'date' },
  ],
);

interface Bundle {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly {
    readonly resource: { readonly id: string };
    readonly search: { readonly mode: string };
  }[];
}

describe.each(TESTED_RELEASES)('named queries under %s', (release: Release) => {
  const path = (rest: string, tenant = 'system'): string => `${server.path(tenant, release)}/${rest}`;
  const put = (resource: object): ReturnType<SharedServer['request']> => {
    const { resourceType, id } = resource as { resourceType: string; id: string };
    return server.request('PUT', path(`${resourceType}/${id}`), resource);
  };
  async function find(query: string): Promise<string[]> {
    const { status, text, json } = await server.request('GET', path(query));
    if (status !== 200) throw new Error(`${query}: ${status} ${text}`);
    return ((json as Bundle).entry ?? [])
      .filter(({ search }) => search.mode === 'match')
      .map(({ resource }) => resource.id);
  }
  async function refusal(query: string, tenant?: string): Promise<string> {
    const { status, json } = await server.request('GET', path(query, tenant));
    return `${status} ${json.issue[0].diagnostics}`;
  }

  beforeAll(async () => {
    await put({ resourceType: 'Patient', id: 'one', name: [{ family: 'One' }] });
    for (const [index, code] of ['a', 'b', 'c', 'a'].entries())
      await put({
        resourceType: 'Observation',
        id: `labs-${index}`,
        status: 'final',
        category: [{ coding: [{ code: index === 2 ? 'vital-signs' : 'laboratory' }] }],
        code: { coding: [{ system: 'http://loinc.org', code }] },
        subject: { reference: 'Patient/one' },
        effectiveDateTime: `202${index}-01-01`,
      });
    expect((await put(LATEST)).status).toBe(201);
  });

  it.each([
    ['patient=Patient/one', ['labs-3', 'labs-1', 'labs-0']],
    ['patient=Patient/one&code=a', ['labs-3', 'labs-0']],
    ['patient=Patient/one&code=a&code=b', ['labs-3', 'labs-1', 'labs-0']],
    ['patient=Patient/one&code=a,b', ['labs-3', 'labs-1', 'labs-0']],
    ['patient=Patient/one&from=2021', ['labs-3', 'labs-1']],
    ['patient=Patient/one&_sort=date', ['labs-0', 'labs-1', 'labs-3']],
    ['patient=Patient/one&status=final&code:not=b', ['labs-3', 'labs-0']],
    ['patient=Patient/two', []],
  ])('with %s finds %j', async (given, expected) => {
    expect(await find(`Observation?_query=latest-labs&${given}`)).toEqual(expected);
  });

  it('includes, pages, and has its parameters in the links', async () => {
    const { json } = await server.request(
      'GET',
      path('Observation?_query=latest-labs&patient=Patient/one&_count=2'),
    );
    const { entry = [], link } = json as Bundle;
    expect(entry.map(({ resource, search }) => `${search.mode} ${resource.id}`)).toEqual([
      'match labs-3',
      'match labs-1',
      'include one',
    ]);
    const url = (relation: string): string => link.find((one) => one.relation === relation)?.url ?? '';
    expect(decodeURIComponent(url('self'))).toMatch(/\?_query=latest-labs&patient=Patient\/one&_count=2$/);
    const next = new URL(url('next'));
    const second = await server.request('GET', next.pathname + next.search);
    expect((second.json as Bundle).entry?.[0]?.resource.id).toBe('labs-0');
  });

  it('a value stays one value, with any characters in it', async () => {
    for (const value of ['Patient/one&status=final', 'Patient/one,Patient/two', 'x$y', '\\'])
      expect([
        value,
        await find(`Observation?_query=latest-labs&patient=${encodeURIComponent(value)}`),
      ]).toEqual([value, []]);
    expect(await find('Observation?_query=latest-labs&patient=one%26_count=0')).toEqual([]);
  });

  it('reports missing, superfluous and unknown inputs, and exists for this tenant and type alone', async () => {
    expect(await refusal('Observation?_query=latest-labs')).toMatch(/^400 .*needs the parameter 'patient'/);
    expect(await refusal('Observation?_query=latest-labs&patient=a&patient=b')).toMatch(
      /^400 .*'patient' must occur only once/,
    );
    expect(await refusal('Observation?_query=nothing')).toMatch(
      /^400 .*the named queries of Observation are latest-labs/,
    );
    expect(await refusal('Patient?_query=latest-labs')).toMatch(/^400 .*Patient has no named queries here/);
    expect(await refusal('Observation?_query=latest-labs&patient=a', 'elsewhere')).toMatch(
      /^400 .*no named queries/,
    );
    expect(await refusal('Observation?_query=latest-labs&_query=other&patient=a')).toMatch(
      /^400 .*one named query/,
    );
    expect(await refusal('?_query=latest-labs')).toMatch(/^400 .*one resource type/);
    expect(await refusal('Observation?_query=latest-labs&patient=one&from=yesterday')).toMatch(/^400 .*date/);
  });

  it('is listed in the metadata while it is active, and a change counts at once', async () => {
    const listed = async (tenant = 'system'): Promise<object[]> => {
      const { json } = await server.request('GET', path('metadata', tenant));
      const types = json.rest[0].resource as { type: string; operation?: { name: string }[] }[];
      const found = types.find(({ type }) => type === 'Observation');
      return (found?.operation ?? []).filter(({ name }) => name === 'short');
    };
    expect(await listed()).toEqual([]);
    const named = definition('short', 'status=final', []);
    expect((await put(named)).status).toBe(201);
    expect(await listed()).toEqual([
      { name: 'short', definition: 'http://example.org/OperationDefinition/short' },
    ]);
    expect(await listed('elsewhere')).toEqual([]);
    expect(await find('Observation?_query=short')).toHaveLength(4);
    const first = await server.request('GET', path('Observation?_query=short&_count=1'));
    await put(definition('short', 'status=amended', []));
    expect(await find('Observation?_query=short')).toEqual([]);
    // A page of an earlier definition is not valid for the current one.
    const next = new URL((first.json as Bundle).link.find(({ relation }) => relation === 'next')?.url ?? '');
    expect((await server.request('GET', next.pathname + next.search)).status).toBe(400);
    await put({ ...named, status: 'retired' });
    expect(await listed()).toEqual([]);
    expect(await refusal('Observation?_query=short')).toMatch(/^400/);
  });

  it.each<[string, object, string]>([
    ['a parameter that is not known', definition('x', 'nothing=1', []), 'extension[0].value'],
    ['a value that is none', definition('x', 'date=yesterday', []), 'extension[0].value'],
    ['an input that is not there', definition('x', 'status={a}', []), 'extension[0].value'],
    ['an input that nothing uses', definition('x', 'status=final', [{ name: 'a' }]), 'parameter[0]'],
    ['an input in a filter', definition('x', '_filter=status eq {a}', [{ name: 'a' }]), 'extension[0].value'],
    ['an input in a name', definition('x', '{a}=1', [{ name: 'a' }]), 'extension[0].value'],
    ['what the client says', definition('x', 'status=final&_count=5', []), 'extension[0].value'],
    ['a broken percent-encoding', definition('x', 'status=%GG', []), 'extension[0].value'],
    ['another kind', definition('x', 'status=final', [], { kind: 'operation' }), 'kind'],
    ['no type level', definition('x', 'status=final', [], { type: false, system: true }), 'type'],
    ['no url', definition('x', 'status=final', [], { url: undefined }), 'url'],
    ['no types', definition('x', 'status=final', [], { resource: undefined }), 'resource'],
    [
      'a type that lacks it',
      definition('x', 'value-quantity={a}', [{ name: 'a', searchType: 'quantity' }], {
        resource: ['Observation', 'Patient'],
      }),
      'extension[0].value',
    ],
  ])('with %s is refused when it is stored, and by $validate', async (_what, resource, place) => {
    const { status, json } = await put(resource);
    expect([status, json.issue.map(({ expression }: { expression: string[] }) => expression[0])]).toEqual([
      422,
      [`OperationDefinition.${place}`],
    ]);
    const { json: validated } = await server.request(
      'POST',
      path('OperationDefinition/$validate?mode=create'),
      JSON.stringify({ ...resource, id: undefined }),
    );
    expect(
      validated.issue
        .filter(({ severity }: { severity: string }) => severity === 'error')
        .map(({ expression }: { expression: string[] }) => expression[0]),
    ).toContain(`OperationDefinition.${place}`);
  });

  it('a draft, and a definition without our extension, are stored unchanged and are no queries', async () => {
    expect((await put(definition('draft', 'nothing=1', [], { status: 'draft' }))).status).toBe(201);
    expect((await put(definition('plain', '', [], { extension: undefined }))).status).toBe(201);
    for (const code of ['draft', 'plain'])
      expect(await refusal(`Observation?_query=${code}`)).toMatch(/^400/);
  });
});
