/**
 * Search by list: https://hl7.org/fhir/R4/search.html#list, https://hl7.org/fhir/R4/lifecycle.html#lists, on the
 * examples that HL7 publishes.
 */
import { forEachOf } from '../support/examples';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { readRightExamples } from '../support/wrong-examples';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('other');
});
afterAll(() => server.close());

/** A list of the patient `example`, of that function by its code. */
const listOf = (
  id: string,
  system: string,
  code: string,
  date: string | undefined,
  items: readonly string[],
) => ({
  resourceType: 'List',
  id,
  status: 'current',
  mode: 'working',
  code: { coding: [{ system, code }] },
  subject: { reference: 'Patient/example' },
  date,
  entry: items.map((reference) => ({ item: { reference } })),
});

const LOINC = 'http://loinc.org';
const USE_CODES = 'http://terminology.hl7.org/CodeSystem/list-example-use-codes';
const LISTS = [
  listOf('old-problems', LOINC, '46105-3', '2019-01-01', ['Condition/example', 'Condition/example2']),
  listOf('problems', USE_CODES, 'problems', '2020-01-01', ['Condition/example']),
  { ...listOf('snapshot', LOINC, '46105-3', '2021-01-01', ['Condition/example2']), mode: 'snapshot' },
  { ...listOf('retired', LOINC, '46105-3', '2022-01-01', ['Condition/example2']), status: 'retired' },
  listOf('undated', LOINC, '46105-3', undefined, ['Condition/example2']),
  listOf('allergies', LOINC, '52472-8', '2020-01-01', [
    'AllergyIntolerance/example',
    'AllergyIntolerance/medication',
    'AllergyIntolerance/unsorted',
  ]),
  {
    ...listOf('theirs', LOINC, '46105-3', '2023-01-01', ['Condition/example2']),
    subject: { reference: 'Patient/pat1' },
  },
  {
    ...listOf('medications', LOINC, '10160-0', '2020-01-01', [
      'MedicationRequest/medrx0302',
      'MedicationStatement/example001',
    ]),
    subject: { reference: 'Patient/pat1' },
  },
];
const UNSORTED = {
  resourceType: 'AllergyIntolerance',
  id: 'unsorted',
  clinicalStatus: {
    coding: [{ system: 'http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical', code: 'active' }],
  },
  patient: { reference: 'Patient/example' },
  code: { text: 'Something' },
};

