/** Chains and `_has`, by R4's search.html#chaining and #has, however many resources the inner criteria find. */
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { finder, storeAll, type Entry } from '../support/stored';
import { TESTED_RELEASES } from '../support/releases';

const LOINC = 'http://loinc.org';

function observation(id: string, code: string, subject: string, more: object = {}): object {
  return {
    resourceType: 'Observation',
    id,
    status: 'final',
    code: { coding: [{ system: LOINC, code }] },
    subject: { reference: subject },
    ...more,
  };
}

const RESOURCES: readonly object[] = [
  { resourceType: 'Organization', id: 'clinic', name: 'Clinic of the Lake' },
  {
    resourceType: 'Organization',
    id: 'ward',
    name: 'Ward Three',
    partOf: { reference: 'Organization/clinic' },
  },
  {
    resourceType: 'Patient',
    id: 'ann',
    name: [{ family: 'Müller', given: ['Ann'] }],
    gender: 'female',
    birthDate: '1980-02-03',
    managingOrganization: { reference: 'Organization/ward' },
  },
  {
    resourceType: 'Patient',
    id: 'bob',
    name: [{ family: 'Mueller-Lyer', given: ['Bob'] }],
    gender: 'male',
    birthDate: '1990',
    managingOrganization: { reference: 'Organization/clinic' },
  },
  { resourceType: 'Patient', id: 'nameless' },
  {
    resourceType: 'Group',
    id: 'friends',
    type: 'person',
    actual: true,
    member: [{ entity: { reference: 'Patient/ann' } }],
  },
  {
    resourceType: 'Encounter',
    id: 'visit',
    status: 'finished',
    class: { code: 'AMB' },
    subject: { reference: 'Patient/ann' },
    period: { start: '2020-05-05', end: '2020-05-06' },
  },
  observation('weight', '29463-7', 'Patient/ann', {
    effectiveDateTime: '2020-05-05',
    encounter: { reference: 'Encounter/visit' },
  }),
  observation('pulse', '8867-4', 'Patient/ann/_history/1', { effectiveDateTime: '2020-06-01' }),
  observation('other-weight', '29463-7', 'Patient/bob', { effectiveDateTime: '2019-01-01' }),
  observation('of-friends', '29463-7', 'Group/friends'),
  observation('dangling', '29463-7', 'Patient/nobody'),
  {
    resourceType: 'Questionnaire',
    id: 'form',
    url: 'http://example.org/Questionnaire/form',
    version: '2',
    status: 'active',
    publisher: 'Acme',
  },
  {
    resourceType: 'QuestionnaireResponse',
    id: 'filled',
    status: 'completed',
    questionnaire: 'http://example.org/Questionnaire/form',
    subject: { reference: 'Patient/ann' },
  },
  {
    resourceType: 'QuestionnaireResponse',
    id: 'filled-older',
    status: 'amended',
    questionnaire: 'http://example.org/Questionnaire/form|1',
  },
  {
    resourceType: 'QuestionnaireResponse',
    id: 'filled-same',
    status: 'completed',
    questionnaire: 'http://example.org/Questionnaire/form|2',
  },
  observation('of-nameless', '8867-4', 'Patient/nameless'),
];

