/**
 * The allowed requests of the entries of batches and transactions, and their answers: the same in both
 * (https://hl7.org/fhir/R4/http.html#transaction, docs/use/bundles.md).
 */
import type { Release } from '../../src/core';
import { entryOf, bundleOf, post, uuid } from '../support/bundles';
import { openSharedServer, type Answer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('other');
});
afterAll(() => server.close());

const SYSTEM = 'http://example.org/mrn';
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;

interface Entry {
  readonly fullUrl?: string;
  readonly resource?: { readonly id: string; readonly meta: { readonly lastUpdated: string } };
  readonly response: {
    readonly status: string;
    readonly location?: string;
    readonly etag?: string;
    readonly lastModified?: string;
    readonly outcome?: { readonly resourceType: string; readonly issue: readonly object[] };
  };
}

const PARAMETERS = {
  resourceType: 'Parameters',
  parameter: [
    {
      name: 'operation',
      part: [
        { name: 'type', valueCode: 'replace' },
        { name: 'path', valueString: 'Patient.active' },
        { name: 'value', valueBoolean: false },
      ],
    },
  ],
};
const BINARY = {
  resourceType: 'Binary',
  contentType: 'application/json-patch+json',
  data: Buffer.from(JSON.stringify([{ op: 'replace', path: '/active', value: false }])).toString('base64'),
};

