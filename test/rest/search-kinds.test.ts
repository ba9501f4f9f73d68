/** Numbers, quantities, composites and modifiers: https://hl7.org/fhir/R4/search.html and docs/use/search-reference.md. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

interface Entry {
  readonly resource: { readonly id: string };
}

const LOINC = 'http://loinc.org';
const UCUM = 'http://unitsofmeasure.org';

function observation(id: string, members: object): object {
  const code = { coding: [{ system: LOINC, code: '8867-4' }], text: 'Heart rate' };
  return { resourceType: 'Observation', id, status: 'final', code, ...members };
}

function quantity(value: string, unit?: string, more: object = {}): object {
  return {
    valueQuantity: {
      value: `#${value}#`,
      ...(unit === undefined ? {} : { system: UCUM, code: unit }),
      ...more,
    },
  };
}

function component(code: string, value: string): object {
  return {
    code: { coding: [{ system: LOINC, code }], text: code },
    valueQuantity: { value: `#${value}#`, system: UCUM, code: 'mm[Hg]' },
  };
}

/** Longer than an index row keeps. */
const LONG_TEXT = 'All that was found at the visit word for word. '.repeat(6);

const RESOURCES: readonly object[] = [
  observation('digits', quantity('9.349999999999999999', 's')),
  { ...observation('tsh', quantity('2.5', 'm[IU]/L')), code: { text: 'TSH' } },
  { ...observation('hcg', quantity('3', 'k[IU]/L')), code: { text: 'hCG' } },
  { ...observation('arbitrary', quantity('2.5', "m[arb'U]/L")), code: { text: 'Other' } },
  { resourceType: 'Location', id: 'copenhagen', position: { latitude: '#55.6761#', longitude: '#12.5683#' } },
  { resourceType: 'Location', id: 'malmo', position: { latitude: '#55.6050#', longitude: '#13.0038#' } },
  { resourceType: 'Location', id: 'nowhere', name: 'Nowhere' },
  {
    resourceType: 'Questionnaire',
    id: 'intake-form',
    meta: {
      profile: ['http://example.org/fhir/StructureDefinition/form|1.0'],
      source: 'http://example.org/source/a',
    },
    url: 'http://example.org/Questionnaire/intake',
    version: '1.2',
    status: 'active',
    description: `${LONG_TEXT}And a lute.`,
  },
  {
    resourceType: 'QuestionnaireResponse',
    id: 'answer',
    status: 'completed',
    questionnaire: 'http://example.org/Questionnaire/intake|1.2',
  },
  {
    resourceType: 'MolecularSequence',
    id: 'window',
    coordinateSystem: '#0#',
    referenceSeq: {
      chromosome: {
        coding: [{ system: 'http://terminology.hl7.org/CodeSystem/chromosome-human', code: '1' }],
      },
      genomeBuild: 'GRCh37',
      strand: 'watson',
      windowStart: '#100#',
      windowEnd: '#200#',
    },
  },
  observation('mg', quantity('5.40', 'mg')),
  observation('ug', quantity('5400', 'ug')),
  observation('no-unit', quantity('5.4')),
  observation('named', quantity('5.4', undefined, { unit: 'tablets' })),
  observation('less', quantity('5', 'mg', { comparator: '<' })),
  observation('none', {}),
  observation('pressure', { component: [component('8480-6', '120'), component('8462-4', '80')] }),
  observation('other-pressure', { component: [component('8480-6', '80'), component('8462-4', '120')] }),
  {
    resourceType: 'Patient',
    id: 'typed',
    identifier: [
      {
        type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MR' }] },
        system: 'urn:hospital',
        value: '12345',
      },
    ],
    gender: 'male',
  },
  { resourceType: 'Patient', id: 'untyped', identifier: [{ system: 'urn:hospital', value: '12345' }] },
  { resourceType: 'Patient', id: 'woman', gender: 'female', birthDate: '1980-01-01' },
  {
    resourceType: 'Patient',
    id: 'extended',
    _gender: { extension: [{ url: 'http://example.org/why', valueCode: 'x' }] },
  },
  {
    resourceType: 'Encounter',
    id: 'known',
    status: 'finished',
    class: { code: 'AMB' },
    subject: { identifier: { system: 'urn:hospital', value: '77' } },
  },
  {
    resourceType: 'RiskAssessment',
    id: 'risk',
    status: 'final',
    subject: { display: 'x' },
    prediction: [{ probabilityDecimal: '#0.80#' }],
  },
  {
    resourceType: 'RiskAssessment',
    id: 'range',
    status: 'final',
    subject: { display: 'x' },
    prediction: [
      {
        probabilityRange: {
          low: { value: '#10#', system: UCUM, code: '%' },
          high: { value: '#20#', system: UCUM, code: '%' },
        },
      },
    ],
  },
  { resourceType: 'ValueSet', id: 'below', url: 'http://example.org/fhir/ValueSet/below', status: 'active' },
  { resourceType: 'ValueSet', id: 'other', url: 'http://example.org/fhirs/ValueSet/other', status: 'active' },
];