describe.each([
  ['found from the inside', 'open'],
  ['tested one by one', 'scanning'],
] as const)('chains that are %s', (_how, kind) => {
  let server: SharedServer;
  beforeAll(async () => {
    server = await openSharedServer(kind);
  });
  afterAll(() => server.close());

  describe.each(TESTED_RELEASES)('under %s', (release) => {
    beforeAll(() => storeAll(server, release, RESOURCES));

    const find = (query: string): Promise<string[]> => finder(server, release)(query);

    it.each<[string, string[]]>([
      ['Observation?subject:Patient.name=mull', ['pulse', 'weight']],
      ['Observation?subject:Patient.name=ann', ['pulse', 'weight']],
      ['Observation?patient.name=mue', ['other-weight']],
      ['Observation?patient.name=muller,mueller', ['other-weight', 'pulse', 'weight']],
      ['Observation?subject.gender=male', ['other-weight']],
      ['Observation?subject.name=nobody', []],
      ['Observation?subject:Group.type=person', ['of-friends']],
      ['Observation?patient.birthdate=ge1985', ['other-weight']],
      ['Observation?patient.birthdate=lt1985&code=29463-7', ['weight']],
      ['Observation?patient.gender=female&patient.name=bob', []],
      ['Observation?patient.gender:not=male', ['of-nameless', 'pulse', 'weight']],
      ['Observation?patient.gender:missing=true', ['of-nameless']],
      ['Observation?patient.name:exact=M%C3%BCller', ['pulse', 'weight']],
      ['Observation?patient.name:contains=lyer', ['other-weight']],
      ['Observation?patient._id=bob', ['other-weight']],
      ['Observation?patient.organization.name=clinic', ['other-weight']],
      ['Observation?patient.organization.partof.name=clinic', ['pulse', 'weight']],
      [
        'Observation?patient:Patient.organization:Organization.partof:Organization.name:contains=LAKE',
        ['pulse', 'weight'],
      ],
      ['Observation?encounter.date=2020-05&patient.gender=female', ['weight']],
      ['Observation?subject:Group.member.name=ann', ['of-friends']],
      ['Observation?subject:Patient._has:Group:member:type=person', ['pulse', 'weight']],
      ['Patient?_has:Observation:patient:code=29463-7', ['ann', 'bob']],
      ['Patient?_has:Observation:subject:code=8867-4', ['ann', 'nameless']],
      ['Patient?_has:Observation:patient:code=8867-4&_has:Observation:patient:code=29463-7', ['ann']],
      ['Patient?_has:Observation:patient:code:not=8867-4', ['ann', 'bob']],
      ['Patient?_has:Observation:patient:encounter.status=finished', ['ann']],
      ['Patient?_has:Group:member:_has:Observation:subject:code=29463-7', ['ann']],
      ['Patient?_has:Observation:patient:date=2019&gender=male', ['bob']],
      ['Patient?_has:Group:member:actual=true&name=mull', ['ann']],
      ['Organization?_has:Patient:organization:_has:Observation:patient:code=8867-4', ['ward']],
      ['Organization?_has:Organization:partof:_has:Patient:organization:name=ann', ['clinic']],
      ['Patient?_has:Observation:patient:_lastUpdated=lt2000', []],
      ['QuestionnaireResponse?questionnaire.publisher=acme', ['filled', 'filled-same']],
      ['QuestionnaireResponse?questionnaire:Questionnaire.status=active', ['filled', 'filled-same']],
      ['QuestionnaireResponse?questionnaire.status:not=active', []],
      ['Questionnaire?_has:QuestionnaireResponse:questionnaire:status=completed', ['form']],
      ['Questionnaire?_has:QuestionnaireResponse:questionnaire:status=amended', []],
      ['Questionnaire?_has:QuestionnaireResponse:questionnaire:subject:Patient.name=ann', ['form']],
      ['QuestionnaireResponse?subject.general-practitioner:Organization.name=a', []],
      ['Patient?name:contains=LYER', ['bob']],
      ['Patient?name:contains=%25', []],
      ['Patient?family:contains=l', ['ann', 'bob']],
    ])('%s finds %j', async (query, expected) => {
      expect(await find(query)).toEqual(expected);
      expect(await find(`${query}&_sort=-_lastUpdated`)).toEqual(expected);
      const { json } = await server.request(
        'GET',
        `${server.path('system', release)}/${query}&_total=accurate&_count=1`,
      );
      expect(json.total).toBe(expected.length);
    });

    it.each<[string, string | undefined]>([
      ['Observation?patient.name=ann', 'subject'],
      ['Observation?patient.name=ann&_include=Observation:encounter', 'subject'],
      ['Observation?patient.name=ann&_summary=true', 'subject'],
      ['Observation?patient.name=ann&_sort=code', 'subject'],
      ['Observation?_filter=code%20pr%20false%20or%20patient.name%20co%20ann', 'subject'],
      ['?_type=Observation,Encounter&subject:Patient.name=ann', 'subject'],
      ['Observation?patient.name=ann&code=29463-7', undefined],
      ['Observation?patient.name=bob', undefined],
      ['Observation?encounter.status=finished', undefined],
      ['Observation?code=8867-4', undefined],
      ['Observation?subject=Patient/ann', undefined],
    ])('%s warns that a chain uses current versions: %s', async (query, code) => {
      const { status, json } = await server.request('GET', `${server.path('system', release)}/${query}`);
      expect(status).toBe(200);
      const entries = (json.entry ?? []) as Entry[];
      expect(entries.filter(({ search }) => search.mode === 'outcome')).toEqual(
        code === undefined
          ? []
          : [
              {
                search: { mode: 'outcome' },
                resource: expect.objectContaining({
                  issue: [
                    expect.objectContaining({
                      severity: 'warning',
                      diagnostics: expect.stringContaining(
                        `a version by ${code}; the search used the current`,
                      ),
                    }),
                  ],
                }),
              },
            ],
      );
      const { entry: [pulse] = [] } = (
        await server.request('GET', `${server.path('system', release)}/Observation?_id=pulse`)
      ).json as { entry?: { resource: { subject: { reference: string } } }[] };
      expect(pulse?.resource.subject.reference).toBe('Patient/ann/_history/1');
    });

    it('_revinclude includes resources that refer to a resource by its canonical', async () => {
      const query = 'Questionnaire?_revinclude=QuestionnaireResponse:questionnaire';
      const { json } = await server.request('GET', `${server.path('system', release)}/${query}`);
      const ids = ((json.entry ?? []) as Entry[]).map(({ resource }) => resource.id).sort();
      expect(ids).toEqual(['filled', 'filled-same', 'form']);
    });

    it.each<[string, number, string]>([
      ['Observation?subject:Schedule.date=2020', 400, 'Device'],
      ['Observation?subject.nothing=x', 400, 'nothing'],
      ['Observation?code.name=x', 400, 'code.name'],
      ['Observation?subject:Nothing.name=x', 400, 'Nothing'],
      ['Observation?patient.birthdate=yesterday', 400, 'yesterday'],
      ['Observation?patient.name:nothing=x', 400, 'nothing'],
      ['Patient?_has:Observation:patient=x', 400, '_has:Type'],
      ['Patient?_has:Nothing:patient:code=x', 400, 'Nothing'],
      ['Patient?_has:Observation:encounter:code=x', 400, 'encounter'],
      ['Patient?_has:Observation:code:code=x', 400, 'code'],
      ['Patient?_has:Observation:patient:nothing=x', 400, 'nothing'],
      [`Organization?${'partof.'.repeat(10)}name=x`, 200, 'searchset'],
      [`Organization?${'partof.'.repeat(11)}name=x`, 422, 'links'],
    ])('%s is answered with %i, which names %s', async (query, status, named) => {
      const answer = await server.request('GET', `${server.path('system', release)}/${query}`);
      expect(answer.status).toBe(status);
      expect(answer.text).toContain(named);
    });
  });
});
