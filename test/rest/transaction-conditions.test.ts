/**
 * Conditional entries, conditional references and entries that read, in transactions:
 * https://hl7.org/fhir/R4/http.html#transaction.
 */
import type { Release } from '../../src/core';
import { entryOf, post, transaction, uuid } from '../support/bundles';
import { openSharedServer, type Answer, type HttpServer } from '../support/shared-server';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('other', { 'conditional-delete': 'multiple' });
});
afterAll(() => server.close());

const SYSTEM = 'http://example.org/mrn';

interface Resource {
  readonly resourceType: string;
  readonly id?: string;
}

const patient = (value: string): Resource & Record<string, unknown> => ({
  resourceType: 'Patient',
  identifier: [{ system: SYSTEM, value }],
});
const observation = (reference: string): Resource & Record<string, unknown> => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'Weight' },
  subject: { reference },
});

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

  const total = async (query: string): Promise<number> =>
    (await send('GET', `/${query}${query.includes('?') ? '&' : '?'}_summary=count`)).json.total;
  const criteria = (value: string): string => `identifier=${SYSTEM}|${value}`;

  it('resolves a reference by criteria; none or two matches refuse all of it', async () => {
    const reference = `Patient?${criteria('83')}`;
    const both = transaction(
      post({ resourceType: 'Basic', code: { text: 'x' } }),
      post(observation(reference)),
    );
    const before = [await total('Basic'), await total('Observation')];
    const none = await send('POST', '', both);
    expect([none.status, none.json.issue[0].expression]).toEqual([
      412,
      ['Bundle.entry[1].resource.subject.reference'],
    ]);
    const first = await send('POST', '/Patient', patient('83'));
    const one = await send('POST', '', both);
    expect([one.status, one.json.entry?.[1].resource.subject]).toEqual([
      200,
      { reference: `Patient/${first.json.id}` },
    ]);
    await send('POST', '/Patient', patient('83'));
    const two = await send('POST', '', both);
    expect([two.status, two.json.issue[0].code]).toEqual([412, 'multiple-matches']);
    expect([await total('Basic'), await total('Observation')]).toEqual(before.map((count) => count + 1));
  });

  it('resolves a reference by criteria to a resource of its own, unless that makes two', async () => {
    const reference = `Patient?${criteria('made-here')}`;
    const made = await send(
      'POST',
      '',
      transaction(post(observation(reference)), post(patient('made-here'))),
    );
    expect(made.json.issue).toBeUndefined();
    const [seen, subject] = made.json.entry.map((entry: { resource: object }) => entry.resource);
    expect(seen.subject.reference).toBe(`Patient/${subject.id}`);
    const again = await send(
      'POST',
      '',
      transaction(post(observation(reference)), post(patient('made-here'))),
    );
    expect([again.status, again.json.issue[0].code]).toEqual([412, 'multiple-matches']);
    expect(await total(`Patient?${criteria('made-here')}`)).toBe(1);
  });

  it('a conditional create that finds one lets the others refer to that one', async () => {
    const entry = transaction(
      post(observation(uuid(1))),
      post(patient('84'), uuid(1), { ifNoneExist: criteria('84') }),
    );
    const first = await send('POST', '', entry);
    expect(first.json.entry.map(({ response }: { response: { status: string } }) => response.status)).toEqual(
      ['201 Created', '201 Created'],
    );
    const { id } = first.json.entry[1].resource;
    const second = await send('POST', '', entry);
    const [made, found] = second.json.entry;
    expect(made.resource.subject.reference).toBe(`Patient/${id}`);
    expect(found.response).toMatchObject({
      status: '200 OK',
      etag: 'W/"1"',
      location: `${server.root(tenant, release)}/Patient/${id}/_history/1`,
    });
    expect(await total(`Patient?${criteria('84')}`)).toBe(1);
  });

  it('creates one resource for two entries with the same criteria', async () => {
    const { json } = await send(
      'POST',
      '',
      transaction(
        post(patient('once'), uuid(1), { ifNoneExist: criteria('once') }),
        post(patient('once'), uuid(2), { ifNoneExist: `identifier=${encodeURIComponent(`${SYSTEM}|once`)}` }),
        post(observation(uuid(1))),
        post(observation(uuid(2))),
      ),
    );
    const [first, second, third, fourth] = json.entry;
    expect([first.response.status, second.response.status]).toEqual(['201 Created', '200 OK']);
    expect(second.resource.id).toBe(first.resource.id);
    expect(third.resource.subject).toEqual(fourth.resource.subject);
    expect(await total(`Patient?${criteria('once')}`)).toBe(1);
  });

  it('updates, patches and deletes by criteria', async () => {
    const made = await send('POST', '', transaction({ resource: patient('cond'), ...entryOf('PUT', `Patient?${criteria('cond')}`) }));
    const [{ resource, response }] = made.json.entry;
    expect(response.status).toBe('201 Created');
    const update = { ...patient('cond'), active: true };
    const changed = await send('POST', '', transaction({ resource: update, ...entryOf('PUT', `Patient?${criteria('cond')}`) }));
    expect(changed.json.entry[0]).toMatchObject({ resource: { id: resource.id, active: true }, response: { status: '200 OK', etag: 'W/"2"' } });
    const operations = [{ op: 'replace', path: '/active', value: false }];
    const data = Buffer.from(JSON.stringify(operations)).toString('base64');
    const binary = { resourceType: 'Binary', contentType: 'application/json-patch+json', data };
    const patched = await send('POST', '', transaction({ resource: binary, ...entryOf('PATCH', `Patient?${criteria('cond')}`) }));
    expect(patched.json.entry[0]).toMatchObject({ resource: { id: resource.id, active: false }, response: { etag: 'W/"3"' } });
    const parameters = {
      resourceType: 'Parameters',
      parameter: [{ name: 'operation', part: [{ name: 'type', valueCode: 'delete' }, { name: 'path', valueString: 'Patient.active' }] }],
    };
    const path = await send('POST', '', transaction({ resource: parameters, ...entryOf('PATCH', `Patient/${resource.id}`) }));
    expect(path.json.entry[0].resource.active).toBeUndefined();
    const missing = await send('POST', '', transaction({ resource: binary, ...entryOf('PATCH', `Patient?${criteria('nobody')}`) }));
    expect([missing.status, missing.json.issue[0].expression]).toEqual([404, ['Bundle.entry[0].request.url']]);
    const deleted = await send('POST', '', transaction(entryOf('DELETE', `Patient?${criteria('cond')}`), entryOf('DELETE', `Patient?${criteria('nobody')}`)));
    expect(deleted.json.entry.map(({ response: { status } }: { response: { status: string } }) => status)).toEqual(['200 OK', '200 OK']);
    expect((await send('GET', `/Patient/${resource.id}`)).status).toBe(410);
  }); // prettier-ignore

  it('deletes several by criteria only where the tenant allows it', async () => {
    for (let count = 0; count < 3; count++) await send('POST', '/Patient', patient('several'));
    const { status, json } = await send(
      'POST',
      '',
      transaction(entryOf('DELETE', `Patient?${criteria('several')}`)),
    );
    const isAllowed = tenant === 'other';
    expect(status).toBe(isAllowed ? 200 : 412);
    if (isAllowed) expect(json.entry[0].response.outcome.issue[0].diagnostics).toContain('3 resources');
    expect(await total(`Patient?${criteria('several')}`)).toBe(isAllowed ? 0 : 3);
  });

  it.each([
    ['PUT', 'Patient?nothing=1'],
    ['DELETE', 'Patient?identifier='],
    ['DELETE', 'Patient?_sort=birthdate'],
    ['DELETE', 'Patient'],
  ])('never reads %s %s for all patients', async (method, url) => {
    const before = await total('Patient');
    const { status, json } = await send(
      'POST',
      '',
      transaction({ resource: { resourceType: 'Patient' }, ...entryOf(method, url) }),
    );
    expect([status, json.issue[0].expression]).toEqual([400, ['Bundle.entry[0].request.url']]);
    expect(await total('Patient')).toBe(before);
  });

  it('executes in the order DELETE, POST, PUT and PATCH, GET, however they are listed', async () => {
    const id = `ordered-${release}`;
    await send('PUT', `/Patient/${id}`, {
      resourceType: 'Patient',
      id,
      identifier: [{ system: SYSTEM, value: '85' }],
    });
    const patched = `${id}-patched`;
    await send('PUT', `/Patient/${patched}`, { resourceType: 'Patient', id: patched });
    const operations = [
      { op: 'add', path: '/link', value: [{ other: { reference: uuid(85) }, type: 'seealso' }] },
    ];
    const data = Buffer.from(JSON.stringify(operations)).toString('base64');
    const { status, json } = await send(
      'POST',
      '',
      transaction(
        entryOf('GET', `Observation?subject=Patient/${id}-next`),
        entryOf('GET', `Patient/${id}-next`),
        {
          resource: { resourceType: 'Patient', id: `${id}-next`, gender: 'other' },
          ...entryOf('PUT', `Patient/${id}-next`),
        },
        post(observation(`Patient/${id}-next`)),
        entryOf('DELETE', `Patient/${id}`),
        entryOf('HEAD', `Patient/${id}-next`),
        entryOf('GET', `Patient?${criteria('85')}`),
        entryOf('GET', `Patient/${patched}`),
        {
          resource: { resourceType: 'Binary', contentType: 'application/json-patch+json', data },
          ...entryOf('PATCH', `Patient/${patched}`),
        },
        post({ resourceType: 'Patient', gender: 'unknown' }, uuid(85)),
      ),
    );
    expect([status, json.issue]).toEqual([200, undefined]);
    const [search, read, , , , head, gone, readPatched, , linked] = json.entry;
    expect(search.resource).toMatchObject({ resourceType: 'Bundle', type: 'searchset' });
    expect(search.resource.entry).toHaveLength(1);
    expect(read).toMatchObject({
      resource: { gender: 'other', meta: { versionId: '1' } },
      response: { status: '200 OK', etag: 'W/"1"' },
    });
    expect(head.resource).toBeUndefined();
    expect(gone.resource.entry).toBeUndefined();
    expect(readPatched.resource.link[0].other).toEqual({ reference: `Patient/${linked.resource.id}` });
    const changes = await send('GET', `/_history?_count=5`);
    expect(changes.json.entry.map(({ request }: { request: object }) => request)).toEqual([
      { method: 'PUT', url: `Patient/${patched}` },
      { method: 'PUT', url: `Patient/${id}-next` },
      { method: 'POST', url: 'Patient' },
      { method: 'POST', url: 'Observation' },
      { method: 'DELETE', url: `Patient/${id}` },
    ]);
  });

  it('reads, searches, returns histories and runs operations among its entries', async () => {
    const id = `read-${release}`;
    const resource = { resourceType: 'Patient', id, name: [{ family: 'Reading' }] };
    const { status, json } = await send(
      'POST',
      '',
      transaction(
        { resource, ...entryOf('PUT', `Patient/${id}`) },
        entryOf('GET', `Patient/${id}/_history`),
        entryOf('GET', `Patient/${id}/_history/1`),
        entryOf('GET', `Patient/${id}`, { ifNoneMatch: 'W/"1"' }),
        entryOf('GET', 'ValueSet/$expand?url=http://hl7.org/fhir/ValueSet/administrative-gender'),
        entryOf('GET', 'metadata'),
        entryOf('GET', `Patient/${id}/*`),
        {
          resource: { resourceType: 'Parameters', parameter: [{ name: 'resource', resource }] },
          ...entryOf('POST', 'Patient/$validate'),
        },
      ),
    );
    expect([status, json.issue]).toEqual([200, undefined]);
    const [, history, version, unchanged, expansion, metadata, compartment, validation] = json.entry;
    expect(history.resource).toMatchObject({ type: 'history', total: 1 });
    expect(version.resource.id).toBe(id);
    expect([unchanged.response.status, unchanged.resource]).toEqual(['304 Not Modified', undefined]);
    expect(expansion.resource.expansion.contains).toHaveLength(4);
    expect(metadata.resource.resourceType).toBe('CapabilityStatement');
    expect(compartment.resource.type).toBe('searchset');
    expect(validation.resource.resourceType).toBe('OperationOutcome');
  });

  it('is undone by an entry that reads a missing resource, or by an operation that writes', async () => {
    const before = await total('Patient');
    const absent = await send(
      'POST',
      '',
      transaction(post(patient('undone')), entryOf('GET', 'Patient/nobody')),
    );
    expect([absent.status, absent.json.issue[0].expression]).toEqual([404, ['Bundle.entry[1]']]);
    const writing = await send(
      'POST',
      '',
      transaction(post(patient('undone')), entryOf('POST', 'Patient/nobody/$meta-add')),
    );
    expect([writing.status, writing.json.issue[0].expression]).toEqual([
      422,
      ['Bundle.entry[1].request.url'],
    ]);
    expect(await total('Patient')).toBe(before);
  });

  it('caches nothing of operations that were undone', async () => {
    const url = `http://example.org/undone-${release}`;
    const system = (code: string): object => ({
      resourceType: 'CodeSystem',
      url,
      status: 'active',
      content: 'complete',
      concept: [{ code }],
    });
    const valueSet = {
      resourceType: 'ValueSet',
      url: `${url}/all`,
      status: 'active',
      compose: { include: [{ system: url }] },
    };
    const expand = entryOf('GET', `ValueSet/$expand?url=${url}/all`);
    const undone = await send(
      'POST',
      '',
      transaction(
        post(system('wrong') as Resource & Record<string, unknown>),
        post(valueSet),
        expand,
        entryOf('GET', 'Patient/nobody'),
      ),
    );
    expect(undone.status).toBe(404);
    const done = await send(
      'POST',
      '',
      transaction(post(system('right') as Resource & Record<string, unknown>), post(valueSet), expand),
    );
    expect(done.json.entry[2].resource.expansion.contains[0].code).toBe('right');
    const alone = await send('GET', `/ValueSet/$expand?url=${url}/all`);
    expect(alone.json.expansion.contains[0].code).toBe('right');
  });
});
