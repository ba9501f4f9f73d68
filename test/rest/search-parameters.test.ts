/** Search parameters that tenants make: checked, indexed in the background, searched by when complete, theirs alone. */
import { gatewayPath } from '../graphql/gateway-client';
import { reindex } from '../support/reindex';
import { eventually } from '../support/eventually';
import { makeParameter } from '../support/search-parameters';
import { type Answer, type SharedServer, openSharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
  for (const name of ['north', 'south', 'refused', 'changing']) await server.createTenant(name);
});
afterAll(() => server.close());

const BASE = 'http://example.org/fhir/StructureDefinition';

interface Entry {
  readonly resource: { readonly resourceType: string; readonly id: string };
  readonly search: { readonly mode: string };
}

function idsOf({ json }: Answer, mode = 'match'): string[] {
  const entries: readonly Entry[] = json.entry ?? [];
  return entries
    .filter(({ search }) => search.mode === mode)
    .map(({ resource }) => resource.id)
    .sort();
}

/** Patients with the extensions that the parameters below are about. */
const PATIENTS = [
  {
    id: 'ada',
    extension: [
      { url: `${BASE}/race`, valueCodeableConcept: { coding: [{ system: 'urn:race', code: 'Asian' }] } },
      {
        url: `${BASE}/height`,
        valueQuantity: { value: 1.72, system: 'http://unitsofmeasure.org', code: 'm' },
      },
      { url: `${BASE}/moved`, valueDate: '2020-03-01' },
      { url: `${BASE}/ward`, valueReference: { reference: 'Organization/ward' } },
      { url: `${BASE}/nickname`, valueString: 'Café' },
      { url: `${BASE}/children`, valueInteger: 3 },
      { url: `${BASE}/homepage`, valueUri: 'http://example.org/ada' },
    ],
  },
  {
    id: 'bob',
    extension: [
      { url: `${BASE}/race`, valueCodeableConcept: { coding: [{ system: 'urn:race', code: 'white' }] } },
      {
        url: `${BASE}/height`,
        valueQuantity: { value: 180, system: 'http://unitsofmeasure.org', code: 'cm' },
      },
      { url: `${BASE}/moved`, valueDate: '2021-06' },
      { url: `${BASE}/nickname`, valueString: 'Smith-Jones' },
      { url: `${BASE}/children`, valueInteger: 0 },
    ],
  },
  { id: 'eve' },
];

function valueOf(name: string): string {
  return `Patient.extension.where(url = '${BASE}/${name}').value`;
}

const PARAMETERS = [
  makeParameter('race', { type: 'token', base: ['Patient'], expression: valueOf('race') }),
  makeParameter('height', {
    type: 'quantity',
    base: ['Patient'],
    expression: `(${valueOf('height')} as Quantity)`,
  }),
  makeParameter('moved', { type: 'date', base: ['Patient'], expression: `${valueOf('moved')}.ofType(date)` }),
  makeParameter('ward', {
    type: 'reference',
    base: ['Patient'],
    target: ['Organization'],
    expression: valueOf('ward'),
  }),
  makeParameter('nickname', {
    type: 'string',
    base: ['Patient'],
    expression: `Patient.extension('${BASE}/nickname')`,
  }),
  makeParameter('children', { type: 'number', base: ['Patient'], expression: valueOf('children') }),
  makeParameter('homepage', { type: 'uri', base: ['Patient'], expression: valueOf('homepage') }),
  makeParameter('telecom-pair', {
    type: 'composite',
    base: ['Patient'],
    expression: 'Patient.contact',
    component: [
      { definition: 'http://hl7.org/fhir/SearchParameter/individual-gender', expression: 'gender' },
      { definition: 'http://example.org/fhir/SearchParameter/nickname', expression: 'name.text' },
    ],
  }),
];

