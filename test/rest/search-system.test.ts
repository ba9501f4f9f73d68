/** Search of several types: https://hl7.org/fhir/R4/http.html#search, https://hl7.org/fhir/R4/search.html#type */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  for (const name of ['other', 'small']) await server.createTenant(name);
});
afterAll(() => server.close());

interface Entry {
  readonly resource: { readonly resourceType: string; readonly id: string };
  readonly search: { readonly mode: string };
}
interface Bundle {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly Entry[];
}

const TAG = [{ system: 'http://example.org/tags', code: 'study' }];
const CODE = { coding: [{ system: 'http://loinc.org', code: '2951-2' }] };
const RESOURCES = [
  {
    resourceType: 'Patient',
    id: 'one',
    meta: { tag: TAG },
    name: [{ family: 'Adams' }],
    birthDate: '1970-03-01',
  },
  { resourceType: 'Patient', id: 'two', name: [{ family: 'Zweig' }], birthDate: '1980-03-01' },
  { resourceType: 'Practitioner', id: 'one', name: [{ family: 'Miller' }], gender: 'female' },
  {
    resourceType: 'Observation',
    id: 'sodium',
    meta: { tag: TAG },
    status: 'final',
    code: CODE,
    subject: { reference: 'Patient/one' },
    effectiveDateTime: '2020-05-05',
  },
  {
    resourceType: 'Condition',
    id: 'asthma',
    meta: { tag: TAG },
    code: CODE,
    subject: { reference: 'Patient/two' },
  },
  {
    resourceType: 'ValueSet',
    id: 'mine',
    url: 'http://example.org/ValueSet/mine',
    status: 'active',
    meta: { tag: TAG },
  },
] as const;

