/**
 * The refusal of a search names the parameter, the value and the allowed ones; exactly the unsupported parts are
 * refused.
 */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { finder, storeAll } from '../support/stored';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const LINKED = { resourceType: 'Practitioner', id: 'linked', name: [{ family: 'Lee' }], gender: 'other' };
const OBSERVATION = {
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'urn:s', code: 'c' }] },
};

/** Two resources of each type: one with few elements, one with many. */
const RESOURCES: readonly object[] = [
  LINKED,
  { resourceType: 'Patient', id: 'little' },
  { resourceType: 'Patient', id: 'extended', _gender: { extension: [{ url: 'urn:why', valueCode: 'x' }] } },
  {
    resourceType: 'Patient',
    id: 'much',
    gender: 'female',
    birthDate: '1970-01-01',
    deceasedBoolean: false,
    name: [{ family: 'Much' }],
    telecom: [{ system: 'phone', value: '1' }],
    address: [{ city: 'Here' }],
    generalPractitioner: [{ reference: 'Practitioner/linked' }],
  },
  { ...OBSERVATION, id: 'little' },
  {
    ...OBSERVATION,
    id: 'much',
    subject: { reference: 'Patient/much' },
    effectiveDateTime: '2020-01-01',
    valueQuantity: { value: 1, unit: 'kg' },
    component: [{ code: { coding: [{ code: 'd' }] }, valueQuantity: { value: 2 } }],
  },
  { resourceType: 'Location', id: 'little' },
  { resourceType: 'Location', id: 'much', position: { latitude: 1, longitude: 2 }, name: 'Ward' },
  { resourceType: 'RiskAssessment', id: 'little', status: 'final', subject: { display: 'x' } },
  {
    resourceType: 'RiskAssessment',
    id: 'much',
    status: 'final',
    subject: { reference: 'Patient/much' },
    prediction: [{ probabilityDecimal: 0.5 }],
  },
  { resourceType: 'Questionnaire', id: 'little', status: 'draft' },
  {
    resourceType: 'Questionnaire',
    id: 'much',
    status: 'draft',
    url: 'http://example.org/q',
    version: '1',
    title: 'T',
  },
];
const TYPES = ['Patient', 'Observation', 'Location', 'RiskAssessment', 'Questionnaire'];