describe.each<[string, Release, string]>([
  ['batch', 'r4', 'system'],
  ['transaction', 'r4', 'other'],
  ['batch', 'r4b', 'other'],
  ['transaction', 'r4b', 'system'],
])('a %s under %s of the tenant %s', (type, release, tenant) => {
  const send = (method: string, rest: string, body?: unknown): Promise<Answer> =>
    server.request(method, `${server.path(tenant, release)}${rest}`, body);
  const perform = (...entries: readonly object[]): Promise<Answer> =>
    send('POST', '', bundleOf(type, ...entries));
  const named = (name: string): string => `${type}-${release}-${name}`;
  const patient = (name: string, more: object = {}) => ({
    resourceType: 'Patient',
    active: true,
    identifier: [{ system: SYSTEM, value: named(name) }],
    ...more,
  });
  const criteria = (name: string): string => `identifier=${SYSTEM}|${named(name)}`;
  const place = (name: string): string => `Patient/${named(name)}`;
  const store = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) {
      const { status } = await send('PUT', `/${place(name)}`, patient(name, { id: named(name) }));
      expect(status).toBe(201);
    }
  };
  /** The status of the only entry: in a transaction a failing one is the answer's. */
  const statusOf = ({ status, json }: Answer): number =>
    type === 'batch' || status === 200 ? Number(json.entry[0].response.status.slice(0, 3)) : status;

  it('searches by POST: with the parameters in the url, in Parameters, or in a Binary with a form', async () => {
    await store('posted');
    const form = `${criteria('posted')}&active=true`;
    const resource = (text: string): object => ({
      resourceType: 'Binary',
      contentType: 'application/x-www-form-urlencoded',
      data: Buffer.from(text).toString('base64'),
    });
    const parameters = {
      resourceType: 'Parameters',
      parameter: [
        { name: 'identifier', valueString: `${SYSTEM}|${named('posted')}` },
        { name: 'active', valueBoolean: true },
        { name: '_count', valueInteger: 1 },
      ],
    };
    const { status, json } = await perform(
      entryOf('POST', `Patient/_search?${form}`),
      entryOf('POST', 'Patient/_search', {}, { resource: parameters }),
      entryOf('POST', 'Patient/_search?active=true', {}, { resource: resource(criteria('posted')) }),
      entryOf('POST', '_search', {}, { resource: resource(`_type=Patient&_id=${named('posted')}`) }),
      entryOf('POST', `${place('posted')}/Observation/_search`),
      entryOf('POST', `${place('posted')}/_search`),
    );
    expect([status, json.issue]).toEqual([200, undefined]);
    const found = json.entry.map((entry: { resource: { type: string; total: number } }) => [
      entry.resource.type,
      entry.resource.total,
    ]);
    expect(found).toEqual([
      ...Array.from({ length: 4 }, () => ['searchset', 1]),
      ['searchset', 0],
      ['searchset', 1],
    ]);
    const [self] = json.entry[1].resource.link;
    expect(self.url).toContain('/Patient?identifier=');
  });

  it('takes _format and _pretty in the url of every method, and refuses a format that is not JSON', async () => {
    await store('formatted');
    const resource = patient('formatted', { id: named('formatted') });
    const urls = (format: string): readonly object[] => [
      entryOf('GET', `${place('formatted')}?${format}`),
      entryOf('GET', `Patient?${criteria('formatted')}&${format}`),
      entryOf('PUT', `${place('formatted')}?${format}`, {}, { resource }),
      entryOf('POST', `Basic?${format}`, {}, { resource: { resourceType: 'Basic', code: { text: 'a' } } }),
      entryOf('DELETE', `Patient/${named('absent')}?${format}`),
    ];
    for (const format of ['_format=json', '_format=application/fhir%2Bjson', '_pretty=true'])
      for (const entry of urls(format)) expect(statusOf(await perform(entry))).toBeLessThan(300);
    for (const entry of urls('_format=xml')) expect(statusOf(await perform(entry))).toBe(406);
  });

  it('has the outcome that Prefer asks for, also where a conditional create finds a resource', async () => {
    await store('outcome');
    const prefer = { prefer: 'return=OperationOutcome' };
    const body = bundleOf(type, post(patient('outcome'), undefined, { ifNoneExist: criteria('outcome') }));
    const { json } = await server.request('POST', server.path(tenant, release), body, prefer);
    expect(json.entry[0].resource).toBeUndefined();
    expect(json.entry[0].response.outcome.issue[0].diagnostics).toContain('nothing was stored');
  });

  it.each([
    ['the resource is no form and no Parameters', { resourceType: 'Patient' }],
    ['a parameter has no simple value', { resourceType: 'Parameters', parameter: [{ name: 'a', part: [] }] }],
  ])('a search by POST is refused if %s', async (_, resource) => {
    expect(statusOf(await perform(entryOf('POST', 'Patient/_search', {}, { resource })))).toBe(400);
  });

  it('is a mix of everything, answered in its order with status, location, etag, time and outcome', async () => {
    await store('met', 'updated', 'json', 'path', 'where', 'deleted', 'swept', 'read');
    const future = new Date(Date.now() + 86_400_000).toISOString();
    const { status, json } = await perform(
      entryOf('GET', place('read')),
      post(patient('made'), uuid(1)),
      entryOf('DELETE', place('deleted')),
      post(patient('met'), undefined, { ifNoneExist: criteria('met') }),
      entryOf('PUT', place('new'), { ifNoneMatch: '*' }, { resource: patient('new', { id: named('new') }) }),
      entryOf('HEAD', place('read')),
      entryOf(
        'PUT',
        `Patient?${criteria('updated')}`,
        { ifMatch: 'W/"1"' },
        { resource: patient('updated') },
      ),
      entryOf('PATCH', place('json'), { ifMatch: '"1"' }, { resource: BINARY }),
      entryOf('PATCH', place('path'), { ifMatch: 'W/"1"' }, { resource: PARAMETERS }),
      entryOf('PATCH', `Patient?${criteria('where')}`, {}, { resource: PARAMETERS }),
      entryOf('DELETE', `Patient?${criteria('swept')}`, { ifMatch: '"1"' }),
      entryOf('GET', place('read'), { ifNoneMatch: 'W/"1"' }),
      entryOf('GET', place('read'), { ifModifiedSince: future }),
      entryOf('GET', `${place('read')}/_history/1`),
      entryOf('GET', `${place('read')}/_history`),
      entryOf('GET', `Patient?${criteria('read')}`),
      entryOf('GET', `Patient?${criteria('read')}&_summary=count`),
      entryOf('GET', 'ValueSet/$expand?url=http://hl7.org/fhir/ValueSet/administrative-gender'),
      entryOf('POST', 'Patient/$validate', {}, { resource: patient('validated') }),
      entryOf('GET', 'metadata'),
      entryOf('DELETE', place('never-was')),
    );
    expect([status, json.issue, json.type]).toEqual([200, undefined, `${type}-response`]);
    const entries: readonly Entry[] = json.entry;
    const root = server.root(tenant, release);
    const at = (name: string, version: number): string => `${root}/${place(name)}/_history/${version}`;
    const made = entries[1]?.resource?.id ?? '';
    const OK = '200 OK';
    expect(entries.map(({ response }) => [response.status, response.location, response.etag])).toEqual([
      [OK, undefined, 'W/"1"'],
      ['201 Created', `${root}/Patient/${made}/_history/1`, 'W/"1"'],
      [OK, undefined, 'W/"2"'],
      [OK, at('met', 1), 'W/"1"'],
      ['201 Created', at('new', 1), 'W/"1"'],
      [OK, undefined, 'W/"1"'],
      [OK, undefined, 'W/"2"'],
      [OK, undefined, 'W/"2"'],
      [OK, undefined, 'W/"2"'],
      [OK, undefined, 'W/"2"'],
      [OK, undefined, 'W/"2"'],
      ['304 Not Modified', undefined, 'W/"1"'],
      ['304 Not Modified', undefined, 'W/"1"'],
      [OK, undefined, 'W/"1"'],
      ...Array.from({ length: 7 }, () => [OK, undefined, undefined]),
    ]);
    for (const { resource, response } of entries) {
      if (response.etag === undefined) continue;
      expect(response.lastModified).toMatch(INSTANT);
      if (resource !== undefined) expect(response.lastModified).toBe(resource.meta.lastUpdated);
    }
    // Entries of deletions, of HEAD and of unchanged resources have no resource; deletions have an outcome.
    const without = entries.flatMap(({ resource }, index) => (resource === undefined ? [index] : []));
    expect(without).toEqual([2, 5, 10, 11, 12, 20]);
    for (const index of [2, 10, 20])
      expect(entries[index]?.response.outcome).toMatchObject({
        resourceType: 'OperationOutcome',
        issue: [{ severity: 'information' }],
      });
    expect(entries.slice(6, 10).map(({ resource }) => resource)).toMatchObject([
      { id: named('updated'), active: true },
      { id: named('json'), active: false },
      { id: named('path'), active: false },
      { id: named('where'), active: false },
    ]);
    expect(entries.slice(13, 20).map(({ resource }) => resource)).toMatchObject([
      { id: named('read'), meta: { versionId: '1' } },
      { type: 'history', total: 1 },
      { type: 'searchset', entry: [{ resource: { id: named('read') } }] },
      { type: 'searchset', total: 1 },
      { resourceType: 'ValueSet' },
      { resourceType: 'OperationOutcome' },
      { resourceType: 'CapabilityStatement' },
    ]);
    for (const [index, name] of [[1, `Patient/${made}`], [4, place('new')], [6, place('updated')]] as const)
      expect(entries[index]?.fullUrl).toBe(`${root}/${name}`); // prettier-ignore
    for (const name of ['deleted', 'swept']) expect((await send('GET', `/${place(name)}`)).status).toBe(410);
  });

  it.each(['update', 'patch with a Binary', 'patch with Parameters', 'delete'] as const)(
    'applies the ifMatch of each %s, weak or strong, by id and by criteria',
    async (kind) => {
      const change = (url: string, name: string, ifMatch: string): object => {
        if (kind === 'delete') return entryOf('DELETE', url, { ifMatch });
        if (kind === 'update')
          return entryOf('PUT', url, { ifMatch }, { resource: patient(name, { id: named(name) }) });
        return entryOf(
          'PATCH',
          url,
          { ifMatch },
          { resource: kind === 'patch with a Binary' ? BINARY : PARAMETERS },
        );
      };
      for (const [way, weak] of [['id', true], ['id', false], ['criteria', true], ['criteria', false]] as const) {
        const name = `${kind.replaceAll(' ', '-')}-${way}-${weak ? 'w' : 's'}`;
        const url = way === 'id' ? place(name) : `Patient?${criteria(name)}`;
        const tag = (version: number): string => `${weak ? 'W/' : ''}"${version}"`;
        await store(name);
        expect(statusOf(await perform(change(url, name, tag(7))))).toBe(412);
        expect((await send('GET', `/${place(name)}`)).headers.etag).toBe('W/"1"');
        expect(statusOf(await perform(change(url, name, `${tag(7)}, ${tag(1)}`)))).toBe(200);
        const { status, headers } = await send('GET', `/${place(name)}`);
        expect([status, headers.etag]).toEqual(kind === 'delete' ? [410, undefined] : [200, 'W/"2"']);
      } // prettier-ignore
    },
  );

  it('says which entry is wrong where it is a Bundle with entries of its own', async () => {
    const patient = { resourceType: 'Patient', id: 'other' };
    const inner = { fullUrl: 'http://example.org/Patient/one', resource: patient };
    const answer = await perform(
      post({ resourceType: 'Patient' }),
      post({ resourceType: 'Bundle', type: 'collection', entry: [inner] }),
    );
    const outcome = type === 'batch' ? answer.json.entry[1].response.outcome : answer.json;
    expect(outcome.issue).toMatchObject([{ expression: ['Bundle.entry[1].resource.entry[0].fullUrl'] }]);
  });

  it('applies ifNoneMatch: * to a PUT, by id and by criteria', async () => {
    for (const url of [place('once'), `Patient?${criteria('once')}`]) {
      const once = entryOf(
        'PUT',
        url,
        { ifNoneMatch: '*' },
        { resource: patient('once', { id: named('once') }) },
      );
      if (url === place('once')) expect(statusOf(await perform(once))).toBe(201);
      expect(statusOf(await perform(once))).toBe(412);
    }
    expect((await send('GET', `/${place('once')}`)).headers.etag).toBe('W/"1"');
  });

  it.each([
    ['POST', { ifMatch: 'W/"1"' }, 'ifMatch'],
    ['POST', { ifNoneMatch: '*' }, 'ifNoneMatch'],
    ['PUT', { ifNoneExist: 'identifier=x' }, 'ifNoneExist'],
    ['PUT', { ifNoneMatch: 'W/"1"' }, 'ifNoneMatch'],
    ['DELETE', { ifNoneMatch: '*' }, 'ifNoneMatch'],
    ['GET', { ifMatch: 'W/"1"' }, 'ifMatch'],
  ])('refuses a %s with %j, which it could not apply', async (method, headers, member) => {
    const url = method === 'POST' ? 'Patient' : place('guarded');
    const resource = method === 'GET' || method === 'DELETE' ? {} : { resource: patient('guarded', { id: named('guarded') }) };
    const answer = await perform(entryOf(method, url, headers, resource));
    expect(statusOf(answer)).toBe(422);
    const outcome = type === 'batch' ? answer.json.entry[0].response.outcome : answer.json;
    expect(outcome.issue[0].expression).toEqual([`Bundle.entry[0].request.${member}`]);
    expect((await send('GET', `/${place('guarded')}`)).status).toBe(404);
  }); // prettier-ignore
});

