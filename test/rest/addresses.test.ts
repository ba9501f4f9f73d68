/** Addresses, methods, media types and headers over HTTP (docs/reference/behaviour.md, Addresses, Headers and formats). */
import type { Release } from '../../src/core';
import { type SharedServer, openSharedServer } from '../support/shared-server';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
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
    expect([status, text]).toEqual([415, expect.stringContaining('A body of the type not stated')]);
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

  it('a tenant that does not exist is named where everything is open, in REST and GraphQL', async () => {
    for (const [method, place] of [
      ['GET', `api/v1/fhir/${release}/Patient`],
      ['GET', `api/v1/fhir/${release}/metadata`],
      ['POST', `api/v1/graphql/${release}`],
      ['GET', 'api/v1/users'],
      ['GET', 'oidc/.well-known/openid-configuration'],
    ] as const) {
      const { status, json } = await server.request(method, `/w/nobody/${place}`);
      const text = json.issue?.[0].diagnostics as string;
      expect([place, status, text]).toEqual([
        place,
        404,
        "The tenant 'nobody' does not exist here, or is disabled",
      ]);
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
