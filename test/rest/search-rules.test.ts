/** Tokens, strings, uris, references, dates and numbers: further sentences of docs/use/search-reference.md. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { finder, storeAll } from '../support/stored';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const UCUM = 'http://unitsofmeasure.org';
const observation = (id: string, members: object): object => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { text: id },
  ...members,
});
const coded = (...codings: object[]): object => ({ code: { coding: codings } });
const quantity = (value: number, unit: string): object => ({
  valueQuantity: { value, unit, system: UCUM, code: unit },
});
const valueSet = (id: string, url: string): object => ({
  resourceType: 'ValueSet',
  id,
  url,
  status: 'active',
});
const messages = (id: string, event: object): object => ({
  ...{ resourceType: 'MessageDefinition', id, status: 'draft', date: '2020-01-01', ...event },
});
const encounter = (id: string, ...periods: object[]): object => ({
  resourceType: 'Encounter',
  id,
  status: 'finished',
  class: { code: 'AMB' },
  location: periods.map((period) => ({ location: { reference: 'Location/ward' }, period })),
});

const RESOURCES: readonly object[] = [
  {
    resourceType: 'Patient',
    id: 'ada',
    gender: 'male',
    active: true,
    name: [{ family: 'Carreño Quiñones', given: ['Zoë  Ann-Marie'] }],
    telecom: [{ system: 'email', value: 'Ada@Example.org' }],
    identifier: [{ system: 'urn:S', value: 'AbC' }],
    address: [
      {
        text: 'Behind the mill',
        line: ['7 Elm Street', 'Second floor'],
        city: 'Łódź',
        district: 'Polesie',
        state: 'Voivodeship',
        postalCode: '90-001',
        country: 'Poland',
      },
    ],
    generalPractitioner: [{ reference: 'Practitioner/joe' }, { reference: 'Practitioner/eva' }],
  },
  { resourceType: 'Patient', id: 'twin', generalPractitioner: [{ reference: 'Practitioner/joe' }] },
  { resourceType: 'Group', id: 'twin', type: 'person', actual: true },
  { resourceType: 'Practitioner', id: 'joe', name: [{ family: 'Joe' }], gender: 'male' },
  { resourceType: 'Practitioner', id: 'eva', name: [{ family: 'Eva' }], gender: 'female' },
  observation(
    'twice',
    coded(
      { system: 'urn:a', code: 'Glu' },
      { system: 'urn:b', code: 'glu' },
      { system: 'urn:a', code: 'GLU' },
    ),
  ),
  observation('of-patient', { subject: { reference: 'Patient/twin' } }),
  observation('of-group', { subject: { reference: 'Group/twin' } }),
  observation('of-ada', { subject: { reference: 'Patient/ada' } }),
  observation('mg', quantity(5.4, 'mg')),
  observation('price', { ...coded({ code: 'a$b' }), valueString: 'Blue, or $5' }),
  observation('samples', {
    valueSampledData: {
      origin: { value: 1000, system: UCUM, code: 'mV' },
      period: 1,
      dimensions: 1,
      data: '1 5 3',
    },
  }),
  valueSet('upper', 'http://example.org/Fhir/Set'),
  valueSet('deeper', 'http://example.org/Fhir/Set/deeper'),
  valueSet('longer', 'http://example.org/Fhir/Setting'),
  valueSet('urn', 'urn:oid:1.2.3.4'),
  encounter('two-stays', { start: '2015', end: '2015' }, { start: '2017-03-01', end: '2017-03-02' }),
  encounter('long-stay', { start: '1850-01-01', end: '2100-01-01' }),
  observation('events', {
    effectiveTiming: { event: ['2013-01-31', '2013-03-24'], repeat: { period: 2, periodUnit: 'd' } },
  }),
  observation('minute', { effectiveDateTime: '2013-06-01T10:20:30Z' }),
  messages('by-uri', { eventUri: 'http://example.org/Admit' }),
  messages('by-code', { eventCoding: { system: 'urn:events', code: 'Admit' } }),
  {
    resourceType: 'MolecularSequence',
    id: 'window',
    coordinateSystem: 0,
    referenceSeq: {
      chromosome: {
        coding: [{ system: 'http://terminology.hl7.org/CodeSystem/chromosome-human', code: '1' }],
      },
      genomeBuild: 'GRCh37',
      strand: 'watson',
      windowStart: 100,
      windowEnd: 104,
    },
  },
];

describe.each(TESTED_RELEASES)('a search under %s', (release) => {
  beforeAll(() => storeAll(server, release, RESOURCES));

  const search = (query: string): ReturnType<HttpServer['request']> =>
    server.request('GET', `${server.path('system', release)}/${query}`);

  async function expectFound(expected: Readonly<Record<string, readonly string[] | number>>): Promise<void> {
    for (const [query, wanted] of Object.entries(expected)) {
      const path = encodeURI(query).replaceAll('+', '%2B');
      const found =
        typeof wanted === 'number' ? (await search(path)).status : await finder(server, release)(path);
      expect([query, found]).toEqual([query, typeof wanted === 'number' ? wanted : [...wanted].sort()]);
    }
  }

  it.each<[string, Record<string, readonly string[] | number>]>([
    [
      'tokens: codes exactly for code and boolean, whatever the case for codings, identifiers and addresses; systems exactly',
      {
        'Patient?gender=male': ['ada'],
        'Patient?gender=MALE': [],
        'Patient?active=true': ['ada'],
        'Patient?active=TRUE': [],
        'Observation?code=gLU': ['twice'],
        'Observation?code=urn:a|glu': ['twice'],
        'Observation?code=URN:A|glu': [],
        'Patient?identifier=aBc': ['ada'],
        'Patient?identifier=urn:S|abc': ['ada'],
        'Patient?identifier=urn:s|AbC': [],
        'Patient?email=ADA@example.ORG': ['ada'],
      },
    ],
    [
      'tokens: a contact point has the system that it names',
      {
        'Patient?telecom=email|ada@example.org': ['ada'],
        'Patient?email=email|Ada@Example.org': ['ada'],
        'Patient?telecom=email|': ['ada'],
        'Patient?telecom=phone|ada@example.org': [],
        'Patient?telecom=|ada@example.org': [],
      },
    ],
    [
      'tokens: a uri beside codings is compared exactly, and a coding is not',
      {
        'MessageDefinition?event=http://example.org/Admit': ['by-uri'],
        'MessageDefinition?event=http://example.org/admit': [],
        'MessageDefinition?event=admit': ['by-code'],
        'MessageDefinition?event=urn:events|ADMIT': ['by-code'],
      },
    ],
    [
      'tokens: a code has the system of its required binding',
      {
        'Patient?gender=http://hl7.org/fhir/administrative-gender|male': ['ada'],
        'Patient?gender=http://hl7.org/fhir/administrative-gender|': ['ada'],
        'Patient?gender=urn:x|male': [],
        'Patient?gender=|male': [],
      },
    ],
    [
      'tokens: a pipe is refused where no value has a system',
      {
        'Patient?active=urn:x|true': 400,
        'Patient?active=|true': 400,
      },
    ],
    [
      'strings: whatever the case, accents, punctuation and spaces, from the beginning or each word of a family name',
      {
        'Patient?family=carreno': ['ada'],
        'Patient?family=Quinones': ['ada'],
        'Patient?family=CARREÑO  quiñ': ['ada'],
        'Patient?family=nones': [],
        'Patient?given=zoe ann marie': ['ada'],
        'Patient?given=marie': [],
        'Patient?given:exact=Zoë  Ann-Marie': ['ada'],
        'Patient?given:exact=Zoë Ann-Marie': [],
        'Patient?given:contains=E ANN': ['ada'],
      },
    ],
    [
      'strings: an address is searched in all of its parts',
      {
        'Patient?address=behind': ['ada'],
        'Patient?address=7 elm': ['ada'],
        'Patient?address=second': ['ada'],
        'Patient?address=lodz': ['ada'],
        'Patient?address=polesie': ['ada'],
        'Patient?address=voivode': ['ada'],
        'Patient?address=90001': [],
        'Patient?address=90-001': ['ada'],
        'Patient?address=poland': ['ada'],
        'Patient?address=elm': [],
      },
    ],
    [
      'uris: as they are written, as a whole; by path below and above; a urn by itself alone',
      {
        'ValueSet?url=http://example.org/Fhir/Set': ['upper'],
        'ValueSet?url=http://example.org/fhir/set': [],
        'ValueSet?url=http://example.org/Fhir': [],
        'ValueSet?url:below=http://example.org/Fhir': ['deeper', 'longer', 'upper'],
        'ValueSet?url:below=http://example.org/Fhir/Set': ['deeper', 'upper'],
        'ValueSet?url:above=http://example.org/Fhir/Set/deeper/yet': ['deeper', 'upper'],
        'ValueSet?url:contains=Fhir/Sett': ['longer'],
        'ValueSet?url=urn:oid:1.2.3.4': ['urn'],
        'ValueSet?url:below=urn:oid:1.2.3': [],
        'ValueSet?url:below=urn:oid:1.2.3.4': ['urn'],
        'ValueSet?url:above=urn:oid:1.2.3.4.5': [],
      },
    ],
    [
      'references: an id alone is refused where it is that of several types, and never where one is named',
      {
        'Observation?subject=twin': 400,
        'Observation?subject=Patient/twin': ['of-patient'],
        'Observation?subject:Group=twin': ['of-group'],
        'Observation?patient=twin': ['of-patient'],
        'Observation?subject=ada': ['of-ada'],
        'Observation?subject=nobody': [],
      },
    ],
    [
      'chains that are repeated may be met by different resources, what one of them asks by one alone',
      {
        'Patient?general-practitioner:Practitioner.name=joe&general-practitioner:Practitioner.gender=female':
          ['ada'],
        'Patient?general-practitioner:Practitioner.name=joe': ['ada', 'twin'],
        'Patient?_filter=general-practitioner[name eq joe].gender eq female': [],
        'Patient?_filter=general-practitioner[name eq joe].gender eq male': ['ada', 'twin'],
      },
    ],
    [
      'dates: any of several values may match, each by itself; however long it lasts none is lost',
      {
        'Encounter?location-period=2015': ['two-stays'],
        'Encounter?location-period=2017-03': ['two-stays'],
        'Encounter?location-period=2016': [],
        'Encounter?location-period=ne2015': ['long-stay', 'two-stays'],
        'Encounter?location-period=sa2016': ['two-stays'],
        'Encounter?location-period=eb2016': ['two-stays'],
        'Encounter?location-period=lt1900': ['long-stay'],
        'Encounter?location-period=gt2099': ['long-stay'],
        'Encounter?location-period=eb2100': ['two-stays'],
        'Encounter?location-period=ap1990': ['long-stay'],
      },
    ],
    [
      'dates: of a Timing the outer limits, of a time without seconds the minute',
      {
        'Observation?date=2013-02': [],
        'Observation?date=ap2013-02-01': ['events', 'minute'],
        'Observation?date=eb2013-05': ['events'],
        'Observation?date=sa2013-01-30&_id=events': ['events'],
        'Observation?date=sa2013-01-31&_id=events': [],
        'Observation?date=2013-06-01T10:20Z': ['minute'],
        'Observation?date=2013-06-01T12:20+02:00': ['minute'],
        'Observation?date=2013-06-01T10:21Z': [],
        'Observation?date=2013-06-01T10': 400,
        'Observation?date=xx2013': 400,
      },
    ],
    [
      'quantities: 5.4 mg are 0.0054 g and 5400 ug, and never 0.0054 of nothing; a code that is also the unit is met once',
      {
        'Observation?value-quantity=0.0054': [],
        'Observation?value-quantity=0.0054||g': [],
        [`Observation?value-quantity=0.0054|${UCUM}|g`]: ['mg'],
        [`Observation?value-quantity=5400|${UCUM}|ug`]: ['mg'],
        [`Observation?value-quantity=5.4|${UCUM}|mL`]: [],
        'Observation?value-quantity=5.4||mg': ['mg'],
      },
    ],
    [
      'numbers: samples are the range from the least to the greatest; whole numbers compare exactly',
      {
        'Observation?value-quantity=gt1004': ['samples'],
        'Observation?value-quantity=gt1005': [],
        'Observation?value-quantity=sa1000': ['samples'],
        'Observation?value-quantity=sa1001': [],
        'Observation?value-quantity=1003': [],
        'Observation?value-quantity=ap1000': ['samples'],
        'MolecularSequence?window-start=100': ['window'],
        'MolecularSequence?window-start=100.0': ['window'],
        'MolecularSequence?window-start=100.4': [],
        'MolecularSequence?window-start=101': [],
        'MolecularSequence?window-end=1e2': ['window'],
        'MolecularSequence?window-end=ne104': [],
        'MolecularSequence?window-end=le104': ['window'],
      },
    ],
    [
      'composites: escaped dollars, commas and pipes belong to the parts; modifiers are refused',
      {
        'Observation?code-value-string=a\\$b$blue\\, or \\$5': ['price'],
        'Observation?code-value-string=a\\$b$blue\\, or \\$6': [],
        'Observation?code-value-string=a$b$blue': 400,
        'Observation?code-value-string=a': 400,
        'Observation?code-value-string:exact=a\\$b$blue': 400,
        'Observation?code-value-string:missing=true': 400,
      },
    ],
  ])('%s', async (_title, expected) => {
    await expectFound(expected);
  });

  it.each([
    ['code=glu', 1],
    ['code=urn:a|', 1],
    ['code=urn:a|glu,urn:b|glu', 1],
    ['value-quantity=5.4||mg', 1],
    ['value-quantity=5.4||mg,5.4', 1],
    ['subject:missing=false', 3],
  ])('Observation?%s: counts each resource once, however often it matches', async (query, total) => {
    for (const form of ['_total=accurate', '_total=estimate', '_summary=count', '_count=0', '_sort=code']) {
      const { json } = await search(`Observation?${encodeURI(query)}&${form}`);
      expect([form, json.total]).toEqual([form, total]);
    }
    expect(await finder(server, release)(`Observation?${encodeURI(query)}`)).toHaveLength(total);
  });

  it('phonetic is not supported, and refused', async () => {
    const { json } = await search('metadata');
    const types = json.rest[0].resource as { searchParam?: { name: string }[] }[];
    expect(types.flatMap(({ searchParam = [] }) => searchParam.map(({ name }) => name))).not.toContain(
      'phonetic',
    );
    expect((await search('Patient?phonetic=carreno')).status).toBe(400);
  });

  it('_lastUpdated compares milliseconds', async () => {
    const { json } = await search('Patient/ada');
    const at = Date.parse(json.meta.lastUpdated);
    const instant = (milliseconds: number): string => new Date(at + milliseconds).toISOString();
    for (const [value, isFound] of [
      [instant(0), true],
      [instant(1), false],
      [instant(-1), false],
      [`ge${instant(0)}`, true],
      [`gt${instant(0)}`, false],
      [`gt${instant(-1)}`, true],
      [`lt${instant(0)}`, false],
      [`lt${instant(1)}`, true],
      [`le${instant(0)}`, true],
      [`ne${instant(0)}`, false],
      [`sa${instant(-1)}`, true],
      [`eb${instant(1)}`, true],
    ] as const) {
      const found = await finder(server, release)(`Patient?_id=ada&_lastUpdated=${value}`);
      expect([value, found]).toEqual([value, isFound ? ['ada'] : []]);
    }
  });

  it('conformance resources are found in the base space and in the own one together, over all pages', async () => {
    await expectFound({
      'StructureDefinition?kind=primitive-type&name=base64Binary': ['base64Binary'],
      'ValueSet?url=http://hl7.org/fhir/ValueSet/administrative-gender': ['administrative-gender'],
    });
    const own = {
      resourceType: 'StructureDefinition',
      id: 'own-binary',
      url: 'http://example.org/StructureDefinition/own-binary',
      name: 'base64BinaryOfOurs',
      status: 'draft',
      kind: 'primitive-type',
      abstract: false,
      type: 'base64Binary',
      baseDefinition: 'http://hl7.org/fhir/StructureDefinition/base64Binary',
      derivation: 'constraint',
      differential: { element: [{ id: 'base64Binary', path: 'base64Binary' }] },
    };
    await storeAll(server, release, [own]);
    await expectFound({
      'StructureDefinition?kind=primitive-type&name=base64Binary': ['base64Binary', 'own-binary'],
    });
    for (const sort of ['', '&_sort=name', '&_sort=-_lastUpdated']) {
      const query = `StructureDefinition?kind=primitive-type${sort}`;
      const { json } = await search(`${query}&_count=0`);
      const found: string[] = [];
      let path: string | undefined = `${server.path('system', release)}/${query}&_count=6`;
      while (path !== undefined) {
        const { json: page } = await server.request('GET', path);
        for (const { resource } of page.entry ?? []) found.push(resource.id);
        const links = page.link as { relation: string; url: string }[];
        const next = links.find(({ relation }) => relation === 'next');
        path = next === undefined ? undefined : new URL(next.url).pathname + new URL(next.url).search;
      }
      expect([sort, found.length, new Set(found).size]).toEqual([sort, json.total, json.total]);
      expect(found).toEqual(expect.arrayContaining(['own-binary', 'string', 'base64Binary']));
    }
    const path = `${server.path('system', release)}/StructureDefinition/own-binary`;
    expect((await server.request('DELETE', path)).status).toBe(200);
  });
});
