/** Resources that a reference of a patient's record opens (docs/run/access-rules.md, What a record refers to). */
import { administerWell } from '../support/access';
import { eventually } from '../support/eventually';
import { TESTED_RELEASES } from '../support/releases';
import { connectTo } from '../support/shared-database';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';
import { SmartTenant } from '../support/smart-app';

const to = (reference: string) => ({ reference });
const text = { text: 'x' };
const TASKS = ['own', 'theirs', 'both', 'nobodys', 'elsewhere', 'identified', 'displayed', 'asked'];
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
      task('elsewhere', { for: to('https://elsewhere.example/fhir/Patient/bob'), requester: ANN }),
      task('identified', { for: { type: 'Patient', identifier: { value: '1' } }, requester: ANN }),
      task('displayed', { for: { display: 'Bob' }, requester: ANN }),
      task('asked', { requester: ANN }),
      {
        ...{ resourceType: 'ImagingStudy', id: 'tasks', status: 'available', subject: ANN },
        basedOn: [...TASKS].map((id) => to(`Task/${id}`)),
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
    expect(await found('Task')).toEqual(['asked', 'own']);
    expect(await found('ImagingStudy?_id=tasks&_include=ImagingStudy:basedon')).toEqual([
      'asked',
      'own',
      'tasks',
    ]);
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

  it('never tells by _content what the headers of an Endpoint are, also of one that is contained', async () => {
    await set('Endpoint');
    const words = async (of: string) => [
      ...[await found(`Endpoint?_content=${of}`), await found(`ImagingStudy?_content=${of}`)],
      await found(`ImagingStudy?endpoint:Endpoint._content=${of}`),
    ];
    expect(await words('secret')).toEqual([[], [], []]);
    expect(await words('images')).toEqual([['viewer'], ['i1'], ['i1']]);
  });

  describe('that an app of hers has added', () => {
    const send = (by: string, method: string, path: string, body?: unknown): Promise<Answer> =>
      server.request(method, `${smart.root}${path}`, body, {
        authorization: by,
        ...(method === 'PATCH' ? { 'content-type': 'application/json-patch+json' } : {}),
      });
    const seen = (performers: readonly string[], id?: string) => ({
      ...{ resourceType: 'Observation', status: 'final', code: text, subject: ANN },
      ...(id === undefined ? {} : { id }),
      performer: performers.map((each) => to(`Practitioner/${each}`)),
    });
    let writer: string;
    const made = async (...performers: readonly string[]): Promise<string> => {
      const { status, json, text: said } = await send(writer, 'POST', '/Observation', seen(performers));
      expect([status, said]).toEqual([201, expect.anything()]);
      return String(json.id);
    };
    const practitioners = async (ids: readonly string[]) => {
      const all = await found('Practitioner?_count=100');
      return ids.filter((id) => all.includes(id));
    };

    beforeAll(async () => {
      const ids = ['known', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7'];
      await smart.put(...ids.map((id) => ({ resourceType: 'Practitioner', id })), {
        ...seen(['known'], 'by-known'),
        id: 'by-known',
      });
      const { access_token } = await smart.token({ scope: 'openid fhirUser launch/patient patient/*.cruds' });
      writer = `Bearer ${access_token}`;
    });

    it('opens nothing, in a create, an update, a patch or a transaction', async () => {
      const id = await made('p1', 'known');
      await send(writer, 'PUT', `/Observation/${id}`, { ...seen(['p1', 'p2', 'known']), id });
      await send(writer, 'PATCH', `/Observation/${id}`, [
        { op: 'add', path: '/performer/-', value: to('Practitioner/p3') },
      ]);
      const entry = (performer: string) => ({
        resource: seen([performer]),
        request: { method: 'POST', url: 'Observation' },
      });
      const { status } = await send(writer, 'POST', '', {
        ...{ resourceType: 'Bundle', type: 'transaction' },
        entry: [entry('p4'), entry('nobody')],
      });
      expect(status).toBe(200);
      expect(await practitioners(['known', 'p1', 'p2', 'p3', 'p4'])).toEqual(['known']);
      expect(await read('Practitioner/p1')).toBe(404);
      expect(await found(`Observation?_id=${id}&_include=Observation:performer`)).toEqual(
        [id, 'known'].sort(),
      );
      expect(await found('Practitioner?_has:Observation:performer:status=final')).toEqual(['known']);
      const { text: whole } = await smart.get('Patient/ann/$everything', app);
      expect([whole.includes('"id":"known"'), whole.includes('"id":"p1"')]).toEqual([true, false]);
    });

    it('opens its target once somebody else has written the resource', async () => {
      const id = await made('p5');
      expect(await read('Practitioner/p5')).toBe(404);
      await smart.put({ ...seen(['p5'], id), id, status: 'amended' });
      expect(await read('Practitioner/p5')).toBe(200);
      // A resource that was open stays open when the app writes again.
      await send(writer, 'PATCH', `/Observation/${id}`, [{ op: 'add', path: '/language', value: 'en' }]);
      expect(await read('Practitioner/p5')).toBe(200);
    });

    it('opens nothing where staff had it at an element that opens nothing', async () => {
      await smart.put(
        { resourceType: 'Practitioner', id: 'focused' },
        { ...seen([]), id: 'focus', performer: undefined, focus: [to('Practitioner/focused')] },
      );
      const { status, text: said } = await send(writer, 'PATCH', '/Observation/focus', [
        { op: 'add', path: '/performer', value: [to('Practitioner/focused')] },
      ]);
      expect([status, said]).toEqual([200, expect.anything()]);
      expect(await read('Practitioner/focused')).toBe(404);
    });

    it('opens nothing by a search parameter that the tenant makes later', async () => {
      const url = 'http://example.org/consulted';
      const { status } = await send(writer, 'POST', '/Observation', {
        ...{ ...seen([]), performer: undefined },
        extension: [{ url, valueReference: to('Practitioner/consulted') }],
      });
      await smart.put(
        { resourceType: 'Practitioner', id: 'consulted' },
        {
          ...{ resourceType: 'SearchParameter', id: 'consulted', url, name: 'Consulted', status: 'active' },
          ...{ description: 'Who was asked', code: 'consulted', base: ['Observation'], type: 'reference' },
          expression: `Observation.extension.where(url = '${url}').value.ofType(Reference)`,
          target: ['Practitioner'],
        },
      );
      await eventually(async () => (await found('Observation?consulted=Practitioner/consulted')).length > 0);
      expect([status, await read('Practitioner/consulted')]).toEqual([201, 404]);
    });

    it('may not be one of hundreds', async () => {
      const many = Array.from({ length: 501 }, (_, index) => `many-${index}`);
      const refused = await send(writer, 'POST', '/Observation', seen(many));
      expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('at most 500')]);
      expect((await send(writer, 'POST', '/Observation', seen(many.slice(1)))).status).toBe(201);
    });

    it('opens its target where staff adds it by the same kind of grant', async () => {
      await smart.addPerson('doctor', 'Practitioner/known', 'ann');
      const { access_token } = await smart.token({
        scope: 'openid fhirUser launch/patient patient/*.cruds',
        user: 'doctor',
      });
      const { status } = await send(`Bearer ${access_token}`, 'POST', '/Observation', seen(['p6']));
      expect([status, await read('Practitioner/p6')]).toEqual([201, 200]);
    });

    it('opens nothing in a tenant that was exported and imported either, and a purge leaves nothing of it', async () => {
      const id = await made('p7');
      const noted = expect.stringMatching(/"unopened":\["Practitioner\/p7"\]/);
      const first = await server.administer('GET', `/tenants/${smart.tenant}/export`);
      expect([first.status, first.text]).toEqual([200, noted]);
      const copy = `/tenants/${server.tenant(`copied-${release}`)}`;
      const imported = await server.administer('POST', `${copy}/import`, first.text, {
        'content-type': 'application/x-ndjson',
      });
      expect([imported.status, imported.text]).toEqual([201, expect.anything()]);
      const second = await server.administer('GET', `${copy}/export`);
      expect(second.text).toEqual(noted);
      const database = await connectTo(server);
      const space = await database.spaceOf(`opened-${release}`, release);
      const count = async (): Promise<number> => {
        const { rows } = await database.query('select 1 from andiron.unopened_reference where space = $1', [
          space,
        ]);
        return rows.length;
      };
      const before = await count();
      const purged = await send(smart.writer.basic, 'POST', `/Observation/${id}/$purge`, {
        resourceType: 'Parameters',
      });
      expect([purged.status, purged.text]).toEqual([200, expect.anything()]);
      expect(await count()).toBe(before - 1);
    });
  });
});
