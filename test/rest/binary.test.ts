import { type SharedServer, openSharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

const PNG = Buffer.from('89504e470d0a1a0a0000000d4948445200ff00', 'hex');
const KILOBYTE = 1024;

describe.each(TESTED_RELEASES)('Binary of %s', (release) => {
  let server: SharedServer;
  let root: string;

  beforeAll(async () => {
    server = await openSharedServer();
    root = server.path('system', release);
  });
  afterAll(() => server.close());

  const post = (bytes: Buffer | string, type: string, headers = {}): ReturnType<SharedServer['request']> =>
    server.request('POST', `${root}/Binary`, bytes, { 'content-type': type, ...headers });

  it('accepts bytes of any type and returns them unchanged', async () => {
    const created = await post(PNG, 'image/png');
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({
      resourceType: 'Binary',
      contentType: 'image/png',
      data: PNG.toString('base64'),
    });
    const path = `${root}/Binary/${created.json.id}`;
    for (const accept of [undefined, '*/*', 'image/png', 'image/*;q=0.8', 'text/html,image/png,*/*;q=0.8']) {
      const { status, headers, bytes } = await server.request(
        'GET',
        path,
        undefined,
        accept === undefined ? {} : { accept },
      );
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'image/png',
        etag: 'W/"1"',
        'last-modified': expect.any(String),
      });
      expect(bytes).toEqual(PNG);
    }
    const old = await server.request('GET', `${path}/_history/1`);
    expect(old.bytes).toEqual(PNG);
  });

  it('is a resource for a client that names a content type of FHIR', async () => {
    const { json } = await post(PNG, 'image/png');
    const path = `${root}/Binary/${json.id}`;
    for (const accept of [
      'application/fhir+json',
      'application/json',
      'application/fhir+json, */*',
      'text/html, application/json+fhir;q=0.3',
    ]) {
      const { headers, json: resource } = await server.request('GET', path, undefined, { accept });
      expect(headers['content-type']).toBe('application/fhir+json; charset=utf-8');
      expect(headers['vary']).toContain('Accept');
      expect(resource).toMatchObject({ resourceType: 'Binary', contentType: 'image/png' });
    }
    for (const format of ['json', 'application/fhir+json'])
      expect((await server.request('GET', `${path}?_format=${format}`)).json.resourceType).toBe('Binary');
    const preferred = await server.request('GET', path, undefined, {
      accept: 'image/png, application/fhir+json;q=0.5',
    });
    expect(preferred.headers['content-type']).toBe('image/png');
  });

  it.each([['application/fhir+xml'], ['text/csv'], ['image/gif, text/*']])(
    'is 406 for Accept: %s',
    async (accept) => {
      const { json } = await post(PNG, 'image/png');
      const { status, json: outcome } = await server.request('GET', `${root}/Binary/${json.id}`, undefined, {
        accept,
      });
      expect(status).toBe(406);
      expect(outcome.resourceType).toBe('OperationOutcome');
    },
  );

  it('is not sent again to a client that has it, nor is its body to a HEAD', async () => {
    const { json } = await post(PNG, 'image/png');
    const path = `${root}/Binary/${json.id}`;
    const unchanged = await server.request('GET', path, undefined, { 'if-none-match': 'W/"1"' });
    expect([unchanged.status, unchanged.bytes.length]).toEqual([304, 0]);
    const head = await server.request('HEAD', path);
    expect([head.status, head.bytes.length, head.headers['content-type']]).toEqual([200, 0, 'image/png']);
  });

  it('is replaced by PUT, by bytes and by a resource, and made by PUT', async () => {
    const path = `${root}/Binary/report-${release}`;
    const made = await server.request('PUT', path, 'first', { 'content-type': 'text/plain; charset=utf-8' });
    expect(made.status).toBe(201);
    const resource = {
      resourceType: 'Binary',
      id: `report-${release}`,
      contentType: 'text/csv',
      data: 'YSxi',
    };
    expect((await server.request('PUT', path, resource)).status).toBe(200);
    const second = await server.request('GET', path);
    expect([second.text, second.headers['content-type'], second.headers['etag']]).toEqual([
      'a,b',
      'text/csv',
      'W/"2"',
    ]);
    expect(
      (await server.request('PUT', path, 'third', { 'content-type': 'text/plain', 'if-match': 'W/"1"' }))
        .status,
    ).toBe(412);
    const first = await server.request('GET', `${path}/_history/1`);
    expect([first.text, first.headers['content-type']]).toEqual(['first', 'text/plain; charset=utf-8']);
  });

  it('stores JSON that is no Binary unchanged, and a Binary resource as a resource', async () => {
    const patient = '{ "resourceType": "Patient",  "note": "a Binary?" }';
    const { status, json } = await post(patient, 'application/fhir+json');
    expect([status, json.contentType]).toEqual([201, 'application/fhir+json']);
    expect(Buffer.from(json.data, 'base64').toString()).toBe(patient);
    const plain = await post('[1, 2.50]', 'application/json');
    const got = await server.request('GET', `${root}/Binary/${plain.json.id}`, undefined, {
      accept: 'application/json',
    });
    expect([got.text, got.headers['content-type']]).toEqual(['[1, 2.50]', 'application/json']);
    const resource = await post(
      JSON.stringify({ contentType: 'text/plain', data: 'YQ==', resourceType: 'Binary' }),
      'application/json',
    );
    expect((await server.request('GET', `${root}/Binary/${resource.json.id}`)).text).toBe('a');
  });

  it('stores X-Security-Context and returns it', async () => {
    const { json } = await post('secret', 'text/plain', { 'x-security-context': 'Patient/example' });
    expect(json.securityContext).toEqual({ reference: 'Patient/example' });
    const { headers } = await server.request('GET', `${root}/Binary/${json.id}`);
    expect(headers['x-security-context']).toBe('Patient/example');
  });

  it('never runs as a page of this server', async () => {
    for (const type of [
      'text/html',
      'image/svg+xml',
      'application/xhtml+xml',
      'text/javascript',
      'application/x-unknown',
    ]) {
      const { json } = await post('<script>alert(1)</script>', type);
      const { headers } = await server.request('GET', `${root}/Binary/${json.id}`, undefined, {
        accept: 'text/html,*/*',
      });
      expect(headers).toMatchObject({
        'content-type': type,
        'content-disposition': 'attachment',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining('sandbox'),
      });
    }
    const { json } = await post(PNG, 'image/png');
    const { headers } = await server.request('GET', `${root}/Binary/${json.id}`);
    expect(headers['content-disposition']).toBe('inline');
  });

  it('of the type of a PDF is shown by viewers, which open none in a sandbox, in frames of this server alone', async () => {
    for (const type of ['application/pdf', 'Application/PDF; version=1.7']) {
      const { json } = await post('<script>alert(1)</script>', type);
      const { headers } = await server.request('GET', `${root}/Binary/${json.id}`, undefined, {
        accept: '*/*',
      });
      expect(headers).toMatchObject({ 'content-type': type, 'content-disposition': 'inline' });
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(String(headers['content-security-policy']).split('; ').sort()).toEqual([
        "default-src 'none'",
        "frame-ancestors 'self'",
        "object-src 'self'",
        "style-src 'unsafe-inline'",
      ]);
    }
    const { json } = await post('<script>alert(1)</script>', 'application/pdfx');
    const { headers } = await server.request('GET', `${root}/Binary/${json.id}`, undefined, {
      accept: '*/*',
    });
    expect(headers['content-security-policy']).toContain('sandbox');
  });

  it('with a content type that no header can hold is sent without one of its own', async () => {
    const lax = await openSharedServer('structure');
    const resource = { resourceType: 'Binary', contentType: 'text/plain\u2028x: y', data: 'YQ==' };
    const { json, status } = await lax.request('POST', `${lax.path('system', release)}/Binary`, resource);
    expect(status).toBe(201);
    const { headers } = await lax.request('GET', `${lax.path('system', release)}/Binary/${json.id}`);
    expect(headers['content-type']).toBe('application/octet-stream');
    await lax.close();
  });

  it('of a long content is returned whole', async () => {
    const bytes = Buffer.alloc(700 * KILOBYTE, Buffer.from('0123456789abcdef'));
    const created = await server.request('POST', `${root}/Binary`, bytes, {
      'content-type': 'application/zip',
    });
    expect(created.status).toBe(201);
    const { bytes: got } = await server.request('GET', `${root}/Binary/${created.json.id}`);
    expect(got.equals(bytes)).toBe(true);
  });
});