describe.each(TESTED_RELEASES)('a search under %s', (release) => {
  beforeAll(() => storeAll(server, release, RESOURCES));

  const search = (query: string): ReturnType<HttpServer['request']> =>
    server.request('GET', `${server.path('system', release)}/${query}`);
  const find = (query: string): Promise<string[]> => finder(server, release)(query);

  it.each(TYPES)(':missing=true and false part all resources of %s, by each parameter', async (type) => {
    const { json } = await search('metadata');
    const resources = json.rest[0].resource as {
      type: string;
      searchParam: { name: string; type: string }[];
    }[];
    const parameters = resources.find((one) => one.type === type)?.searchParam ?? [];
    const all = await find(type);
    const parting: string[] = [];
    for (const { name, type: kind } of parameters) {
      // Parameters that compare no value of a resource, and composites, which have no modifiers.
      if (['_text', '_content', '_filter', '_list'].includes(name) || kind === 'composite') continue;
      const [missing, there] = [
        await find(`${type}?${name}:missing=true`),
        await find(`${type}?${name}:missing=false`),
      ];
      expect([name, [...missing, ...there].sort()]).toEqual([name, all]);
      if (missing.length > 0 && there.length > 0) parting.push(name);
    }
    expect(parting.length).toBeGreaterThan(0);
    if (type === 'Patient') expect(await find('Patient?gender:missing=true')).toEqual(['extended', 'little']);
  });

  const BARE = 'Patient?_sort=shoe';
  it.each<[string, RegExp]>([
    ['Patient?shoe-size=9', /'shoe-size'.*supported are .*\bbirthdate\b.*\bgender\b/],
    [
      'Patient?gendr=male',
      /^'gendr' is not a search parameter of Patient; did you mean gender\? Supported are /,
    ],
    ['Patient?_cuont=5', /; did you mean _count\? /],
    ['Patient?name:exat=x', /':exat'.*'name'; did you mean exact\? Supported are missing, /],
    ['Observation?subject:Patient.nmae=x', /; did you mean name\? A chain is /],
    ['Observation?patient.nmae=x', /; did you mean name\? A chain is /],
    ['Observation?subjct.name=x', /; did you mean subject\? A chain is /],
    [`Patient?${'gender'.repeat(500)}=male`, /; supported are /],
    ['Patient?_sort=-birthdat', /: did you mean birthdate\? Patient can be sorted by /],
    ['Patient?_elements=gendr', /; did you mean gender\? Write element or Type\.element$/],
    [
      'Patient?_include=Patient:organizatoin',
      /: did you mean organization\? Reference parameters of Patient are /,
    ],
    ['Patient?_include=Pateint:organization', /'Pateint' is not a resource type; did you mean Patient\?$/],
    ['Patient?organisation.name=x', /'organisation.name'.*reference:Type.parameter.*\borganization\b/],
    [
      'Location?_has:Encounter:location:shoe=9',
      /'_has:Encounter:location:shoe'.*_has:Type:reference:parameter/,
    ],
    [
      'Location?_has:Encounter:location:staus=x',
      /; did you mean status\? It is _has:Type:reference:parameter/,
    ],
    [
      'Location?_has:Encountr:location:status=x',
      /'Encountr' is not a resource type; did you mean Encounter\?/,
    ],
    [
      'Location?_has:Encounter:locatoin:status=x',
      /no reference parameter 'locatoin'.*; did you mean location\?/,
    ],
    [
      '?_type=Pateint',
      /'Pateint' is not a resource type; did you mean Patient\? Write names of resource types/,
    ],
    [
      '?_type=Patient,Observation&gender=male',
      /'gender'.*Observation.*all types.*\b_lastUpdated\b.*\bidentifier\b/,
    ],
    ['Patient?gender:exact=male', /':exact'.*'gender'.*missing, not, of-type, text, in/],
    ['Patient?name:below=x', /':below'.*'name'.*exact, contains, text/],
    ['Patient?birthdate:exact=x', /':exact'.*'birthdate'.*missing/],
    [
      'Patient?general-practitioner:Device=1',
      /':Device'.*'general-practitioner'.*Organization, Practitioner/,
    ],
    ['Patient?birthdate=1970-13', /'1970-13'.*'birthdate'.*YYYY-MM-DD/],
    ['Patient?birthdate=zz1970', /'zz1970'.*'birthdate'.*YYYY-MM-DD/],
    ['Patient?gender:missing=perhaps', /'perhaps'.*'gender:missing'.*true, false/],
    ['Patient?identifier=a|b|c', /'a\|b\|c'.*'identifier'.*system\|code/],
    ['Patient?identifier:of-type=a|b', /'a\|b'.*'identifier:of-type'.*system\|code\|value/],
    ['Observation?value-quantity=many', /'many'.*'value-quantity'.*digits/],
    ['Observation?value-quantity=1|kg', /'1\|kg'.*'value-quantity'.*number\|system\|code/],
    ['Observation?code-value-quantity=c', /'c'.*'code-value-quantity'.*code\$value-quantity/],
    ['Observation?code:in=urn:nothing', /'urn:nothing'.*'code:in'.*the value set does not exist/],
    ['RiskAssessment?probability=high', /'high'.*'probability'.*digits/],
    ['Location?near=here', /'here'.*'near'.*latitude\|longitude\|distance\|unit/],
    ['Patient?_lastUpdated=now', /'now'.*'_lastUpdated'.*YYYY-MM-DD/],
    ['Patient?_count=few', /'few'.*'_count'.*whole number/],
    ['Patient?_offset=few', /'few'.*'_offset'.*whole number/],
    ['Patient?_total=all', /'all'.*'_total'.*none, estimate, accurate/],
    ['Patient?_summary=short', /'short'.*'_summary'.*true, text, data, count, false/],
    ['Patient?_elements=shoe', /'shoe'.*'_elements'.*Type\.element/],
    ['Patient?_contained=yes', /'yes'.*'_contained'.*false, true, both/],
    ['Patient?_containedType=yes', /'yes'.*'_containedType'.*container, contained/],
    ['Patient?_sort=_content', /'_content'.*'_sort'.*Patient can be sorted by _id, _lastUpdated, _profile/],
    ['Patient?_sort=-_text', /'-_text'.*'_sort'.*can be sorted by/],
    [BARE, /'shoe'.*'_sort'.*Patient can be sorted by _id, _lastUpdated, .*\bbirthdate\b/],
    ['Patient?_include=shoe', /'shoe'.*'_include'.*Type:parameter/],
    ['Patient?_include=Patient:shoe', /'Patient:shoe'.*'_include'.*general-practitioner/],
    ['Patient?_include:all=Patient:link', /':all'.*'_include'.*iterate/],
    ['Patient?_list=$current-shoes', /'\$current-shoes'.*'_list'.*\$current-problems/],
    ['Patient?_query=shoes', /'shoes'.*'_query'.*named queries/],
    ['Patient?_filter=gender is male', /'_filter'.*position 8.*operator/],
    ['Patient?_text=(', /'\('.*'_text'.*parenthesis/],
    ['Patient?_cursor=forged', /cursor.*'_cursor'/],
    ['?_type=Shoe', /'Shoe'.*'_type'.*names of resource types/],
  ])('%s: is refused with the parameter, the value and what would be allowed', async (query, expected) => {
    const { status, json } = await search(encodeURI(query));
    expect([status, json.resourceType, json.issue[0].severity]).toEqual([400, 'OperationOutcome', 'error']);
    expect(json.issue[0].diagnostics).toMatch(expected);
  });

  it.each<[string, RegExp]>([
    ['Pateint?name=x', /^'Pateint' is not a resource type of FHIR .*; did you mean Patient\?$/],
    ['Patient/$validat', /^The operation \$validat does not exist; did you mean \$validate\?$/],
    [`${'Patient'.repeat(30)}?name=x`, /is not a resource type of FHIR R4B?$/],
  ])('%s: is not found, with the name that was probably meant', async (query, expected) => {
    const { status, json } = await search(encodeURI(query));
    expect([status, json.issue[0].diagnostics]).toEqual([404, expect.stringMatching(expected)]);
  });

  it('an entry of a batch and a body with a wrong type are refused with the type that was probably meant', async () => {
    const request = { method: 'GET', url: 'Pateint/1' };
    const root = server.path('system', release);
    const batch = await server.request('POST', root, {
      ...{ resourceType: 'Bundle', type: 'batch', entry: [{ request }] },
    });
    expect(batch.json.entry[0].response.outcome.issue[0].diagnostics).toMatch(
      /must begin with a resource type of this FHIR release; did you mean Patient\?$/,
    );
    const body = await server.request('POST', `${root}/Patient`, { resourceType: 'Pateint' });
    expect([body.status, body.json.issue[0].diagnostics]).toEqual([
      400,
      expect.stringMatching(/'Pateint'.*; did you mean Patient\?$/),
    ]);
  });
});
