/** Mistakes that other servers were seen to make in searches; each test asserts the right answer (docs/use/search-reference.md). */
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const LOINC = 'http://loinc.org';
const UCUM = 'http://unitsofmeasure.org';
const MR = { coding: [{ system: 'urn:types', code: 'MR' }] };
const code = (value: string): object => ({ coding: [{ system: LOINC, code: value }] });
const quantity = (value: number, unit?: string): object => ({
  valueQuantity: { value, ...(unit === undefined ? {} : { system: UCUM, code: unit, unit }) },
});
const observation = (id: string, of: string, members: object): object => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: code(of),
  ...members,
});

const RESOURCES: readonly object[] = [
  { resourceType: 'Organization', id: 'south', name: 'South' },
  { resourceType: 'Organization', id: 'north', name: 'North', partOf: { reference: 'Organization/south' } },
  {
    resourceType: 'Patient',
    id: 'smith',
    name: [{ family: 'Smith', given: ['Anna', 'Beth'], prefix: ['Dame'], suffix: ['Junior'] }],
    gender: 'male',
    birthDate: '1970-05-06',
    identifier: [{ system: 'urn:s', value: 'v1', type: MR }],
    managingOrganization: { reference: 'Organization/north' },
  },
  {
    resourceType: 'Patient',
    id: 'munoz',
    name: [{ family: 'Muñoz', given: ['Carl', 'Anna'] }],
    birthDate: '2006-01-01',
    identifier: [{ value: 'v1' }],
  },
  {
    resourceType: 'Patient',
    id: 'helsing',
    name: [{ family: 'Van Helsing', given: ['a,b|c$d\\e'], text: 'Hunter of all' }],
    gender: 'female',
    identifier: [{ system: 'urn:s', value: 'v2' }],
  },
  observation('rate', '8867-4', {
    ...quantity(120),
    subject: { reference: 'Patient/smith' },
    effectiveDateTime: '2020-03-04T01:00:00+02:00',
  }),
  observation('pressure', '85354-9', {
    subject: { reference: 'Patient/smith/_history/1' },
    effectivePeriod: { start: '2020-03-03' },
    component: [
      { code: code('8480-6'), ...quantity(120) },
      { code: code('8462-4'), ...quantity(150) },
    ],
  }),
  observation('high', '85354-9', {
    subject: { reference: 'Patient/munoz' },
    effectivePeriod: { end: '2020-03-03' },
    component: [{ code: code('8480-6'), ...quantity(150) }],
  }),
  { resourceType: 'Location', id: 'copenhagen', position: { latitude: 55.6761, longitude: 12.5683 } },
  { resourceType: 'Location', id: 'malmo', position: { latitude: 55.605, longitude: 13.0038 } },
  observation('hundred', '2-2', quantity(100.4)),
  observation('about', '2-2', quantity(104)),
  observation('dose', '1-1', {
    ...quantity(5.4, 'mg'),
    subject: { identifier: { system: 'urn:s', value: 'z' } },
  }),
];

