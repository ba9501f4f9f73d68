/** `_filter`, by the sentences of https://hl7.org/fhir/R4/search_filter.html. */
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { finder, storeAll, type Entry } from '../support/stored';
import { TESTED_RELEASES } from '../support/releases';

const LOINC = 'http://loinc.org';
const GENDERS = 'http://hl7.org/fhir/administrative-gender';
const UCUM = 'http://unitsofmeasure.org';

const coded = (code: string, system = 'urn:s'): object => ({ coding: [{ system, code }] });

const UNKNOWN = {
  url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason',
  valueCode: 'unknown',
};
const group = (id: string, characteristic: object[]): object => ({
  resourceType: 'Group',
  id,
  type: 'person',
  actual: true,
  ...(characteristic.length === 0 ? {} : { characteristic }),
});
const document = (id: string, relatesTo: object[] = []): object => ({
  resourceType: 'DocumentReference',
  id,
  status: 'current',
  content: [{ attachment: { title: id } }],
  ...(relatesTo.length === 0 ? {} : { relatesTo }),
});

const RESOURCES: readonly object[] = [
  {
    resourceType: 'CodeSystem',
    id: 's',
    url: 'urn:s',
    status: 'active',
    content: 'complete',
    hierarchyMeaning: 'is-a',
    concept: [{ code: 'arm', concept: [{ code: 'hand' }] }, { code: 'head' }],
  },
  {
    resourceType: 'ValueSet',
    id: 'v',
    url: 'urn:v',
    status: 'active',
    compose: { include: [{ system: 'urn:s', concept: [{ code: 'arm' }, { code: 'head' }] }] },
  },
  { resourceType: 'Organization', id: 'acme', name: 'Acme' },
  { resourceType: 'Organization', id: 'other', name: 'Other', partOf: { reference: 'Organization/acme' } },
  {
    resourceType: 'Patient',
    id: 'peter',
    name: [{ family: 'Carreño Quiñones', given: ['Peter', 'James'] }],
    birthDate: '2014-10-11',
    gender: 'male',
    active: true,
    telecom: [{ system: 'phone', value: '123' }],
    managingOrganization: { reference: 'Organization/acme' },
  },
  {
    resourceType: 'Patient',
    id: 'ann',
    name: [{ family: 'Smith, Jr', given: ['Ann (Annie)'] }],
    birthDate: '2013',
    gender: 'female',
    managingOrganization: { reference: 'Organization/other' },
  },
  { resourceType: 'Patient', id: 'nameless' },
  {
    resourceType: 'Observation',
    id: 'arm',
    status: 'final',
    code: {
      coding: [
        { system: 'urn:s', code: 'arm' },
        { system: LOINC, code: '1234-5' },
      ],
    },
    subject: { reference: 'Patient/peter' },
    effectivePeriod: { start: '2020-01', end: '2020-03' },
    valueQuantity: { value: 5400, unit: 'ug', system: UCUM, code: 'ug' },
  },
  {
    resourceType: 'Observation',
    id: 'head',
    status: 'preliminary',
    code: coded('head'),
    subject: { reference: 'Patient/ann' },
    effectiveDateTime: '2020-02-02',
  },
  { resourceType: 'Observation', id: 'hand', status: 'final', code: coded('hand') },
  {
    resourceType: 'Observation',
    id: 'of-nameless',
    status: 'final',
    code: coded('hand'),
    subject: { reference: 'Patient/nameless' },
  },
  {
    resourceType: 'RiskAssessment',
    id: 'risk',
    status: 'final',
    subject: { reference: 'Patient/peter' },
    prediction: [{ probabilityDecimal: 0.25 }, { probabilityDecimal: 0.5 }],
  },
  group('traits', [
    { code: coded('arm'), valueBoolean: true, exclude: false },
    { code: coded('head'), valueBoolean: false, exclude: false },
  ]),
  group('hands', [
    { code: coded('hand'), valueCodeableConcept: coded('arm'), exclude: false },
    { code: coded('head'), valueBoolean: true, exclude: false },
    { code: coded('arm'), _valueBoolean: { extension: [UNKNOWN] }, exclude: true },
  ]),
  group('plain', []),
  document('first'),
  document('second', [
    { code: 'replaces', target: { reference: 'DocumentReference/first' } },
    { code: 'appends', target: { reference: 'DocumentReference/third' } },
  ]),
  document('third', [{ code: 'appends', target: { reference: 'DocumentReference/first' } }]),
  {
    resourceType: 'ActivityDefinition',
    id: 'activity',
    url: 'http://example.org/fhir/ActivityDefinition/one',
    version: '2.1',
    status: 'draft',
  },
];

