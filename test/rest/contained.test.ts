/**
 * Chains into contained resources find the container: https://hl7.org/fhir/R4/search.html#contained; docs/use/search-reference.md,
 * Reference.
 */
import { ROW_SCHEME } from '../../src/core/search/rows/index-rows';
import { connectTo } from '../support/shared-database';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { finder, storeAll } from '../support/stored';
import { TESTED_RELEASES } from '../support/releases';

const RX = 'http://www.nlm.nih.gov/research/umls/rxnorm';
const medication = (id: string, code: string, members: object = {}): object => ({
  resourceType: 'Medication',
  id,
  code: { coding: [{ system: RX, code, display: `The drug ${code}` }] },
  ...members,
});
const request = (id: string, reference: string, contained: object[] = [], members: object = {}): object => ({
  resourceType: 'MedicationRequest',
  id,
  status: 'active',
  intent: 'order',
  ...(contained.length === 0 ? {} : { contained }),
  medicationReference: { reference },
  subject: { reference: 'Patient/ann' },
  ...members,
});

const RESOURCES: readonly object[] = [
  { resourceType: 'Organization', id: 'maker', name: 'Maker of Aspirin' },
  { resourceType: 'Patient', id: 'ann', name: [{ family: 'Ann' }], gender: 'female' },
  medication('stored', 'aspirin'),
  request('refers', 'Medication/stored'),
  request('contains', '#med', [
    medication('med', 'Aspirin', { manufacturer: { reference: 'Organization/maker' } }),
  ]),
  request('other', '#med', [
    medication('med', 'ibuprofen', { status: 'inactive', batch: { lotNumber: 'Löt 7' } }),
  ]),
  // Two medications, one of which meets the criteria; the other is an ingredient of it.
  request('mixture', '#mixed', [
    medication('part', 'aspirin', { status: 'inactive' }),
    medication('mixed', 'mixture', {
      status: 'active',
      ingredient: [{ itemReference: { reference: '#part' } }],
      batch: { expirationDate: '2021-05' },
    }),
  ]),
  // The same codes in two contained resources, by two references.
  {
    resourceType: 'Observation',
    id: 'two-people',
    status: 'final',
    code: { text: 'x' },
    contained: [
      {
        resourceType: 'Patient',
        id: 'p',
        gender: 'male',
        birthDate: '1970-01-01',
        name: [{ family: 'Lake', given: ['l'.repeat(201)] }],
      },
      { resourceType: 'Patient', id: 'q', gender: 'female', birthDate: '1990', name: [{ family: 'Hill' }] },
      { resourceType: 'Organization', id: 'o', name: 'Inner House' },
      { resourceType: 'Practitioner', id: 'unreferred', name: [{ family: 'Nobody' }] },
    ],
    subject: { reference: '#p' },
    focus: [{ reference: '#q' }],
    performer: [{ reference: '#o' }],
    // No search parameter leads there.
    note: [{ authorReference: { reference: '#unreferred' }, text: 'x' }],
  },
  {
    resourceType: 'Observation',
    id: 'outside',
    status: 'final',
    code: { text: 'x' },
    subject: { reference: 'Patient/ann' },
    effectiveDateTime: '2020-01-01',
  },
];

