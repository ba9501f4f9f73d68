/** Transactions: https://hl7.org/fhir/R4/http.html#transaction. */
import type { Release } from '../../src/core';
import { post, put, transaction, uuid } from '../support/bundles';
import { type Answer, type SharedServer, openSharedServer } from '../support/shared-server';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('other');
});
afterAll(() => server.close());

const OUTCOME = 'OperationOutcome';

describe.each<[Release, string]>([
  ['r4', 'system'],
  ['r4b', 'other'],
])('a transaction under %s of the tenant %s', (release, tenant) => {
  const send = (
    method: string,
    rest: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => server.request(method, `${server.path(tenant, release)}${rest}`, body, headers);
  const root = (): string => server.root(tenant, release);

  /** Versions of the space that there are. */
  async function sequence(): Promise<number> {
    return (await send('GET', '/_history?_count=0')).json.total;
  }

  it('without entries answers a transaction-response without entries', async () => {
    const { status, json } = await send('POST', '', { resourceType: 'Bundle', type: 'transaction' });
    expect([status, json]).toEqual([200, { resourceType: 'Bundle', type: 'transaction-response' }]);
  });

  it('stores all its entries and answers in their order, with status, location, etag and time', async () => {
    const id = `known-${release}`;
    const { status, json } = await send(
      'POST',
      '',
      transaction(
        put({ resourceType: 'Patient', id }),
        post({ resourceType: 'Organization', name: 'Burgers University Medical Center' }),
      ),
    );
    expect(status).toBe(200);
    expect(json).toMatchObject({ resourceType: 'Bundle', type: 'transaction-response' });
    const [first, second] = json.entry;
    expect(first).toMatchObject({
      fullUrl: `${root()}/Patient/${id}`,
      resource: { resourceType: 'Patient', id, meta: { versionId: '1' } },
      response: { status: '201 Created', location: `${root()}/Patient/${id}/_history/1`, etag: 'W/"1"' },
    });
    expect(first.response.lastModified).toBe(first.resource.meta.lastUpdated);
    expect(second.response.location).toMatch(new RegExp(`/Organization/${second.resource.id}/_history/1$`));
    const stored = await send('GET', `/Organization/${second.resource.id}`);
    expect(stored.json).toEqual(second.resource);
    const again = await send('POST', '', transaction(put({ resourceType: 'Patient', id })));
    expect(again.json.entry[0].response).toMatchObject({ status: '200 OK', etag: 'W/"2"' });
    expect(again.json.entry[0].response.location).toBeUndefined();
  });

  it('replaces urns by new ids everywhere', async () => {
    const [patient, organization, valueSet, picture] = [uuid(1), uuid(2), uuid(3), uuid(4)];
    const { status, json } = await send(
      'POST',
      '',
      transaction(
        post(
          {
            resourceType: 'Patient',
            text: { status: 'additional', div: `<div xmlns="http://www.w3.org/1999/xhtml"><a href="${organization}">clinic</a> <img src='${picture}' alt=""/> ${organization}</div>` },
            extension: [{ url: 'http://example.org/clinic', valueReference: { reference: organization } }],
            contained: [{ resourceType: 'Practitioner', id: 'p', qualification: [{ code: { text: 'MD' }, issuer: { reference: organization } }] }],
            generalPractitioner: [{ reference: '#p' }],
            identifier: [{ system: 'urn:ietf:rfc:3986', value: organization }],
            photo: [{ contentType: 'image/png', url: picture }],
            managingOrganization: { reference: organization, display: organization },
          },
          patient,
        ),
        post({ resourceType: 'Organization', name: 'Clinic' }, organization),
        post({ resourceType: 'ValueSet', status: 'draft' }, valueSet),
        post({ resourceType: 'Binary', contentType: 'image/png', data: 'iVBORw0KGgo=' }, picture),
        post({ resourceType: 'Questionnaire', status: 'draft', item: [{ linkId: '1', type: 'choice', answerValueSet: valueSet }] }),
      ),
    ); // prettier-ignore
    expect([status, json.issue]).toEqual([200, undefined]);
    const ids = json.entry.map((entry: { resource: { id: string } }) => entry.resource.id);
    const [stored, , , , questionnaire] = json.entry.map((entry: { resource: object }) => entry.resource);
    const clinic = `Organization/${ids[1]}`;
    expect(stored.managingOrganization).toEqual({ reference: clinic, display: organization });
    expect(stored.extension[0].valueReference.reference).toBe(clinic);
    expect(stored.contained[0].qualification[0].issuer.reference).toBe(clinic);
    expect(stored.identifier[0].value).toBe(organization);
    expect(stored.photo[0].url).toBe(`Binary/${ids[3]}`);
    expect(stored.text.div).toBe(
      `<div xmlns="http://www.w3.org/1999/xhtml"><a href="${clinic}">clinic</a> <img src='Binary/${ids[3]}' alt=""/> ${organization}</div>`,
    );
    expect(questionnaire.item[0].answerValueSet).toBe(`ValueSet/${ids[2]}`);
    const found = await send('GET', `/Patient?organization=${clinic}`);
    expect(found.json.entry[0].resource.id).toBe(ids[0]);
  });

  it('has references in a circle, by urns and by any other fullUrl, resolved against it too', async () => {
    const { status, json } = await send(
      'POST',
      '',
      transaction(
        post({ resourceType: 'Organization', name: 'A', partOf: { reference: 'http://old.example/fhir/Organization/b' } }, uuid(1)),
        post({ resourceType: 'Organization', name: 'B', partOf: { reference: 'Organization/c' } }, 'http://old.example/fhir/Organization/b'),
        post({ resourceType: 'Organization', name: 'C', partOf: { reference: uuid(1) } }, 'http://old.example/fhir/Organization/c'),
      ),
    ); // prettier-ignore
    expect([status, json.issue]).toEqual([200, undefined]);
    const resources = json.entry.map((entry: { resource: { id: string; partOf: object } }) => entry.resource);
    const [a, b, c] = resources.map(({ id }: { id: string }) => ({ reference: `Organization/${id}` }));
    expect(resources.map(({ partOf }: { partOf: object }) => partOf)).toEqual([b, c, a]);
  });

  it.each([
    'urn:oid:1.2.36.146.595.217.0.1',
    'URN:UUID:00000000-0000-4000-8000-0000000000AB',
    'Organization/mine',
    'mine',
    'http://old.example/fhir/Organization/mine',
    'https://old.example/export?row=7&part=2',
  ])(
    'finds another entry by the fullUrl %s, in references, narratives, attachments and patches',
    async (fullUrl) => {
      const id = `named-${release}`;
      await send('PUT', `/Patient/${id}`, { resourceType: 'Patient', id });
      const set = [{ op: 'add', path: '/managingOrganization', value: { reference: fullUrl } }];
      const data = Buffer.from(JSON.stringify(set)).toString('base64');
      const { status, json } = await send(
      'POST',
      '',
      transaction(
        post({
          resourceType: 'Patient',
          text: { status: 'additional', div: `<div xmlns="http://www.w3.org/1999/xhtml"><a href="${fullUrl.replaceAll('&', '&amp;')}">clinic</a></div>` },
          photo: [{ contentType: 'text/plain', url: fullUrl }],
          managingOrganization: { reference: fullUrl },
        }),
        post({ resourceType: 'Organization', name: 'Clinic' }, fullUrl),
        { resource: { resourceType: 'Binary', contentType: 'application/json-patch+json', data }, request: { method: 'PATCH', url: `Patient/${id}` } },
      ),
    ); // prettier-ignore
      expect([status, json.issue]).toEqual([200, undefined]);
      const [patient, organization, patched] = json.entry.map(
        (entry: { resource: object }) => entry.resource,
      );
      const reference = `Organization/${organization.id}`;
      expect(patient.managingOrganization).toEqual({ reference });
      expect(patient.photo[0].url).toBe(reference);
      expect(patient.text.div).toContain(`<a href="${reference}">`);
      expect(patched.managingOrganization).toEqual({ reference });
    },
  );

  it('leaves a canonical that names a resource by its own url', async () => {
    const url = 'http://example.org/ValueSet/colours';
    const { status, json } = await send(
      'POST',
      '',
      transaction(
        post({ resourceType: 'ValueSet', url, status: 'draft' }, url),
        post({ resourceType: 'Questionnaire', status: 'draft', item: [{ linkId: '1', type: 'choice', answerValueSet: url }] }),
      ),
    ); // prettier-ignore
    expect([status, json.issue]).toEqual([200, undefined]);
    expect(json.entry[0].resource.url).toBe(url);
    expect(json.entry[1].resource.item[0].answerValueSet).toBe(url);
  });

  it('that writes one resource twice is refused, and nothing is written', async () => {
    const before = await sequence();
    const id = `twice-${release}`;
    const { status, json } = await send(
      'POST',
      '',
      transaction(
        post({ resourceType: 'Patient' }),
        put({ resourceType: 'Patient', id }),
        { request: { method: 'DELETE', url: `Patient/${id}` } },
      ),
    ); // prettier-ignore
    expect([status, json.resourceType]).toEqual([400, OUTCOME]);
    expect(json.issue[0].expression).toEqual(['Bundle.entry[2].request.url']);
    expect(await sequence()).toBe(before);
    expect((await send('GET', `/Patient/${id}`)).status).toBe(404);
  });

  it('with an invalid entry names it and leaves nothing behind', async () => {
    const before = await sequence();
    const id = `invalid-${release}`;
    const { status, json } = await send(
      'POST',
      '',
      transaction(
        put({ resourceType: 'Patient', id }),
        post({ resourceType: 'Patient', birthDate: 'yesterday' }),
        post({ resourceType: 'Observation', status: 'final' }),
      ),
    );
    expect([status, json.resourceType]).toEqual([400, OUTCOME]);
    const places = json.issue.map(({ expression }: { expression: string[] }) => expression[0]);
    expect(places).toContain('Bundle.entry[1].resource.birthDate');
    expect(places).toContain('Bundle.entry[2].resource.code');
    expect(await sequence()).toBe(before);
    expect((await send('GET', `/Patient/${id}`)).status).toBe(404);
  });

  it('with an ifMatch that is not current is 412, and nothing is written', async () => {
    const id = `guarded-${release}`;
    await send('PUT', `/Patient/${id}`, { resourceType: 'Patient', id });
    const before = await sequence();
    const guarded = (ifMatch: string): Promise<Answer> =>
      send(
        'POST',
        '',
        transaction(post({ resourceType: 'Patient' }), put({ resourceType: 'Patient', id }, { ifMatch })),
      );
    const stale = await guarded('W/"7"');
    expect([stale.status, stale.json.issue[0].expression]).toEqual([412, ['Bundle.entry[1]']]);
    expect(await sequence()).toBe(before);
    const current = await guarded('W/"1"');
    expect(current.json.entry[1].response).toMatchObject({ status: '200 OK', etag: 'W/"2"' });
    expect(await sequence()).toBe(before + 2);
  });

  it.each(['collection', 'history', 'searchset', 'document', undefined])(
    'of the type %s is refused',
    async (type) => {
      const { status, json } = await send('POST', '', { resourceType: 'Bundle', type });
      expect([status, json.issue[0].expression]).toEqual([400, ['Bundle.type']]);
    },
  );

  it.each([
    'http://elsewhere.example/fhir/Patient/1',
    '//elsewhere.example/fhir/Patient/1',
    '/w/another/api/v1/fhir/r4/Patient/1',
    '../r4/Patient/1',
    'Nothing/1',
    'Patient/1/2/3',
  ])('with an entry with the url %s is refused', async (url) => {
    const resource = { resourceType: 'Patient', id: '1' };
    const before = await sequence();
    const { status, json } = await send(
      'POST',
      '',
      transaction({ resource, request: { method: 'PUT', url } }),
    );
    expect([status, json.issue[0].expression]).toEqual([400, ['Bundle.entry[0].request.url']]);
    expect(await sequence()).toBe(before);
  });

  it('deletes by an address with a version, refuses a DELETE with an empty url', async () => {
    const id = `gone-${release}`;
    await send('PUT', `/Patient/${id}`, { resourceType: 'Patient', id });
    const empty = await send('POST', '', transaction({ request: { method: 'DELETE', url: '' } }));
    expect([empty.status, empty.json.issue[0].expression]).toEqual([400, ['Bundle.entry[0].request.url']]);
    const { json } = await send(
      'POST',
      '',
      transaction(
        { request: { method: 'DELETE', url: `Patient/${id}/_history/1` } },
        { request: { method: 'DELETE', url: 'Patient/never-was' } },
      ),
    );
    expect(json.entry[0].response).toMatchObject({
      status: '200 OK',
      etag: 'W/"2"',
      outcome: { resourceType: OUTCOME },
    });
    expect(json.entry[1].response).toMatchObject({ status: '200 OK', outcome: { resourceType: OUTCOME } });
    expect((await send('GET', `/Patient/${id}`)).status).toBe(410);
    expect((await send('GET', `/Patient?_id=${id}`)).json.total).toBe(0);
  });

  it('answers without resources for Prefer: return=minimal, with outcomes for return=OperationOutcome', async () => {
    const body = transaction(post({ resourceType: 'Patient' }));
    const minimal = await send('POST', '', body, { prefer: 'return=minimal' });
    expect(Object.keys(minimal.json.entry[0])).toEqual(['response']);
    expect(minimal.json.entry[0].response.outcome).toBeUndefined();
    const outcome = await send('POST', '', body, { prefer: 'return=OperationOutcome' });
    expect(outcome.json.entry[0].response.outcome.resourceType).toBe(OUTCOME);
    expect(outcome.json.entry[0].resource).toBeUndefined();
  });
});
