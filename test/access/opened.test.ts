/** Which resources a reference of a patient's record opens (docs/run/access-rules.md, What a record refers to). */
import { administerWell } from '../support/access';
import { TESTED_RELEASES } from '../support/releases';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { SmartTenant } from '../support/smart-app';

const to = (reference: string) => ({ reference });
const text = { text: 'x' };
const ANN = to('Patient/ann');
const BOB = to('Patient/bob');

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer('enforced');
});
afterAll(() => server.close());

describe.each(TESTED_RELEASES)('a reference of the record of ann, in %s', (release) => {
  let smart: SmartTenant;
  let app: string;
  /** An Observation of ann that refers to a Device; a ServiceRequest, a study. */
  const scan = (id: string, device: string) => ({
    ...{ resourceType: 'Observation', id, status: 'final', code: text, subject: ANN },
    device: to(`Device/${device}`),
  });
  const task = (id: string, more: object) => ({
    ...{ resourceType: 'Task', id, status: 'requested', intent: 'order', ...more },
  });
  const read = async (path: string, by = app) => (await smart.get(path, by)).status;
  const found = async (query: string): Promise<string[]> => {
    const { json } = await smart.get(query, app);
    return ((json.entry ?? []) as { resource: { id: string } }[]).map(({ resource }) => resource.id).sort();
  };
  const set = (value: string | null) =>
    administerWell(server, 'PATCH', `/tenants/${smart.tenant}`, { settings: { 'record-opens': value } });

  beforeAll(async () => {
    smart = await SmartTenant.make(server, `opened-${release}`, release);
    await administerWell(server, 'PATCH', `/tenants/${smart.tenant}`, {
      settings: { validation: 'structure' },
    });
    await smart.put(
      { resourceType: 'Patient', id: 'ann' },
      { resourceType: 'Patient', id: 'bob' },
      { resourceType: 'Device', id: 'scanner' },
      { resourceType: 'Device', id: 'implant', patient: ANN },
      { resourceType: 'Device', id: 'bobs', patient: BOB },
      { resourceType: 'Device', id: 'named', patient: { display: 'somebody' } },
      scan('a1', 'scanner'),
      scan('a2', 'implant'),
      scan('a3', 'bobs'),
      scan('a4', 'named'),
      task('own', { for: ANN }),
      task('theirs', { for: BOB }),
      task('both', { for: ANN, requester: BOB }),
      task('nobodys', {}),
      {
        ...{ resourceType: 'ImagingStudy', id: 'tasks', status: 'available', subject: ANN },
        basedOn: ['own', 'theirs', 'both', 'nobodys'].map((id) => to(`Task/${id}`)),
      },
      { resourceType: 'ResearchStudy', id: 'study', status: 'active' },
      { resourceType: 'ResearchStudy', id: 'other', status: 'active' },
      {
        ...{ resourceType: 'ResearchSubject', id: 's1', status: 'candidate' },
        ...{ study: to('ResearchStudy/study'), individual: ANN },
      },
      {
        ...{ resourceType: 'Endpoint', id: 'viewer', status: 'active', address: 'https://images.example' },
        ...{ connectionType: { code: 'dicom-wado-rs' }, payloadType: [text] },
        header: ['Authorization: Bearer secret'],
      },
      {
        ...{ resourceType: 'ImagingStudy', id: 'i1', status: 'available', subject: ANN },
        endpoint: [to('Endpoint/viewer')],
        contained: [
          {
            ...{
              resourceType: 'Endpoint',
              id: 'inside',
              status: 'active',
              address: 'https://images.example',
            },
            ...{ connectionType: { code: 'dicom-wado-rs' }, payloadType: [text] },
            header: ['Authorization: Bearer secret'],
          },
        ],
        series: [{ uid: '1', modality: { code: 'CT' }, endpoint: [to('#inside')] }],
      },
    );
    await smart.addPerson('ann', 'Patient/ann');
    app = (await smart.token({ scope: 'openid fhirUser launch/patient patient/*.rs' })).access_token;
  });

  it('opens a Device that is hers or nobody’s, and none of others', async () => {
    expect(await found('Device')).toEqual(['implant', 'scanner']);
    const statuses = [];
    for (const id of ['implant', 'scanner', 'bobs', 'named']) statuses.push(await read(`Device/${id}`));
    expect(statuses).toEqual([200, 200, 404, 404]);
    expect(await found('Observation?_include=Observation:device&_id=a1,a2,a3')).toEqual([
      ...['a1', 'a2', 'a3', 'implant', 'scanner'],
    ]);
  });

  it('opens a Task that names her and nobody else', async () => {
    expect(await found('Task')).toEqual(['own']);
    expect(await found('ImagingStudy?_id=tasks&_include=ImagingStudy:basedon')).toEqual(['own', 'tasks']);
    expect([await read('Task/both'), await read('Task/nobodys')]).toEqual([404, 404]);
  });

  it('opens what names no Patient only by a setting of the tenant, which takes effect at once', async () => {
    expect([await read('ResearchStudy/study'), await read('Endpoint/viewer')]).toEqual([403, 403]);
    await set('ResearchStudy,Endpoint');
    const statuses = [];
    for (const path of ['ResearchStudy/study', 'ResearchStudy/other', 'Endpoint/viewer', 'Slot/x'])
      statuses.push(await read(path));
    expect(statuses).toEqual([200, 404, 200, 403]);
    const refused = await server.administer('PATCH', `/tenants/${smart.tenant}`, {
      settings: { 'record-opens': 'ResearchStudy,Practitioner' },
    });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('PlanDefinition')]);
  });

  it('never shows the headers of an Endpoint, also of one that is contained', async () => {
    await set('Endpoint');
    for (const path of ['Endpoint/viewer', 'ImagingStudy/i1', 'ImagingStudy/i1/_history/1']) {
      const { status, text: shown } = await smart.get(path, app);
      expect([path, status, shown]).toEqual([path, 200, expect.stringContaining('images.example')]);
      expect(shown).not.toContain('secret');
    }
    const { text: whole } = await smart.get('Patient/ann/$everything', app);
    expect(whole).toContain('images.example');
    expect(whole).not.toContain('secret');
    expect(
      (
        await server.request('GET', `${smart.root}/Endpoint/viewer`, undefined, {
          authorization: smart.writer.basic,
        })
      ).text,
    ).toContain('secret');
  });
});