describe.each([
  ['found from the inside', 'open'],
  ['tested one by one', 'scanning'],
] as const)('chains into contained resources, %s', (_how, kind) => {
  let server: SharedServer;
  beforeAll(async () => {
    server = await openSharedServer(kind);
  });
  afterAll(() => server.close());

  describe.each(TESTED_RELEASES)('under %s', (release) => {
    beforeAll(() => storeAll(server, release, RESOURCES));

    const find = (query: string): Promise<string[]> => finder(server, release)(query);

    it.each<[string, string[]]>([
      ['MedicationRequest?medication.code=aspirin', ['contains', 'refers']],
      [`MedicationRequest?medication.code=${RX}|aspirin`, ['contains', 'refers']],
      ['MedicationRequest?medication.code=mixture', ['mixture']],
      ['MedicationRequest?medication:Medication.code=ibuprofen', ['other']],
      ['MedicationRequest?medication.code:not=aspirin', ['mixture', 'other']],
      ['MedicationRequest?medication.status=inactive', ['other']],
      ['MedicationRequest?medication.status:missing=true', ['contains', 'refers']],
      ['MedicationRequest?medication.status:missing=false', ['mixture', 'other']],
      ['MedicationRequest?medication.ingredient.code=aspirin', ['mixture']],
      ['MedicationRequest?medication.ingredient:Medication.status=inactive', ['mixture']],
      ['MedicationRequest?medication.ingredient.code=mixture', []],
      ['MedicationRequest?medication.manufacturer.name=maker', ['contains']],
      ['MedicationRequest?medication.manufacturer=Organization/maker', ['contains']],
      ['MedicationRequest?medication.expiration-date=2021', ['mixture']],
      ['MedicationRequest?medication.expiration-date=ge2020&medication.code=aspirin', []],
      ['MedicationRequest?medication.lot-number=L%C3%96T%207', ['other']],
      ['MedicationRequest?medication._id=med', ['contains', 'other']],
      ['MedicationRequest?medication._id=stored', ['refers']],
      ['MedicationRequest?medication.code=aspirin&patient.gender=female', ['contains', 'refers']],
      ['MedicationRequest?medication._lastUpdated=gt2000', ['refers']],
      ['Patient?_has:MedicationRequest:patient:medication.code=ibuprofen', ['ann']],
      ['Patient?_has:MedicationRequest:patient:medication.code=nothing', []],
      ['Observation?subject:Patient.gender=male', ['two-people']],
      ['Observation?subject:Patient.gender=female', ['outside']],
      ['Observation?patient.gender=male', ['two-people']],
      ['Observation?patient.name=lake', ['two-people']],
      ['Observation?patient.name:exact=Lake', ['two-people']],
      ['Observation?patient.name:contains=AK', ['two-people']],
      ['Observation?patient.birthdate=lt1980', ['two-people']],
      ['Observation?patient.birthdate=1970-01-01', ['two-people']],
      ['Observation?patient.name=hill', []],
      ['Observation?focus:Patient.name=hill', ['two-people']],
      ['Observation?performer.name=inner', ['two-people']],
      ['Observation?performer:Practitioner.name=nobody', []],
      ['Observation?_filter=subject%5Bgender%20eq%20male%5D.birthdate%20lt%201980', ['two-people']],
      ['Observation?_filter=patient%5Bgender%20eq%20female%5D.birthdate%20lt%201980', []],
      ['Observation?_filter=focus:Patient%5Bgender%20eq%20female%5D.birthdate%20gt%201980', ['two-people']],
      ['Observation?_filter=patient.birthdate%20pr%20false', ['outside']],
      // Words are in no index: the containers are read.
      ['MedicationRequest?medication.code:text=drug%20asp', ['contains', 'refers']],
      ['MedicationRequest?medication.code:text=mixture', ['mixture']],
      ['MedicationRequest?medication.code:text=mixture,ibuprofen', ['mixture', 'other']],
      ['MedicationRequest?medication.code:text=spirin', []],
      ['MedicationRequest?medication.ingredient.code:text=aspirin', ['mixture']],
      ['MedicationRequest?medication.ingredient.code:text=mixture', []],
      [
        'MedicationRequest?medication.code:text=aspirin&medication.status:missing=true',
        ['contains', 'refers'],
      ],
      ['MedicationRequest?medication._content=aspirin', ['contains', 'refers']],
      ['Patient?_has:MedicationRequest:patient:medication.code:text=ibuprofen', ['ann']],
      ['Observation?patient.name:text=lake', ['two-people']],
      ['Observation?patient.name:text=hill', []],
      ['Observation?focus:Patient.name:text=hill', ['two-people']],
      ['Observation?performer.name:text=house%20AND%20inner', ['two-people']],
      [`Observation?patient.name=${'l'.repeat(201)}`, ['two-people']],
      [`Observation?patient.name=${'l'.repeat(202)}`, []],
      [`Observation?patient.name:contains=${'l'.repeat(200)}`, ['two-people']],
      // A contained resource is not a resource of its own.
      ['Medication?code=aspirin', ['stored']],
      ['Patient?name=lake', []],
      ['Patient?_id=p', []],
    ])('%s finds %j', async (query, expected) => {
      expect(await find(query)).toEqual(expected);
      expect(await find(`${query}&_sort=-_lastUpdated`)).toEqual(expected);
      const total = await server.request(
        'GET',
        `${server.path('system', release)}/${query}&_total=accurate&_count=1`,
      );
      expect(total.json.total).toBe(expected.length);
    });

    it('_contained=false is the default, and invalid values are refused', async () => {
      expect(await find('Medication?code=aspirin&_contained=false&_containedType=container')).toEqual([
        'stored',
      ]);
      for (const query of ['_contained=maybe', '_contained=false&_containedType=x']) {
        const path = `${server.path('system', release)}/Medication?${query}`;
        const { status, text } = await server.request('GET', path);
        expect([query, status]).toEqual([query, 400]);
        expect(text).toMatch(/it can be (false, true, both|container, contained)"/);
      }
    });

    it('the rows of contained resources go when they are changed or their container is deleted', async () => {
      const path = `${server.path('system', release)}/MedicationRequest/changing`;
      const put = (code: string): ReturnType<SharedServer['request']> =>
        server.request('PUT', path, JSON.stringify(request('changing', '#m', [medication('m', code)])));
      await put('first');
      expect(await find('MedicationRequest?medication.code=first')).toEqual(['changing']);
      await put('second');
      expect(await find('MedicationRequest?medication.code=first')).toEqual([]);
      expect(await find('MedicationRequest?medication.code=second')).toEqual(['changing']);
      await server.request('DELETE', path);
      expect(await find('MedicationRequest?medication.code=second')).toEqual([]);
    });
  });

  it('for words at most 10,000 containers are read', async () => {
    await server.createTenant('full');
    await storeAll(server, 'r4', [request('one', '#m', [medication('m', 'aspirin')])], 'full');
    const query = 'MedicationRequest?medication.code:text=aspirin';
    expect(await finder(server, 'r4', 'full')(query)).toEqual(['one']);
    const owner = await connectTo(server);
    await owner.query(
      `create temp table copy as
         select t.*, n from andiron.token_index t, generate_series(1, 10000) as n
         where t.space = ${await owner.spaceOf('full', 'r4')}
           and t.parameter between ${ROW_SCHEME.contained} and ${ROW_SCHEME.containedId};
       update copy set resource_key = -n;
       alter table copy drop column n;
       insert into andiron.token_index select * from copy`,
    );
    await owner.close();
    const { status, text } = await server.request('GET', `${server.path('full', 'r4')}/${query}`);
    expect([status, text]).toEqual([
      422,
      expect.stringContaining('More than 10000 resources of the type MedicationRequest contain'),
    ]);
  });
});