describe.each(TESTED_RELEASES)('a single patient under %s', (release) => {
  const tenant = `single-${release}`;
  const send = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    server.request(method, `${server.path(tenant, release)}${rest}`, body, headers); // prettier-ignore
  const patient = { resourceType: 'Patient', active: true };
  const observation = (reference: string) => ({
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'x' },
    subject: { reference },
  });
  let id: string;
  beforeAll(async () => {
    await server.createTenant(tenant);
    id = (await send('POST', '/Patient', { ...patient, identifier: [{ value: 'only' }] })).json.id;
  });

  // A server that read these criteria as all patients would find exactly one.
  it.each(['', 'identifier=', 'identifer=only', 'identifier=only&nonsense=1', '_sort=_id', '_count=1', '_=7', 'family=--'])(
    'is not the meaning of criteria "%s", in requests, entries and references',
    async (criteria) => {
      const patch = [{ op: 'replace', path: '/active', value: false }];
      const single = [
        await send('PUT', `/Patient?${criteria}`, patient),
        await send('PATCH', `/Patient?${criteria}`, patch),
        await send('DELETE', `/Patient?${criteria}`),
        await send('POST', '/Patient', patient, { 'if-none-exist': criteria }),
      ];
      const entries = [
        entryOf('PUT', `Patient?${criteria}`, {}, { resource: patient }),
        entryOf('PATCH', `Patient?${criteria}`, {}, { resource: PARAMETERS }),
        entryOf('DELETE', `Patient?${criteria}`),
        post(patient, undefined, { ifNoneExist: criteria }),
      ];
      const batch = await send('POST', '', bundleOf('batch', ...entries));
      const alone = await Promise.all(entries.map((entry) => send('POST', '', bundleOf('transaction', entry))));
      const reference = await send('POST', '', bundleOf('transaction', post(observation(`Patient?${criteria}`))));
      expect(single.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
      const statuses = batch.json.entry.map(({ response }: Entry) => response.status);
      expect(statuses).toEqual(Array.from({ length: 4 }, () => '400 Bad Request'));
      expect([...alone, reference].map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
      const { json } = await send('GET', '/_history');
      expect([json.total, json.entry[0].resource]).toMatchObject([1, { id, active: true }]);
    },
  ); // prettier-ignore

  it('is not the meaning of a reference by criteria outside of transactions: it is refused', async () => {
    const reference = 'Patient?identifier=only';
    const alone = await send('POST', '/Observation', observation(reference));
    const batch = await send('POST', '', bundleOf('batch', post(observation(reference))));
    expect([alone.status, batch.json.entry[0].response.status]).toEqual([422, '422 Unprocessable Entity']);
    const both = await send('POST', '', bundleOf('transaction', post(observation(reference))));
    expect(both.json.entry[0].resource.subject).toEqual({ reference: `Patient/${id}` });
  });
});