describe.each(TESTED_RELEASES)('under %s', (release) => {
  beforeAll(async () => {
    for (const resource of RESOURCES) {
      const path = `${server.path('system', release)}/${resource.resourceType}/${resource.id}`;
      const { status, text } = await server.request('PUT', path, resource);
      if (status >= 300) throw new Error(`${path}: ${text}`);
    }
    const secret = { resourceType: 'Patient', id: 'secret', meta: { tag: TAG }, name: [{ family: 'Adams' }] };
    await server.request('PUT', `${server.path('other', release)}/Patient/secret`, secret);
  });

  const get = (query: string, tenant = 'system') =>
    server.request('GET', `${server.path(tenant, release)}${query}`);

  async function find(query: string, tenant = 'system'): Promise<{ names: string[]; bundle: Bundle }> {
    const { status, json, text } = await get(query, tenant);
    if (status !== 200) throw new Error(`${query}: ${status} ${text}`);
    const bundle = json as Bundle;
    return { names: namesOf(bundle), bundle };
  }

  function namesOf({ entry = [] }: Bundle, mode = 'match'): string[] {
    return entry
      .filter(({ search }) => search.mode === mode)
      .map(({ resource }) => `${resource.resourceType}/${resource.id}`);
  }

  const linkOf = ({ link }: Bundle, wanted: string) => link.find(({ relation }) => relation === wanted)?.url;

  /** Follows `next` from page to page; the names in the order of the pages. */
  async function follow(query: string, tenant = 'system'): Promise<string[]> {
    const names: string[] = [];
    let address: string | undefined = server.path(tenant, release) + query;
    for (let pages = 0; address !== undefined; pages++) {
      if (pages > 50) throw new Error('no end of pages');
      const { status, json, text } = await server.request('GET', address);
      if (status !== 200) throw new Error(text);
      names.push(...namesOf(json as Bundle));
      address = linkOf(json as Bundle, 'next')?.slice(server.base.length);
    }
    return names;
  }

  it('all types are searched by the common parameters', async () => {
    expect((await find('?_id=one')).names).toEqual(['Patient/one', 'Practitioner/one']);
    expect((await find('/?_tag=http://example.org/tags|study')).names).toEqual([
      'Condition/asthma',
      'Observation/sodium',
      'Patient/one',
      'ValueSet/mine',
    ]);
    expect((await find('?_id=one,sodium&_tag=study')).names).toEqual(['Observation/sodium', 'Patient/one']);
    expect((await find('?_id=nobody')).names).toEqual([]);
    expect((await find('?_id=not%20an%20id')).names).toEqual([]);
  });

  it("all resources of a tenant are found without parameters, and nothing of the specification's own", async () => {
    const { names } = await find('');
    expect([...names].sort()).toEqual(
      RESOURCES.map(({ resourceType, id }) => `${resourceType}/${id}`).sort(),
    );
    expect((await find('', 'small')).names).toEqual([]);
    expect((await find('?_count=0', 'small')).bundle.total).toBe(0);
  });

  it('parameters for all resources find them, in one type and in all; a List too', async () => {
    const root = server.path('system', release);
    const profile = 'http://example.org/fhir/StructureDefinition/marked';
    const security = { system: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality', code: 'R' };
    const marked = {
      resourceType: 'Patient',
      id: 'marked',
      meta: {
        tag: [{ system: 'urn:x', code: 'm' }],
        security: [security],
        profile: [profile],
        source: 'urn:lab:7',
      },
    };
    const entry = [{ item: { reference: 'Patient/marked' } }, { item: { reference: 'Observation/sodium' } }];
    const list = { resourceType: 'List', id: 'ward', status: 'current', mode: 'working', entry };
    for (const resource of [marked, list])
      expect(
        (await server.request('PUT', `${root}/${resource.resourceType}/${resource.id}`, resource)).status,
      ).toBe(201);
    for (const query of [
      '_tag=urn:x|m',
      '_tag=m',
      `_security=${security.system}|R`,
      '_security=R',
      `_profile=${profile}`,
      '_source=urn:lab:7',
    ])
      for (const path of ['/Patient?', '?', '?_type=Patient,Observation&'])
        expect([path + query, (await find(path + query)).names]).toEqual([path + query, ['Patient/marked']]);
    for (const query of ['_tag=urn:y|m', '_security=N', `_profile=${profile}s`, '_source=urn:lab:8'])
      expect([query, (await find(`/Patient?${query}`)).names]).toEqual([query, []]);
    expect((await find('/Patient?_list=ward')).names).toEqual(['Patient/marked']);
    expect((await find('?_list=ward')).names).toEqual(['Observation/sodium', 'Patient/marked']);
    expect((await find('?_list=ward&_type=Observation')).names).toEqual(['Observation/sodium']);
    for (const name of ['Patient/marked', 'List/ward'])
      expect((await server.request('DELETE', `${root}/${name}`)).status).toBe(200);
  });

  it('named types are searched by their common parameters', async () => {
    expect((await find('?_type=Patient,Practitioner&name=miller,zweig')).names).toEqual([
      'Patient/two',
      'Practitioner/one',
    ]);
    expect(
      (await find('?_type=Observation,Condition&code=http://loinc.org|2951-2&patient=Patient/two')).names,
    ).toEqual(['Condition/asthma']);
    expect((await find('?_type=Patient&birthdate=1970-03-01')).names).toEqual(['Patient/one']);
    const { names } = await find('?_type=Patient,Practitioner&gender:missing=true');
    expect([...names].sort()).toEqual(['Patient/one', 'Patient/two']);
  });

  it('a repeated _type is AND', async () => {
    expect((await find('?_type=Patient,Practitioner&_type=Practitioner,Condition')).names).toEqual([
      'Practitioner/one',
    ]);
    expect((await find('?_type=Patient&_type=Condition')).names).toEqual([]);
  });

  it.each([
    ['?gender=female', "'gender' is not a search parameter of"],
    [
      '?_type=Patient,Observation&birthdate=1970-03-01',
      "'birthdate' is not a search parameter of Observation",
    ],
    ['?_type=Patient,Nobody', "'Nobody' is not a resource type"],
    ['?_type=Patient,Resource', "'Resource' is not a resource type"],
    ['?_type:not=Patient', "The modifier ':not' cannot be used"],
    ['?_lastUpdated=yesterday', 'yesterday'],
    ['?_type=Patient,Observation&_sort=birthdate', 'Observation'],
    ['?_sort=name', 'can be sorted by'],
    ['?_type=Patient,Observation&_elements=birthDate', "'birthDate' is not an element of Observation"],
    ['?_cursor=abc', 'cursor'],
  ])('%s is refused', async (query, message) => {
    const { status, json } = await get(query);
    expect([query, status]).toEqual([query, 400]);
    expect(json.issue[0].diagnostics).toContain(message);
  });

  it('a parameter that not all types have is left out under lenient handling, with a warning', async () => {
    const path = `${server.path('system', release)}?_type=Patient,Observation&birthdate=1970-03-01&_tag=study`;
    const { status, json } = await server.request('GET', path, undefined, { prefer: 'handling=lenient' });
    expect(status).toBe(200);
    expect(namesOf(json)).toEqual(['Observation/sodium', 'Patient/one']);
    expect(linkOf(json, 'self')).toBe(
      `${server.root('system', release)}?_type=Patient,Observation&_tag=study`,
    );
    expect(json.entry.at(-1).search.mode).toBe('outcome');
    expect(json.entry.at(-1).resource.issue[0].diagnostics).toContain('birthdate');
  });

  it('a form does the same, and its parameters and those of the address are equal', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const root = server.path('system', release);
    const posted = await server.request(
      'POST',
      `${root}/_search`,
      '_type=Patient,Practitioner&name=miller',
      form,
    );
    expect(posted.status).toBe(200);
    expect(namesOf(posted.json)).toEqual(['Practitioner/one']);
    expect(linkOf(posted.json, 'self')).toBe(
      `${server.root('system', release)}?_type=Patient,Practitioner&name=miller`,
    );
    const mixed = await server.request(
      'POST',
      `${root}/_search?_type=Patient,Practitioner&_id=one`,
      'name=adams',
      form,
    );
    expect(namesOf(mixed.json)).toEqual(['Patient/one']);
    expect((await server.request('POST', `${root}/_search?_id=one`)).status).toBe(200);
    expect((await server.request('GET', `${root}/_search`)).status).toBe(405);
    expect((await server.request('POST', `${root}/_search`, '{}')).status).toBe(415);
  });

  it('pages hold every resource once, in each order', async () => {
    const all = RESOURCES.map(({ resourceType, id }) => `${resourceType}/${id}`).sort();
    expect([...(await follow('?_count=2'))].sort()).toEqual(all);
    // They were written in this order.
    const written = RESOURCES.map(({ resourceType, id }) => `${resourceType}/${id}`);
    expect(await follow('?_sort=_lastUpdated&_count=1')).toEqual(written);
    expect(await follow('?_sort=-_lastUpdated&_count=4')).toEqual([...written].reverse());
    expect((await follow('?_sort=_id&_count=2')).map((name) => name.split('/')[1])).toEqual([
      'asthma',
      'mine',
      'one',
      'one',
      'sodium',
      'two',
    ]);
    expect(await follow('?_type=Patient,Practitioner&_sort=-family&_count=1')).toEqual([
      'Patient/two',
      'Practitioner/one',
      'Patient/one',
    ]);
    expect(await follow('?_type=Patient&_sort=-birthdate&_count=1')).toEqual(['Patient/two', 'Patient/one']);
    const self = linkOf((await find('?_type=Patient&_count=1')).bundle, 'self');
    expect(self).toBe(`${server.root('system', release)}?_type=Patient&_count=1`);
    expect(await follow('?_count=3&_offset=4')).toEqual((await follow('?_count=50')).slice(4));
    expect(await follow('?_sort=_lastUpdated&_count=3&_offset=2')).toEqual(written.slice(2));
    expect((await find('?_offset=100')).names).toEqual([]);
  });

  it('resources of one instant are returned once each, while others are created and deleted', async () => {
    const path = server.path('small', release);
    const written = Array.from({ length: 60 }, (_, index) => ({
      resourceType: ['Patient', 'Practitioner', 'Organization'][index % 3] ?? '',
      id: `n${index}`,
      name: index % 3 === 2 ? 'x' : undefined,
    }));
    await Promise.all(
      written.map((resource) =>
        server.request('PUT', `${path}/${resource.resourceType}/${resource.id}`, resource),
      ),
    );
    const names = written.map(({ resourceType, id }) => `${resourceType}/${id}`);
    const { json } = await get('?_count=100', 'small');
    const instants = json.entry.map(
      (entry: { resource: { meta: { lastUpdated: string } } }) => entry.resource.meta.lastUpdated,
    );
    expect(new Set(instants).size).toBeLessThan(names.length);
    for (const query of ['?_sort=_lastUpdated&_count=7', '?_sort=-_lastUpdated&_count=7', '?_count=7']) {
      const found = await follow(query, 'small');
      expect(found.length).toBe(names.length);
      expect(new Set(found)).toEqual(new Set(names));
    }
    // While the pages are followed: one that was not seen yet goes, one that was seen comes again as the newest.
    const first = await get('?_sort=_lastUpdated&_count=20', 'small');
    const seen = namesOf(first.json);
    const gone = names.find((name) => !seen.includes(name)) ?? '';
    await server.request('DELETE', `${path}/${gone}`);
    await server.request('PUT', `${path}/Patient/late`, { resourceType: 'Patient', id: 'late' });
    const rest = await follow(
      (linkOf(first.json, 'next') ?? '').slice(server.root('small', release).length),
      'small',
    );
    expect([...seen, ...rest].sort()).toEqual(
      [...names.filter((name) => name !== gone), 'Patient/late'].sort(),
    );
  });

  it('_total, _count and _summary=count count over all types', async () => {
    expect((await find('?_tag=study')).bundle.total).toBe(4);
    expect((await find('?_tag=study&_count=1')).bundle.total).toBeUndefined();
    expect((await find('?_tag=study&_count=1&_total=accurate')).bundle.total).toBe(4);
    expect((await find('?_tag=study&_total=none')).bundle.total).toBeUndefined();
    const { bundle } = await find('?_tag=study&_summary=count');
    expect([bundle.total, bundle.entry]).toEqual([4, undefined]);
    expect((await find('?_type=Patient,Practitioner&_count=0')).bundle.total).toBe(3);
  });

  it('matches include their targets, and can be reduced to parts', async () => {
    const { bundle } = await find('?_type=Observation,Condition&_include=Observation:subject');
    expect(namesOf(bundle)).toEqual(['Condition/asthma', 'Observation/sodium']);
    expect(namesOf(bundle, 'include')).toEqual(['Patient/one']);
    const every = await find('?_type=Observation,Condition&_include=*');
    expect([...namesOf(every.bundle, 'include')].sort()).toEqual(['Patient/one', 'Patient/two']);
    const parts = await get('?_type=Patient,Practitioner&_elements=name&_id=one');
    expect(
      parts.json.entry.map(({ resource }: { resource: object }) => Object.keys(resource).sort()),
    ).toEqual([
      ['id', 'meta', 'name', 'resourceType'],
      ['id', 'meta', 'name', 'resourceType'],
    ]);
  });

  it("a named conformance type is searched in the specification's own too, and resources of the tenant hide it", async () => {
    const { names } = await find('?_type=Patient,StructureDefinition&_id=one,Patient');
    expect(names).toEqual(['Patient/one', 'StructureDefinition/Patient']);
    const urls = await find(
      '?_type=ValueSet,CodeSystem&url=http://example.org/ValueSet/mine,http://hl7.org/fhir/administrative-gender,http://hl7.org/fhir/ValueSet/administrative-gender',
    );
    expect([...urls.names].sort()).toEqual([
      'CodeSystem/administrative-gender',
      'ValueSet/administrative-gender',
      'ValueSet/mine',
    ]);
    const url = '?_type=ValueSet,CodeSystem&url:below=http://hl7.org/fhir&_count=300';
    const paged = await follow(url);
    expect(new Set(paged).size).toBe(paged.length);
    const sum = await Promise.all(
      ['ValueSet', 'CodeSystem'].map((type) => find(`/${type}?url:below=http://hl7.org/fhir&_count=0`)),
    );
    expect(paged.length).toBe(sum.reduce((total, { bundle }) => total + (bundle.total ?? 0), 0));
    expect(new Set(await follow(`${url}&_sort=_lastUpdated`))).toEqual(new Set(paged));
  });

  it("another tenant's resources are never among them, and its cursors are invalid here", async () => {
    expect((await find('?_tag=study', 'other')).names).toEqual(['Patient/secret']);
    for (const query of ['', '?_tag=study', '?_type=Patient,Observation&_sort=-_lastUpdated', '?_id=secret'])
      expect((await find(query)).names).not.toContain('Patient/secret');
    const { bundle } = await find('?_tag=study&_count=1');
    const next = new URL(linkOf(bundle, 'next') ?? '');
    expect((await get(next.search)).status).toBe(200);
    expect((await get(next.search, 'other')).status).toBe(400);
    const cursor = next.searchParams.get('_cursor') ?? '';
    expect((await get(`?_tag=study&_count=1&_type=Patient,Observation&_cursor=${cursor}`)).status).toBe(400);
    expect((await get(`/Patient?_tag=study&_cursor=${cursor}`)).status).toBe(400);
    expect((await get(`?_tag=study&_cursor=${cursor.slice(0, -2)}AA`)).status).toBe(400);
  });

  it('the capability statement lists it, and each parameter that it lists works', async () => {
    const [rest] = (await get('/metadata')).json.rest;
    expect(rest.interaction).toContainEqual({ code: 'search-system' });
    const names = rest.searchParam.map(({ name }: { name: string }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        ...['_id', '_lastUpdated', '_profile', '_security', '_source', '_tag'],
        ...['_list', '_text', '_content', '_type'],
        ...['_sort', '_count', '_include', '_revinclude', '_summary', '_total', '_elements', '_contained'],
      ]),
    );
    const values: Readonly<Record<string, string>> = {
      _type: 'Patient,Group',
      _filter: '_id eq 2020',
      _sort: '_lastUpdated',
      _include: 'Observation:subject',
      _revinclude: 'Observation:subject',
      _summary: 'true',
      _elements: 'id',
      _total: 'none',
      _contained: 'false',
      _containedType: 'container',
    };
    for (const name of names) {
      const query = `?${name}=${encodeURIComponent(values[name] ?? '2020')}`;
      expect([query, (await get(query)).status]).toEqual([query, 200]);
    }
    expect(rest.compartment).toHaveLength(5);
    expect(rest.compartment).toContain('http://hl7.org/fhir/CompartmentDefinition/patient');
  });

  it('more than the cost limit is refused', async () => {
    const ids = Array.from({ length: 900 }, (_, index) => `x${index}`).join(',');
    const { status, json } = await get(`?_id=${ids}&_id=${ids}`);
    expect([status, json.issue[0].code]).toEqual([422, 'too-costly']);
    expect((await get(`?_id=${ids}`)).status).toBe(200);
  });
});