describe.each(TESTED_RELEASES)('search under %s', (release) => {
  beforeAll(async () => {
    for (const resource of RESOURCES) {
      const { resourceType, id } = resource as { resourceType: string; id: string };
      const body = JSON.stringify(resource).replace(/"#([^#]*)#"/g, '$1');
      const { status, text } = await server.request(
        'PUT',
        `${server.path('system', release)}/${resourceType}/${id}`,
        body,
      );
      if (status !== 201) throw new Error(`${resourceType}/${id}: ${status} ${text}`);
    }
  });

  const find = async (query: string): Promise<string[]> => {
    const { status, json } = await server.request('GET', `${server.path('system', release)}/${query}`);
    expect([query, status]).toEqual([query, 200]);
    const entries = (json.entry ?? []) as Entry[];
    return entries.map(({ resource }) => resource.id).sort();
  };

  it.each<[string, string[]]>([
    // A stored 5.40 is the point 5.4; the search value 5.4 is [5.35, 5.45).
    ['Observation?value-quantity=5.4|http://unitsofmeasure.org|mg', ['mg', 'ug']],
    ['Observation?value-quantity=5400|http://unitsofmeasure.org|ug', ['mg', 'ug']],
    ['Observation?value-quantity=5.4', ['mg', 'named', 'no-unit']],
    ['Observation?value-quantity=5', ['mg', 'named', 'no-unit']],
    ['Observation?value-quantity=5.0', []],
    ['Observation?value-quantity=5.4||mg', ['mg']],
    ['Observation?value-quantity=5.4||tablets', ['named']],
    ['Observation?value-quantity=gt5.4|http://unitsofmeasure.org|mg', []],
    ['Observation?value-quantity=ge5.4|http://unitsofmeasure.org|mg', ['mg', 'ug']],
    ['Observation?value-quantity=lt5|http://unitsofmeasure.org|mg', ['less']],
    ['Observation?value-quantity=ne5.4|http://unitsofmeasure.org|mg', ['less']],
    ['Observation?value-quantity=ap5|http://unitsofmeasure.org|mg', ['less', 'mg', 'ug']],
    ['Observation?value-quantity=ap5000|http://unitsofmeasure.org|ug', ['less', 'mg', 'ug']],
    ['Observation?value-quantity=sa5.39|http://unitsofmeasure.org|mg', ['mg', 'ug']],
    ['Observation?value-quantity=eb6|http://unitsofmeasure.org|mg', ['less', 'mg', 'ug']],
    ['Observation?value-quantity=5.4,5400', ['mg', 'named', 'no-unit', 'ug']],
    // Its last digit is beyond the precision of a double.
    ['Observation?value-quantity=lt9.35||s&_id=digits', ['digits']],
    ['Observation?value-quantity=9.4||s', []],
    ['Observation?value-quantity=9.3||s', ['digits']],
    ['Observation?value-quantity=9.349999999999999999||s', ['digits']],
    ['Observation?value-quantity=gt9.349999999999999998||s', ['digits']],
    ['Observation?value-quantity=gt9.349999999999999999||s', []],
    // Arbitrary units convert by prefix and volume, and never into each other.
    ['Observation?value-quantity=2.5|http://unitsofmeasure.org|m[IU]/L', ['tsh']],
    ['Observation?value-quantity=2.5|http://unitsofmeasure.org|u[IU]/mL', ['tsh']],
    ['Observation?value-quantity=0.0025|http://unitsofmeasure.org|[IU]/L', ['tsh']],
    ['Observation?value-quantity=0.0025|http://unitsofmeasure.org|[iU]/L', ['tsh']],
    ['Observation?value-quantity=gt1|http://unitsofmeasure.org|u[IU]/mL', ['hcg', 'tsh']],
    ['Observation?value-quantity=gt1|http://unitsofmeasure.org|[IU]/L', ['hcg']],
    ["Observation?value-quantity=2500|http://unitsofmeasure.org|u[arb'U]/L", ['arbitrary']],
    ['Observation?value-quantity=lt1000|http://unitsofmeasure.org|U/L', []],
    ['Observation?value-quantity=lt1000|http://unitsofmeasure.org|g/L', []],
    // Copenhagen and Malmö are 28.4 km apart.
    ['Location?near=55.6761|12.5683|28|km', ['copenhagen']],
    ['Location?near=55.6761|12.5683|29', ['copenhagen', 'malmo']],
    ['Location?near=55.6761|12.5683|17|mi', ['copenhagen']],
    ['Location?near=55.6761|12.5683|18|[mi_i]', ['copenhagen', 'malmo']],
    ['Location?near=55.6761|12.5683', ['copenhagen', 'malmo']],
    ['Location?near:missing=true', ['nowhere']],
    ['QuestionnaireResponse?questionnaire=http://example.org/Questionnaire/intake', ['answer']],
    ['QuestionnaireResponse?questionnaire=http://example.org/Questionnaire/intake|1.2', ['answer']],
    ['QuestionnaireResponse?questionnaire=http://example.org/Questionnaire/intake|1', []],
    ['QuestionnaireResponse?questionnaire:below=http://example.org/Questionnaire/intake|1', ['answer']],
    ['QuestionnaireResponse?questionnaire=intake-form', ['answer']],
    ['QuestionnaireResponse?questionnaire=Questionnaire/intake-form', ['answer']],
    ['Questionnaire?url=http://example.org/Questionnaire/intake|1.2', ['intake-form']],
    ['Questionnaire?url=http://example.org/Questionnaire/intake|2', []],
    ['Questionnaire?_profile=http://example.org/fhir/StructureDefinition/form', ['intake-form']],
    ['Questionnaire?_profile=http://example.org/fhir/StructureDefinition/form|1.0', ['intake-form']],
    ['Questionnaire?_profile=http://example.org/fhir/StructureDefinition/form|2.0', []],
    ['Questionnaire?_source:contains=source/', ['intake-form']],
    [`Questionnaire?description=${encodeURIComponent(`${LONG_TEXT}and a l`)}`, ['intake-form']],
    [`Questionnaire?description=${encodeURIComponent(`${LONG_TEXT}and a harp`)}`, []],
    ['Questionnaire?description:contains=a%20lute', ['intake-form']],
    ['MolecularSequence?chromosome-window-coordinate=1$lt150$gt150', ['window']],
    ['MolecularSequence?chromosome-window-coordinate=1$lt100$gt150', []],
    ['Location?_id:not=malmo,nowhere', ['copenhagen']],
    ['Location?_id:missing=true', []],
    ['Observation?value-quantity:missing=true&code=8867-4', ['none', 'other-pressure', 'pressure']],
    ['Observation?component-code-value-quantity=8480-6$120', ['pressure']],
    ['Observation?component-code-value-quantity=http://loinc.org|8480-6$gt100', ['pressure']],
    ['Observation?component-code-value-quantity=8462-4$gt100', ['other-pressure']],
    ['Observation?component-code-value-quantity=|8480-6$120', []],
    ['Observation?component-code-value-quantity=8480-6$120|http://unitsofmeasure.org|mm[Hg]', ['pressure']],
    ['Observation?combo-code-value-quantity=8480-6$120,8867-4$5.4', ['mg', 'named', 'no-unit', 'pressure']],
    ['Observation?code-value-quantity=8867-4$5.4|http://unitsofmeasure.org|mg', ['mg', 'ug']],
    // Any code of a system is in no index: the resources are read.
    ['Observation?component-code-value-quantity=http://loinc.org|$lt100', ['other-pressure', 'pressure']],
    ['Observation?component-code-value-quantity=http://loinc.org|$gt120', []],
    ['Observation?component-code-value-quantity=http://elsewhere.example.org|$gt1', []],
    ['Observation?code-value-quantity=http://loinc.org|$5.4|http://unitsofmeasure.org|mg', ['mg', 'ug']],
    ['Observation?code-value-quantity=http://loinc.org|$5.4||tablets', ['named']],
    ['Observation?code-value-quantity=http://loinc.org|$gt9.349999999999999998', ['digits', 'ug']],
    ['RiskAssessment?probability=0.8', ['risk']],
    ['RiskAssessment?probability=0.80', ['risk']],
    ['RiskAssessment?probability=0.801', []],
    ['RiskAssessment?probability=1e0', []],
    ['RiskAssessment?probability=gt0.8', ['range']],
    ['RiskAssessment?probability=ge0.8', ['range', 'risk']],
    ['Patient?gender:not=male', ['extended', 'untyped', 'woman']],
    ['Patient?gender:not=male,female', ['extended', 'untyped']],
    ['Patient?gender:not=male&birthdate=1980', ['woman']],
    ['Patient?gender:missing=true', ['extended', 'untyped']],
    ['Patient?gender:missing=false', ['typed', 'woman']],
    ['Patient?birthdate:missing=false&gender:not=male', ['woman']],
    ['Patient?identifier:of-type=http://terminology.hl7.org/CodeSystem/v2-0203|MR|12345', ['typed']],
    ['Patient?identifier:of-type=http://terminology.hl7.org/CodeSystem/v2-0203|SS|12345', []],
    ['Patient?identifier=urn:hospital|12345', ['typed', 'untyped']],
    ['Encounter?subject:identifier=urn:hospital|77', ['known']],
    ['Encounter?subject:identifier=urn:other|77', []],
    ['ValueSet?url:below=http://example.org/fhir', ['below']],
    ['ValueSet?url:below=http://example.org/', ['below', 'other']],
    ['ValueSet?url:above=http://example.org/fhir/ValueSet/below/deeper', ['below']],
    ['Patient?gender:not=male&_sort=-_lastUpdated&_count=10', ['extended', 'untyped', 'woman']],
    ['Observation?status:not=final', []],
    [
      'Observation?code:not=nothing&_sort=-date',
      [
        'arbitrary',
        'digits',
        'hcg',
        'less',
        'mg',
        'named',
        'no-unit',
        'none',
        'other-pressure',
        'pressure',
        'tsh',
        'ug',
      ],
    ],
  ])('%s finds %j', async (query, expected) => {
    expect(await find(query)).toEqual([...expected].sort());
  });

  it.each([
    ['Observation?value-quantity=abc', 'a number is'],
    ['Observation?value-quantity=5.4|mg', 'number|system|code'],
    ['Observation?component-code-value-quantity=8480-6', 'parts'],
    ['Observation?component-code-value-quantity:not=8480-6$1', 'modifier'],
    ['Patient?identifier:of-type=MR|12345', 'system|code|value'],
    ['Patient?gender:missing=maybe', 'true, false'],
    ['RiskAssessment?probability=xx5', 'a number is'],
    ['Location?near=55.6761', 'latitude|longitude'],
    ['Location?near=95|12', 'between -90 and 90'],
    ['Location?near=55|12|5|kg', 'a UCUM unit of length'],
    ['Location?near=55|12|-5|km', 'not negative'],
    ['Observation?subject:below=Patient/1', 'Location/id of this server'],
    ['Encounter?subject:Organization=1', 'it refers to Group, Patient'],
    ['MolecularSequence?chromosome-window-coordinate=1$lt150', '3 parts'],
    ['Observation?code-value-quantity=|$gt5', 'a code here is'],
  ])('%s is refused', async (query, words) => {
    const { status, json } = await server.request('GET', `${server.path('system', release)}/${query}`);
    expect(status).toBe(400);
    expect(json.issue[0].diagnostics).toContain(words);
  });
});
