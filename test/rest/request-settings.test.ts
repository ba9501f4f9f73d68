/** Settings of the server that decide about requests: CORS_ORIGINS, MAX_BODY_BYTES, MAX_DEPTH, PATCH_BY_GET, and the limits of large content. */
import { request as sendRequest, type ClientRequest } from 'node:http';
import { createSender } from '../graphql/gateway-client';
import { nestedExtensions } from '../support/exact';
import { eventually } from '../support/eventually';
import { TESTED_RELEASES } from '../support/releases';
import { startServer, type TestServer } from '../support/server';
import { openSharedServer } from '../support/shared-server';

const ORIGIN = 'https://app.example.org';
const KILOBYTE = 1024;
const LARGEST = 64 * KILOBYTE;

let server: TestServer;
let root: string;
beforeAll(async () => {
  server = await startServer({
    because: 'CORS_ORIGINS, MAX_BODY_BYTES, MAX_DEPTH and PATCH_BY_GET',
    environment: {
      CORS_ORIGINS: `${ORIGIN},https://other.example.org`,
      MAX_BODY_BYTES: String(LARGEST),
      MAX_DEPTH: '100',
      PATCH_BY_GET: 'off',
      MAX_BINARY_BYTES: String(2 * LARGEST),
      MAX_UPLOADS_TENANT: '1',
      TRANSFER_IDLE_MS: '3000',
    },
  });
  root = server.path('system', 'r4');
});
afterAll(() => server.close());

const patient = { resourceType: 'Patient', name: [{ family: 'Chalmers' }] };

