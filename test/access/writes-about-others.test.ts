/** Writes of a patient's app beside single resources of its record: Patients, Provenance, Bundles, GraphQL, policies. */
import { administerWell } from '../support/access';
import { TESTED_RELEASES } from '../support/releases';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';
import { SmartTenant } from '../support/smart-app';

const IDENTITY = 'openid fhirUser launch/patient';
const to = (reference: string) => ({ reference });
const ANN = to('Patient/ann');
const BOB = to('Patient/bob');

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer('enforced');
});
afterAll(() => server.close());

const allergy = (patient: object, more: object = {}) => ({
  ...{ resourceType: 'AllergyIntolerance', patient },
  clinicalStatus: {
    coding: [{ system: 'http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical', code: 'active' }],
  },
  ...more,
});
/** About bob, and ann stands in it: it is in the compartments of both. */
const theirs = (more: object = {}) => allergy(BOB, { asserter: ANN, ...more });

describe.each(TESTED_RELEASES)('an app with the record of ann, in %s', (release) => {
  let smart: SmartTenant;
  let app: string;
  const send = (by: string, method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
    server.request(method, `${smart.root}${path}`, body, {
      ...{ authorization: `Bearer ${by}` },
      ...(method === 'PATCH' ? { 'content-type': 'application/json-patch+json' } : {}),
      ...headers,
    });
  const place = ({ json }: Answer): string | undefined => json.issue?.[0]?.expression?.[0];
  const tokenOf = async (scope: string, user: string) =>
    (await smart.token({ scope: `${IDENTITY} ${scope}`, user })).access_token;
  const language = [{ op: 'add', path: '/language', value: 'en' }];

  beforeAll(async () => {
    smart = await SmartTenant.make(server, `about-${release}`, release);
    await smart.put(
      { resourceType: 'Patient', id: 'ann' },
      { resourceType: 'Patient', id: 'bob' },
      { resourceType: 'Patient', id: 'mum' },
      { resourceType: 'Patient', id: 'old', active: false, link: [{ other: ANN, type: 'replaced-by' }] },
      { resourceType: 'Practitioner', id: 'doctor' },
      { resourceType: 'RelatedPerson', id: 'mother', patient: ANN },
      { ...allergy(ANN), id: 'own' },
      { ...theirs(), id: 'theirs' },
      { ...allergy(BOB), id: 'bobs' },
    );
    await smart.addPerson('ann', 'Patient/ann', 'ann');
    await smart.addPerson('mum', 'Patient/mum', 'ann');
    await smart.addPerson('mother', 'RelatedPerson/mother');
    await smart.addPerson('doctor', 'Practitioner/doctor', 'ann');
    app = await tokenOf('patient/*.cruds', 'ann');
  });

  it('changes ann, and neither makes a Patient nor changes one for its links', async () => {
    const linked = {
      resourceType: 'Patient',
      id: 'old',
      active: true,
      link: [{ other: ANN, type: 'seealso' }],
    };
    expect((await send(app, 'GET', '/Patient/old')).status).toBe(200);
    const { status, text } = await send(app, 'PATCH', '/Patient/ann', language);
    expect([status, text]).toEqual([200, expect.anything()]);
    for (const refused of [
      await send(app, 'POST', '/Patient', { resourceType: 'Patient', link: linked.link }),
      await send(app, 'PUT', '/Patient/fresh', { ...linked, id: 'fresh' }),
    ])
      expect(refused.status).toBe(403);
    for (const refused of [
      await send(app, 'PUT', '/Patient/old', linked),
      await send(app, 'PATCH', '/Patient/old', language),
      await send(app, 'DELETE', '/Patient/old'),
    ])
      expect([refused.status, place(refused)]).toEqual([403, 'Patient']);
  });

  it('keeps the links of ann that staff made, and adds none', async () => {
    await smart.put({
      resourceType: 'Patient',
      id: 'ann',
      link: [{ other: to('Patient/old'), type: 'replaces' }],
    });
    expect((await send(app, 'PATCH', '/Patient/ann', language)).status).toBe(200);
    const link = { op: 'add', path: '/link/-', value: { other: BOB, type: 'seealso' } };
    const added = await send(app, 'PATCH', '/Patient/ann', [link]);
    expect([added.status, place(added)]).toEqual([403, 'Patient.link.other']);
    const removed = await send(app, 'PATCH', '/Patient/ann', [{ op: 'remove', path: '/link' }]);
    expect([removed.status, place(removed)]).toEqual([403, 'Patient.link.other']);
  });

  it('a parent writes in the record of the child in her own name, and in that of nobody else', async () => {
    const mum = await tokenOf('patient/*.cruds', 'mum');
    const by = (asserter: object) => allergy(ANN, { asserter });
    expect((await send(mum, 'POST', '/AllergyIntolerance', by(to('Patient/mum')))).status).toBe(201);
    expect((await send(mum, 'POST', '/AllergyIntolerance', by(BOB))).status).toBe(403);
    // The record of the app is that of the child.
    expect((await send(mum, 'POST', '/AllergyIntolerance', allergy(to('Patient/mum')))).status).toBe(403);
    const mother = await tokenOf('user/*.cruds', 'mother');
    expect((await send(mother, 'POST', '/AllergyIntolerance', by(to('RelatedPerson/mother')))).status).toBe(
      201,
    );
    expect((await send(mother, 'POST', '/AllergyIntolerance', theirs())).status).toBe(403);
  });

  it('a Provenance is about what the app may write', async () => {
    const provenance = (...target: readonly object[]) => ({
      ...{ resourceType: 'Provenance', target, recorded: '2026-11-28T10:00:00Z' },
      agent: [{ who: to('RelatedPerson/mother') }],
    });
    const made = await send(app, 'POST', '/Provenance', provenance(ANN, to('AllergyIntolerance/own')));
    expect([made.status, made.text]).toEqual([201, expect.anything()]);
    for (const target of [
      to('AllergyIntolerance/theirs'),
      to('AllergyIntolerance/bobs'),
      to('AllergyIntolerance/nothing'),
      to('Practitioner/doctor'),
      to('https://elsewhere.example/fhir/Observation/1'),
      { identifier: { value: '1' } },
    ]) {
      const refused = await send(app, 'POST', '/Provenance', provenance(ANN, target));
      expect([target, refused.status, place(refused)]).toEqual([target, 403, 'Provenance.target']);
    }
    const withPatient = await send(app, 'POST', '/Provenance', provenance(ANN, BOB));
    expect(withPatient.status).toBe(403);
    const headers = { 'x-provenance': JSON.stringify({ ...provenance(), target: undefined }) };
    const changed = await send(
      app,
      'PUT',
      '/Patient/ann',
      {
        resourceType: 'Patient',
        id: 'ann',
        link: [{ other: to('Patient/old'), type: 'replaces' }],
        language: 'fr',
      },
      headers,
    );
    expect([changed.status, changed.text]).toEqual([200, expect.anything()]);
    const urn = 'urn:uuid:7b1f7c1e-5f0c-4d0a-9f1e-2f4b8a7c9d10';
    const together = await send(app, 'POST', '', {
      ...{ resourceType: 'Bundle', type: 'transaction' },
      entry: [
        { fullUrl: urn, resource: allergy(ANN), request: { method: 'POST', url: 'AllergyIntolerance' } },
        { resource: provenance(ANN, to(urn)), request: { method: 'POST', url: 'Provenance' } },
      ],
    });
    expect([together.status, together.text]).toEqual([200, expect.anything()]);
  });

  it('a Provenance of something that was deleted can still be changed', async () => {
    const target = [ANN, to('AllergyIntolerance/brief')];
    await send(app, 'PUT', '/AllergyIntolerance/brief', { ...allergy(ANN), id: 'brief' });
    const provenance = {
      ...{ resourceType: 'Provenance', id: 'brief', target, recorded: '2026-11-28T10:00:00Z' },
      agent: [{ who: to('RelatedPerson/mother') }],
    };
    expect((await send(app, 'PUT', '/Provenance/brief', provenance)).status).toBe(201);
    expect((await send(app, 'DELETE', '/AllergyIntolerance/brief')).status).toBe(200);
    const changed = await send(app, 'PATCH', '/Provenance/brief', language);
    expect([changed.status, changed.text]).toEqual([200, expect.anything()]);
    expect((await send(app, 'DELETE', '/Provenance/brief')).status).toBe(200);
  });

  it('compares others in roles by whom they are, not by how they are written', async () => {
    const elsewhere = { type: 'Patient', identifier: { system: 'urn:x', value: '7' }, display: 'Bob' };
    const turned = { identifier: { value: '7', system: 'urn:x' }, type: 'Patient' };
    await smart.put({ ...allergy(ANN, { asserter: elsewhere }), id: 'elsewhere' });
    const put = (asserter: object, more: object = {}) =>
      send(app, 'PUT', '/AllergyIntolerance/elsewhere', {
        ...allergy(ANN, { asserter, ...more }),
        id: 'elsewhere',
      });
    const kept = await put(turned);
    expect([kept.status, kept.text]).toEqual([200, expect.anything()]);
    for (const other of [
      { ...turned, identifier: { system: 'urn:x', value: '8' } },
      to('Patient/bob/'),
      to('/Patient/bob'),
    ])
      expect([other, (await put(other)).status]).toEqual([other, 403]);
    const inside = (family: string) => ({ resourceType: 'Patient', id: 'p', name: [{ family }] });
    await smart.put({ ...allergy(ANN, { asserter: to('#p'), contained: [inside('Bob')] }), id: 'elsewhere' });
    expect((await put(to('#p'), { contained: [inside('Bob')], language: 'en' })).status).toBe(200);
    expect((await put(to('#p'), { contained: [inside('Ben')] })).status).toBe(403);
  });

  it('Bundles, conditions and GraphQL follow the same rule, and change nothing', async () => {
    const entry = { resource: theirs(), request: { method: 'POST', url: 'AllergyIntolerance' } };
    const transaction = await send(app, 'POST', '', {
      ...{ resourceType: 'Bundle', type: 'transaction' },
      entry: [{ resource: allergy(ANN), request: { method: 'POST', url: 'AllergyIntolerance' } }, entry],
    });
    expect([transaction.status, place(transaction)]).toEqual([403, 'Bundle.entry[1].resource.patient']);
    const batch = await send(app, 'POST', '', { resourceType: 'Bundle', type: 'batch', entry: [entry] });
    expect(batch.json.entry[0].response.status).toMatch(/^403/);
    const criteria = { 'if-none-exist': 'patient=Patient/nobody' };
    expect((await send(app, 'POST', '/AllergyIntolerance', theirs(), criteria)).status).toBe(403);
    for (const [method, path, body] of [
      ['PUT', '/AllergyIntolerance?asserter=Patient/ann', theirs()],
      ['PATCH', '/AllergyIntolerance?asserter=Patient/ann', language],
      ['DELETE', '/AllergyIntolerance?asserter=Patient/ann', undefined],
      [
        'POST',
        '/AllergyIntolerance/theirs/$meta-add',
        { resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: { tag: [{ code: 'x' }] } }] },
      ],
    ] as const) {
      const refused = await send(app, method, path, body);
      expect([method, path, refused.status]).toEqual([method, path, 403]);
    }
    const { json } = await server.request(
      'POST',
      `/w/${smart.tenant}/api/v1/graphql/${release}`,
      {
        query: 'mutation ($resource: ResourceInput!) { create(resource: $resource) { created } }',
        variables: { resource: theirs() },
      },
      { authorization: `Bearer ${app}`, 'content-type': 'application/json' },
    );
    expect(json.errors[0].extensions).toMatchObject({ status: 403 });
    const { json: stored } = await send(app, 'GET', '/AllergyIntolerance/theirs');
    expect(stored.meta.versionId).toBe('1');
  });

  it('where another grant allows the write, that one decides', async () => {
    const doctor = await tokenOf('patient/*.cruds user/AllergyIntolerance.cruds', 'doctor');
    expect((await send(doctor, 'POST', '/AllergyIntolerance', theirs())).status).toBe(201);
    expect((await send(doctor, 'PATCH', '/AllergyIntolerance/theirs', language)).status).toBe(200);
  });

  it('criteria with the patient or a user who is one bind to the record as well', async () => {
    const policy = {
      rules: [
        { types: ['Patient'], interactions: 'rs' },
        {
          types: ['AllergyIntolerance'],
          interactions: 'cruds',
          criteria: ['asserter={patient}', 'asserter={user}'],
        },
        { types: ['AllergyIntolerance'], interactions: 'cruds', criteria: ['criticality=high'] },
      ],
    };
    await administerWell(server, 'PUT', `/tenants/${smart.tenant}/policies/own`, policy);
    await administerWell(server, 'PATCH', `/tenants/${smart.tenant}/clients/${smart.app}`, {
      policies: ['own'],
    });
    const doctor = await tokenOf('user/AllergyIntolerance.cruds', 'doctor');
    const refused = await send(doctor, 'POST', '/AllergyIntolerance', theirs());
    expect([refused.status, place(refused)]).toEqual([403, 'AllergyIntolerance.patient']);
    expect((await send(doctor, 'POST', '/AllergyIntolerance', allergy(ANN, { asserter: ANN }))).status).toBe(
      201,
    );
    // Another rule has no such criteria.
    expect((await send(doctor, 'POST', '/AllergyIntolerance', theirs({ criticality: 'high' }))).status).toBe(
      201,
    );
  });
});
