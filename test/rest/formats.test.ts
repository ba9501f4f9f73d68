import { type SharedServer, openSharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;

beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('other');
});
afterAll(() => server.close());

const patient = { resourceType: 'Patient', name: [{ family: 'Müller' }] };
const JSON_TYPE = 'application/fhir+json; charset=utf-8';

describe.each(
  TESTED_RELEASES.flatMap((release) => [['system', release] as const, ['other', release] as const]),
)('in tenant %s under %s', (tenant, release) => {
  const send = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, server.path(tenant, release) + rest, body, headers);
  const create = async (): Promise<string> => (await send('POST', '/Patient', patient)).json.id;

  it.each(['json', 'application/json', 'application/fhir+json', 'application%2Ffhir%2Bjson'])(
    '_format=%s in the address overrides Accept',
    async (format) => {
      const { status, headers } = await send('GET', `/Patient?_format=${format}`, undefined, {
        accept: 'text/csv',
      });
      expect([status, headers['content-type']]).toEqual([200, JSON_TYPE]);
    },
  );

  it.each(['xml', 'application/fhir+xml', 'ttl', 'text/csv'])(
    '_format=%s is 406, never JSON in disguise',
    async (format) => {
      const { status, headers, json } = await send('GET', `/Patient?_format=${format}`);
      expect([status, headers['content-type'], json.resourceType]).toEqual([
        406,
        JSON_TYPE,
        'OperationOutcome',
      ]);
      expect((await send('POST', `/Patient?_format=${format}`, patient)).status).toBe(406);
    },
  );

  it('a body with another content type than JSON is 415, and JSON by any of its names is accepted', async () => {
    const text = JSON.stringify(patient);
    for (const type of [
      'text/plain',
      'application/fhir+xml',
      'application/json; charset=iso-8859-1',
      'nonsense',
    ]) {
      const { status, json } = await send('POST', '/Patient', text, { 'content-type': type });
      expect([type, status, json.resourceType]).toEqual([type, 415, 'OperationOutcome']);
    }
    for (const type of ['application/json', 'application/fhir+json', 'application/json; charset=UTF-8']) {
      const { status, json } = await send('POST', '/Patient', text, { 'content-type': type });
      expect([type, status, json.name]).toEqual([type, 201, patient.name]);
    }
  });

  it('a type that does not exist is 404', async () => {
    const { status, json } = await send('GET', '/NoSuchType');
    expect([status, json.resourceType]).toEqual([404, 'OperationOutcome']);
  });

  it('a HEAD has the headers of the GET and no body, wherever a GET is', async () => {
    const id = await create();
    const accepted = await send('GET', '/Patient?_count=1', undefined, { prefer: 'respond-async' });
    const later = `/_async/${String(accepted.headers['content-location']).split('/').at(-1)}`;
    while ((await send('GET', later)).status === 202);
    const addresses = [
      ...['', '/metadata', '/openapi.json', '/_history', later, '/$meta'],
      ...[
        '/Patient?_count=1',
        '/Patient/_history',
        '/CodeSystem/$lookup?code=male&system=http://hl7.org/fhir/administrative-gender',
      ],
      ...[`/Patient/${id}`, `/Patient/${id}/_history`, `/Patient/${id}/_history/1`, `/Patient/${id}/$meta`],
      ...[`/Patient/${id}/Observation`, `/Patient/${id}/*`, `/Patient/${id}/$everything`],
    ];
    for (const address of addresses) {
      const [get, head] = [await send('GET', address), await send('HEAD', address)];
      expect([address, get.status, head.status, head.bytes.length]).toEqual([address, 200, 200, 0]);
      for (const name of ['content-type', 'content-length', 'etag', 'last-modified', 'cache-control'])
        expect([address, name, head.headers[name]]).toEqual([address, name, get.headers[name]]);
    }
  });

  it('_pretty indents an answer, and an error too, without changing it', async () => {
    const id = await create();
    const [plain, pretty] = [
      await send('GET', `/Patient/${id}`),
      await send('GET', `/Patient/${id}?_pretty=true`),
    ];
    expect(pretty.text).toContain('\n  "resourceType": "Patient"');
    expect(pretty.json).toEqual(plain.json);
    for (const address of ['/NoSuchType', '/Patient/nobody', '/Patient?colour=red']) {
      const mark = address.includes('?') ? '&' : '?';
      const { status, json, text } = await send('GET', `${address}${mark}_pretty=true`);
      expect([status >= 400, json.resourceType]).toEqual([true, 'OperationOutcome']);
      expect(text).toContain('\n  "resourceType": "OperationOutcome"');
    }
  });

  it('a client that has the version gets 304', async () => {
    const id = await create();
    const { headers } = await send('GET', `/Patient/${id}`);
    const conditions: Record<string, string>[] = [
      { 'if-none-match': String(headers['etag']) },
      { 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() },
    ];
    for (const condition of conditions) {
      const answer = await send('GET', `/Patient/${id}`, undefined, condition);
      expect([answer.status, answer.bytes.length, answer.headers['etag']]).toEqual([304, 0, headers['etag']]);
    }
    expect((await send('GET', `/Patient/${id}`, undefined, { 'if-none-match': 'W/"9"' })).status).toBe(200);
  });

  it('a write answers with the preferred representation', async () => {
    const id = await create();
    for (const [method, address] of [
      ['POST', '/Patient'],
      ['PUT', `/Patient/${id}`],
    ] as const) {
      const write = (preference: string) =>
        send(method, address, { ...patient, id }, { prefer: `return=${preference}` });
      const minimal = await write('minimal');
      expect([minimal.bytes.length, minimal.headers['etag']]).toEqual([0, expect.stringMatching(/^W\//)]);
      expect((await write('representation')).json.resourceType).toBe('Patient');
      expect((await write('OperationOutcome')).json.resourceType).toBe('OperationOutcome');
    }
  });

  it('an unknown parameter is refused, or named and dropped, as the client prefers', async () => {
    const strict = await send('GET', '/Patient?colour=red', undefined, { prefer: 'handling=strict' });
    expect(strict.status).toBe(400);
    const lenient = await send('GET', '/Patient?colour=red&_count=1', undefined, {
      prefer: 'handling=lenient',
    });
    expect(lenient.status).toBe(200);
    expect(lenient.json.link[0].url).not.toContain('colour');
    expect(JSON.stringify(lenient.json.entry)).toContain('colour');
  });

  it('the id of a request is returned, with errors too, and an invalid one is replaced', async () => {
    for (const address of ['/Patient', '/NoSuchType', '/metadata'])
      expect(
        (await send('GET', address, undefined, { 'x-request-id': 'trace:7f.2' })).headers['x-request-id'],
      ).toBe('trace:7f.2');
    const wild = await send('GET', '/Patient', undefined, { 'x-request-id': 'a b"<script>' });
    expect(wild.headers['x-request-id']).toMatch(/^[0-9a-z-]+$/);
  });
});

it.each([
  ['/w/nobody/api/v1/fhir/r4/Patient'],
  ['/w/system/api/v1/fhir/r5/Patient'],
  ['/w/system/api/v1/fhir/r4/Patient/a/b/c/d'],
])('%s is 404 and discloses nothing of the server', async (address) => {
  const { status, headers, json, text } = await server.request('GET', address);
  expect([status, json.resourceType]).toEqual([404, 'OperationOutcome']);
  expect(headers['x-request-id']).toBeDefined();
  expect(text).not.toMatch(/\bat .*\.(js|ts):|node_modules|fastify|andiron\./i);
});