describe.each([
  ['found from the inside', 'open'],
  ['tested one by one', 'scanning'],
] as const)('_filter, chains %s', (_how, kind) => {
  let server: SharedServer;
  beforeAll(async () => {
    server = await openSharedServer(kind);
  });
  afterAll(() => server.close());

  describe.each(TESTED_RELEASES)('under %s', (release) => {
    beforeAll(() => storeAll(server, release, RESOURCES));

    const search = (query: string): ReturnType<SharedServer['request']> =>
      server.request('GET', `${server.path('system', release)}/${query}`);

    const find = (type: string, ...filters: string[]): Promise<string[]> =>
      finder(
        server,
        release,
      )(`${type}?${filters.map((filter) => `_filter=${encodeURIComponent(filter)}`).join('&')}`);

    it.each<[string, string, string[]]>([
      ['Patient', 'name co "pet"', ['peter']],
      ['Patient', 'given eq "peter" and birthdate ge 2014-10-10', ['peter']],
      ['Patient', 'given eq PETER', ['peter']],
      ['Patient', 'given eq pete', []],
      ['Patient', 'family eq "carreno quinones"', ['peter']],
      ['Patient', 'family eq Quiñones', []],
      ['Patient', 'family eq "Smith, Jr"', ['ann']],
      ['Patient', 'given eq "Ann (Annie)"', ['ann']],
      ['Patient', 'given eq "\\u0041nn (Annie)"', ['ann']],
      ['Patient', 'given ne peter', ['ann', 'peter']],
      ['Patient', 'family ne "Carreño Quiñones"', ['ann']],
      ['Patient', 'family sw car', ['peter']],
      ['Patient', 'family sw qui', []],
      ['Patient', 'family co qui', ['peter']],
      ['Patient', 'family ew NONES', ['peter']],
      ['Patient', 'family ew "%"', []],
      ['Patient', 'family gt d', ['ann']],
      ['Patient', 'family gt s', []],
      ['Patient', 'family ge smurf', ['ann']],
      ['Patient', 'family lt S', ['peter']],
      ['Patient', 'family le c', ['peter']],
    ])('%s: compares strings without regard to case: %s', async (type, filter, expected) => {
      expect(await find(type, filter)).toEqual(expected);
    });

    it.each<[string, string, string[]]>([
      ['Observation', `code eq ${LOINC}|1234-5`, ['arm']],
      ['Observation', 'code eq loinc|1234-5', ['arm']],
      ['Observation', 'code eq |arm', []],
      ['Observation', 'code eq ARM', ['arm']],
      ['Observation', 'code ne urn:s|hand', ['arm', 'head']],
      ['Observation', 'code ne urn:s|', ['arm']],
      ['Observation', 'code ne urn:s|arm', ['arm', 'hand', 'head', 'of-nameless']],
      ['Observation', 'code ss urn:s|arm', ['arm', 'hand', 'of-nameless']],
      ['Observation', 'code sb urn:s|hand', ['arm', 'hand', 'of-nameless']],
      ['Observation', 'code in urn:v', ['arm', 'head']],
      ['Observation', 'code ni urn:v', ['hand', 'of-nameless']],
      ['Patient', `gender eq ${GENDERS}|male`, ['peter']],
      ['Patient', 'gender eq male', ['peter']],
      ['Patient', 'gender eq MALE', ['peter']],
      ['Patient', 'gender ne MALE', ['ann']],
      ['Patient', 'active eq TRUE', ['peter']],
      ['Patient', 'telecom eq 123', ['peter']],
      ['Patient', '_id eq ann', ['ann']],
      ['Patient', '_id ne ann', ['nameless', 'peter']],
      ['ActivityDefinition', 'url eq http://example.org/fhir/ActivityDefinition/one', ['activity']],
      ['ActivityDefinition', 'url eq http://example.org/fhir/ActivityDefinition/one|2.1', ['activity']],
      ['ActivityDefinition', 'url ne http://example.org/fhir/ActivityDefinition/one', []],
      ['ActivityDefinition', 'url ne http://example.org/fhir/ActivityDefinition/one|2.1', []],
      ['ActivityDefinition', 'url ne http://example.org/fhir/ActivityDefinition/one|2', ['activity']],
      ['ActivityDefinition', 'url ne http://example.org/fhir/', ['activity']],
      ['ActivityDefinition', 'url sw http://example.org/fhir/', ['activity']],
      ['ActivityDefinition', 'url co example.org', ['activity']],
      ['ActivityDefinition', 'url co example.com', []],
    ])('%s: compares codes and addresses: %s', async (type, filter, expected) => {
      expect(await find(type, filter)).toEqual(expected);
    });

    it.each<[string, string, string[]]>([
      ['Patient', 'birthdate po 2013-06', ['ann']],
      ['Patient', 'birthdate eq 2014', ['peter']],
      ['Patient', 'birthdate ne 2014', ['ann']],
      ['Patient', 'birthdate co 2013-06', ['ann']],
      ['Patient', 'birthdate co 2014', []],
      ['Patient', 'birthdate sa 2013', ['peter']],
      ['Patient', 'birthdate eb 2014', ['ann']],
      ['Patient', 'birthdate lt 2014-10-11', ['ann']],
      ['Patient', 'birthdate le 2014-10-11', ['ann', 'peter']],
      ['Patient', '_lastUpdated gt 2020-01-01T00:00:00Z and name pr true', ['ann', 'peter']],
      ['Patient', '_lastUpdated po 1999', []],
      ['Observation', 'date po 2020-02', ['arm', 'head']],
      ['Observation', 'date co 2020-02', ['arm']],
      ['Observation', 'value-quantity eq 5400', ['arm']],
      ['Observation', 'value-quantity eq 5.4|ucum|mg', ['arm']],
      ['Observation', 'value-quantity gt 5.5|ucum|mg', []],
      ['Observation', 'value-quantity lt 5.5|http://unitsofmeasure.org|mg', ['arm']],
      ['RiskAssessment', 'probability gt 0.4', ['risk']],
      ['RiskAssessment', 'probability ne 0.5', ['risk']],
      ['RiskAssessment', 'probability ap 0.27', ['risk']],
      ['RiskAssessment', 'probability gt 0.5', []],
    ])('%s: compares dates, numbers and quantities: %s', async (type, filter, expected) => {
      expect(await find(type, filter)).toEqual(expected);
    });

    it.each<[string, string, string[]]>([
      ['Patient', 'organization pr true', ['ann', 'peter']],
      ['Patient', 'organization pr false', ['nameless']],
      ['Patient', 'organization re Organization/acme', ['peter']],
      ['Patient', 'organization re acme', ['peter']],
      ['Patient', 'organization.name eq ACME', ['peter']],
      ['Patient', 'organization.partof.name co cm', ['ann']],
      ['Patient', 'organization:Organization.partof:Organization.name co cm', ['ann']],
      ['Patient', 'organization[name co "cm"].name eq acme', ['peter']],
      ['Patient', 'organization[name co "xyz"].name eq acme', []],
      ['Patient', 'organization[partof.name eq acme or name eq nobody].name eq other', ['ann']],
      ['Patient', 'organization[not (partof pr true)].name pr true', ['peter']],
      ['Observation', 'subject.name co "pet"', ['arm']],
      ['Observation', 'subject.organization.name eq acme', ['arm']],
      ['Observation', 'subject:Patient.gender eq female', ['head']],
      ['Observation', 'patient.gender ne female', ['arm']],
      ['Observation', 'patient._id ne ann', ['arm', 'of-nameless']],
      ['Observation', 'patient.gender pr true', ['arm', 'head']],
      // The set that a path leads to is empty where nothing is reached, too.
      ['Observation', 'patient.gender pr false', ['hand', 'of-nameless']],
    ])('%s: tests references, and their targets: %s', async (type, filter, expected) => {
      expect(await find(type, filter)).toEqual(expected);
    });

    it.each<[string, string[]]>([
      ['name co "pet" or organization pr false', ['nameless', 'peter']],
      ['name co "pet" or not (organization pr true)', ['nameless', 'peter']],
      ['not (organization pr true)', ['nameless']],
      ['not(organization pr true)', ['nameless']],
      ['not (not (gender eq male))', ['peter']],
      ['not (gender eq male or gender eq female)', ['nameless']],
      ['not (gender eq male and organization pr true)', ['ann', 'nameless']],
      // From left to right: (female or male) and of Acme.
      ['gender eq female or gender eq male and organization re Organization/acme', ['peter']],
      ['gender eq female or (gender eq male and organization re Organization/acme)', ['ann', 'peter']],
      ['gender pr false or not (organization.name eq acme)', ['ann', 'nameless']],
      ['  ( gender eq male )  ', ['peter']],
    ])('Patient: connects comparisons: %s', async (filter, expected) => {
      expect(await find('Patient', filter)).toEqual(expected);
    });

    // "Some additional parameters are defined for the filter parameter": both parts are of one element.
    it.each<[string, string, string[]]>([
      ['Group', 'characteristic[code eq arm].value eq true', ['traits']],
      ['Group', 'characteristic[code eq head].value eq true', ['hands']],
      ['Group', 'characteristic[code eq urn:s|head].value eq FALSE', ['traits']],
      ['Group', 'characteristic[code eq arm].value ne true', []],
      ['Group', 'characteristic[code eq head].value ne true', ['traits']],
      ['Group', 'characteristic[code eq hand].value eq urn:s|arm', ['hands']],
      ['Group', 'characteristic[code eq arm or code eq head].value eq false', ['traits']],
      ['Group', 'characteristic[not (code eq arm)].value eq true', ['hands']],
      ['Group', 'characteristic[code ss urn:s|arm].value pr true', ['hands', 'traits']],
      ['Group', 'characteristic[code eq arm].value pr true', ['traits']],
      ['Group', 'characteristic[code eq arm].value pr false', ['hands', 'plain']],
      ['Group', 'characteristic[code in urn:v and code ne head].value eq true', ['traits']],
      ['Group', 'characteristic[code ni urn:v].value pr true', ['hands']],
      ['Group', 'characteristic[code eq head].value ni urn:v', ['hands', 'plain', 'traits']],
      ['Group', 'characteristic.value eq false', ['traits']],
      ['Group', 'characteristic[code eq arm].value eq true and characteristic eq head', ['traits']],
      ['Group', 'not (characteristic[code eq arm].value eq true)', ['hands', 'plain']],
      ['DocumentReference', 'relatesTo[code eq replaces].target re DocumentReference/first', ['second']],
      ['DocumentReference', 'relatesTo[code eq replaces].target re DocumentReference/third', []],
      ['DocumentReference', 'relatesTo[code eq appends].target re DocumentReference/first', ['third']],
      ['DocumentReference', 'relatesTo[code ne replaces].target pr true', ['second', 'third']],
      ['DocumentReference', 'relatesto[relation eq appends].status eq current', ['second']],
    ])('%s: tests one element by itself: %s', async (type, filter, expected) => {
      expect(await find(type, filter)).toEqual(expected);
    });

    it('several filters, and other parameters beside them, must all be met', async () => {
      expect(await find('Patient', 'name pr true', 'gender eq male')).toEqual(['peter']);
      const { json } = await search('Patient?gender=female&_filter=name%20pr%20true&_total=accurate');
      expect(json).toMatchObject({ total: 1, entry: [{ resource: { id: 'ann' } }] });
    });

    it('is possible at the end of a chain and inside _has', async () => {
      const { json } = await search(`Observation?patient._filter=${encodeURIComponent('name co "pet"')}`);
      expect((json.entry as Entry[]).map(({ resource }) => resource.id)).toEqual(['arm']);
      const has = await search(
        `Patient?_has:Observation:patient:_filter=${encodeURIComponent('code eq head')}`,
      );
      expect((has.json.entry as Entry[]).map(({ resource }) => resource.id)).toEqual(['ann']);
    });

    it('is answered by POST _search and over pages', async () => {
      const path = `${server.path('system', release)}/Patient/_search`;
      const { json } = await server.request('POST', path, '_filter=name+co+%22pet%22', {
        'content-type': 'application/x-www-form-urlencoded',
      });
      expect((json.entry as Entry[]).map(({ resource }) => resource.id)).toEqual(['peter']);
      const first = await search('Patient?_filter=name%20pr%20true%20or%20name%20pr%20false&_count=2');
      const next = (first.json.link as { relation: string; url: string }[]).find(
        ({ relation }) => relation === 'next',
      );
      const second = await server.request('GET', (next?.url ?? '').replace(/^https?:\/\/[^/]+/, ''));
      const ids = [...(first.json.entry as Entry[]), ...(second.json.entry as Entry[])];
      expect(ids.map(({ resource }) => resource.id).sort()).toEqual(['ann', 'nameless', 'peter']);
    });

    it.each<[string, string, RegExp]>([
      ['Patient', 'nonsense eq 1', /'nonsense' is not a search parameter of Patient/],
      ['Patient', 'name eq', /at position 8 a value is expected/],
      ['Patient', 'name', /at position 5 an operator \(eq, ne, .*\), between spaces, is expected/],
      ['Patient', 'name xx 1', /at position 6 an operator/],
      ['Patient', '(name eq a', /at position 11 'and', 'or' or '\)' is expected/],
      ['Patient', 'name eq a)', /at position 10 'and', 'or' or the end is expected/],
      ['Patient', 'name eq "a', /at position 9 a value is expected/],
      ['Patient', 'name eq "\\x"', /at position 9 a string as in JSON is expected/],
      ['Patient', 'name eq a b', /at position 11 'and', 'or' or the end is expected/],
      ['Patient', 'name eq a and', /at position 14 the name of a search parameter/],
      ['Patient', 'name eq a orgender eq male', /at position 11 'and', 'or' or the end/],
      ['Patient', 'not name eq a', /at position 5 an operator/],
      ['Patient', 'organization[name eq a] eq b', /at position 24 '\.' is expected/],
      ['Patient', 'organization[name eq a.name eq b', /at position 29 'and', 'or' or '\]'/],
      ['Patient', 'gender co male', /'gender' is a token; it can be compared by pr, eq, ne, ss, sb, in, ni/],
      ['Patient', 'organization eq acme', /it can be compared by pr, re/],
      ['Patient', 'name pr maybe', /_filter: name pr': it can be true, false/],
      [
        'Patient',
        'birthdate eq soon',
        /'eqsoon' is not a value for the search parameter '_filter: birthdate'/,
      ],
      ['Patient', 'birthdate eq ge2013', /_filter: birthdate/],
      [
        'Patient',
        'name.family eq a',
        /'name' is not a search parameter of Patient; a path of _filter can continue only after/,
      ],
      ['Patient', 'organization.nonsense eq a', /'nonsense' is not a search parameter of Organization/],
      ['Patient', 'organization[nonsense eq a].name eq b', /'nonsense' is not a search parameter/],
      ['Group', 'characteristic[nothing eq a].value eq b', /'nothing' .*supported are value, code/],
      [
        'Group',
        'characteristic[code eq a].value.name eq b',
        /'value.name' is not a search parameter of Group/,
      ],
      ['Group', 'characteristic[code eq a].exclude eq b', /'exclude' is not a search parameter of Group/],
      ['Patient', 'organization:Patient.name eq a', /The modifier ':Patient' cannot be used/],
      ['Patient', 'gender:Patient eq a', /in the links of a chain/],
      ['Observation', 'code in urn:nowhere', /the value set does not exist/],
    ])('%s: refuses %s and says why', async (type, filter, message) => {
      const { status, json } = await search(`${type}?_filter=${encodeURIComponent(filter)}`);
      expect([status, JSON.stringify((json.issue as object[])[0])]).toEqual([
        400,
        expect.stringMatching(message),
      ]);
    });

    it.each<[string, string, RegExp]>([
      ['long', `name eq "${'a'.repeat(4000)}"`, /4000 characters long at most/],
      ['nested', `${'('.repeat(21)}name eq a${')'.repeat(21)}`, /nested 20 deep at most/],
      ['many', Array.from({ length: 101 }, () => '_id eq a').join(' or '), /100 comparisons at most/],
      [
        'mixed',
        Array.from({ length: 23 }, (_, i) => `_id eq a ${i % 2 === 0 ? 'or' : 'and'} `).join('') + '_id eq a',
        /change 20 times/,
      ],
      [
        'branching',
        Array.from({ length: 30 }, () => 'focus.code eq a').join(' or '),
        /too many resource types/,
      ],
    ])('a filter that is too %s is too costly', async (_what, filter, message) => {
      const { status, json } = await search(`Observation?_filter=${encodeURIComponent(filter)}`);
      expect([status, JSON.stringify(json.issue)]).toEqual([422, expect.stringMatching(message)]);
    });

    it('a filter as large as it may be is answered', async () => {
      const many = Array.from({ length: 100 }, (_, i) => `name eq n${i}`).join(' or ');
      expect(await find('Patient', `${many.replace('n99', 'peter')}`)).toEqual(['peter']);
      const deep = `${'not ('.repeat(18)}organization.partof.name eq acme${')'.repeat(18)}`;
      expect(await find('Patient', deep)).toEqual(['ann']);
      const turns = Array.from(
        { length: 20 },
        (_, i) => `patient.organization.name eq acme ${i % 2 === 0 ? 'or' : 'and'} `,
      );
      expect(await find('Observation', `${turns.join('')}patient.gender eq male`)).toEqual(['arm']);
    });

    it('an unknown parameter in a filter is refused under lenient handling too', async () => {
      const path = `${server.path('system', release)}/Patient?_filter=nonsense%20eq%201`;
      const { status } = await server.request('GET', path, undefined, { prefer: 'handling=lenient' });
      expect(status).toBe(400);
    });
  });
});
