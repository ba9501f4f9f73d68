/**
 * Referential integrity, a setting of each tenant (docs/understand/storage.md, Referential integrity):
 * https://hl7.org/fhir/R4/http.html#transaction-integrity and https://hl7.org/fhir/R4/references.html
 */
import type { Release } from '../../src/core';
import { type Answer, type SharedServer, openSharedServer } from '../support/shared-server';
import { PUBLIC_ADDRESS } from '../support/shared-servers';
import { TESTED_RELEASES } from '../support/releases';

type Mode = 'off' | 'on-write' | 'on-write-and-delete';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

let tenants = 0;
async function openTenant(release: Release, mode: Mode) {
  const tenant = `kept-${++tenants}`;
  await server.createTenant(tenant, { 'referential-integrity': mode });
  const root = server.path(tenant, release);
  const send = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, root + rest, body, headers);
  return {
    root,
    send,
    put: (type: string, id: string, more: object = {}) =>
      send('PUT', `/${type}/${id}`, { resourceType: type, id, ...more }),
  };
}

const observation = (more: object): object => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'pulse' },
  ...more,
});

/** Status, and code and expression of each issue. */
function refusalOf({ status, json }: Answer): unknown[] {
  return [
    status,
    ...json.issue.map(({ code, expression }: { code: string; expression?: string[] }) => [
      code,
      expression?.[0],
    ]),
  ];
}

