/** Attacks by pages of other sites, host names that point here, and proxies. */
import { connect } from 'node:net';
import { makeClient } from '../support/access';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { OPEN, startServer, type Headers, type TestServer } from '../support/server';

const APP = 'https://app.example';
const EVIL = 'https://evil.example';
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const patient = { resourceType: 'Patient', id: 'p' };
const fhir = '/w/system/api/v1/fhir/r4';
const graphql = '/w/system/api/v1/graphql/r4';

let database: TestDatabase;
/** Open, on loopback, without PUBLIC_URL. */
let server: TestServer;
/** Open, on loopback, behind a proxy. */
let proxied: TestServer;
let enforced: TestServer;
beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServer({
    because: 'CORS_ORIGINS and PURGE_OPEN',
    database,
    environment: { CORS_ORIGINS: APP, PURGE_OPEN: 'on' },
  });
  proxied = await startServer({
    because: 'PUBLIC_URL and TRUST_PROXY',
    database,
    environment: { ...OPEN, PUBLIC_URL: 'https://fhir.example/base', TRUST_PROXY: 'true' },
  });
  enforced = await startServer({
    because: 'access is enforced',
    database,
    environment: { AUTH_MODE: 'enforced', AUDIT: 'off' },
  });
  await server.request('PUT', `${fhir}/Patient/p`, patient);
});
afterAll(async () => {
  await Promise.all([server.close(), proxied.close(), enforced.close()]);
  await database.drop();
});

const port = (): string => new URL(server.base).port;

/** Sends text unchanged; returns the status line and everything until the server closes. */
function exchange(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port()), '127.0.0.1', () => socket.write(text));
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.once('error', reject);
    socket.once('close', () => resolve(received));
  });
}