describe.each(TESTED_RELEASES)('search parameters of a tenant in %s', (release) => {
  const send = (
    method: string,
    tenant: string,
    address: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => server.request(method, `${server.path(tenant, release)}/${address}`, body, headers);
  const get = (tenant: string, address: string): Promise<Answer> => send('GET', tenant, address);
  const isSearched = (tenant: string, address: string): Promise<void> =>
    eventually(async () => (await get(tenant, address)).status === 200);

  beforeAll(async () => {
    await send('PUT', 'north', 'Organization/ward', {
      resourceType: 'Organization',
      id: 'ward',
      name: 'Ward 7',
    });
    for (const patient of PATIENTS)
      for (const tenant of ['north', 'south'])
        expect(
          (await send('PUT', tenant, `Patient/${patient.id}`, { resourceType: 'Patient', ...patient }))
            .status,
        ).toBe(201);
    await send('PUT', 'north', 'Patient/pair', {
      resourceType: 'Patient',
      id: 'pair',
      contact: [
        { gender: 'male', name: { text: 'Ann' } },
        { gender: 'female', name: { text: 'Ben' } },
      ],
    });
    for (const parameter of PARAMETERS) {
      const made = await send('PUT', 'north', `SearchParameter/${String(parameter['id'])}`, parameter);
      expect([made.status, made.text]).toEqual([201, expect.stringContaining('"active"')]);
    }
    for (const { id, type } of PARAMETERS) {
      const criterion = type === 'composite' ? '=male$Ann' : ':missing=true';
      await isSearched('north', `Patient?${String(id)}${criterion}`);
    }
  });

  it.each([
    ['race=asian', ['ada']],
    ['race=urn:race|white', ['bob']],
    ['race:not=white', ['ada', 'eve', 'pair']],
    ['race:missing=true', ['eve', 'pair']],
    ['race:missing=false', ['ada', 'bob']],
    ['height=gt1.75|http://unitsofmeasure.org|m', ['bob']],
    ['height=1.72|http://unitsofmeasure.org|m', ['ada']],
    ['moved=2020', ['ada']],
    ['moved=ge2020-06', ['bob']],
    ['ward=Organization/ward', ['ada']],
    ['ward=ward', ['ada']],
    ['nickname=cafe', ['ada']],
    ['nickname:exact=Smith-Jones', ['bob']],
    ['nickname:contains=jones', ['bob']],
    ['children=3', ['ada']],
    ['children=lt1', ['bob']],
    ['homepage=http://example.org/ada', ['ada']],
    ['homepage:below=http://example.org', ['ada']],
    ['telecom-pair=male$Ann', ['pair']],
    ['telecom-pair=male$Ben', []],
    ['race=asian,white&children=0', ['bob']],
    ['ward:Organization.name=ward', ['ada']],
    ['ward.name=ward', ['ada']],
  ])('Patient?%s finds %j', async (query, ids) => {
    const found = await get('north', `Patient?${query}`);
    expect([found.status, idsOf(found)]).toEqual([200, ids]);
  });

  it('take part in _has, includes and orders', async () => {
    expect(idsOf(await get('north', 'Organization?_has:Patient:ward:race=asian'))).toEqual(['ward']);
    expect(idsOf(await get('north', 'Organization?_has:Patient:ward:race=white'))).toEqual([]);
    expect(idsOf(await get('north', 'Patient?race=asian&_include=Patient:ward'), 'include')).toEqual([
      'ward',
    ]);
    expect(idsOf(await get('north', 'Organization?_revinclude=Patient:ward'), 'include')).toEqual(['ada']);
    const sorted = await get('north', 'Patient?race:missing=false&_sort=-children');
    expect(sorted.json.entry.map((entry: Entry) => entry.resource.id)).toEqual(['ada', 'bob']);
  });

  it('can be searched by in GraphQL', async () => {
    const gateway = gatewayPath(server.tenant('north'), release);
    const query = '{ search(type: Patient, query: "race=asian") { resources { id } } }';
    const { json } = await server.request('POST', gateway, { query }, { 'content-type': 'application/json' });
    expect(json).toEqual({ data: { search: { resources: [{ id: 'ada' }] } } });
  });

  it('find resources that are written, changed and deleted afterwards', async () => {
    const race = (code: string): object => ({
      resourceType: 'Patient',
      id: 'zoe',
      extension: [{ url: `${BASE}/race`, valueCodeableConcept: { coding: [{ code }] } }],
    });
    const all = async (): Promise<string[][]> => [
      idsOf(await get('north', 'Patient?race=one')),
      idsOf(await get('north', 'Patient?race=two')),
    ];
    await send('PUT', 'north', 'Patient/zoe', race('one'));
    expect(await all()).toEqual([['zoe'], []]);
    await send('PUT', 'north', 'Patient/zoe', race('two'));
    expect(await all()).toEqual([[], ['zoe']]);
    await send('DELETE', 'north', 'Patient/zoe');
    expect(await all()).toEqual([[], []]);
  });

  it('do not exist for other tenants, nor for the other release', async () => {
    for (const query of [
      'Patient?race=asian',
      'Patient?_sort=children',
      'Patient?_has:Patient:ward:race=asian',
    ])
      expect((await get('south', query)).status).toBe(400);
    expect((await get('south', 'Patient?_include=Patient:ward')).status).toBe(400);
    const other = release === 'r4' ? 'r4b' : 'r4';
    const own = await server.request('GET', `${server.path('system', other)}/Patient?race=asian`);
    expect(own.status).toBe(400);
    const namesOf = ({ json }: Answer): string[] => {
      const types: { type: string; searchParam: { name: string }[] }[] = json.rest[0].resource;
      return types.find(({ type }) => type === 'Patient')?.searchParam.map(({ name }) => name) ?? [];
    };
    const [mine, theirs] = [await get('north', 'metadata'), await get('south', 'metadata')];
    expect(namesOf(mine)).toEqual(expect.arrayContaining(['race', 'height', 'telecom-pair', 'birthdate']));
    expect(namesOf(theirs)).not.toEqual(expect.arrayContaining(['race']));
    expect(theirs.text).not.toContain('example.org/fhir/SearchParameter');
    expect(mine.headers.etag).not.toEqual(theirs.headers.etag);
    const again = await server.request('GET', `${server.path('north', release)}/metadata`, undefined, {
      'if-none-match': String(mine.headers.etag),
    });
    expect(again.status).toBe(304);
  });

  it('leave an index that matches the stored versions', async () => {
    for (const tenant of ['north', 'south'])
      expect(await reindex(server, tenant, release)).toMatchObject({
        ...{ repaired: 0, added: 0, removed: 0 },
        losses: [],
      });
  });

  const makeWrong = (parts: object): ReturnType<typeof makeParameter> =>
    makeParameter('wrong', { type: 'string', base: ['Patient'], expression: 'Patient.name.given', ...parts });
  const validate = (resource: object) =>
    send('POST', 'refused', 'SearchParameter/$validate', {
      resourceType: 'Parameters',
      parameter: [
        { name: 'resource', resource },
        { name: 'mode', valueCode: 'create' },
      ],
    });

  describe('are refused with 422', () => {
    it.each([
      ['an expression that is not FHIRPath', { expression: 'Patient.name.where(' }, 'expression'],
      ['an element that there is not', { expression: 'Patient.nickname' }, 'nickname'],
      [
        'values that the type cannot be searched by',
        { type: 'date', expression: 'Patient.name' },
        'HumanName',
      ],
      ['a base that there is not', { base: ['Practitioner'], expression: 'Patient.name' }, 'Practitioner'],
      [
        'an expression without end',
        { expression: `Patient.name.where(${"given = 'x' or ".repeat(400)} true)` },
        '4000',
      ],
    ])('%s', async (_title, parts, message) => {
      const wrong = makeWrong(parts);
      const refused = await send('PUT', 'refused', 'SearchParameter/wrong', wrong);
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(message)]);
      expect(refused.json.issue[0].expression[0]).toMatch(/^SearchParameter/);
      expect((await get('refused', 'SearchParameter/wrong')).status).toBe(404);
      expect((await validate(wrong)).text).toContain(message);
    });
  });

  describe('that are valid and cannot be searched by are stored with a warning', () => {
    it.each([
      ['a function that is not known', { expression: "Patient.name.memberOf('x')" }, 'memberOf'],
      [
        'a computed pattern',
        { expression: 'Patient.name.given.where($this.matches(%resource.id))' },
        'pattern',
      ],
      [
        'what depends on the time',
        { expression: 'Patient.birthDate.where($this < today())', type: 'date' },
        'time',
      ],
      ['no expression', { expression: undefined }, 'expression'],
      [
        'the name of a choice in JSON',
        { type: 'date', expression: "Patient.extension.where(url='http://a.example').valueDateTime" },
        'valueDateTime',
      ],
      [
        'a code that FHIR has for something else',
        { code: 'birthdate', expression: 'Patient.name.given' },
        'birthdate',
      ],
      ['a code that cannot be a name in searches', { code: 'a:b' }, 'code'],
      ['the code of an id', { code: '_id', type: 'token', expression: 'Patient.id' }, 'code'],
      ['the type special', { type: 'special' }, 'special'],
      ['a phonetic one', { xpath: 'f:Patient', xpathUsage: 'phonetic' }, 'phonetic'],
      [
        'a component that is not known',
        {
          type: 'composite',
          expression: 'Patient.contact',
          component: [
            { definition: 'http://example.org/none', expression: 'gender' },
            { definition: 'http://hl7.org/fhir/SearchParameter/individual-gender', expression: 'gender' },
          ],
        },
        'http://example.org/none',
      ],
    ])('%s', async (_title, parts, message) => {
      const wrong = makeWrong(parts);
      const stored = await send('PUT', 'refused', 'SearchParameter/wrong', wrong, {
        prefer: 'return=OperationOutcome',
      });
      expect([stored.status, stored.text]).toEqual([
        expect.any(Number),
        expect.stringContaining('it is stored, but searches do not use it'),
      ]);
      expect(stored.status).toBeLessThan(300);
      expect(stored.headers['x-issues']).toMatch(/^\d+; warning$/);
      const warning = stored.json.issue.find(({ severity }: { severity: string }) => severity === 'warning');
      expect(warning.diagnostics).toContain(message);
      expect(warning.expression[0]).toMatch(/^SearchParameter/);
      const status = await get('refused', '$reindex-status');
      expect(status.text).not.toContain('SearchParameter/wrong');
      const criterion = await validate(wrong);
      expect(criterion.text).toContain(message);
      expect(criterion.text).not.toContain('"severity":"error"');
    });

    it('a code that another one of the tenant has, which stays the one that is searched by', async () => {
      const accepted = makeParameter('other', {
        code: 'race',
        type: 'token',
        base: ['Patient'],
        expression: 'Patient.language',
      });
      const stored = await send('PUT', 'north', 'SearchParameter/other', accepted, {
        prefer: 'return=OperationOutcome',
      });
      expect([stored.status, stored.text]).toEqual([201, expect.stringContaining('SearchParameter/race')]);
      const { json } = await get('north', '$reindex-status');
      expect(JSON.stringify(json)).not.toContain('SearchParameter/other');
      expect(idsOf(await get('north', 'Patient?race=asian'))).toEqual(['ada']);
    });

    it('and are searched by in those of their types in which they can be', async () => {
      const half = makeParameter('half', {
        code: 'birthdate',
        type: 'date',
        base: ['Patient', 'Organization'],
        expression: 'Patient.deceased.ofType(dateTime) | Organization.meta.lastUpdated',
      });
      expect((await send('PUT', 'refused', 'SearchParameter/half', half)).headers['x-issues']).toBe(
        '1; warning',
      );
      await isSearched('refused', 'Organization?birthdate=2020');
    });
  });

  it('may repeat those of FHIR, and be drafts with any valid FHIRPath', async () => {
    const same = makeParameter('same', {
      code: 'gender',
      type: 'token',
      base: ['Patient'],
      expression: 'Patient.gender',
    });
    expect((await send('PUT', 'refused', 'SearchParameter/same', same)).status).toBe(201);
    const draft = makeParameter('draft', {
      status: 'draft',
      type: 'string',
      base: ['Patient'],
      expression: "Patient.name.memberOf('x')",
    });
    expect((await send('PUT', 'refused', 'SearchParameter/draft', draft)).status).toBe(201);
    const active = await send('PUT', 'refused', 'SearchParameter/draft', { ...draft, status: 'active' });
    expect([active.status, active.headers['x-issues']]).toEqual([200, '1; warning']);
    expect((await get('refused', 'Patient?draft=x')).status).toBe(400);
    expect((await get('refused', 'Patient?gender=male')).status).toBe(200);
  });

  it('are indexed again when their expression changes, and removed when they are retired or deleted', async () => {
    await send('PUT', 'changing', 'Patient/p', {
      resourceType: 'Patient',
      id: 'p',
      name: [{ given: ['Ann'], family: 'Lee' }],
    });
    const parameter = makeParameter('part', {
      type: 'string',
      base: ['Patient'],
      expression: 'Patient.name.given',
    });
    await send('PUT', 'changing', 'SearchParameter/part', parameter);
    await isSearched('changing', 'Patient?part=ann');
    expect(idsOf(await get('changing', 'Patient?part=ann'))).toEqual(['p']);

    // Changes that do not concern searching have no effect.
    await send('PUT', 'changing', 'SearchParameter/part', { ...parameter, description: 'Otherwise' });
    expect(idsOf(await get('changing', 'Patient?part=ann'))).toEqual(['p']);

    const other = { ...parameter, expression: 'Patient.name.family' };
    await send('PUT', 'changing', 'SearchParameter/part', other);
    await isSearched('changing', 'Patient?part=lee');
    expect(idsOf(await get('changing', 'Patient?part=lee'))).toEqual(['p']);
    expect(idsOf(await get('changing', 'Patient?part=ann'))).toEqual([]);

    await send('PUT', 'changing', 'SearchParameter/part', { ...other, status: 'retired' });
    expect((await get('changing', 'Patient?part=lee')).status).toBe(400);
    await send('PUT', 'changing', 'SearchParameter/part', other);
    await isSearched('changing', 'Patient?part=lee');
    expect(idsOf(await get('changing', 'Patient?part=lee'))).toEqual(['p']);

    expect((await send('DELETE', 'changing', 'SearchParameter/part')).status).toBe(200);
    expect((await get('changing', 'Patient?part=lee')).status).toBe(400);
    expect((await get('changing', 'metadata')).text).not.toContain('SearchParameter/part');
  });

  it.each(['strict', 'lenient'])(
    'are not named queries, which are refused under %s handling',
    async (handling) => {
      const criterion = `${server.path('north', release)}/Patient?_query=mine`;
      const { status, text } = await server.request('GET', criterion, undefined, {
        prefer: `handling=${handling}`,
      });
      expect([status, text]).toEqual([400, expect.stringContaining('no named queries')]);
    },
  );
});
