/** Access to the targets of a patient's record, and to the resource of the signed-in person (docs/run/access-rules.md, Scopes). */
import { administerWell } from '../support/access';
import { SmartTenant } from '../support/smart-app';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

const IDENTITY = 'openid fhirUser launch/patient';
const TYPES = ['Practitioner', 'Organization', 'Location', 'Medication', 'Device'];
let server: SharedServer;

beforeAll(async () => {
  server = await openSharedServer('enforced');
});
afterAll(() => server.close());

/** A record of a patient with the five resources that it refers to; all ids begin with the patient's name. */
function recordOf(name: string) {
  const subject = { reference: `Patient/${name}` };
  const to = (type: string) => ({ reference: `${type}/${name}-${type}` });
  const text = { text: 'x' };
  return [
    { resourceType: 'Patient', id: name },
    { resourceType: 'Practitioner', id: `${name}-Practitioner`, name: [{ family: `Doctor${name}` }] },
    { resourceType: 'Organization', id: `${name}-Organization`, name: `Clinic of ${name}` },
    { resourceType: 'Location', id: `${name}-Location`, name: `Ward of ${name}` },
    { resourceType: 'Medication', id: `${name}-Medication`, code: text },
    { resourceType: 'Device', id: `${name}-Device` },
    {
      ...{ resourceType: 'Observation', id: `${name}-weight`, status: 'final', code: text, subject },
      ...{ performer: [to('Practitioner')], device: to('Device') },
      category: [{ coding: [{ system: 'http://x.example', code: 'vital-signs' }] }],
    },
    {
      ...{ resourceType: 'Encounter', id: `${name}-visit`, status: 'finished', subject },
      ...{
        class: { code: 'AMB' },
        serviceProvider: to('Organization'),
        location: [{ location: to('Location') }],
      },
    },
    {
      ...{
        resourceType: 'MedicationRequest',
        id: `${name}-order`,
        status: 'active',
        intent: 'order',
        subject,
      },
      medicationReference: to('Medication'),
    },
  ];
}

