/**
 * Values that depend on the addresses of a server: the audience of a client_assertion, which no request can choose by its Host
 * header, and the path of cookies.
 */
import { makeClient, makeKey, toJwt, FORM } from '../support/access';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startServer, type Headers, type TestServer } from '../support/server';
import { APP, makeProof, toAuthorize } from '../support/sign-in';

const key = makeKey('one');
const PATH = '/w/system/oidc';
const TYPE = encodeURIComponent('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');

let database: TestDatabase;
let loopback: TestServer;
let others: TestServer;
let publicly: TestServer;
let id: string;
beforeAll(async () => {
  database = await createTestDatabase();
  const start = (environment: Record<string, string>): Promise<TestServer> =>
    startServer({
      because: 'HOST and PUBLIC_URL',
      ...{ database, environment: { AUTH_MODE: 'enforced', AUDIT: 'off', ...environment } },
    });
  loopback = await start({});
  others = await start({ HOST: '0.0.0.0' });
  publicly = await start({ PUBLIC_URL: 'https://clinic.example/fhir-server,https://b.example' });
  const details = { name: 'Backend', scopes: ['system/*.rs'], jwks: { keys: [key.jwk] } };
  id = (await loopback.app.core.tenants.clients.create('system', details)).id;
});
afterAll(async () => {
  await Promise.all([loopback.close(), others.close(), publicly.close()]);
  await database.drop();
});

let count = 0;
async function requestToken(
  server: TestServer,
  aud: string,
  headers: Headers = {},
): Promise<[number, string]> {
  const claims = { iss: id, sub: id, aud, jti: `j${++count}`, exp: Math.floor(Date.now() / 1000) + 240 };
  const assertion = toJwt({ alg: 'ES384', typ: 'JWT', kid: key.kid }, claims, key.privateKey);
  const form = `grant_type=client_credentials&client_assertion_type=${TYPE}&client_assertion=${assertion}`;
  const { status, json } = await server.request('POST', `${PATH}/token`, form, { ...FORM, ...headers });
  return [status, json.error === undefined ? '' : `${json.error}: ${json.error_description}`];
}

const evil = { host: 'evil.example' };

it('on loopback it is one of the loopback addresses with the port, independent of the Host header', async () => {
  const { port } = new URL(loopback.base);
  for (const name of ['localhost', '127.0.0.1', '[::1]'])
    for (const end of ['', '/token'])
      expect(await requestToken(loopback, `http://${name}:${port}${PATH}${end}`, evil)).toEqual([200, '']);
  const [status, error] = await requestToken(loopback, `http://evil.example${PATH}/token`, evil);
  expect([status, error]).toEqual([
    401,
    expect.stringContaining(`The aud of the assertion must be http://localhost:${port}${PATH}/token or `),
  ]);
  expect((await requestToken(loopback, `http://localhost:1${PATH}/token`, { host: 'localhost:1' }))[0]).toBe(
    401,
  );
});

it('without PUBLIC_URL there is none on other addresses: such clients are refused, with the reason', async () => {
  const { host } = new URL(others.base);
  for (const [aud, headers] of [
    [`${others.base}${PATH}/token`, {}],
    [`http://localhost:${new URL(others.base).port}${PATH}/token`, {}],
    [`http://evil.example${PATH}/token`, evil],
    [`https://${host}${PATH}/token`, { 'x-forwarded-proto': 'https' }],
  ] as const) {
    const [status, error] = await requestToken(others, aud, headers);
    expect([status, error]).toEqual([401, expect.stringMatching(/^invalid_client: .*PUBLIC_URL is not set/)]);
  }
});

it('where PUBLIC_URL is set it is one of its addresses, and no other', async () => {
  for (const base of ['https://clinic.example/fhir-server', 'https://b.example'])
    expect((await requestToken(publicly, `${base}${PATH}/token`))[0]).toBe(200);
  expect((await requestToken(publicly, `${publicly.base}${PATH}/token`))[0]).toBe(401);
  expect((await requestToken(publicly, `http://evil.example${PATH}/token`, evil))[0]).toBe(401);
});

it('below the path of PUBLIC_URL browsers send their cookies back, because these are for the path that they see', async () => {
  const scopes = ['openid', 'fhirUser', 'launch/patient', 'patient/*.rs'];
  const { id: app } = await makeClient(publicly.app.core, 'system', { redirectUris: [APP], scopes });
  const aud = 'https://clinic.example/fhir-server/w/system/api/v1/fhir/r4';
  const start = toAuthorize(publicly, 'system', app, makeProof(), { aud });
  const { status, headers } = await publicly.request('GET', start, undefined, { accept: 'text/html' });
  expect([status, String(headers['set-cookie'])]).toEqual([
    200,
    expect.stringMatching(
      /^andiron-form=[\w-]{43}; Path=\/fhir-server\/w\/system\/oidc; HttpOnly; SameSite=Lax$/,
    ),
  ]);
});

it('discovery lists private_key_jwt only where it works', async () => {
  const list = async (server: TestServer): Promise<unknown> => {
    const openid = await server.request('GET', `${PATH}/.well-known/openid-configuration`);
    const smart = await server.request('GET', '/w/system/api/v1/fhir/r4/.well-known/smart-configuration');
    return [
      openid.json.token_endpoint_auth_methods_supported.includes('private_key_jwt'),
      openid.json.introspection_endpoint_auth_methods_supported.includes('private_key_jwt'),
      Object.keys(openid.json).some(
        (name) => name.endsWith('_signing_alg_values_supported') && name.startsWith('token'),
      ),
      smart.json.capabilities.includes('client-confidential-asymmetric'),
    ];
  };
  expect(await list(loopback)).toEqual([true, true, true, true]);
  expect(await list(others)).toEqual([false, false, false, false]);
});
