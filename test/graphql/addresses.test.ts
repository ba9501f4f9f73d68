/** The addresses of GraphQL: HL7's (http://hl7.org/fhir/R4/graphql.html#invoking) and the schema as a file. */
import { gunzipSync } from 'node:zlib';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { createSender, gatewayPath, putExample } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('north');
  for (const release of TESTED_RELEASES) await putExample(server, 'system', release, 'Patient-example');
});
afterAll(() => server.close());

const QUERY = '{ read(type: Patient, id: "example") { id } }';
const JSON_ACCEPTED = { accept: 'application/fhir+json' };

describe.each(TESTED_RELEASES)('$graphql of %s', (release) => {
  const root = (tenant = 'system'): string => `${server.path(tenant, release)}/$graphql`;
  const get = (query: string, headers: Record<string, string> = JSON_ACCEPTED) =>
    server.request('GET', `${root()}?query=${encodeURIComponent(query)}`, undefined, headers);

  it('answers a query in the address, as JSON, as GraphQL and as Parameters in the body alike', async () => {
    const parameters = { resourceType: 'Parameters', parameter: [{ name: 'query', valueString: QUERY }] };
    const answers = [
      await get(QUERY),
      await server.request('POST', root(), { query: QUERY }, { 'content-type': 'application/json' }),
      await server.request('POST', root(), QUERY, { 'content-type': 'application/graphql; charset=utf-8' }),
      await server.request('POST', root(), parameters, { 'content-type': 'application/fhir+json' }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.json]).toEqual([200, { data: { read: { id: 'example' } } }]);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
    }
  });

  it('accepts variables and the name of an operation, in the address too', async () => {
    const query =
      'query a { metadata { fhirVersion } } query b($id: ID!) { read(type: Patient, id: $id) { id } }';
    const rest = { variables: { id: 'example' }, operationName: 'b' };
    const search = `query=${encodeURIComponent(query)}&operationName=b&variables=${encodeURIComponent('{"id":"example"}')}`;
    const answers = [
      await server.request('GET', `${root()}?${search}`, undefined, JSON_ACCEPTED),
      await server.request('POST', root(), { query, ...rest }, { 'content-type': 'application/json' }),
    ];
    for (const { json } of answers) expect(json).toEqual({ data: { read: { id: 'example' } } });
  });

  it('changes nothing by GET', async () => {
    const { status, json } = await get('mutation { delete(type: Patient, id: "example") { versionId } }');
    expect([status, json.data]).toEqual([405, undefined]);
    expect((await get(QUERY)).json.data.read).toEqual({ id: 'example' });
  });

  it('refuses unknown fields and arguments before anything runs', async () => {
    for (const query of ['{ nothing }', '{ read(type: Patient, id: "1", nothing: 1) { id } }']) {
      const { status, json } = await get(query);
      expect([status, json.data, json.errors[0].extensions.code]).toEqual([400, undefined, 'invalid']);
    }
  });

  it('answers a GET of any client, but not for an image or a form of another site', async () => {
    for (const accept of ['text/html,application/xhtml+xml,*/*;q=0.8', '*/*', 'application/json'])
      expect((await get(QUERY, { accept })).status).toBe(200);
    const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    expect((await get(QUERY, image)).status).toBe(403);
  });

  it('answers 415 to other bodies, 400 to Parameters without a query, 405 to other methods and 404 to other addresses', async () => {
    const post = async (body: string | object, type: string): Promise<number> =>
      (await server.request('POST', root(), body, { 'content-type': type })).status;
    expect(await post(QUERY, 'text/plain')).toBe(415);
    expect(
      await post({ resourceType: 'Parameters', parameter: [{ name: 'other' }] }, 'application/json'),
    ).toBe(400);
    const options = await server.request('OPTIONS', root());
    expect([options.status, options.headers['allow'], options.text]).toEqual([204, 'GET, POST, OPTIONS', '']);
    for (const method of ['PUT', 'PROPFIND']) {
      const { status, headers, json } = await server.request(
        method,
        root(),
        method === 'PUT' ? {} : undefined,
      );
      expect([status, headers['allow'], json.resourceType]).toEqual([405, 'GET, POST', 'OperationOutcome']);
    }
    const missing = await server.request('POST', root('nowhere'), { query: QUERY });
    expect([missing.status, missing.json.resourceType]).toEqual([404, 'OperationOutcome']);
    const ofType = await server.request('GET', `${server.path('system', release)}/Patient/$graphql?query=a`);
    expect(ofType.status).toBe(404);
  });

  it('sees nothing of other tenants', async () => {
    const { json } = await server.request(
      'POST',
      root('north'),
      { query: QUERY },
      { 'content-type': 'application/json' },
    );
    expect(json).toEqual({ data: { read: null } });
  });

  it('is named by the CapabilityStatement and the OpenAPI document', async () => {
    const fhirRoot = server.path('system', release);
    const named = { name: 'graphql', definition: 'http://hl7.org/fhir/OperationDefinition/Resource-graphql' };
    const [{ operation, resource }] = (await server.request('GET', `${fhirRoot}/metadata`)).json.rest;
    expect(operation).toContainEqual(named);
    expect(resource[0].operation).toContainEqual(named);
    const { paths } = (await server.request('GET', `${fhirRoot}/openapi.json`)).json;
    for (const path of ['/$graphql', '/{type}/{id}/$graphql']) {
      expect(Object.keys(paths[path])).toEqual(expect.arrayContaining(['get', 'post']));
    }
    expect(Object.keys(paths['/$graphql'].post.requestBody.content)).toEqual([
      'application/json',
      'application/graphql',
    ]);
  });

  it('is no operation that invoke could run', async () => {
    const { found } = await createSender(server, 'system', release)('{ operations { code } }');
    expect(found.operations).not.toContainEqual({ code: 'graphql' });
  });

  it.each([
    ['schema.graphql', 'text/plain; charset=utf-8', 'directive @slice('],
    ['schema.graphql', 'text/plain; charset=utf-8', 'type Patient implements Resource & Node'],
    ['possibleTypes.json', 'application/json; charset=utf-8', '"Patient"'],
    ['nodeFields.json', 'application/json; charset=utf-8', '"PatientList"'],
    ['schema.json', 'application/json; charset=utf-8', '"kind":"OBJECT","name":"Patient"'],
  ])('gives the file %s of the schema, packed, which need not be fetched again', async (name, type, part) => {
    const address = `${gatewayPath(server.tenant('system'), release)}/${name}`;
    const { status, headers, text } = await server.request('GET', address);
    expect([status, headers['content-type'], headers['content-encoding']]).toEqual([200, type, undefined]);
    expect(text).toContain(part);
    const packed = await server.request('GET', address, undefined, { 'accept-encoding': 'gzip, br' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.bytes).toString() === text).toBe(true);
    const again = await server.request('GET', address, undefined, {
      'if-none-match': String(headers['etag']),
    });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await server.request('GET', address.replace('system', 'nowhere'))).status).toBe(404);
    const refused = await server.request('POST', address);
    expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});
