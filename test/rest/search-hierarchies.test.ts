/** `:above` and `:below` of references, by R4's search.html#recursive. */
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { finder, storeAll, type Entry } from '../support/stored';
import { TESTED_RELEASES } from '../support/releases';

const location = (id: string, partOf?: string): object => ({
  resourceType: 'Location',
  id,
  ...(partOf === undefined ? {} : { partOf: { reference: `Location/${partOf}` } }),
});
const encounter = (id: string, where: string, partOf?: string): object => ({
  resourceType: 'Encounter',
  id,
  status: 'finished',
  class: { code: 'IMP' },
  location: [{ location: { reference: `Location/${where}` } }],
  ...(partOf === undefined ? {} : { partOf: { reference: `Encounter/${partOf}` } }),
});
const procedure = (id: string, day: string, where: string): object => ({
  resourceType: 'Procedure',
  id,
  status: 'completed',
  subject: { reference: 'Patient/ann' },
  performedDateTime: `2020-01-${day}`,
  location: { reference: `Location/${where}` },
});

const CARE_PLAN = {
  resourceType: 'CarePlan',
  status: 'active',
  intent: 'plan',
  subject: { reference: 'Patient/ann' },
};

const RESOURCES: readonly object[] = [
  { resourceType: 'Patient', id: 'ann' },
  location('hospital'),
  location('wing', 'hospital'),
  location('ward', 'wing'),
  location('room', 'ward'),
  location('elsewhere'),
  location('annex', 'gone'),
  location('round', 'about'),
  location('about', 'round'),
  encounter('stay', 'hospital'),
  encounter('operation', 'ward', 'stay'),
  encounter('visit', 'elsewhere'),
  procedure('in-hospital', '01', 'hospital'),
  procedure('in-ward', '02', 'ward'),
  procedure('in-room', '03', 'room'),
  procedure('in-elsewhere', '04', 'elsewhere'),
  procedure('in-gone', '05', 'gone'),
  procedure('in-round', '06', 'round'),
  {
    resourceType: 'MedicationAdministration',
    id: 'during-stay',
    status: 'completed',
    medicationCodeableConcept: { text: 'aspirin' },
    subject: { reference: 'Patient/ann' },
    context: { reference: 'Encounter/stay' },
    effectiveDateTime: '2020-01-01',
  },
  {
    resourceType: 'Observation',
    id: 'of-ward',
    status: 'final',
    code: { text: 'temperature' },
    subject: { reference: 'Location/ward' },
    encounter: { reference: 'Encounter/operation' },
  },
  { ...CARE_PLAN, id: 'whole' },
  { ...CARE_PLAN, id: 'part', partOf: [{ reference: 'CarePlan/whole' }] },
  { ...CARE_PLAN, id: 'part-of-part', partOf: [{ reference: 'CarePlan/part' }] },
  { ...CARE_PLAN, id: 'based', basedOn: [{ reference: 'CarePlan/part' }] },
];

const IN_HOSPITAL = ['in-hospital', 'in-room', 'in-ward'];

