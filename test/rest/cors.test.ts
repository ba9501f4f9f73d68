import { startServer, type TestServer } from '../support/server';

const ORIGIN = 'https://app.example.org';

describe('a script of another origin', () => {
  let server: TestServer;
  let root: string;

  beforeAll(async () => {
    server = await startServer({ environment: { CORS_ORIGINS: `${ORIGIN},https://other.example.org` } });
    root = server.path('system', 'r4');
  });
  afterAll(() => server.close());

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
    for (const name of ['ETag', 'Location', 'Content-Location', 'Last-Modified', 'X-Request-Id'])
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
  });
});

describe('without CORS_ORIGINS', () => {
  it('no answer lets a script of another origin read it', async () => {
    const server = await startServer();
    const { headers } = await server.request('GET', server.path('system', 'r4'), undefined, {
      origin: ORIGIN,
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    await server.close();
  });
});
