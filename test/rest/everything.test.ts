/**
 * Patient/$everything and Encounter/$everything over HTTP: https://hl7.org/fhir/R4/patient-operation-everything.html,
 * https://hl7.org/fhir/R4/encounter-operation-everything.html. Pages with small limits are in record-pages.test.ts.
 */
import type { Searchset } from '../support/bundles';
import type { Answer } from '../support/http';
import {
  ANN,
  ANNS,
  BOB,
  BROUGHT,
  SHARED,
  addressOf,
  namesOf,
  observation,
  type Resource,
} from '../support/patient-record';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';
import { gatewayPath } from '../graphql/gateway-client';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('other');
});
afterAll(() => server.close());

describe.each(TESTED_RELEASES)('under %s', (release) => {
  let middle = '';
  const put = async (tenant: string, resource: Resource): Promise<Answer> => {
    const path = `${server.path(tenant, release)}/${addressOf(resource)}`;
    const answer = await server.request('PUT', path, resource);
    if (answer.status !== 201 && answer.status !== 200)
      throw new Error(`${addressOf(resource)}: ${answer.text}`);
    return answer;
  };

  beforeAll(async () => {
    for (const resource of [...SHARED, ...BOB, ...ANN]) await put('system', resource);
    for (const resource of [...ANN.slice(0, 4), observation('theirs', 'Patient/ann')])
      await put('other', resource);
  });

  const get = (address: string, tenant = 'system') =>
    server.request('GET', `${server.path(tenant, release)}/${address}`);
  const linkOf = ({ link }: Searchset<Resource>, wanted: string) =>
    link.find(({ relation }) => relation === wanted)?.url;
  const withMode = ({ entry = [] }: Searchset<Resource>, mode: string): string[] =>
    entry.filter(({ search }) => search.mode === mode).map(({ resource }) => addressOf(resource));

  async function pageOf(address: string, tenant = 'system'): Promise<Searchset<Resource>> {
    const { status, json, text: body } = await get(address, tenant);
    if (status !== 200) throw new Error(`${address}: ${status} ${body}`);
    return json as Searchset<Resource>;
  }

  /** All pages; each a Bundle. */
  async function pagesOf(
    address: string,
    between: () => Promise<unknown> = async () => undefined,
  ): Promise<Searchset<Resource>[]> {
    const pages = [await pageOf(address)];
    for (let next = linkOf(pages[0] as Searchset<Resource>, 'next'); next !== undefined;) {
      await between();
      const { status, json, text: body } = await server.request('GET', next.slice(server.base.length));
      if (status !== 200) throw new Error(`${next}: ${status} ${body}`);
      pages.push(json as Searchset<Resource>);
      next = linkOf(json as Searchset<Resource>, 'next');
    }
    return pages;
  }

  const all = (pages: readonly Searchset<Resource>[], mode: string): string[] =>
    pages.flatMap((page) => withMode(page, mode)).sort();

  it('a record is the compartment, and the resources it refers to that belong to no other patient', async () => {
    const page = await pageOf('Patient/ann/$everything');
    expect(page).toMatchObject({ resourceType: 'Bundle', type: 'searchset', total: ANN.length });
    expect(withMode(page, 'match').sort()).toEqual(ANNS);
    expect(withMode(page, 'include').sort()).toEqual(BROUGHT);
    expect(linkOf(page, 'next')).toBeUndefined();
    const root = server.root('system', release);
    expect(linkOf(page, 'self')).toBe(`${root}/Patient/ann/$everything`);
    for (const { fullUrl, resource } of page.entry ?? []) {
      expect(fullUrl).toBe(`${root}/${addressOf(resource)}`);
      expect(resource.meta).toMatchObject({ versionId: '1' });
    }
  });

  it('a record comes in pages, each resource once, all of it', async () => {
    for (const count of [1, 2, 3, 7]) {
      const pages = await pagesOf(`Patient/ann/$everything?_count=${count}`);
      expect(pages.length).toBe(Math.ceil(ANN.length / count));
      for (const page of pages) expect(withMode(page, 'match').length).toBeLessThanOrEqual(count);
      expect(all(pages, 'match')).toEqual(ANNS);
      expect(all(pages, 'include')).toEqual(BROUGHT);
    }
  });

  it('resources that a page refers to are on the same page, or on an earlier one', async () => {
    const pages = await pagesOf('Patient/ann/$everything?_count=2');
    const seen = new Set<string>();
    for (const { entry = [] } of pages) {
      for (const { resource } of entry) seen.add(addressOf(resource));
      for (const { resource } of entry)
        for (const [, target = ''] of JSON.stringify(resource).matchAll(
          /"(?:reference|url)":"(\w+\/[a-z-]+)"/g,
        ))
          if (BROUGHT.includes(target) && !BROUGHT.includes(addressOf(resource)))
            expect([addressOf(resource), [...seen]]).toEqual([
              addressOf(resource),
              expect.arrayContaining([target]),
            ]);
    }
  });

  it('start and end are dates of care: resources with an overlapping date, and those without a date', async () => {
    const dateless = ['Coverage/policy', 'Observation/pulse-undated', 'Patient/ann', 'RelatedPerson/mother'];
    const of2019 = ['Encounter/visit-2019', 'Observation/pulse-2019'];
    const of2021 = [
      'DocumentReference/letter',
      'Encounter/visit-2021',
      'MedicationRequest/prescription',
      'Observation/pulse-2021',
    ];
    const found = async (query: string) =>
      withMode(await pageOf(`Patient/ann/$everything?${query}`), 'match').sort();
    expect(await found('start=2021')).toEqual([...dateless, ...of2021].sort());
    expect(await found('end=2020')).toEqual([...dateless, ...of2019].sort());
    // The stay of the turn of the year belongs to both years.
    expect(await found('start=2020-01-01&end=2020-06-30')).toEqual(
      [...dateless, 'Encounter/visit-2019'].sort(),
    );
    expect(await found('start=2019-12-31&end=2019-12-31')).toEqual([...dateless, ...of2019].sort());
    expect(await found('start=2021-05-01&end=2021-05-01')).toEqual(
      [...dateless, ...of2021.filter((name) => name !== 'DocumentReference/letter')].sort(),
    );
    expect(await found('start=2030')).toEqual(dateless);
    const brought = withMode(await pageOf('Patient/ann/$everything?end=2020'), 'include').sort();
    expect(brought).toEqual([
      'Device/monitor',
      'Location/ward',
      'Organization/clinic',
      'Practitioner/doctor',
      'Practitioner/nurse',
    ]);
  });

  it('_type limits the types of the answer, comma or repeated, also of included resources', async () => {
    const some = await pagesOf('Patient/ann/$everything?_type=Encounter,Patient&_type=Practitioner');
    expect(all(some, 'match')).toEqual(['Encounter/visit-2019', 'Encounter/visit-2021', 'Patient/ann']);
    expect(all(some, 'include')).toEqual(['Practitioner/doctor', 'Practitioner/nurse']);
    const brought = await pagesOf('Patient/ann/$everything?_type=Medication&_count=1');
    expect([all(brought, 'match'), all(brought, 'include')]).toEqual([[], ['Medication/aspirin']]);
    const observations = await pagesOf('Patient/ann/$everything?_type=Observation&_count=2');
    expect(all(observations, 'match')).toEqual(ANNS.filter((name) => name.startsWith('Observation/')));
    expect(all(observations, 'include')).toEqual(['Observation/air']);
    // A patient of another record never comes along.
    expect(all(await pagesOf('Patient/ann/$everything?_type=Patient'), 'match')).toEqual(['Patient/ann']);
  });

  it('_since leaves out unchanged resources, included ones too', async () => {
    const answer = await put('system', { ...(SHARED[1] as Resource), active: true });
    middle = answer.json.meta.lastUpdated;
    await put('system', { ...(ANN[5] as Resource), note: [{ text: 'seen' }] });
    for (const count of ['', '&_count=1']) {
      const address = `Patient/ann/$everything?_since=${encodeURIComponent(middle)}${count}`;
      const pages = await pagesOf(address);
      expect(all(pages, 'match')).toEqual(['Observation/pulse-undated']);
      expect(all(pages, 'include')).toEqual(['Practitioner/doctor']);
    }
    const never = await pagesOf('Patient/ann/$everything?_since=2999-01-01T00:00:00Z');
    expect([all(never, 'match'), all(never, 'include')]).toEqual([[], []]);
  });

  it('the record of an encounter is its compartment, its patient, and the other resources it refers to', async () => {
    const page = await pageOf('Encounter/visit-2021/$everything');
    expect(withMode(page, 'match').sort()).toEqual([
      'Encounter/visit-2021',
      'MedicationRequest/prescription',
      'Observation/pulse-2021',
    ]);
    expect(withMode(page, 'include').sort()).toEqual([
      'Encounter/visit-2019',
      'Medication/aspirin',
      'Observation/air',
      'Patient/ann',
      'Practitioner/doctor',
    ]);
    const pages = await pagesOf('Encounter/visit-2019/$everything?_count=1');
    expect(all(pages, 'match')).toEqual(['Encounter/visit-2019', 'Observation/pulse-2019']);
    expect(all(pages, 'include')).toEqual([
      'Location/ward',
      'Patient/ann',
      'Practitioner/doctor',
      'Practitioner/nurse',
    ]);
  });

  it('the record of an encounter is narrowed by _type and by _since, and comes in pages', async () => {
    const typed = await pagesOf('Encounter/visit-2021/$everything?_type=Observation,Practitioner&_count=1');
    expect(all(typed, 'match')).toEqual(['Observation/pulse-2021']);
    expect(all(typed, 'include')).toEqual(['Observation/air', 'Practitioner/doctor']);
    await put('system', { resourceType: 'Encounter', id: 'visit-new', status: 'planned', class: { code: 'AMB' } });
    const seen = await put('system', observation('pulse-new', 'Patient/bob', { encounter: { reference: 'Encounter/visit-new' } }));
    const since = encodeURIComponent(seen.json.meta.lastUpdated);
    const later = await pagesOf(`Encounter/visit-new/$everything?_since=${since}`);
    expect([all(later, 'match'), all(later, 'include')]).toEqual([['Observation/pulse-new'], []]);
    const whole = await pagesOf('Encounter/visit-new/$everything?_count=1');
    expect([whole.length, all(whole, 'match')]).toEqual([2, ['Encounter/visit-new', 'Observation/pulse-new']]);
    for (const name of ['Observation/pulse-new', 'Encounter/visit-new'])
      await server.request('DELETE', `${server.path('system', release)}/${name}`);
  }); // prettier-ignore

  it('a patient who links to another is in the record of the other, without the resources of their own', async () => {
    const page = await pageOf('Patient/bob/$everything');
    expect(withMode(page, 'match').sort()).toEqual(['Observation/bobs', 'Patient/ann', 'Patient/bob']);
    expect(withMode(page, 'include').sort()).toEqual([
      'Organization/clinic',
      'Practitioner/doctor',
      'Practitioner/stranger',
    ]);
  });

  it('a date at the end of time is valid like any', async () => {
    const query = 'start=0001&end=9999&_since=9999-12-31T23:59:59-14:00';
    expect(withMode(await pageOf(`Patient/ann/$everything?${query}`), 'match')).toEqual([]);
    const all = await pageOf('Patient/ann/$everything?start=0001-01-01&end=9999-12-31');
    expect(withMode(all, 'match').sort()).toEqual(ANNS);
  });

  it('without an id the records of all patients come, each resource once', async () => {
    for (const count of [3, 100]) {
      const pages = await pagesOf(`Patient/$everything?_count=${count}`);
      expect(all(pages, 'match')).toEqual(namesOf([...ANN, ...BOB]));
      expect(all(pages, 'include')).toEqual([...BROUGHT, 'Practitioner/stranger'].sort());
    }
  });

  it('a form of Parameters returns the same; links are for GET', async () => {
    const root = server.root('system', release);
    const parameter = [
      { name: 'start', valueDate: '2021' },
      { name: '_type', valueCode: 'Observation' },
      { name: '_count', valueInteger: 1 },
    ];
    const path = `${server.path('system', release)}/Patient/ann/$everything`;
    const { status, json } = await server.request('POST', path, { resourceType: 'Parameters', parameter });
    expect(status).toBe(200);
    expect(linkOf(json, 'self')).toBe(
      `${root}/Patient/ann/$everything?start=2021&_type=Observation&_count=1`,
    );
    const next = linkOf(json, 'next') ?? '';
    expect(next).toContain('/Patient/ann/$everything?start=2021&_type=Observation&_count=1&_cursor=');
    const second = await server.request('GET', next.slice(server.base.length));
    expect([...withMode(json, 'match'), ...withMode(second.json, 'match')].sort()).toEqual([
      'Observation/pulse-2021',
      'Observation/pulse-undated',
    ]);
  });

  it('a cursor is valid only for its record, its parameters and its tenant', async () => {
    const page = await pageOf('Patient/ann/$everything?_count=2&start=2019');
    const cursor = /_cursor=([\w-]+)/.exec(linkOf(page, 'next') ?? '')?.[1] ?? '';
    const statusOf = async (address: string, tenant = 'system') => (await get(address, tenant)).status;
    expect(await statusOf(`Patient/ann/$everything?start=2019&_count=5&_cursor=${cursor}`)).toBe(200);
    for (const address of [
      'Patient/ann/$everything?start=2018',
      'Patient/bob/$everything?start=2019',
      'Patient/$everything?start=2019',
      'Encounter/visit-2021/$everything?',
    ])
      expect([address, await statusOf(`${address}&_cursor=${cursor}`)]).toEqual([address, 400]);
    expect(await statusOf(`Patient/ann/$everything?start=2019&_cursor=${cursor}`, 'other')).toBe(400);
    const forged = cursor.slice(0, -2) + (cursor.endsWith('AA') ? 'BB' : 'AA');
    expect(await statusOf(`Patient/ann/$everything?start=2019&_cursor=${forged}`)).toBe(400);
  });

  it('nothing of another tenant comes, not even under the same ids', async () => {
    const page = await pageOf('Patient/ann/$everything', 'other');
    expect(withMode(page, 'match').sort()).toEqual(
      [...namesOf(ANN.slice(0, 4)), 'Observation/theirs'].sort(),
    );
    expect(withMode(page, 'include')).toEqual([]);
    expect(withMode(await pageOf('Patient/ann/$everything'), 'match')).not.toContain('Observation/theirs');
  });

  it('concurrent writes neither hide nor repeat unchanged resources of later pages', async () => {
    let turn = 0;
    const pages = await pagesOf('Patient/ann/$everything?_count=2', async () => {
      turn++;
      await put('system', observation(`new-${turn}`, 'Patient/ann', { effectiveDateTime: `20${10 + turn}` }));
      await put('system', { ...(ANN[3] as Resource), note: [{ text: `turn ${turn}` }] });
      if (turn > 1) {
        const path = `${server.path('system', release)}/Observation/new-${turn - 1}`;
        expect((await server.request('DELETE', path)).status).toBe(200);
      }
    });
    const found = all(pages, 'match');
    expect(new Set(found).size).toBe(found.length);
    expect(found.filter((name) => !name.startsWith('Observation/new-'))).toEqual(ANNS);
    expect(all(pages, 'include')).toEqual(BROUGHT);
    await server.request('DELETE', `${server.path('system', release)}/Observation/new-${turn}`);
  });

  it.each([
    ['Patient/nobody/$everything', 404, 'Patient/nobody does not exist'],
    ['Encounter/$everything', 400, 'cannot be called on the type Encounter'],
    ['Observation/air/$everything', 400, 'cannot be called'],
    ['$everything', 400, 'cannot be called at system level'],
    ['Patient/ann/$everything?_type=Nobody', 400, "'Nobody' is not a resource type"],
    ['Patient/ann/$everything?_count=0', 400, 'a page has at least one resource'],
    ['Patient/ann/$everything?_count=many', 400, "'_count' is wrong"],
    ['Patient/ann/$everything?start=yesterday', 400, "'start' is wrong"],
    ['Patient/ann/$everything?start=2021&end=2020', 400, 'it is before the start'],
    ['Patient/ann/$everything?_since=2021', 400, "'_since' is wrong"],
    ['Patient/ann/$everything?name=x', 400, "'name' is not a parameter of $everything"],
    ['Encounter/visit-2021/$everything?start=2021', 400, "'start' is not a parameter of $everything"],
    ['Patient/ann/$everything?_cursor=x', 400, 'The page cursor does not belong to this search'],
  ])('%s is %d', async (address, expected, message) => {
    const { status, json } = await get(address);
    expect([address, status]).toEqual([address, expected]);
    expect(json.issue[0].diagnostics).toContain(message);
  });

  it('a wrong parameter of a body is named by its place', async () => {
    const path = `${server.path('system', release)}/Patient/ann/$everything`;
    const parameter = [
      { name: 'start', valueDate: '2021' },
      { name: '_type', valueCode: 'Nobody' },
    ];
    const { status, json } = await server.request('POST', path, { resourceType: 'Parameters', parameter });
    expect([status, json.issue[0].expression]).toEqual([400, ['Parameters.parameter[1].valueCode']]);
  });

  it('the record of a deleted patient is gone', async () => {
    await put('system', { resourceType: 'Patient', id: 'gone' });
    await server.request('DELETE', `${server.path('system', release)}/Patient/gone`);
    expect((await get('Patient/gone/$everything')).status).toBe(410);
  });

  it('GraphQL gives the same page, and the cursor of the next', async () => {
    const invoke = async (parameters: object): Promise<Searchset<Resource>> => {
      const query =
        'mutation ($p: ParametersInput) { invoke(code: "everything", type: Patient, id: "ann", parameters: $p) { json } }';
      const { json } = await server.request(
        'POST',
        gatewayPath(server.tenant('system'), release),
        { query, variables: { p: parameters } },
        { 'content-type': 'application/json' },
      );
      expect(json.errors).toBeUndefined();
      return json.data.invoke.json;
    };
    const first = await invoke({ _count: 6 });
    const cursor = (linkOf(first, 'next') ?? '').replace('?_cursor=', '');
    const second = await invoke({ _count: 6, _cursor: cursor });
    expect(all([first, second], 'match')).toEqual(ANNS);
    expect(all([first, second], 'include')).toEqual(BROUGHT);
  });

  it('the statement of capabilities names it', async () => {
    const { json } = await get('metadata');
    const operationsOf = (wanted: string) =>
      json.rest[0].resource
        .find(({ type }: { type: string }) => type === wanted)
        .operation.map(({ definition }: { definition: string }) => definition);
    for (const type of ['Patient', 'Encounter'])
      expect(operationsOf(type)).toContain(`http://hl7.org/fhir/OperationDefinition/${type}-everything`);
  });
});
