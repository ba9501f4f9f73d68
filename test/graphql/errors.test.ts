import { GraphQLError } from 'graphql';
import { fhirError } from '../../src/core/errors';
import { formatError } from '../../src/gateway/errors';
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { createSender, gatewayPath, type SendQuery, toGatewayAnswer } from './gateway-client';

let server: SharedServer;
let send: SendQuery;
let address: string;
beforeAll(async () => {
  server = await openSharedServer();
  address = gatewayPath(server.tenant('system'), 'r4');
  send = createSender(server, 'system', 'r4');
});
afterAll(() => server.close());

const post = async (
  body: unknown,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) => toGatewayAnswer(await server.request('POST', address, body, headers));

describe('a request that cannot run', () => {
  it.each([
    ['a syntax error', '{ read(type: Patient', 'structure'],
    ['an unknown field', '{ nope }', 'invalid'],
    ['an unknown type', '{ read(type: Unicorn, id: "1") { id } }', 'invalid'],
    ['too many levels', `${'{a'.repeat(200)}${'}'.repeat(200)}`, 'invalid'],
    [
      'too many root fields',
      `{${Array.from({ length: 51 }, (_, index) => `a${index}: operations { code }`).join(' ')}}`,
      'invalid',
    ],
    [
      'no operation of that name',
      'query A { operations { code } } query B { operations { code } }',
      'required',
    ],
  ])('is answered 400 with a code and an OperationOutcome: %s', async (_what, query, code) => {
    const answer = await send(query);
    expect(answer.status).toBe(400);
    expect(answer.json.data).toBeUndefined();
    const { message, extensions } = answer.errors[0]!;
    expect(extensions.code).toBe(code);
    expect(extensions.resource).toEqual({
      resourceType: 'OperationOutcome',
      issue: [{ severity: 'error', code, diagnostics: message }],
    });
    // HL7's name for it.
    expect(extensions.resource).toEqual(extensions.resource);
    expect(extensions).not.toHaveProperty('stacktrace');
  });

  it('is answered 400 for variables of the wrong type', async () => {
    const answer = await send('query($type: ResourceType!) { read(type: $type, id: "1") { id } }', {
      type: 'Unicorn',
    });
    expect([answer.status, answer.errors[0]?.extensions.code]).toEqual([400, 'value']);
  });

  it.each([
    ['no JSON', '{"query": ', 'structure'],
    ['an empty body', '', 'structure'],
    ['a member twice', '{"query":"{a}","query":"{b}"}', 'structure'],
    ['no query', '{"variables":{}}', 'invalid'],
    ['a batch', '[{"query":"{ operations { code } }"}]', 'invalid'],
  ])('is answered 400 for a body with %s', async (_what, body, code) => {
    const answer = await post(body);
    expect([answer.status, answer.errors[0]?.extensions.code]).toEqual([400, code]);
    expect(answer.errors[0]?.extensions.resource.resourceType).toBe('OperationOutcome');
  });

  it('is answered 415 for another type of body, which another site could send as well', async () => {
    for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      const answer = await post('{"query":"{ operations { code } }"}', { 'content-type': contentType });
      expect([answer.status, answer.errors[0]?.extensions.code]).toEqual([415, 'not-supported']);
    }
  });

  it('is answered 413 for a body that is too large', async () => {
    const answer = await post(JSON.stringify({ query: `{ a # ${'x'.repeat(17_000_000)}\n}` }));
    expect([answer.status, answer.errors[0]?.extensions.code]).toEqual([413, 'too-long']);
  });
});