describe('hierarchies of references', () => {
  let server: SharedServer;
  beforeAll(async () => {
    server = await openSharedServer();
  });
  afterAll(() => server.close());

  describe.each(TESTED_RELEASES)('under %s', (release) => {
    beforeAll(() => storeAll(server, release, RESOURCES));
    const find = (query: string): Promise<string[]> => finder(server, release)(query);
    const search = (query: string): ReturnType<SharedServer['request']> =>
      server.request('GET', `${server.path('system', release)}/${query}`);

    it.each<[string, string[]]>([
      // "not only all procedures that occurred at location with id 42, but also … in locations that are part of" it
      ['Procedure?location:below=hospital', IN_HOSPITAL],
      ['Procedure?location:below=Location/hospital', IN_HOSPITAL],
      ['Procedure?location:below=ward', ['in-room', 'in-ward']],
      ['Procedure?location:below=room,elsewhere', ['in-elsewhere', 'in-room']],
      ['Procedure?location:below=nowhere', []],
      ['Procedure?location:below=hospital&date=ge2020-01-02', ['in-room', 'in-ward']],
      ['Procedure?location:below=hospital&location:above=ward', ['in-hospital', 'in-ward']],
      // "during encounter with id 21 or during any parent encounter of that encounter"
      ['MedicationAdministration?context:above=Encounter/operation', ['during-stay']],
      ['MedicationAdministration?context:above=operation', ['during-stay']],
      ['MedicationAdministration?context:above=visit', []],
      ['Procedure?location:above=room', IN_HOSPITAL],
      ['Procedure?location:above=wing', ['in-hospital']],
      // A missing resource is above and below nevertheless.
      ['Procedure?location:below=gone', ['in-gone']],
      ['Procedure?location:above=annex', ['in-gone']],
      ['Location?partof:below=gone', ['annex']],
      ['Location?partof:below=hospital', ['room', 'ward', 'wing']],
      ['Location?partof:above=room', ['room', 'ward', 'wing']],
      // Circles end by themselves.
      ['Procedure?location:below=round', ['in-round']],
      ['Location?partof:below=about', ['about', 'round']],
      ['Location?partof:above=about', ['about', 'round']],
      // Most of the types of a subject make no hierarchy.
      ['Observation?subject:below=Location/hospital', ['of-ward']],
      ['Observation?subject:below=Location/wing', ['of-ward']],
      ['Observation?encounter:below=stay', ['of-ward']],
      ['Observation?encounter.location:below=wing', ['of-ward']],
      ['Encounter?_has:Observation:encounter:subject:below=Location/wing', ['operation']],
      ['CarePlan?part-of:below=whole', ['part', 'part-of-part']],
      ['CarePlan?based-on:below=whole', []],
      ['CarePlan?based-on:below=part', ['based']],
    ])('%s finds %j', async (query, expected) => {
      expect(await find(query)).toEqual(expected);
      expect(await find(`${query}&_sort=-_lastUpdated`)).toEqual(expected);
      expect((await search(`${query}&_summary=count`)).json.total).toBe(expected.length);
    });

    it('pages and sorts', async () => {
      const found: string[] = [];
      let path: string | undefined = `${server.path('system', release)}/Procedure?location:below=hospital`;
      path += '&_sort=-date&_count=2';
      while (path !== undefined) {
        const { json } = await server.request('GET', path);
        found.push(...((json.entry ?? []) as Entry[]).map(({ resource }) => resource.id));
        const links = json.link as { relation: string; url: string }[];
        path = links.find(({ relation }) => relation === 'next')?.url.replace(/^https?:\/\/[^/]+/, '');
      }
      expect(found).toEqual(['in-room', 'in-ward', 'in-hospital']);
    });

    it('ends where a resource in between was deleted', async () => {
      await storeAll(server, release, [location('floor', 'annex'), location('corner', 'floor')]);
      expect(await find('Location?partof:below=annex')).toEqual(['corner', 'floor']);
      for (const id of ['floor', 'corner']) {
        await server.request('DELETE', `${server.path('system', release)}/Location/${id}`);
        expect(await find('Location?partof:below=annex')).toEqual([]);
      }
    });

    it.each<[string, string]>([
      ['Procedure?subject:below=Patient/ann', 'have no hierarchy'],
      ['Procedure?patient:above=ann', 'have no hierarchy'],
      ['QuestionnaireResponse?questionnaire:above=urn:x', 'have no hierarchy'],
      ['Procedure?location:below=Patient/ann', 'it is Location/id of this server'],
      ['Procedure?location:below=urn:elsewhere', 'it is Location/id of this server'],
      ['Procedure?based-on:below=CarePlan/whole', 'several hierarchies (based-on, part-of, replaces)'],
      ['Procedure?location:under=hospital', 'below, above'],
    ])('%s is refused: %s', async (query, reason) => {
      const { status, text } = await search(query);
      expect([status, text]).toEqual([400, expect.stringContaining(reason)]);
    });
  });

  it('resources of another tenant are not part of it', async () => {
    await server.createTenant('other');
    const others = [
      { resourceType: 'Patient', id: 'ann' },
      location('cell', 'hospital'),
      procedure('in-cell', '01', 'cell'),
    ];
    await storeAll(server, 'r4', others, 'other');
    expect(await finder(server, 'r4')('Procedure?location:below=hospital')).toEqual(IN_HOSPITAL);
    expect(await finder(server, 'r4', 'other')('Procedure?location:below=hospital')).toEqual(['in-cell']);
  });
});
