/** Create, read, update and delete over HTTP: https://hl7.org/fhir/R4/http.html. */
import type { Release } from '../../src/core';
import { replace, toParameters } from '../support/fhirpath-patch';
import { openSharedServer, type HttpServer } from '../support/shared-server';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('other');
});
afterAll(() => server.close());

const patient = {
  resourceType: 'Patient',
  active: true,
  name: [{ family: 'Chalmers', given: ['Peter', 'James'] }],
};

/** The default of `FHIR_EXTENSION_BASE`. */
const EXTENSIONS = 'https://andiron.example/fhir/StructureDefinition';
const AUTHOR = {
  url: `${EXTENSIONS}/author`,
  valueReference: { reference: 'ClientApplication/anonymous' },
};

describe.each<[Release, string]>([
  ['r4', 'system'],
  ['r4b', 'other'],
])('under %s of the tenant %s', (release, tenant) => {
  const path = (rest: string): string => `${server.path(tenant, release)}${rest}`;
  const send = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, path(rest), body, headers);

  async function create(resource: object = patient): Promise<string> {
    const { status, json } = await send('POST', '/Patient', resource);
    expect(status).toBe(201);
    return json.id;
  }

  it('a create answers 201 with Location, ETag, Last-Modified and the stored resource', async () => {
    const { status, headers, json } = await send('POST', '/Patient', patient);
    expect(status).toBe(201);
    expect(headers.etag).toBe('W/"1"');
    expect(headers.location).toBe(`${server.root(tenant, release)}/Patient/${json.id}/_history/1`);
    expect(json).toMatchObject({ ...patient, meta: { versionId: '1' } });
    expect(json.meta.lastUpdated).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
    expect(Date.parse(headers['last-modified'] ?? '')).toBe(
      Math.floor(Date.parse(json.meta.lastUpdated) / 1000) * 1000,
    );
    const [sequence, author, ...others] = json.meta.extension;
    expect(sequence).toEqual({ url: `${EXTENSIONS}/version-sequence`, valueInteger: expect.any(Number) });
    expect([author, others]).toEqual([AUTHOR, []]);
    const { json: next } = await send('POST', '/Patient', patient);
    expect(next.meta.extension[0].valueInteger).toBeGreaterThan(sequence.valueInteger);
  });

  it('a create assigns a new id, whatever the client sent', async () => {
    const { status, json } = await send('POST', '/Patient', { ...patient, id: 'mine' });
    expect(status).toBe(201);
    expect(json.id).not.toBe('mine');
  });

  it.each([
    ['another resourceType than the address', JSON.stringify({ resourceType: 'Observation' })],
    ['malformed JSON', '{"resourceType":"Patient"'],
    ['nothing', ''],
    ['an array', '[{"resourceType":"Patient"}]'],
    ['a member twice', '{"resourceType":"Patient","active":true,"active":false}'],
    ['no resourceType', '{}'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ])('%s is 400 with an OperationOutcome', async (_title, body) => {
    const { status, json } = await send('POST', '/Patient', body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ severity: 'error' }] });
    expect(json.issue[0].diagnostics.length).toBeGreaterThan(10);
  });

  it('a read returns the written resource, to the last digit', async () => {
    const text =
      '{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.10,"unit":"kg"},"component":[{"code":{"text":"y"},"valueQuantity":{"value":100.000}}]}';
    const created = await send('POST', '/Observation', text);
    expect(created.status).toBe(201);
    const { status, headers, text: stored } = await send('GET', `/Observation/${created.json.id}`);
    expect(status).toBe(200);
    expect(stored).toContain('1.10');
    expect(stored).toContain('100.000');
    expect(headers['content-type']).toBe('application/fhir+json; charset=utf-8');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(stored).toBe(created.text);
  });

  it('a HEAD has the headers of the GET and no body', async () => {
    const id = await create();
    const get = await send('GET', `/Patient/${id}`);
    const head = await send('HEAD', `/Patient/${id}`);
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    for (const name of ['etag', 'last-modified', 'content-type', 'content-length']) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
  });

  it('a read of a missing resource is 404', async () => {
    const { status, json } = await send('GET', '/Patient/not-there');
    expect(status).toBe(404);
    expect(json.issue[0].code).toBe('not-found');
  });

  it.each([
    ['bad%20id!'],
    ['%00'],
    ['a%2Fb'],
    ["';drop"],
    ['%F0%9F%98%80'],
    ['%ff'],
    ['%'],
    ['x'.repeat(65)],
    ['x'.repeat(2000)],
    ['_x'],
  ])('an id such as %.20s is 400 or 404, never 500', async (id) => {
    for (const [method, body] of [
      ['GET'],
      ['DELETE'],
      ['PUT', { ...patient, id: 'x' }],
      ['PATCH', []],
    ] as const) {
      const { status, json } = await send(method, `/Patient/${id}`, body);
      expect([400, 404]).toContain(status);
      expect(json.resourceType).toBe('OperationOutcome');
    }
    expect([400, 404]).toContain((await send('GET', `/Patient/${id}/_history`)).status);
    expect([400, 404]).toContain((await send('GET', `/Patient/a/_history/${id}`)).status);
  });

  it('a PUT makes version 1 under its id with 201, then version 2 with 200', async () => {
    const id = `put-${release}`;
    const first = await send('PUT', `/Patient/${id}`, { ...patient, id });
    expect(first.status).toBe(201);
    expect(first.headers.etag).toBe('W/"1"');
    expect(first.headers.location).toBe(`${server.root(tenant, release)}/Patient/${id}/_history/1`);
    const second = await send('PUT', `/Patient/${id}`, { ...patient, id, active: false });
    expect(second.status).toBe(200);
    expect(second.headers.etag).toBe('W/"2"');
    expect(second.headers.location).toBeUndefined();
    expect(second.json).toMatchObject({ active: false, meta: { versionId: '2' } });
    expect((await send('GET', `/Patient/${id}/_history/1`)).json.active).toBe(true);
    for (const { updateCreate } of (await send('GET', '/metadata')).json.rest[0].resource)
      expect(updateCreate).toBe(true);
  });

  it('a PUT with another id in its body, or none, is 400', async () => {
    const id = await create();
    expect((await send('PUT', `/Patient/${id}`, { ...patient, id: 'other' })).status).toBe(400);
    expect((await send('PUT', `/Patient/${id}`, patient)).status).toBe(400);
  });

  it('If-Match applies to a PUT, in weak, strong and listed form', async () => {
    const id = await create();
    const put = (match: string) => send('PUT', `/Patient/${id}`, { ...patient, id }, { 'if-match': match });
    expect((await put('W/"7"')).status).toBe(412);
    expect((await put('W/"1"')).status).toBe(200);
    expect((await put('"2"')).status).toBe(200);
    expect((await put('W/"1", W/"3"')).status).toBe(200);
    expect((await put('*')).status).toBe(200);
    expect((await put('W/"4"')).status).toBe(412);
    expect((await put('5')).status).toBe(400);
    expect((await send('GET', `/Patient/${id}`)).headers.etag).toBe('W/"5"');
  });

  it.each([
    ['PATCH', 'a JSON Patch', [{ op: 'replace', path: '/active', value: false }], 'application/json-patch+json'],
    ['PATCH', 'a FHIRPath Patch', toParameters(replace('Patient.active', { valueBoolean: false })), 'application/fhir+json'],
    ['GET', 'a patch', [{ op: 'replace', path: '/active', value: false }], 'application/json'],
    ['DELETE', 'nothing', undefined, ''],
  ] as const)('If-Match applies to a %s with %s too, in weak, strong and listed form', async (method, _what, body, type) => {
    for (const [stale, current] of [
      ['W/"7"', 'W/"1"'],
      ['"7"', '"1"'],
      ['W/"7", "8"', '"7", W/"1"'],
    ] as const) {
      const id = await create();
      const change = (match: string) =>
        send(method, `/Patient/${id}`, body, { 'if-match': match, ...(type === '' ? {} : { 'content-type': type }) });
      const refused = await change(stale);
      expect([refused.status, refused.json.issue[0].code]).toEqual([412, 'conflict']);
      const { headers, json } = await send('GET', `/Patient/${id}`);
      expect([headers.etag, json.active]).toEqual(['W/"1"', true]);
      const done = await change(current);
      expect([done.status, done.headers.etag]).toEqual([200, 'W/"2"']);
    }
  }); // prettier-ignore

  it('If-Match on a missing resource is 412, for any value', async () => {
    const body = { ...patient, id: 'nobody' };
    for (const match of ['W/"1"', '*']) {
      expect((await send('PUT', '/Patient/nobody', body, { 'if-match': match })).status).toBe(412);
      expect((await send('PATCH', '/Patient/nobody', [], { 'if-match': match })).status).toBe(412);
      expect((await send('DELETE', '/Patient/nobody', undefined, { 'if-match': match })).status).toBe(412);
    }
    expect((await send('GET', '/Patient/nobody')).status).toBe(404);
  });

  it('If-None-Match: * keeps a PUT from replacing anything', async () => {
    const id = `only-once-${release}`;
    const put = () => send('PUT', `/Patient/${id}`, { ...patient, id }, { 'if-none-match': '*' });
    expect((await put()).status).toBe(201);
    expect((await put()).status).toBe(412);
    expect((await send('GET', `/Patient/${id}`)).headers.etag).toBe('W/"1"');
  });

  it('an update with the same content is a new version', async () => {
    const id = await create();
    expect((await send('PUT', `/Patient/${id}`, { ...patient, id })).headers.etag).toBe('W/"2"');
    expect((await send('PUT', `/Patient/${id}`, { ...patient, id })).headers.etag).toBe('W/"3"');
  });

  it('a deletion is a version: 410 afterwards, old versions stay, a PUT continues the count', async () => {
    const id = await create();
    const deleted = await send('DELETE', `/Patient/${id}`);
    expect(deleted.status).toBe(200);
    expect(deleted.json.resourceType).toBe('OperationOutcome');
    expect(deleted.headers.etag).toBe('W/"2"');
    const gone = await send('GET', `/Patient/${id}`);
    expect(gone.status).toBe(410);
    expect(gone.json.issue[0].code).toBe('deleted');
    expect((await send('PATCH', `/Patient/${id}`, [])).status).toBe(410);
    expect((await send('GET', `/Patient/${id}/_history/1`)).status).toBe(200);
    expect((await send('GET', `/Patient/${id}/_history/2`)).status).toBe(410);
    expect((await send('GET', `/Patient/${id}/_history/3`)).status).toBe(404);
    expect((await send('GET', `/Patient/${id}/_history/one`)).status).toBe(404);
    expect((await send('DELETE', `/Patient/${id}`)).status).toBe(200);
    const again = await send('DELETE', `/Patient/${id}`, undefined, { prefer: 'return=minimal' });
    expect([again.status, again.text]).toEqual([204, '']);
    const back = await send('PUT', `/Patient/${id}`, { ...patient, id });
    expect(back.status).toBe(201);
    expect(back.headers.etag).toBe('W/"3"');
    expect(back.headers.location).toMatch(/_history\/3$/);
  });

  it('deleting a resource that never existed is 200 too', async () => {
    const { status, json } = await send('DELETE', '/Patient/never-was');
    expect(status).toBe(200);
    expect(json.resourceType).toBe('OperationOutcome');
  });

  it('a conditional read of the same version is 304 without a body', async () => {
    const id = await create();
    const same = await send('GET', `/Patient/${id}`, undefined, { 'if-none-match': 'W/"1"' });
    expect([same.status, same.text, same.headers.etag]).toEqual([304, '', 'W/"1"']);
    expect((await send('GET', `/Patient/${id}`, undefined, { 'if-none-match': 'W/"2"' })).status).toBe(200);
    for (const tag of ['"1"', 'W/"7", W/"1"', '*'])
      for (const method of ['GET', 'HEAD'])
        expect((await send(method, `/Patient/${id}`, undefined, { 'if-none-match': tag })).status).toBe(304);
    const future = new Date(Date.now() + 86_400_000).toUTCString();
    // The more specific one applies.
    const both = { 'if-none-match': 'W/"2"', 'if-modified-since': future };
    expect((await send('GET', `/Patient/${id}`, undefined, both)).status).toBe(200);
    expect((await send('GET', `/Patient/${id}`, undefined, { 'if-modified-since': future })).status).toBe(
      304,
    );
    const past = 'Mon, 01 Jan 2001 00:00:00 GMT';
    expect((await send('GET', `/Patient/${id}`, undefined, { 'if-modified-since': past })).status).toBe(200);
    expect(
      (await send('GET', `/Patient/${id}/_history/1`, undefined, { 'if-none-match': '"1"' })).status,
    ).toBe(304);
  });

  it('Prefer decides the answer of a write', async () => {
    const minimal = await send('POST', '/Patient', patient, { prefer: 'return=minimal' });
    expect([minimal.status, minimal.text]).toEqual([201, '']);
    const id = /Patient\/([^/]+)\//.exec(minimal.headers.location ?? '')?.[1] ?? '';
    const body = { ...patient, id };
    expect((await send('PUT', `/Patient/${id}`, body, { prefer: 'return=minimal' })).text).toBe('');
    const whole = await send('PUT', `/Patient/${id}`, body, { prefer: 'return=representation' });
    expect(whole.json).toMatchObject(body);
    const outcome = await send('PUT', `/Patient/${id}`, body, { prefer: 'return=OperationOutcome' });
    expect(outcome.json).toMatchObject({
      resourceType: 'OperationOutcome',
      issue: [{ severity: 'information' }],
    });
    expect(outcome.headers.etag).toBe('W/"4"');
  });

  it("the server's part of meta is not the client's, the rest is stored", async () => {
    const sentMeta = {
      profile: ['http://example.org/profile'],
      tag: [{ system: 'http://example.org/tags', code: 't' }],
      security: [{ code: 'R' }],
    };
    const foreign = { url: 'http://example.org/reviewed', valueBoolean: true };
    const meta = {
      ...sentMeta,
      versionId: '77',
      lastUpdated: '2001-01-01T00:00:00Z',
      extension: [
        { url: `${EXTENSIONS}/version-sequence`, valueInteger: 2_000_000 },
        { url: `${EXTENSIONS}/author`, valueReference: { reference: 'ClientApplication/somebody' } },
        foreign,
      ],
    };
    const created = await send('POST', '/Patient', { ...patient, meta });
    const { id } = created.json;
    const updated = await send('PUT', `/Patient/${id}`, { ...patient, id, meta });
    const replaced = [{ op: 'replace', path: '/meta/extension', value: meta.extension }];
    const patched = await send('PATCH', `/Patient/${id}`, replaced);
    let before = 0;
    for (const [index, answer] of [created, updated, patched].entries()) {
      const { json } = answer;
      expect(json.meta).toMatchObject({ ...sentMeta, versionId: String(index + 1) });
      expect(json.meta.lastUpdated).not.toBe(meta.lastUpdated);
      const [first, sequence, author, ...others] = json.meta.extension;
      expect([first, author, others]).toEqual([foreign, AUTHOR, []]);
      expect(sequence.url).toBe(`${EXTENSIONS}/version-sequence`);
      expect(sequence.valueInteger).toBeLessThan(2_000_000);
      expect(sequence.valueInteger).toBeGreaterThan(before);
      before = sequence.valueInteger;
      const read = await send('GET', `/Patient/${id}/_history/${index + 1}`);
      expect(read.text).toBe(answer.text);
    }
  });

  it('five megabytes are accepted', async () => {
    const content = 'QUJD'.repeat(1_250_000);
    const { status, json } = await send('POST', '/Binary', {
      resourceType: 'Binary',
      contentType: 'text/plain',
      data: content,
    });
    expect(status).toBe(201);
    expect((await send('GET', `/Binary/${json.id}?_format=json`)).json.data).toBe(content);
  });

  it('lists the history of a resource, newest first, page by page', async () => {
    const id = await create();
    await send('PUT', `/Patient/${id}`, { ...patient, id });
    await send('DELETE', `/Patient/${id}`);
    await send('PUT', `/Patient/${id}`, { ...patient, id });
    const all = await send('GET', `/Patient/${id}/_history`);
    expect(all.status).toBe(200);
    expect(all.json).toMatchObject({ resourceType: 'Bundle', type: 'history' });
    const methods = all.json.entry.map((entry: { request: { method: string } }) => entry.request.method);
    expect(methods).toEqual(['PUT', 'DELETE', 'PUT', 'POST']);
    expect(all.json.entry[1].resource).toBeUndefined();
    const etags: string[] = [];
    let next: string | undefined = path(`/Patient/${id}/_history?_count=3`);
    while (next !== undefined) {
      const { json } = await server.request('GET', next);
      for (const entry of json.entry) etags.push(entry.response.etag);
      const link = json.link.find(({ relation }: { relation: string }) => relation === 'next');
      next = link === undefined ? undefined : new URL(link.url).pathname + new URL(link.url).search;
    }
    expect(etags).toEqual(['W/"4"', 'W/"3"', 'W/"2"', 'W/"1"']);
    expect((await send('GET', '/Patient/never-was/_history')).status).toBe(404);
    expect((await send('GET', `/Patient/${id}/_history?_count=x`)).status).toBe(400);
    expect((await send('GET', `/Patient/${id}/_history?_unknown=x`)).status).toBe(400);
  });

  it('returns an indented answer for _pretty', async () => {
    const id = await create();
    const { text, json } = await send('GET', `/Patient/${id}?_pretty=true`);
    expect(text).toContain('\n  "resourceType": "Patient"');
    expect(json).toEqual((await send('GET', `/Patient/${id}`)).json);
  });

  it('refuses a resource at the address of Bundles, and stores nothing', async () => {
    const before = (await send('GET', '/Patient?_summary=count')).json.total;
    const { status, json } = await send('POST', '', { ...patient, id: 'x' });
    expect(status).toBe(400);
    expect(json.issue[0]).toMatchObject({ code: 'value', diagnostics: expect.stringContaining('Bundle') });
    expect((await send('GET', '/Patient?_summary=count')).json.total).toBe(before);
  });
});