describe.each(TESTED_RELEASES)('under %s', (release) => {
  beforeAll(async () => {
    const types = [
      'List',
      'Patient',
      'Condition',
      'AllergyIntolerance',
      'MedicationRequest',
      'MedicationStatement',
    ];
    const examples = readRightExamples(release).filter(({ type }) => types.includes(type));
    const own = [...LISTS, UNSORTED].map((resource) => ({
      type: resource.resourceType,
      id: resource.id,
      text: JSON.stringify(resource),
    }));
    await forEachOf([...examples, ...own], 8, async ({ type, id, text }) => {
      const answer = await server.request('PUT', `${server.path('system', release)}/${type}/${id}`, text);
      if (answer.status !== 201) throw new Error(`${type}/${id}: ${answer.text}`);
    });
    const theirs = { ...listOf('theirs', LOINC, '46105-3', '2020', ['Condition/example']) };
    const path = server.path('other', release);
    await server.request('PUT', `${path}/List/theirs`, theirs);
  });

  const get = (query: string, tenant = 'system') =>
    server.request('GET', `${server.path(tenant, release)}/${query}`);

  async function find(query: string, tenant = 'system'): Promise<string[]> {
    const { status, json, text } = await get(query, tenant);
    if (status !== 200) throw new Error(`${query}: ${status} ${text}`);
    const entries = (json.entry ?? []) as { resource: { resourceType: string; id: string } }[];
    return entries.map(({ resource }) => `${resource.resourceType}/${resource.id}`).sort();
  }

  it('the items of a list are found, of the type that is searched', async () => {
    expect(await find('AllergyIntolerance?_list=current-allergies')).toEqual([
      'AllergyIntolerance/example',
      'AllergyIntolerance/medication',
    ]);
    expect(await find('AllergyIntolerance?_list=List/current-allergies&category=medication')).toEqual([
      'AllergyIntolerance/medication',
    ]);
    expect(await find('Patient?_list=current-allergies')).toEqual([]);
    expect(await find('Condition?_list=problems,theirs')).toEqual([
      'Condition/example',
      'Condition/example2',
    ]);
    expect(await find('Condition?_list=old-problems&_list=problems')).toEqual(['Condition/example']);
    expect(await find('Condition?_list=nothing')).toEqual([]);
  });

  it('a long list is one with pages, totals and orders like any other search', async () => {
    const [list] = readRightExamples(release).filter(({ type, id }) => type === 'List' && id === 'long');
    const items = (list?.resource['entry'] as { item: { reference: string } }[]).map(
      ({ item }) => item.reference,
    );
    const patients = readRightExamples(release)
      .filter(({ type, id }) => type === 'Patient' && items.includes(`Patient/${id}`))
      .map(({ id }) => `Patient/${id}`);
    expect(patients.length).toBeGreaterThan(10);
    expect(await find('Patient?_list=long&_count=1000')).toEqual([...patients].sort());
    expect((await get('Patient?_list=long&_count=0')).json.total).toBe(patients.length);
    const { json } = await get('Patient?_list=long&_sort=-birthdate&_count=3');
    expect(json.entry).toHaveLength(3);
  });

  it('all types of a list are found together', async () => {
    expect(await find('?_list=medications')).toEqual([
      'MedicationRequest/medrx0302',
      'MedicationStatement/example001',
    ]);
    expect(await find('?_type=Condition,AllergyIntolerance&_list=old-problems,allergies')).toEqual([
      'AllergyIntolerance/example',
      'AllergyIntolerance/medication',
      'AllergyIntolerance/unsorted',
      'Condition/example',
      'Condition/example2',
    ]);
  });

  it("a functional list is the patient's newest current one that is updated", async () => {
    expect(await find('Condition?patient=example&_list=$current-problems')).toEqual(['Condition/example']);
    expect(await find('Condition?subject=Patient/example&_list=$current-problems')).toEqual([
      'Condition/example',
    ]);
    expect(await find('Patient/example/Condition?_list=$current-problems')).toEqual(['Condition/example']);
    expect(await find('Condition?patient=nobody&_list=$current-problems')).toEqual([]);
    expect(await find('Condition?patient=example&_list=$current-medications')).toEqual([]);
    expect(
      await find('?_type=MedicationRequest,MedicationStatement&patient=pat1&_list=$current-medications'),
    ).toEqual(['MedicationRequest/medrx0302', 'MedicationStatement/example001']);
    const path = `${server.path('system', release)}/List/problems`;
    await server.request('DELETE', path);
    expect(await find('Condition?patient=example&_list=$current-problems')).toEqual([
      'Condition/example',
      'Condition/example2',
    ]);
    await server.request('PUT', path, LISTS[1]);
    expect(await find('Condition?patient=example&_list=$current-problems')).toEqual(['Condition/example']);
  });

  it('drug allergies are those of medications, and those without a category', async () => {
    expect(await find('AllergyIntolerance?patient=example&_list=$current-allergies')).toEqual([
      'AllergyIntolerance/example',
      'AllergyIntolerance/medication',
      'AllergyIntolerance/unsorted',
    ]);
    expect(await find('AllergyIntolerance?patient=example&_list=$current-drug-allergies')).toEqual([
      'AllergyIntolerance/medication',
      'AllergyIntolerance/unsorted',
    ]);
    expect(await find('Condition?patient=example&_list=$current-drug-allergies')).toEqual([]);
  });

  it.each([
    ['Condition?_list=$current-problems', 'add the parameter patient'],
    ['AllergyIntolerance?_list=$current-drug-allergies', 'add the parameter patient'],
    ['Condition?patient=example&_list=$current-nonsense', '$current-drug-allergies'],
    ['Condition?_list=not%20an%20id', 'not a value'],
    ['Condition?_list:not=problems', ':not'],
  ])('%s is refused', async (query, message) => {
    const { status, json } = await get(query);
    expect([query, status]).toEqual([query, 400]);
    expect(json.issue[0].diagnostics).toContain(message);
  });

  it('many patients are refused', async () => {
    const ids = Array.from({ length: 21 }, (_, index) => `p${index}`).join(',');
    const { status, json } = await get(`Condition?patient=${ids}&_list=$current-problems`);
    expect([status, json.issue[0].code]).toEqual([422, 'too-costly']);
  });

  it("another tenant's lists have nothing of this one's", async () => {
    expect(await find('List?_id=theirs', 'other')).toEqual(['List/theirs']);
    expect(await find('Condition?_list=theirs', 'other')).toEqual([]);
    expect(await find('Condition?_list=theirs')).toEqual(['Condition/example2']);
    expect(await find('Condition?_list=problems', 'other')).toEqual([]);
  });
});