describe.each(TESTED_RELEASES)('under %s', (release) => {
  it('each reference to a missing resource is refused with its expression', async () => {
    const { root, send, put } = await openTenant(release, 'on-write');
    await put('Patient', 'ann');
    const contained = [{ resourceType: 'Specimen', id: 's', subject: { reference: 'Patient/nobody' } }];
    const extension = [{ url: 'https://example.org/e', valueReference: { reference: 'Basic/none' } }];
    const body = observation({
      contained,
      extension,
      subject: { reference: 'Patient/ann' },
      specimen: { reference: '#s' },
      performer: [{ reference: 'Patient/ann' }, { reference: `${PUBLIC_ADDRESS}${root}/Organization/gone` }],
    });
    const refused = await send('POST', '/Observation', body);
    expect(refusalOf(refused)).toEqual([
      422,
      ['not-found', 'Observation.contained[0].subject.reference'],
      ['not-found', 'Observation.extension[0].valueReference.reference'],
      ['not-found', 'Observation.performer[1].reference'],
    ]);
    expect(refused.json.issue[0].diagnostics).toContain('Patient/nobody');
    expect((await send('GET', '/Observation?_count=0')).json.total).toBe(0);
    expect((await send('GET', '/_history?_count=0')).json.total).toBe(1);
  });

  it('targets that are not resources of the tenant need not exist', async () => {
    const { send, put } = await openTenant(release, 'on-write-and-delete');
    const references = [
      { reference: '#s' },
      { reference: 'https://elsewhere.example/fhir/Patient/1' },
      { reference: 'urn:uuid:7a9b5a3e-4d35-4a5b-9a7f-0d7d5c3f4b11' },
      { type: 'Patient', identifier: { system: 'urn:s', value: '1' } },
      { display: 'somebody' },
    ];
    const contained = [{ resourceType: 'Patient', id: 's' }];
    for (const subject of references) {
      const has = subject.reference === '#s' ? { contained } : {};
      expect((await send('POST', '/Observation', observation({ subject, ...has }))).status).toBe(201);
    }
    const itself = { link: [{ other: { reference: 'Patient/own' }, type: 'seealso' }] };
    expect((await put('Patient', 'own', itself)).status).toBe(201);
    expect((await send('DELETE', '/Patient/own')).status).toBe(200);
    // Base resources exist for every tenant.
    const about = { subject: { reference: 'StructureDefinition/Patient' }, code: { text: 'x' } };
    expect((await put('Basic', 'b', about)).status).toBe(201);
    // A document's references are resolved inside it.
    const entry = [
      {
        fullUrl: 'https://elsewhere.example/Observation/o',
        resource: { ...observation({ subject: { reference: 'Patient/inside' } }), id: 'o' },
      },
    ];
    expect((await put('Bundle', 'c', { type: 'collection', entry })).status).toBe(201);
  });

  it('deleted resources and versions that never existed do not exist', async () => {
    const { send, put } = await openTenant(release, 'on-write');
    await put('Patient', 'ann');
    await put('Patient', 'bob');
    expect((await send('DELETE', '/Patient/bob')).status).toBe(200);
    for (const [reference, status] of [
      ['Patient/ann', 201],
      ['Patient/ann/_history/1', 201],
      ['Patient/ann/_history/2', 422],
      ['Patient/ann/_history/latest', 422],
      ['Patient/bob', 422],
      ['Patient/bob/_history/1', 422],
      ['Group/ann', 422],
    ] as const)
      expect([
        reference,
        (await send('POST', '/Observation', observation({ subject: { reference } }))).status,
      ]).toEqual([reference, status]);
  });

  it('updates and patches are checked like creates, and change nothing when refused', async () => {
    const { send, put } = await openTenant(release, 'on-write');
    await put('Patient', 'ann');
    const subject = { reference: 'Patient/ann' };
    await put('Observation', 'o', observation({ subject }));
    const broken = [422, ['not-found', 'Observation.subject.reference']];
    expect(
      refusalOf(await put('Observation', 'o', observation({ subject: { reference: 'Patient/b' } }))),
    ).toEqual(broken);
    const patch = [{ op: 'replace', path: '/subject/reference', value: 'Patient/b' }];
    expect(refusalOf(await send('PATCH', '/Observation/o', patch))).toEqual(broken);
    const { json, headers } = await send('GET', '/Observation/o');
    expect([json.subject, headers.etag]).toEqual([subject, 'W/"1"']);
    // On write alone: a referenced resource may be deleted.
    expect((await send('DELETE', '/Patient/ann')).status).toBe(200);
    expect(refusalOf(await put('Observation', 'o', observation({ subject })))).toEqual(broken);
  });

  it('the error for a resource of another tenant is the same as for an unused id', async () => {
    const here = await openTenant(release, 'on-write');
    const other = await openTenant(release, 'on-write');
    expect((await other.put('Patient', 'known')).status).toBe(201);
    const answers = [];
    for (const id of ['known', 'never']) {
      const { status, text } = await here.send(
        'POST',
        '/Observation',
        observation({ subject: { reference: `Patient/${id}` } }),
      );
      answers.push([status, text.replaceAll(id, 'ID')]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(422);
  });

  it('the Provenance in a header is checked, except the version that it is about', async () => {
    const { send, put } = await openTenant(release, 'on-write');
    const withProvenance = (who: string): Promise<Answer> => {
      const agent = [{ who: { reference: who } }];
      const provenance = { resourceType: 'Provenance', recorded: '2024-05-01T10:00:00Z', agent };
      return send(
        'POST',
        '/Patient',
        { resourceType: 'Patient' },
        { 'x-provenance': JSON.stringify(provenance) },
      );
    };
    const refused = await withProvenance('Practitioner/doc');
    expect(refusalOf(refused)).toEqual([422, ['not-found', 'Provenance.agent[0].who.reference']]);
    expect(refused.json.issue[0].diagnostics).toContain('X-Provenance');
    await put('Practitioner', 'doc');
    expect((await withProvenance('Practitioner/doc')).status).toBe(201);
    expect((await send('GET', '/Provenance?_count=0')).json.total).toBe(1);
  });

  it('a resource that others refer to is not deleted, and the answer lists them', async () => {
    const { send, put } = await openTenant(release, 'on-write-and-delete');
    await put('Patient', 'ann');
    await put('Observation', 'o', observation({ subject: { reference: 'Patient/ann' } }));
    const { json: encounter } = await send('POST', '/Encounter', {
      resourceType: 'Encounter',
      status: 'finished',
      class: { code: 'AMB' },
      subject: { reference: 'Patient/ann/_history/1' },
    });
    const refused = await send('DELETE', '/Patient/ann');
    expect(refused.status).toBe(409);
    expect(refused.json.issue).toMatchObject([{ code: 'conflict' }]);
    expect(refused.json.issue[0].diagnostics).toContain('Observation/o');
    expect(refused.json.issue[0].diagnostics).toContain(`Encounter/${encounter.id}`);
    expect((await send('GET', '/Patient/ann')).status).toBe(200);
    await put('Observation', 'o', observation({ subject: { display: 'Ann' } }));
    expect((await send('DELETE', '/Patient/ann')).status).toBe(409);
    await send('DELETE', `/Encounter/${encounter.id}`);
    expect((await send('DELETE', '/Patient/ann')).status).toBe(200);
    expect((await send('DELETE', '/Patient/ann')).status).toBe(200);
    expect((await send('DELETE', '/Patient/never')).status).toBe(200);
  });

  it.each([
    ['an extension', { extension: [{ url: 'urn:e', valueReference: { reference: 'Patient/ann' } }] }],
    [
      'a contained resource',
      {
        contained: [{ resourceType: 'Specimen', id: 's', subject: { reference: 'Patient/ann' } }],
        specimen: { reference: '#s' },
      },
    ],
    [
      'an identifier’s assigner',
      { identifier: [{ value: '1', assigner: { reference: 'Organization/clinic' } }] },
    ],
  ])('references without a search parameter are checked too: %s', async (_place, more) => {
    const { send, put } = await openTenant(release, 'on-write-and-delete');
    await put('Organization', 'clinic', { name: 'Clinic' });
    await put('Patient', 'ann');
    await put('Observation', 'o', observation(more));
    const target = JSON.stringify(more).includes('Organization/clinic')
      ? 'Organization/clinic'
      : 'Patient/ann';
    const refused = await send('DELETE', `/${target}`);
    expect([refused.status, refused.json.issue[0].diagnostics]).toEqual([
      409,
      expect.stringContaining('Observation/o'),
    ]);
    await put('Observation', 'o', observation({}));
    expect((await send('DELETE', `/${target}`)).status).toBe(200);
  });

  it('the error lists a few of many referring resources', async () => {
    const { send, put } = await openTenant(release, 'on-write-and-delete');
    await put('Patient', 'ann');
    const subject = { reference: 'Patient/ann' };
    await Promise.all(
      Array.from({ length: 12 }, () => send('POST', '/Observation', observation({ subject }))),
    );
    const { status, json } = await send('DELETE', '/Patient/ann');
    expect(status).toBe(409);
    expect(json.issue[0].diagnostics.match(/Observation\//g)).toHaveLength(5);
    expect(json.issue[0].diagnostics).toContain('and others');
  });

  it('conditional writes are checked', async () => {
    const { send, put } = await openTenant(release, 'on-write-and-delete');
    const identifier = [{ system: 'urn:s', value: '1' }];
    const body = observation({ identifier, subject: { reference: 'Patient/ann' } });
    const create = (): Promise<Answer> =>
      send('POST', '/Observation', body, { 'if-none-exist': 'identifier=urn:s|1' });
    expect(refusalOf(await create())).toEqual([422, ['not-found', 'Observation.subject.reference']]);
    await put('Patient', 'ann', { identifier });
    expect((await create()).status).toBe(201);
    expect((await send('DELETE', '/Patient?identifier=urn:s|1')).status).toBe(409);
    const broken = observation({ identifier, subject: { reference: 'Patient/b' } });
    expect((await send('PUT', '/Observation?identifier=urn:s|1', broken)).status).toBe(422);
    expect((await send('DELETE', '/Observation?identifier=urn:s|1')).status).toBe(200);
    expect((await send('DELETE', '/Patient?identifier=urn:s|1')).status).toBe(200);
  });

  it('with the setting off, references are not checked', async () => {
    const { send, put } = await openTenant(release, 'off');
    expect(
      (await put('Observation', 'o', observation({ subject: { reference: 'Patient/none' } }))).status,
    ).toBe(201);
    await put('Patient', 'none');
    expect((await send('DELETE', '/Patient/none')).status).toBe(200);
  });

  it('the statement of capabilities lists the enforced references', async () => {
    for (const [mode, isEnforced] of [
      ['off', false],
      ['on-write', false],
      ['on-write-and-delete', true],
    ] as const) {
      const { send } = await openTenant(release, mode);
      const [{ resource }] = (await send('GET', '/metadata')).json.rest;
      for (const { referencePolicy } of resource) {
        expect(referencePolicy).toEqual(expect.arrayContaining(['literal', 'logical']));
        expect(referencePolicy.includes('enforced')).toBe(isEnforced);
      }
    }
  });
});

describe.each(TESTED_RELEASES)('a transaction under %s', (release) => {
  const post = (resource: object, fullUrl?: string): object => ({
    ...(fullUrl === undefined ? {} : { fullUrl }),
    resource,
    request: { method: 'POST', url: (resource as { resourceType: string }).resourceType },
  });
  const put = (type: string, id: string, more: object = {}): object => ({
    resource: { resourceType: type, id, ...more },
    request: { method: 'PUT', url: `${type}/${id}` },
  });
  const remove = (url: string): object => ({ request: { method: 'DELETE', url } });
  const bundle = (...entry: object[]): object => ({ resourceType: 'Bundle', type: 'transaction', entry });
  const URN = 'urn:uuid:7a9b5a3e-4d35-4a5b-9a7f-0d7d5c3f4b11';

  it('may refer to resources of its other entries, in any order', async () => {
    const { send } = await openTenant(release, 'on-write-and-delete');
    const circle = [
      put('Patient', 'ann', { link: [{ other: { reference: 'Patient/bob' }, type: 'seealso' }] }),
      put('Patient', 'bob', { link: [{ other: { reference: 'Patient/ann' }, type: 'seealso' }] }),
    ];
    const observed = post(observation({ subject: { reference: URN } }));
    const { status, json } = await send(
      'POST',
      '',
      bundle(observed, post({ resourceType: 'Patient' }, URN), ...circle),
    );
    expect([status, json.entry?.length]).toEqual([200, 4]);
    // One alone may not go, both at once may.
    expect((await send('POST', '', bundle(remove('Patient/ann')))).status).toBe(409);
    expect((await send('DELETE', '/Patient/bob')).status).toBe(409);
    expect((await send('POST', '', bundle(remove('Patient/ann'), remove('Patient/bob')))).status).toBe(200);
  });

  it('is refused as a whole if the target of a reference does not exist, with the place in the Bundle', async () => {
    const { send } = await openTenant(release, 'on-write');
    const broken = observation({
      subject: { reference: 'Patient/ann' },
      performer: [{ reference: 'Patient/nobody' }],
    });
    const refused = await send('POST', '', bundle(put('Patient', 'ann'), post(broken)));
    expect(refusalOf(refused)).toEqual([
      422,
      ['not-found', 'Bundle.entry[1].resource.performer[0].reference'],
    ]);
    expect((await send('GET', '/_history?_count=0')).json.total).toBe(0);
    // Nor to a resource that another of its entries deletes.
    await send('POST', '', bundle(put('Patient', 'ann')));
    const deleting = bundle(
      remove('Patient/ann'),
      post(observation({ subject: { reference: 'Patient/ann' } })),
    );
    expect(refusalOf(await send('POST', '', deleting))).toEqual([
      422,
      ['not-found', 'Bundle.entry[1].resource.subject.reference'],
    ]);
    expect((await send('GET', '/Patient/ann')).status).toBe(200);
  });

  it('deletes resources without references at its end, and no others', async () => {
    const { send, put: store } = await openTenant(release, 'on-write-and-delete');
    await store('Patient', 'ann');
    await store('Observation', 'o', observation({ subject: { reference: 'Patient/ann' } }));
    await store('Observation', 'p', observation({ subject: { reference: 'Patient/ann' } }));
    const refused = await send('POST', '', bundle(remove('Observation/o'), remove('Patient/ann')));
    expect(refusalOf(refused)).toEqual([409, ['conflict', 'Bundle.entry[1].request.url']]);
    expect(refused.json.issue[0].diagnostics).toContain('Observation/p');
    expect((await send('GET', '/Observation/o')).status).toBe(200);
    const all = bundle(
      remove('Patient/ann'),
      remove('Observation/o'),
      put('Observation', 'p', observation({})),
    );
    expect((await send('POST', '', all)).status).toBe(200);
    expect((await send('GET', '/Patient/ann')).status).toBe(410);
  });
});