describe('the status', () => {
  const post = (query: string) =>
    server.request('POST', address, { query }, { 'content-type': 'application/json' });

  it.each([
    ['some fields failed', '{ metadata { fhirVersion } PatientList(_sort: "nonsense") { id } }', 200, 400],
    ['all fields failed', '{ PatientList(_sort: "nonsense") { id } }', 200, 400],
    [
      'a change was refused',
      'mutation { delete(type: Patient, id: "nobody", ifVersion: "9") { deleted } }',
      200,
      412,
    ],
    ['the document is invalid', '{ nothing }', 400, 400],
  ])('where %s is that of GraphQL, and the error has that of REST', async (_what, query, status, ofRest) => {
    const answer = await post(query);
    const [error] = toGatewayAnswer(answer).errors;
    expect([answer.status, error?.extensions.status]).toEqual([status, ofRest]);
  });
});

describe('GET', () => {
  const get = async (query: string, headers: Record<string, string> = {}) =>
    toGatewayAnswer(
      await server.request('GET', `${address}?query=${encodeURIComponent(query)}`, undefined, headers),
    );

  it('answers queries', async () => {
    const answer = await get('{ metadata { fhirVersion } }');
    expect([answer.status, answer.found]).toEqual([200, { metadata: { fhirVersion: '4.0.1' } }]);
  });

  it.each([
    ['an image of another site', 'cross-site', 'no-cors', 403],
    ['a script of another site, which reads the answer if CORS allows it', 'cross-site', 'cors', 200],
    ['a script of this site', 'same-origin', 'cors', 200],
    ['the address line', 'none', 'navigate', 200],
  ])('answers for %s', async (_what, site, mode, status) => {
    const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode };
    expect((await get('{ metadata { fhirVersion } }', headers)).status).toBe(status);
  });

  it('changes nothing', async () => {
    const answer = await get('mutation { create(resource: {resourceType: "Basic"}) { created } }');
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
  });
});

describe('an address', () => {
  it.each([
    ['an unknown tenant', '/w/nobody/api/v1/graphql/r4'],
    ['an unknown release', '/w/system/api/v1/graphql/r5'],
    ['a name that is percent-encoded', '/w/s%79stem/api/v1/graphql/r4'],
  ])('with %s is answered 404 with an OperationOutcome, as REST answers', async (_what, path) => {
    for (const accept of ['application/json', 'text/html']) {
      const answer = await server.request('POST', path, '{"query":"{ operations { code } }"}', {
        'content-type': 'application/json',
        accept,
      });
      expect(answer.status).toBe(404);
      expect(answer.headers['content-type']).toContain('application/fhir+json');
      expect(answer.json).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ code: 'not-found' }] });
    }
  });

  it('accepts GET and POST only', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const answer = await server.request(method, address);
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, POST']);
    }
  });
});

describe('an internal error', () => {
  it('is reported by its request id alone', () => {
    const secret = new GraphQLError('select * from secret', {
      path: ['read'],
      originalError: new TypeError('select * from secret'),
    });
    const formatted = formatError(
      { message: secret.message, path: ['read'], extensions: { code: 'INTERNAL_SERVER_ERROR' } },
      secret,
      'r-1',
    );
    expect(JSON.stringify(formatted)).not.toContain('secret');
    expect(formatted).toMatchObject({ path: ['read'], extensions: { code: 'exception' } });
    expect(formatted.message).toContain('r-1');
  });

  it('is reported with its reason where it was expected', () => {
    const expected = fhirError('notFound', { type: 'Patient', id: '1' });
    const error = new GraphQLError(expected.message, { path: ['patch'], originalError: expected });
    const formatted = formatError(
      { message: error.message, path: ['patch'], extensions: { code: 'INTERNAL_SERVER_ERROR' } },
      error,
      'r-1',
    );
    const outcome = {
      resourceType: 'OperationOutcome',
      issue: [{ severity: 'error', code: 'not-found', diagnostics: 'Patient/1 does not exist' }],
    };
    expect(JSON.parse(JSON.stringify(formatted))).toEqual({
      message: 'Patient/1 does not exist',
      path: ['patch'],
      extensions: { code: 'not-found', status: 404, resource: outcome },
    });
  });
});