describe.each(TESTED_RELEASES)('an app with the record of a patient, in %s', (release) => {
  let smart: SmartTenant;
  let token: string;
  const idsOf = (bundle: { entry?: { resource: { id: string } }[] }): string[] =>
    (bundle.entry ?? []).map(({ resource }) => resource.id).sort();
  const search = async (query: string, by = token) => {
    const { status, json } = await smart.get(query, by);
    return status === 200 ? idsOf(json) : status;
  };
  const read = async (path: string, by = token) => (await smart.get(path, by)).status;
  const tokenOf = async (scope: string, user = 'ann') =>
    (await smart.token({ scope: `${IDENTITY} ${scope}`, user })).access_token;

  beforeAll(async () => {
    smart = await SmartTenant.make(server, `referenced-${release}`, release);
    await smart.put(
      ...recordOf('ann'),
      ...recordOf('ben'),
      { resourceType: 'Practitioner', id: 'nobodys', name: [{ family: 'Doctornobody' }] },
      { resourceType: 'Practitioner', id: 'focus' },
      { resourceType: 'RelatedPerson', id: 'mother', patient: { reference: 'Patient/ann' } },
      {
        ...{ resourceType: 'Observation', id: 'ann-lab', status: 'final', code: { text: 'x' } },
        ...{ subject: { reference: 'Patient/ann' }, performer: [{ reference: 'Practitioner/lab' }] },
        focus: [{ reference: 'Practitioner/focus' }],
        category: [{ coding: [{ system: 'http://x.example', code: 'laboratory' }] }],
      },
      { resourceType: 'Practitioner', id: 'lab' },
    );
    await smart.addPerson('ann', 'Patient/ann');
    await smart.addPerson('mother', 'RelatedPerson/mother');
    await smart.addPerson('doc', 'Practitioner/nobodys');
    token = await tokenOf('patient/*.cruds');
  });

  it.each(TYPES)('reads and finds the %s that the record refers to, and no other', async (type) => {
    const [mine, theirs] = [`ann-${type}`, `ben-${type}`];
    expect(await read(`${type}/${mine}`)).toBe(200);
    expect(await read(`${type}/${theirs}`)).toBe(404);
    const more = type === 'Practitioner' ? ['lab'] : [];
    expect(await search(type)).toEqual([mine, ...more]);
    expect(await search(`${type}?_id=${mine},${theirs},nobodys`)).toEqual([mine]);
    const { json } = await smart.get(`${type}?_summary=count`, token);
    expect(json.total).toBe(1 + more.length);
    const own = await tokenOf(
      `patient/${type}.rs patient/Observation.rs patient/Encounter.rs patient/MedicationRequest.rs`,
    );
    expect([await read(`${type}/${mine}`, own), await search(type, own)]).toEqual([200, [mine, ...more]]);
  });

  it('follows the same rule in chains, _has, includes, histories and GraphQL', async () => {
    expect(await search('Observation?performer:Practitioner.family=Doctorann')).toEqual(['ann-weight']);
    expect(await search('Observation?performer:Practitioner.family=Doctorben')).toEqual([]);
    expect(await search('Practitioner?_has:Observation:performer:status=final')).toEqual([
      'ann-Practitioner',
      'lab',
    ]);
    expect(await search('Practitioner?family=Doctor')).toEqual(['ann-Practitioner']);
    expect(await search('Practitioner?_sort=family')).toEqual(['ann-Practitioner', 'lab']);
    expect(await search('Observation?_include=*&_id=ann-weight')).toEqual([
      'ann',
      'ann-Device',
      'ann-Practitioner',
      'ann-weight',
    ]);
    expect(await search('Observation?_include=Observation:focus&_id=ann-lab')).toEqual(['ann-lab']);
    expect(await search('Practitioner?_revinclude=Observation:performer&_id=ben-Practitioner')).toEqual([]);
    const history = await smart.get('Practitioner/_history', token);
    expect([history.status, idsOf(history.json)]).toEqual([200, ['ann-Practitioner', 'lab']]);
    expect(await read('Practitioner/ann-Practitioner/_history/1')).toBe(200);
    expect(await read('Practitioner/ben-Practitioner/_history/1')).toBe(404);
    expect(await read('Practitioner/ben-Practitioner/_history')).toBe(404);
    const graphql = await server.request(
      'POST',
      `/w/${smart.tenant}/api/v1/fhir/${release}/$graphql`,
      {
        query:
          '{ mine: Practitioner(id: "ann-Practitioner") { id } theirs: Practitioner(id: "ben-Practitioner") { id } PractitionerList(_sort: "_id") { id } }',
      },
      { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    );
    expect(graphql.json.data).toEqual({
      mine: { id: 'ann-Practitioner' },
      theirs: null,
      PractitionerList: [{ id: 'ann-Practitioner' }, { id: 'lab' }],
    });
  });

  it('sees no resource by a reference that may lead to any type', async () => {
    expect(await read('Practitioner/focus')).toBe(404);
  });

  it('sees only what resources refer to that it may read itself', async () => {
    const labs = 'patient/Observation.rs?category=http://x.example|laboratory';
    const ofLabs = await tokenOf(`patient/Practitioner.rs ${labs}`);
    expect([
      await search('Practitioner', ofLabs),
      await read('Practitioner/ann-Practitioner', ofLabs),
    ]).toEqual([['lab'], 404]);
    const ofVisits = await tokenOf('patient/Organization.rs patient/Encounter.rs');
    expect(await search('Organization', ofVisits)).toEqual(['ann-Organization']);
    expect([await search('Practitioner', ofVisits), await read('Practitioner/lab', ofVisits)]).toEqual([
      403, 403,
    ]);
    const searching = await tokenOf('patient/Practitioner.rs patient/Observation.s');
    expect(await read('Practitioner/lab', searching)).toBe(404);
  });

  it('changes none of them', async () => {
    for (const [method, body] of [
      ['PUT', { resourceType: 'Practitioner', id: 'ann-Practitioner' }],
      ['DELETE', undefined],
      ['PATCH', [{ op: 'add', path: '/active', value: true }]],
    ] as const) {
      const answer = await server.request(method, `${smart.root}/Practitioner/ann-Practitioner`, body, {
        ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      });
      expect([method, answer.status]).toEqual([method, 403]);
    }
  });

  it('no longer sees what the record no longer refers to', async () => {
    await smart.put(
      { resourceType: 'Organization', id: 'former', name: 'Former' },
      {
        ...{ resourceType: 'Encounter', id: 'ann-former', status: 'finished', class: { code: 'AMB' } },
        ...{ subject: { reference: 'Patient/ann' }, serviceProvider: { reference: 'Organization/former' } },
      },
    );
    expect(await read('Organization/former')).toBe(200);
    const { status } = await server.request('DELETE', `${smart.root}/Encounter/ann-former`, undefined, {
      authorization: smart.writer.basic,
    });
    expect([status, await read('Organization/former')]).toEqual([200, 404]);
  });

  it('sees nothing by a reference in a hidden element', async () => {
    const hiding = await SmartTenant.make(server, `hiding-${release}`, release, { policies: ['hide'] });
    const rules = [{ types: ['*'], interactions: 'cruds' }];
    const policy = { rules, hidden: ['Observation.performer'] };
    await administerWell(server, 'PUT', `/tenants/${hiding.tenant}/policies/hide`, policy);
    await hiding.put(...recordOf('ann'));
    await hiding.addPerson('ann', 'Patient/ann');
    const { access_token: by } = await hiding.token({ scope: 'launch/patient patient/*.rs' });
    const statuses = [];
    for (const type of ['Practitioner', 'Device'])
      statuses.push((await hiding.get(`${type}/ann-${type}`, by)).status);
    expect(statuses).toEqual([404, 200]);
  });

  it.each([
    ['ann', 'Patient/ann', 'Patient/ben'],
    ['mother', 'RelatedPerson/mother', 'Practitioner/nobodys'],
    ['doc', 'Practitioner/nobodys', 'Practitioner/lab'],
  ])(
    'reads the resource of the person who signed in, and learns no more by that: %s',
    async (user, own, other) => {
      const { access_token: by } = await smart.token({ scope: 'openid fhirUser', user });
      expect([await read(own, by), await read(other, by)]).toEqual([
        200,
        own.split('/')[0] === other.split('/')[0] ? 404 : 403,
      ]);
      expect(await search(own.split('/')[0] ?? '', by)).toBe(403);
      const { access_token: without } = await smart.token({ scope: 'openid offline_access', user });
      expect(await read(own, without)).toBe(403);
    },
  );
});
