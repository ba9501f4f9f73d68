/** Addresses, methods, media types and headers over HTTP (docs/reference/behaviour.md, Addresses, Headers and formats). */
import type { Release } from '../../src/core';
import { startServer, type TestServer } from '../support/server';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    environment: { CORS_ORIGINS: 'https://app.example', MAX_BODY_BYTES: '100000' },
  });
});
afterAll(() => server.close());

const patient = { resourceType: 'Patient', name: [{ family: 'Chalmers' }] };
const releases: readonly [Release, string][] = [
  ['r4', '4.0.1'],
  ['r4b', '4.3.0'],
];

describe.each(releases)('under %s', (release, fhirVersion) => {
  const send = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, `${server.path('system', release)}${rest}`, body, headers);

  it('metadata has the version, with and without a token', async () => {
    const ways: Record<string, string>[] = [{}, { authorization: 'Bearer whatever' }];
    for (const headers of ways) {
      const { status, headers: got, json } = await send('GET', '/metadata', undefined, headers);
      expect(status).toBe(200);
      expect(got['content-type']).toBe('application/fhir+json; charset=utf-8');
      expect(json).toMatchObject({ resourceType: 'CapabilityStatement', fhirVersion });
    }
  });

  it('metadata is 304 for a client that has it, and compressed where accepted', async () => {
    const plain = await send('GET', '/metadata');
    const again = await send('GET', '/metadata', undefined, { 'if-none-match': plain.headers.etag ?? '' });
    expect([again.status, again.text]).toEqual([304, '']);
    const packed = await send('GET', '/metadata', undefined, { 'accept-encoding': 'gzip' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.headers.vary).toContain('Accept-Encoding');
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 4);
    const { gunzipSync } = await import('node:zlib');
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    const refused = await send('GET', '/metadata', undefined, { 'accept-encoding': 'gzip;q=0' });
    expect(refused.headers['content-encoding']).toBeUndefined();
  });

  it('an answer in another format is 406', async () => {
    const csv = await send('GET', '/metadata', undefined, { accept: 'text/csv' });
    expect([csv.status, csv.json.resourceType]).toEqual([406, 'OperationOutcome']);
    const xml = await send('GET', '/Patient?_format=xml');
    expect(xml.status).toBe(406);
    expect(xml.json.resourceType).toBe('OperationOutcome');
    expect((await send('POST', '/Patient', patient, { accept: 'application/fhir+xml' })).status).toBe(406);
  });

  it.each([['json'], ['application/json'], ['application/fhir+json']])(
    '_format=%s is JSON',
    async (format) => {
      const { status, json } = await send('GET', `/Patient?_format=${format}`);
      expect(status).toBe(200);
      expect(json.resourceType).toBe('Bundle');
    },
  );

  it.each([
    ['text/plain'],
    ['application/fhir+xml'],
    ['application/json; charset=latin1'],
    ['application/json-patch+json'],
  ])('a create of type %s is 415', async (type) => {
    const { status, json } = await send('POST', '/Patient', patient, { 'content-type': type });
    expect(status).toBe(415);
    expect(json.resourceType).toBe('OperationOutcome');
  });

  it('a create with an empty type is an error that names it', async () => {
    const { status, text } = await send('POST', '/Patient', JSON.stringify(patient), { 'content-type': '' });
    expect([status, text]).toEqual([415, expect.stringContaining('A body of type not stated')]);
  });

  it.each([['application/json'], ['application/json+fhir'], ['application/fhir+json; charset=UTF-8']])(
    'a create of type %s is 201',
    async (type) => {
      expect((await send('POST', '/Patient', patient, { 'content-type': type })).status).toBe(201);
    },
  );

  it('refuses a body in an unknown content coding with 415', async () => {
    expect((await send('POST', '/Patient', patient, { 'content-encoding': 'zstd' })).status).toBe(415);
  });

  it.each([
    ['/NoSuchType'],
    ['/Resource'],
    ['/DomainResource'],
    ['/patient'],
    ['/NoSuchType/1'],
    ['/.well-known/unknown-configuration'],
  ])('%s is 404', async (rest) => {
    const { status, json } = await send('GET', rest);
    expect(status).toBe(404);
    expect(json.resourceType).toBe('OperationOutcome');
  });

  it('an unknown tenant or release is 404, for any spelling of a name', async () => {
    const addresses = [
      `/w/nobody/api/v1/fhir/${release}/Patient`,
      `/w/SYSTEM/api/v1/fhir/${release}/Patient`,
      `/w/%73ystem/api/v1/fhir/${release}/Patient`,
      `/w/system%2F/api/v1/fhir/${release}/Patient`,
      `/w/system%00/api/v1/fhir/${release}/Patient`,
      `/w/x%2F..%2Fsystem/api/v1/fhir/${release}/Patient`,
      `/w/x/../system/api/v1/fhir/${release}/Patient`,
      `/w//system/api/v1/fhir/${release}/Patient`,
      `/w/system/api/v1/fhir/r5/Patient`,
      `/w/system/api/v1/fhir/${release.toUpperCase()}/Patient`,
      '/',
      '/w/system',
      `/w/system/api/v2/fhir/${release}/Patient`,
    ];
    for (const address of addresses) {
      const { status, json, text } = await server.request('GET', address);
      expect([address, status]).toEqual([address, 404]);
      expect(json.resourceType).toBe('OperationOutcome');
      expect(text).not.toMatch(/ at |\.ts|\.js/);
    }
  });

  it.each([
    ['POST', '/Patient/a', 'GET, HEAD, PUT, PATCH, DELETE'],
    ['DELETE', '/metadata', 'GET, HEAD'],
    ['POST', '/Patient/a/_history', 'GET, HEAD'],
    ['PUT', '/Patient/a/_history/1', 'GET, HEAD'],
    ['GET', '/Patient/_search', 'POST'],
    ['PUT', '/ValueSet/$expand', 'GET, HEAD, POST'],
    ['TRACE', '/Patient', 'GET, HEAD, POST, PUT, PATCH, DELETE'],
    ['PROPFIND', '/Patient/a', 'GET, HEAD, PUT, PATCH, DELETE'],
    ['LOCK', '', 'GET, HEAD, POST'],
  ])('%s %s is 405 and lists the allowed methods', async (method, rest, allow) => {
    const { status, headers, json } = await send(method, rest, method === 'PUT' ? patient : undefined);
    expect(status).toBe(405);
    expect(headers.allow).toBe(allow);
    expect(json.resourceType).toBe('OperationOutcome');
  });

  it('a body over the limit is 413, by its declared length or while it is read', async () => {
    const body = JSON.stringify({ ...patient, text: { status: 'generated', div: 'x'.repeat(100_000) } });
    expect((await send('POST', '/Patient', body)).status).toBe(413);
    const chunked = await send('POST', '/Patient', body, { 'transfer-encoding': 'chunked' });
    expect(chunked.status).toBe(413);
    expect(chunked.json.issue[0].code).toBe('too-long');
    expect((await send('GET', '/Patient')).status).toBe(200);
  });

  it('a body at the limit is accepted, and one of one byte more refused', async () => {
    const shell = JSON.stringify({ resourceType: 'Basic', code: { text: '' } });
    const basicOf = (bytes: number): string =>
      shell.replace('""', `"${'x'.repeat(bytes - Buffer.byteLength(shell))}"`);
    expect((await send('POST', '/Basic', basicOf(100_000))).status).toBe(201);
    const { status, json } = await send('POST', '/Basic', basicOf(100_001));
    expect([status, json.resourceType, json.issue[0].code]).toEqual([413, 'OperationOutcome', 'too-long']);
  });

  it('a Bundle may be larger than other resources', async () => {
    const entry = Array.from({ length: 3000 }, () => ({ resource: patient }));
    expect(
      (await send('POST', '/Bundle', { resourceType: 'Bundle', type: 'collection', entry })).status,
    ).toBe(201);
  });

  it('a GET with a content type and no body is a plain GET, and any other body is 400', async () => {
    const { json } = await send('POST', '/Patient', patient);
    const typed = { 'content-type': 'application/json' };
    expect((await send('GET', `/Patient/${json.id}`, undefined, typed)).status).toBe(200);
    expect((await send('GET', '/Patient', undefined, typed)).status).toBe(200);
    for (const rest of [`/Patient/${json.id}`, '/Patient', '/metadata', `/Patient/${json.id}/_history`]) {
      expect((await send('GET', rest, '{"a":1}', typed)).status).toBe(400);
    }
    expect((await send('GET', '/Patient', '[]', typed)).status).toBe(400);
    expect((await send('GET', `/Patient/${json.id}`, '[]', { 'content-type': 'text/plain' })).status).toBe(
      400,
    );
  });
});

