/**
 * $meta, $meta-add and $meta-delete over HTTP: https://hl7.org/fhir/R4/resource-operation-meta.html,
 * resource-operation-meta-add.html, resource-operation-meta-delete.html.
 */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const TAGS = 'http://example.org/tags';
const tag = (code: string, rest: object = {}) => ({ system: TAGS, code, ...rest });
const RESTRICTED = {
  system: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality',
  code: 'R',
  display: 'restricted',
};

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const send = (method: string, rest: string, body?: unknown) =>
    server.request(method, `${server.path('system', release)}/${rest}`, body);
  const change = (rest: string, code: string, meta: object) =>
    send('POST', `${rest}/$${code}`, {
      resourceType: 'Parameters',
      parameter: [{ name: 'meta', valueMeta: meta }],
    });

  async function makePatient(meta?: object): Promise<string> {
    const { json } = await send('POST', 'Patient', {
      resourceType: 'Patient',
      ...(meta === undefined ? {} : { meta }),
      multipleBirthInteger: 1,
      extension: [{ url: 'http://example.org/weight', valueDecimal: 1.5 }],
    });
    return `Patient/${json.id}`;
  }

  it('equal profiles, tags and labels of a resource are stored once, the first of them', async () => {
    const profile = 'http://hl7.org/fhir/StructureDefinition/Patient';
    const meta = {
      profile: [profile, profile],
      security: [RESTRICTED, { ...RESTRICTED, display: 'other' }],
      tag: [
        tag('a', { display: 'first' }),
        tag('b'),
        tag('a'),
        { display: 'x' },
        { display: 'y' },
        { display: 'x' },
      ],
    };
    const expected = {
      profile: [profile],
      security: [RESTRICTED],
      tag: [tag('a', { display: 'first' }), tag('b'), { display: 'x' }, { display: 'y' }],
    };
    const address = await makePatient(meta);
    expect((await send('GET', address)).json.meta).toMatchObject(expected);
    const updated = { resourceType: 'Patient', id: address.slice('Patient/'.length), meta };
    expect((await send('PUT', address, updated)).json.meta).toMatchObject(expected);
    const { json } = await send('POST', '', {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [{ resource: updated, request: { method: 'PUT', url: address } }],
    });
    expect(json.entry[0].resource.meta).toMatchObject(expected);
    const patched = await server.request(
      'PATCH',
      `${server.path('system', release)}/${address}`,
      [{ op: 'add', path: '/meta/tag/-', value: tag('b') }],
      { 'content-type': 'application/json-patch+json' },
    );
    expect(patched.json.meta.tag).toEqual(expected.tag);
    expect((await send('GET', `Patient?_tag=${TAGS}|a&_id=${updated.id}`)).json.total).toBe(1);
  });

  it('$meta answers at all three levels', async () => {
    const patient = await makePatient({ tag: [tag('vip')] });
    for (const rest of ['$meta', 'Patient/$meta', `${patient}/$meta`]) {
      const { status, text } = await send('GET', rest);
      expect([rest, status]).toEqual([rest, 200]);
      expect(text).toContain('vip');
    }
    expect((await send('GET', 'Patient/not-there/$meta')).status).toBe(404);
  });

  it('missing labels are added, each once, as a new version that searches find', async () => {
    const patient = await makePatient({ tag: [tag('one', { display: 'First' })] });
    const { status, json } = await change(patient, 'meta-add', {
      tag: [tag('one', { display: 'Another' }), tag('two'), tag('two'), { code: 'two' }],
      security: [RESTRICTED],
      versionId: '77',
      lastUpdated: '2000-01-01T00:00:00Z',
    });
    expect([status, json.resourceType, json.parameter[0].name]).toEqual([200, 'Parameters', 'return']);
    const meta = json.parameter[0].valueMeta;
    expect(meta.versionId).toBe('2');
    expect(meta.tag).toEqual([tag('one', { display: 'First' }), tag('two'), { code: 'two' }]);
    expect(meta.security).toEqual([RESTRICTED]);
    const stored = await send('GET', patient);
    expect(stored.json.meta).toEqual(meta);
    expect(stored.headers.etag).toBe('W/"2"');
    const id = patient.slice('Patient/'.length);
    expect((await send('GET', `Patient?_tag=${TAGS}|two&_id=${id}`)).json.entry).toHaveLength(1);
  });

  it('labels are removed by system and code, whatever their display; missing ones are no error', async () => {
    const patient = await makePatient({ tag: [tag('one'), tag('two')], security: [RESTRICTED] });
    const { json } = await change(patient, 'meta-delete', {
      tag: [tag('one', { display: 'Any' }), tag('three')],
      security: [{ system: RESTRICTED.system, code: 'R' }],
    });
    const meta = json.parameter[0].valueMeta;
    expect([meta.versionId, meta.tag, meta.security]).toEqual(['2', [tag('two')], undefined]);
    const id = patient.slice('Patient/'.length);
    expect((await send('GET', `Patient?_tag=${TAGS}|one&_id=${id}`)).json.entry).toBeUndefined();
    const last = await change(patient, 'meta-delete', { tag: [tag('two')] });
    expect(last.json.parameter[0].valueMeta.tag).toBeUndefined();
  });

  it('where nothing changes there is no new version', async () => {
    const patient = await makePatient({ tag: [tag('one')] });
    for (const [code, meta] of [
      ['meta-add', { tag: [tag('one')] }],
      ['meta-delete', { tag: [tag('two')], profile: ['http://example.org/none'] }],
      ['meta-add', { source: 'http://example.org' }],
    ] as const) {
      const { status, json } = await change(patient, code, meta);
      expect([status, json.parameter[0].valueMeta.versionId]).toEqual([200, '1']);
    }
    expect((await send('GET', `${patient}/_history`)).json.total).toBe(1);
  });

  it('profiles are added and removed by their whole url', async () => {
    const profile = 'http://hl7.org/fhir/StructureDefinition/Patient';
    const patient = await makePatient();
    const added = await change(patient, 'meta-add', { profile: [profile] });
    expect(added.json.parameter[0].valueMeta.profile).toEqual([profile]);
    const other = await change(patient, 'meta-delete', { profile: [`${profile}|9`] });
    expect(other.json.parameter[0].valueMeta.profile).toEqual([profile]);
    const gone = await change(patient, 'meta-delete', { profile: [profile] });
    expect(gone.json.parameter[0].valueMeta.profile).toBeUndefined();
  });

  it('a profile that the resource does not meet is refused, and nothing is changed', async () => {
    const patient = await makePatient();
    const profile = 'http://hl7.org/fhir/StructureDefinition/vitalsigns';
    const { status, json } = await change(patient, 'meta-add', { profile: [profile] });
    expect([status, json.resourceType]).toEqual([422, 'OperationOutcome']);
    expect((await send('GET', patient)).json.meta.versionId).toBe('1');
  });

  it('twenty writers add a label each, and none is lost', async () => {
    const patient = await makePatient();
    const codes = Array.from({ length: 20 }, (_none, index) => `t${index}`);
    const answers = await Promise.all(codes.map((code) => change(patient, 'meta-add', { tag: [tag(code)] })));
    expect(answers.map(({ status }) => status)).toEqual(codes.map(() => 200));
    const { meta } = (await send('GET', patient)).json;
    expect(meta.versionId).toBe('21');
    expect(meta.tag.map(({ code }: { code: string }) => code).sort()).toEqual(codes.sort());
  });

  it('all else stays as it was, to the last digit', async () => {
    const body =
      '{"resourceType":"Patient","id":"exact","extension":[{"url":"http://example.org/e","valueDecimal":1.500}]}';
    expect((await send('PUT', 'Patient/exact', body)).status).toBe(201);
    await change('Patient/exact', 'meta-add', { tag: [tag('one')] });
    expect((await send('GET', 'Patient/exact')).text).toContain('"valueDecimal":1.500');
  });

  it('a missing resource is 404, a deleted one 410, one of the specification 405', async () => {
    const meta = { tag: [tag('one')] };
    const patient = await makePatient();
    await send('DELETE', patient);
    for (const [rest, expected] of [
      ['Patient/not-there', 404],
      [patient, 410],
      ['StructureDefinition/Patient', 405],
    ] as const)
      for (const code of ['meta-add', 'meta-delete'])
        expect([rest, code, (await change(rest, code, meta)).status]).toEqual([rest, code, expected]);
  });

  it('an error of the input names its place', async () => {
    const patient = await makePatient();
    const { status, json } = await change(patient, 'meta-add', { tag: [{ system: 'not a uri', code: 5 }] });
    expect(status).toBe(400);
    expect(json.issue[0].expression[0]).toMatch(
      /^Parameters\.parameter\[0\]\.value\.ofType\(Meta\)\.tag\[0\]/,
    );
    const subsetted = await change(patient, 'meta-add', {
      tag: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' }],
    });
    expect(subsetted.status).toBe(422);
  });
});