describe('a script of another origin', () => {
  it('gets a permission before a PATCH, with its headers', async () => {
    const { status, headers } = await server.request('OPTIONS', `${root}/Patient/a`, undefined, {
      origin: ORIGIN,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'content-type,if-match,prefer,x-provenance',
    });
    expect(status).toBe(204);
    expect(headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(headers['access-control-allow-methods']).toContain('PATCH');
    expect(headers['access-control-allow-methods']).toContain('DELETE');
    expect(headers['access-control-allow-headers']).toBe('content-type,if-match,prefer,x-provenance');
    expect(headers['access-control-max-age']).toBe('600');
  });

  it('can read the headers of FHIR, of a create', async () => {
    const { status, headers } = await server.request(
      'POST',
      `${root}/Basic`,
      { resourceType: 'Basic', code: { text: 'a' } },
      { origin: ORIGIN },
    );
    expect(status).toBe(201);
    expect(headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(headers['vary']).toContain('Origin');
    for (const name of ['ETag', 'Location', 'Content-Location', 'Last-Modified', 'X-Request-Id', 'X-Issues'])
      expect(headers['access-control-expose-headers']).toContain(name);
  });

  it.each([
    ['GET', '/Patient/none', 404],
    ['GET', '/NoSuchType', 404],
    ['GET', '/Patient?_format=xml', 406],
    ['PUT', '/metadata', 405],
    ['POST', '/Patient', 400],
    ['GET', '/Patient?name=%zz', 400],
    ['GET', '/Patient/%zz', 400],
    ['GET', '/none/of/our/addresses/at/all', 404],
  ])('can read why %s %s failed', async (method, path, expected) => {
    const { status, headers, json } = await server.request(method, root + path, undefined, {
      origin: ORIGIN,
    });
    expect(status).toBe(expected);
    expect(json.resourceType).toBe('OperationOutcome');
    expect(headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(headers['x-request-id']).toBeDefined();
  });

  it('gets no permission for its own origin if that is not listed', async () => {
    const { headers } = await server.request('GET', `${root}/Patient`, undefined, {
      origin: 'https://evil.example',
    });
    expect(headers['access-control-allow-origin']).not.toBe('https://evil.example');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    const stranger = { origin: 'https://evil.example' };
    const metadata = await server.request('GET', `${root}/metadata`, undefined, stranger);
    expect(metadata.headers['access-control-allow-origin']).toBe('*');
  });
});

describe('without CORS_ORIGINS', () => {
  it('no answer lets a script of another origin read it', async () => {
    const server = await openSharedServer();
    const { headers } = await server.request('GET', server.path('system', 'r4'), undefined, {
      origin: ORIGIN,
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    await server.close();
  });
});

describe.each(TESTED_RELEASES)('MAX_BODY_BYTES under %s', (release) => {
  const send = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, `${server.path('system', release)}${rest}`, body, headers);

  it('a body over the limit is 413, by its declared length or while it is read', async () => {
    const body = JSON.stringify({ ...patient, text: { status: 'generated', div: 'x'.repeat(LARGEST) } });
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
    expect((await send('POST', '/Basic', basicOf(LARGEST))).status).toBe(201);
    const { status, json } = await send('POST', '/Basic', basicOf(LARGEST + 1));
    expect([status, json.resourceType, json.issue[0].code]).toEqual([413, 'OperationOutcome', 'too-long']);
  });

  it('a Bundle may be larger than other resources', async () => {
    const entry = Array.from({ length: 3000 }, () => ({ resource: patient }));
    expect(
      (await send('POST', '/Bundle', { resourceType: 'Bundle', type: 'collection', entry })).status,
    ).toBe(201);
  });

  it('is the limit of content that is part of its resource', async () => {
    const post = (length: number) =>
      send('POST', '/Binary', Buffer.alloc(length, 1), { 'content-type': 'application/pdf' });
    expect((await post(44 * KILOBYTE)).json.data).toBeDefined();
    const apart = await post(49 * KILOBYTE);
    expect([apart.status, apart.json.data]).toEqual([201, undefined]);
  });
});

describe('large content', () => {
  const bytes = Buffer.alloc(LARGEST, 7);

  /** Begins an upload that sends no byte. */
  function begin(): {
    readonly request: ClientRequest;
    readonly status: Promise<number>;
    isAnswered(): boolean;
  } {
    let isAnswered = false;
    const request = sendRequest(`${server.base}${root}/Binary`, {
      method: 'POST',
      headers: { 'content-type': 'image/tiff', 'content-length': bytes.length },
    });
    const status = new Promise<number>((resolve, reject) => {
      request.on('response', (response) => {
        response.resume();
        isAnswered = true;
        resolve(response.statusCode ?? 0);
      });
      request.on('error', reject);
    });
    request.flushHeaders();
    return { request, status, isAnswered: () => isAnswered };
  }

  it('is refused above MAX_BINARY_BYTES, by its length or while it is read', async () => {
    const stored = async (): Promise<number> =>
      (await server.request('GET', `${root}/Binary?_total=accurate`)).json.total;
    const before = await stored();
    const long = Buffer.alloc(2 * LARGEST + 1);
    for (const coding of ['identity', 'chunked']) {
      const { status, json } = await server.request('POST', `${root}/Binary`, long, {
        'content-type': 'image/tiff',
        ...(coding === 'chunked' ? { 'transfer-encoding': coding } : {}),
      });
      expect([status, json.issue[0].code]).toEqual([413, 'too-long']);
    }
    expect(await stored()).toBe(before);
  });

  it('is sent by a tenant one at a time with MAX_UPLOADS_TENANT=1, and the first one is not disturbed', async () => {
    const others = async (): Promise<number> =>
      (await server.request('POST', `${root}/Binary`, bytes, { 'content-type': 'image/tiff' })).status;
    // Whichever of two arrives first is taken.
    let first = begin();
    await eventually(async () => {
      if ((await others()) === 429) return true;
      if (first.isAnswered()) first = begin();
      return false;
    });
    first.request.end(bytes);
    expect(await first.status).toBe(201);
    expect(await others()).toBe(201);
  });

  it('ends with 408 when nothing arrives for TRANSFER_IDLE_MS', async () => {
    const { request, status } = begin();
    expect(await status).toBe(408);
    request.destroy();
  });
});

it.each(TESTED_RELEASES)('MAX_DEPTH is the limit of GraphQL too, under %s', async (release) => {
  const another = await startServer({ because: 'MAX_DEPTH is another there', database: server.database });
  try {
    const text = `{"r":{"resourceType":"Patient","id":"deeper",${nestedExtensions(49)}}}`;
    const update = 'mutation($r: ResourceInput!) { update(resource: $r) { versionId } }';
    const read = '{ read(type: Patient, id: "deeper") { meta { versionId } json } }';
    const [send, elsewhere] = [
      createSender(server, 'system', release),
      createSender(another, 'system', release),
    ];
    expect((await elsewhere(update, text)).status).toBe(400);
    expect((await send(update, text)).errors).toEqual([]);
    expect((await send(read)).found.read.meta.versionId).toBe('1');
    // A resource that was stored under another limit can still be read.
    expect((await elsewhere(read)).text).toContain(nestedExtensions(49));
  } finally {
    await another.close();
  }
});

it('a patch by GET can be switched off, and is 400 then', async () => {
  const { json } = await server.request('POST', `${root}/Patient`, patient);
  expect((await server.request('GET', `${root}/Patient/${json.id}`, [])).status).toBe(400);
  expect((await server.request('PATCH', `${root}/Patient/${json.id}`, [])).status).toBe(200);
});