describe.each(TESTED_RELEASES)('a search under %s', (release) => {
  const send = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, `${server.path('system', release)}${rest}`, body, headers);
  beforeAll(async () => {
    const entry = RESOURCES.map((resource) => {
      const { resourceType, id } = resource as { resourceType: string; id: string };
      return { resource, request: { method: 'PUT', url: `${resourceType}/${id}` } };
    });
    const { status, text } = await send('POST', '', { resourceType: 'Bundle', type: 'transaction', entry });
    if (status !== 200) throw new Error(text);
  });

  interface Entry {
    readonly fullUrl: string;
    readonly resource: {
      readonly id: string;
      readonly meta?: { readonly tag?: readonly { code: string }[] };
    };
    readonly search: { readonly mode: string };
  }

  /** The ids of the matches, in order; for a refusal the status. */
  const find = async (query: string): Promise<readonly string[] | number> => {
    const { status, json } = await send('GET', `/${query}`);
    if (status !== 200) return status;
    const entries = (json.entry ?? []) as Entry[];
    return entries.filter(({ search }) => search.mode === 'match').map(({ resource }) => resource.id);
  };

  const root = (): string => server.root('system', release);
  const ALL = ['smith', 'munoz', 'helsing'];
  const UNIT = encodeURIComponent(`|${UCUM}|mg`);

  it.each<[string, Record<string, readonly string[] | number>]>([
    [
      'family: by prefix, whatever the case and the accents, never in mid-word',
      {
        'Patient?family=smi': ['smith'],
        'Patient?family=munoz': ['munoz'],
        'Patient?family=MU%C3%91': ['munoz'],
        'Patient?family=oz': [],
        'Patient?family=Van%20Hel': ['helsing'],
      },
    ],
    [
      'name: family, given, prefix, suffix and text',
      {
        'Patient?name=Smith': ['smith'],
        'Patient?name=beth': ['smith'],
        'Patient?name=dame': ['smith'],
        'Patient?name=junior': ['smith'],
        'Patient?name=hunter%20of': ['helsing'],
      },
    ],
    [
      ':exact goes by case and accents, :contains by neither; uris have it too',
      {
        'Patient?family:exact=Smith': ['smith'],
        'Patient?family:exact=smith': [],
        'Patient?family:exact=Munoz': [],
        'Patient?family:contains=MIT': ['smith'],
        'Patient?family:contains=UNO': ['munoz'],
        'CodeSystem?url:contains=fhir/administrative-gend': ['administrative-gender'],
      },
    ],
    [':not finds what has none', { 'Patient?gender:not=male': ['munoz', 'helsing'] }],
    [
      ':missing=true and false are each what the other is not',
      {
        'Patient?birthdate:missing=true': ['helsing'],
        'Patient?birthdate:missing=false': ['smith', 'munoz'],
        'Patient?gender:missing=true': ['munoz'],
        'Patient?gender:missing=false': ['smith', 'helsing'],
        'Patient?name:missing=true': [],
        'Patient?name:missing=false': ALL,
      },
    ],
    [
      'identifiers with their system, without one, of any value and of any system',
      {
        'Patient?identifier=urn:s|v1': ['smith'],
        'Patient?identifier=|v1': ['munoz'],
        'Patient?identifier=urn:s|': ['smith', 'helsing'],
        'Patient?identifier=v1': ['smith', 'munoz'],
      },
    ],
    [
      ':of-type by all three parts',
      {
        'Patient?identifier:of-type=urn:types|MR|v1': ['smith'],
        'Patient?identifier:of-type=urn:types|MR|v2': [],
        'Patient?identifier:of-type=urn:types|SS|v1': [],
        'Patient?identifier:of-type=urn:other|MR|v1': [],
      },
    ],
    [
      'a comma is OR and a repeated parameter AND, of different values too',
      {
        'Patient?given=beth,carl': ['smith', 'munoz'],
        'Patient?given=anna&given=beth': ['smith'],
        'Patient?given=beth,carl&given=anna': ['smith', 'munoz'],
        'Patient?given=beth,carl&given=beth': ['smith'],
      },
    ],
    [
      'a modifier counts for each value, a prefix for its own',
      {
        'Patient?given:exact=Anna,Carl': ['smith', 'munoz'],
        'Patient?given:exact=anna,Carl': ['munoz'],
        'Patient?birthdate=lt1975,ge2005': ['smith', 'munoz'],
        'Patient?birthdate=lt1975,ge2007': ['smith'],
      },
    ],
    [
      'an escaped character is one',
      {
        'Patient?given=a%5C,b%5C|c%5C$d%5C%5Ce': ['helsing'],
        'Patient?given=a%5C,b%5C|c%5C$d%5C%5Cf': [],
        'Patient?given=x,b': ['smith'],
      },
    ],
    [
      'equal instants match whatever their offset',
      {
        'Observation?date=2020-03-03T23:00:00Z': ['rate'],
        'Observation?date=2020-03-04T04:30:00%2B05:30': ['rate'],
        'Observation?date=2020-03-04T01:00:00Z': [],
      },
    ],
    [
      'the precision of a number is that of how it is written',
      {
        'Observation?value-quantity=120': ['rate'],
        'Observation?value-quantity=100': ['hundred'],
        'Observation?value-quantity=1e2': ['hundred', 'about'],
        'Observation?value-quantity=100.00': [],
        'Observation?value-quantity=100.40': ['hundred'],
        'Observation?value-quantity=119.6': [],
        'Observation?value-quantity=120.00': ['rate'],
        'Observation?value-quantity=5': ['dose'],
        'Observation?value-quantity=5.0': [],
      },
    ],
    [
      'a quantity with its unit by code, by name, and without',
      {
        [`Observation?value-quantity=5.4${UNIT}`]: ['dose'],
        'Observation?value-quantity=5.4||mg': ['dose'],
        'Observation?value-quantity=5.4||g': [],
        'Observation?value-quantity=5.4': ['dose'],
      },
    ],
    [
      'combo-code finds by the code of a component, code does not',
      {
        'Observation?combo-code=8480-6&_sort=-_id': ['pressure', 'high'],
        'Observation?code=8480-6': [],
      },
    ],
    [
      'both parts of a composite are of one repetition, and both are there',
      {
        'Observation?code-value-quantity=8867-4$gt100': ['rate'],
        'Observation?code-value-quantity=8867-4$gt120': [],
        'Observation?component-code-value-quantity=8480-6$gt140': ['high'],
        'Observation?component-code-value-quantity=8480-6': 400,
        'Observation?component-code-value-quantity=8480-6$gt1$2': 400,
        'Observation?component-code-value-quantity=8480-6$many': 400,
      },
    ],
    [
      'through three references and by what the last of them has',
      {
        'Observation?patient.name=smith&_sort=-_id': ['rate', 'pressure'],
        'Observation?patient.organization.name=north&_sort=-_id': ['rate', 'pressure'],
        'Observation?patient.organization.partof.name=south&_sort=-_id': ['rate', 'pressure'],
        'Observation?subject:Patient.birthdate=ge2000': ['high'],
      },
    ],
    [
      'by what refers to it, through several levels and with a chain inside',
      {
        'Patient?_has:Observation:patient:code=8867-4': ['smith'],
        'Organization?_has:Patient:organization:_has:Observation:patient:code=8867-4': ['north'],
        'Organization?_has:Organization:partof:_has:Patient:organization:_has:Observation:patient:code=8867-4':
          ['south'],
        'Patient?_has:Observation:patient:subject:Patient.birthdate=ge2000': ['munoz'],
      },
    ],
    [
      'by several keys, what has no value at the end, and by nothing unknown',
      {
        'Patient?_sort=birthdate': ['smith', 'munoz', 'helsing'],
        'Patient?_sort=-birthdate': ['munoz', 'smith', 'helsing'],
        'Patient?_sort=gender,-birthdate': ['helsing', 'smith', 'munoz'],
        'Patient?_sort=-gender,birthdate': ['smith', 'helsing', 'munoz'],
        'Patient?_sort=shoe-size': 400,
      },
    ],
    [
      'all were updated after 2000 and none after 2999',
      { 'Patient?_lastUpdated=ge2000-01-01': ALL, 'Patient?_lastUpdated=ge2999-01-01': [] },
    ],
    [
      'words and filters are asked, never ignored',
      {
        'Patient?_content=Mu%C3%B1oz': ['munoz'],
        'Patient?_content=nobody': [],
        'Patient?_text=nobody': [],
        'Patient?_filter=family%20eq%20%22Smith%22': ['smith'],
        'Patient?_filter=family%20eq%20%22Nobody%22': [],
        'Patient?_filter=shoe%20eq%209': 400,
      },
    ],
    [
      // 28.4 km apart.
      'near finds what is not farther away',
      {
        'Location?near=55.6761|12.5683|28|km': ['copenhagen'],
        'Location?near=55.6761|12.5683|29|km': ['copenhagen', 'malmo'],
      },
    ],
    [
      'an empty value is no parameter, a wrong one is refused',
      { 'Patient?birthdate=': ALL, 'Patient?gender=': ALL, 'Patient?birthdate=foo': 400 },
    ],
  ])('%s', async (_title, expected) => {
    for (const [query, found] of Object.entries(expected)) {
      const answer = await find(query);
      const isOrdered = query.includes('_sort=');
      const sorted = (ids: readonly string[] | number): unknown =>
        typeof ids === 'number' || isOrdered ? ids : [...ids].sort();
      expect([query, sorted(answer)]).toEqual([query, sorted(found)]);
    }
  });

  it('a subject by its address, id, type, name and identifier, and with any version', async () => {
    for (const query of [
      'subject=Patient/smith',
      'subject=smith',
      `subject=${encodeURIComponent(`${root()}/Patient/smith`)}`,
      'subject:Patient=smith',
      'patient=smith',
    ])
      expect([query, await find(`Observation?${query}&_sort=-_id`)]).toEqual([query, ['rate', 'pressure']]);
    expect(await find('Observation?subject:identifier=urn:s|z')).toEqual(['dose']);
    expect(await find('Observation?subject:identifier=urn:s|y')).toEqual([]);
  });

  it('an unknown parameter is refused, or left out of the link with a warning', async () => {
    const query = '/Patient?this-is-not-a-real-param=x';
    const strict = await send('GET', query);
    expect([strict.status, strict.json.resourceType]).toEqual([400, 'OperationOutcome']);
    const lenient = await send('GET', query, undefined, { prefer: 'handling=lenient' });
    expect(lenient.status).toBe(200);
    const outcomes = lenient.json.entry.filter(({ search }: Entry) => search.mode === 'outcome');
    expect(outcomes).toHaveLength(1);
    expect(outcomes[0].resource.issue[0].severity).toBe('warning');
    expect(lenient.json.link[0].url).not.toContain('this-is-not');
  });

  it('nothing is found by an unknown id', async () => {
    const { status, json } = await send('GET', '/Patient?_id=unknown');
    expect([status, json.total, json.entry]).toEqual([200, 0, undefined]);
  });

  it('a searchset has the parameters of the search, and the address and mode of each resource', async () => {
    const { json } = await send(
      'GET',
      '/Observation?code=8867-4&_include=Observation:subject&shoe-size=9',
      undefined,
      { prefer: 'handling=lenient' },
    );
    expect([json.resourceType, json.type]).toEqual(['Bundle', 'searchset']);
    const self = json.link.find(({ relation }: { relation: string }) => relation === 'self').url as string;
    expect(self.startsWith(`${root()}/Observation?`)).toBe(true);
    expect([...new URL(self).searchParams]).toEqual([
      ['code', '8867-4'],
      ['_include', 'Observation:subject'],
    ]);
    const entries = json.entry as Entry[];
    expect(entries.map(({ search }) => search.mode).sort()).toEqual(['include', 'match', 'outcome']);
    const urls = entries.filter(({ search }) => search.mode !== 'outcome').map(({ fullUrl }) => fullUrl);
    expect(urls.sort()).toEqual([`${root()}/Observation/rate`, `${root()}/Patient/smith`]);
  });

  it('included resources count neither for the total nor for _count', async () => {
    const { json } = await send(
      'GET',
      '/Observation?patient=smith&_include=Observation:subject&_count=1&_total=accurate',
    );
    const modes = (json.entry as Entry[]).map(({ search }) => search.mode);
    expect([json.total, modes]).toEqual([2, ['match', 'include']]);
  });

  it('_count: 0 is the total alone, too much is reduced with a warning, invalid values are refused', async () => {
    const none = await send('GET', '/Patient?_count=0');
    expect([none.status, none.json.total, none.json.entry]).toEqual([200, 3, undefined]);
    const most = await send('GET', '/Patient?_count=100000');
    expect([most.status, most.json.entry.length]).toEqual([200, 3]);
    expect(new URL(most.json.link[0].url).searchParams.get('_count')).toBe('1000');
    expect(await find('Patient?_count=-1')).toBe(400);
    expect(await find('Patient?_count=abc')).toBe(400);
  });

  it('_total: none has none, accurate and estimate are exact', async () => {
    const totalOf = async (total: string): Promise<unknown> =>
      (await send('GET', `/Patient?_count=1&_total=${total}`)).json.total;
    expect(await totalOf('none')).toBeUndefined();
    expect(await totalOf('accurate')).toBe(3);
    expect(await totalOf('estimate')).toBe(3);
  });

  it('deleted resources, and values of former versions, are never found', async () => {
    const put = (name: string) =>
      send('PUT', '/Organization/passing', { resourceType: 'Organization', id: 'passing', name });
    expect((await put('Former')).status).toBe(201);
    expect(await find('Organization?name=former')).toEqual(['passing']);
    expect((await put('Latter')).status).toBe(200);
    expect(await find('Organization?name=former')).toEqual([]);
    expect(await find('Organization?name=latter')).toEqual(['passing']);
    expect((await send('DELETE', '/Organization/passing')).status).toBe(200);
    for (const query of ['name=former', 'name=latter', '_id=passing', 'name:missing=false&_id=passing'])
      expect([query, await find(`Organization?${query}`)]).toEqual([query, []]);
  });
});