describe('in open mode on loopback', () => {
  const statusOf = async (path: string, headers: Headers, at = server) =>
    (await at.request('GET', path, undefined, headers)).status;

  it.each(['localhost', 'LOCALHOST:8080', '127.0.0.1', '127.0.0.1:1', '[::1]:3000'])(
    'a request for %s is answered',
    async (host) => {
      expect(await statusOf(`${fhir}/Patient/p`, { host })).toBe(200);
    },
  );

  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example:3000',
    '192.168.1.2',
    '[fe80::1]',
  ])(
    'a request for %s is 421 everywhere, so that a page with a host name that points here learns nothing',
    async (host) => {
      for (const path of [
        `${fhir}/Patient/p`,
        `${fhir}/metadata`,
        `${graphql}?query={__typename}`,
        '/nowhere',
      ])
        expect(await statusOf(path, { host })).toBe(421);
      expect(await statusOf('/w/system/api/v1/tenants', { host })).toBe(421);
      const { json } = await server.request('GET', graphql, undefined, { host });
      expect(json).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ code: 'security' }] });
      const written = await server.request(
        'PUT',
        `${fhir}/Patient/rebound`,
        { ...patient, id: 'rebound' },
        { host },
      );
      expect(written.status).toBe(421);
    },
  );

  it('health has a response under any host name', async () => {
    for (const path of ['/health/live', '/health/ready', '/health/live/', '/health/live?x=1'])
      expect(await statusOf(path, { host: 'evil.example' })).toBe(200);
  });

  it('the host names of PUBLIC_URL are accepted, in the Host header and in that of a trusted proxy', async () => {
    const path = `${fhir}/Patient/p`;
    expect(await statusOf(path, { host: 'fhir.example' }, proxied)).toBe(200);
    expect(await statusOf(path, { host: 'FHIR.example:443' }, proxied)).toBe(200);
    expect(await statusOf(path, { host: 'localhost' }, proxied)).toBe(200);
    expect(await statusOf(path, { host: 'localhost', 'x-forwarded-host': 'fhir.example' }, proxied)).toBe(
      200,
    );
    expect(await statusOf(path, { host: 'evil.example' }, proxied)).toBe(421);
    expect(await statusOf(path, { host: 'localhost', 'x-forwarded-host': 'evil.example' }, proxied)).toBe(
      421,
    );
    expect(await statusOf(path, { host: 'evil.example', 'x-forwarded-host': 'fhir.example' }, proxied)).toBe(
      421,
    );
  });

  it('a request without a Host (HTTP/1.0) is 421, except for health', async () => {
    expect(await exchange(`GET ${fhir}/metadata HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 421 /);
    expect(await exchange('GET /health/live HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

it('in enforced mode any host name is accepted, because each request needs credentials', async () => {
  const { status } = await enforced.request('GET', `${fhir}/metadata`, undefined, { host: 'fhir.example' });
  expect(status).toBe(200);
});

describe('a request that names hosts in several ways is 400', () => {
  const get = (target: string, ...headers: string[]): Promise<string> =>
    exchange(`GET ${target} HTTP/1.1\r\n${headers.join('\r\n')}\r\nconnection: close\r\n\r\n`);

  it.each([
    ['two Host headers', '/health/live', ['host: localhost', 'host: localhost']],
    ['two different ones', `${fhir}/Patient/p`, ['host: localhost', 'Host: evil.example']],
    ['a Host that is none', `${fhir}/Patient/p`, ['host: evil"}example']],
    ['a Host with a path', `${fhir}/Patient/p`, ['host: localhost/evil']],
    ['an empty Host', `${fhir}/Patient/p`, ['host:']],
    ['another host in the request line', `http://evil.example${fhir}/Patient/p`, ['host: localhost']],
    ['another port in the request line', `http://localhost:1${fhir}/Patient/p`, ['host: localhost:2']],
    ['a user in the request line', `http://a@localhost${fhir}/Patient/p`, ['host: localhost']],
  ])('%s', async (_title, target, headers) => {
    expect(await get(target, ...headers)).toMatch(/^HTTP\/1\.1 400 [\s\S]*"OperationOutcome"/);
  });

  it('except if the request line and the Host agree', async () => {
    const target = `http://localhost:${port()}${fhir}/Patient/p`;
    expect(await get(target, `host: LOCALHOST:${port()}`)).toMatch(/^HTTP\/1\.1 200 [\s\S]*"Patient"/);
    const discovery = `HTTP://localhost:${port()}/w/system/oidc/.well-known/openid-configuration`;
    expect(await get(discovery, `host: localhost:${port()}`)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a write from a web page', () => {
  const writes: readonly [string, string, string, unknown, Headers][] = [
    ['create', 'POST', `${fhir}/Patient`, patient, {}],
    ['update', 'PUT', `${fhir}/Patient/p`, patient, {}],
    ['delete', 'DELETE', `${fhir}/Patient/gone`, undefined, {}],
    ['patch', 'PATCH', `${fhir}/Patient/p`, [], JSON_TYPE],
    ['patch by GET', 'GET', `${fhir}/Patient/p`, [], JSON_TYPE],
    ['batch', 'POST', fhir, { resourceType: 'Bundle', type: 'batch' }, {}],
    ['search by POST', 'POST', `${fhir}/Patient/_search`, '_count=1', FORM],
    ['purge', 'POST', `${fhir}/Patient/none/$purge`, undefined, {}],
    ['GraphQL', 'POST', graphql, { query: '{ __typename }' }, JSON_TYPE],
    ["GraphQL at HL7's address", 'POST', `${fhir}/$graphql`, { query: '{ __typename }' }, JSON_TYPE],
    ['live query', 'POST', `${graphql}/stream`, { query: '{ __typename }' }, JSON_TYPE],
    ['new tenant', 'POST', '/w/system/api/v1/tenants', { name: 'evil' }, JSON_TYPE],
    ['new client', 'POST', '/w/system/api/v1/tenants/system/clients', { name: 'evil' }, JSON_TYPE],
    ['token', 'POST', '/w/system/oidc/token', 'grant_type=client_credentials', FORM],
  ];

  it.each(writes)('of another site is 403: %s', async (_title, method, path, body, type) => {
    const pages: Headers[] = [
      { origin: EVIL },
      { origin: 'null' },
      { origin: EVIL, 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' },
      { origin: `${APP}.evil.example` },
    ];
    for (const page of pages) {
      const { status, headers } = await server.request(method, path, body, { ...type, ...page });
      expect([status, headers['access-control-allow-origin'] ?? EVIL]).toEqual([403, EVIL]);
    }
  });

  it.each(writes)(
    'of this server, or of CORS_ORIGINS, is accepted like any other: %s',
    async (_title, method, path, body, type) => {
      const pages: Headers[] = [
        {},
        { origin: server.base },
        { origin: server.base, 'sec-fetch-site': 'same-origin' },
        { origin: `http://localhost:${port()}`, 'sec-fetch-site': 'cross-site' },
        { origin: `http://[::1]:${port()}` },
        { origin: APP, 'sec-fetch-site': 'cross-site' },
        // A page and its proxy, as `vite dev` has it: the proxy names the server, the browser the page.
        { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-origin' },
        { 'sec-fetch-site': 'none' },
      ];
      const statuses = new Set<number>();
      for (const page of pages)
        statuses.add((await server.request(method, path, body, { ...type, ...page })).status);
      expect([...statuses]).not.toContain(403);
    },
  );

  it('is accepted with PUBLIC_URL behind a proxy', async () => {
    const write = async (origin: string): Promise<number> =>
      (await proxied.request('PUT', `${fhir}/Patient/p`, patient, { host: 'localhost', origin })).status;
    expect(await write('https://fhir.example')).toBe(200);
    expect(await write('https://fhir.example:8443')).toBe(403);
    expect(await write('http://fhir.example')).toBe(403);
  });

  it('is refused in enforced mode too, with any client', async () => {
    const { basic: authorization } = await makeClient(enforced.app.core, 'system');
    const write = async (page: Headers): Promise<number> =>
      (await enforced.request('PUT', `${fhir}/Patient/p`, patient, { authorization, ...page })).status;
    expect(await write({})).toBe(200);
    expect(await write({ origin: EVIL })).toBe(403);
    expect(await write({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  });

  it('is refused, but a read is not: the browser hides the response', async () => {
    const page = { origin: EVIL, 'sec-fetch-site': 'cross-site' };
    const { status, headers } = await server.request('GET', `${fhir}/Patient/p`, undefined, page);
    expect([status, headers['access-control-allow-origin']]).toEqual([200, undefined]);
  });

  it('with CORS_ORIGINS=* may write from anywhere', async () => {
    const any = await startServer({
      because: 'CORS_ORIGINS=*',
      database,
      environment: { CORS_ORIGINS: '*' },
    });
    try {
      const page = { origin: EVIL, 'sec-fetch-site': 'cross-site' };
      expect((await any.request('PUT', `${fhir}/Patient/p`, patient, page)).status).toBe(200);
    } finally {
      await any.close();
    }
  });
});

describe('administration from this machine', () => {
  it.each([
    ...['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port'],
    ...['x-forwarded-server', 'x-forwarded-prefix', 'x-real-ip', 'via', 'Via', 'X-Forwarded-Anything'],
  ])('is refused with the header %s of a proxy', async (name) => {
    const list = async (headers: Headers): Promise<number> =>
      (await server.request('GET', '/w/system/api/v1/tenants', undefined, headers)).status;
    expect(await list({})).toBe(200);
    expect(await list({ [name]: '127.0.0.1' })).toBe(403);
  });
});

describe('discovery that names the host of the request', () => {
  it.each(['openid-configuration', 'smart-configuration'])(
    'is not stored by shared caches: %s',
    async (name) => {
      const path = `/w/system/oidc/.well-known/${name}`;
      const cached = async (at: TestServer): Promise<unknown> =>
        (await at.request('GET', path)).headers['cache-control'];
      expect(await cached(enforced)).toBe('private, max-age=60');
      expect(await cached(proxied)).toBe('public, max-age=60');
    },
  );
});

describe('browsers', () => {
  const CONTENT = { 'content-type': 'image/png' };
  const headersOf = async (path: string, headers: Headers = {}, at = server) =>
    (await at.request('GET', path, undefined, headers)).headers;

  it('let no page of another origin load an answer without CORS, whatever it is', async () => {
    for (const path of [
      ...[`${fhir}/Patient/p`, `${fhir}/Patient`, `${fhir}/metadata`, `${fhir}/Nothing`, '/health/live'],
      ...[`${graphql}?query={__typename}`, '/w/system/oidc/jwks', '/w/system/api/v1/tenants', '/nothing'],
      ...['/', '/docs/', `${fhir}/Patient/%ff`],
    ])
      expect([path, (await headersOf(path))['cross-origin-resource-policy']]).toEqual([path, 'same-origin']);
    const byCors = await headersOf(`${fhir}/Patient/p`, { origin: APP, 'sec-fetch-mode': 'cors' });
    expect(byCors['access-control-allow-origin']).toBe(APP);
  });

  it('show the content of a Binary elsewhere only where CORS allows some origin', async () => {
    expect((await server.request('PUT', `${fhir}/Binary/i`, Buffer.from('PNG'), CONTENT)).status).toBe(201);
    const image = { accept: 'image/*' };
    const policy = async (at: TestServer) =>
      (await headersOf(`${fhir}/Binary/i`, image, at))['cross-origin-resource-policy'];
    expect([await policy(server), await policy(proxied)]).toEqual(['cross-origin', 'same-origin']);
    const asResource = await headersOf(`${fhir}/Binary/i`, { accept: 'application/fhir+json' });
    expect(asResource['cross-origin-resource-policy']).toBe('same-origin');
  });

  it('tell no other site the address of a Binary, and give its content no device; its sandbox is no fault', async () => {
    const { 'cross-origin-opener-policy': opener, ...headers } = await headersOf(`${fhir}/Binary/i`, {
      accept: '*/*',
    });
    // By the HTML specification a browser refuses a document with a sandbox and an opener policy.
    expect(opener).toBeUndefined();
    expect(headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'permissions-policy': expect.stringContaining('camera=(), '),
      'content-security-policy': expect.stringContaining('sandbox'),
    });
  });

  it('give pages no device, and the page that opened one no handle, except for sign-in in a window of an app', async () => {
    const html = { accept: 'text/html' };
    for (const path of ['/', '/w/system/console', '/docs/', graphql])
      expect([path, await headersOf(path, html)]).toMatchObject([
        path,
        {
          'cross-origin-opener-policy': 'same-origin',
          'permissions-policy': expect.stringContaining('usb=()'),
        },
      ]);
    // A browser ignores the policy where it does not trust the origin, and prints an error.
    const plain = { ...html, host: 'fhir.example' };
    for (const [headers, opener] of [
      [plain, undefined],
      [{ ...plain, 'x-forwarded-proto': 'https' }, 'same-origin'],
      [{ ...plain, 'sec-fetch-site': 'none' }, 'same-origin'],
    ] as const)
      expect((await headersOf('/', headers, proxied))['cross-origin-opener-policy']).toBe(opener);
    const { status, headers } = await enforced.request('GET', '/w/system/oidc/authorize', undefined, html);
    expect([status, headers]).toMatchObject([
      400,
      {
        'cross-origin-opener-policy': 'unsafe-none',
        'permissions-policy': expect.stringContaining('usb=()'),
      },
    ]);
  });
});