describe('headers', () => {
  const metadata = (headers: Record<string, string>) =>
    server.request('GET', `${server.path('system', 'r4')}/metadata`, undefined, headers);

  it('keep the request id of the client, or make one, also for errors', async () => {
    expect((await metadata({ 'x-request-id': 'abc-1' })).headers['x-request-id']).toBe('abc-1');
    expect((await metadata({ 'x-request-id': 'a b' })).headers['x-request-id']).toMatch(/^[0-9a-f]{12}-/);
    expect((await server.request('GET', '/nowhere')).headers['x-request-id']).toMatch(/^[0-9a-f]{12}-/);
  });

  it('allow configured origins, and no others but for what everyone may discover', async () => {
    const search = (origin: string) =>
      server.request('GET', `${server.path('system', 'r4')}/Patient?_count=1`, undefined, { origin });
    const friend = await search('https://app.example');
    expect(friend.headers['access-control-allow-origin']).toBe('https://app.example');
    for (const name of ['ETag', 'Location', 'Content-Location', 'Last-Modified', 'X-Request-Id']) {
      expect(friend.headers['access-control-expose-headers']).toContain(name);
    }
    const stranger = { origin: 'https://other.example' };
    expect((await search(stranger.origin)).headers['access-control-allow-origin']).toBeUndefined();
    expect((await metadata(stranger)).headers['access-control-allow-origin']).toBe('*');
    const preflight = await server.request('OPTIONS', `${server.path('system', 'r4')}/Patient/1`, undefined, {
      origin: 'https://app.example',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'if-match,content-type',
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-methods']).toContain('PATCH');
  });

  it('from a proxy are not trusted, and an invalid Host is not repeated', async () => {
    const path = `${server.path('system', 'r4')}/Patient?_count=1`;
    const forwarded = await server.request('GET', path, undefined, {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
    });
    expect(forwarded.text).not.toContain('evil.example');
    const strange = await server.request('GET', path, undefined, { host: 'evil"}example' });
    expect(strange.status).toBe(400);
    expect(strange.text).not.toContain('evil');
  });

  it('health answers without a tenant', async () => {
    expect((await server.request('GET', '/health/live')).status).toBe(200);
    const ready = await server.request('GET', '/health/ready');
    expect([ready.status, ready.json.status]).toEqual([200, 'ready']);
    const { status, headers } = await server.request('POST', '/health/live', {});
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});
