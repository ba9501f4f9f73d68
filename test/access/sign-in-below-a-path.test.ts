/** Sign-in pages of a server that a proxy has below a path, which PUBLIC_URL names. */
import { makeClient } from '../support/access';
import { startServer, type TestServer } from '../support/server';
import { APP, makeProof, toAuthorize } from '../support/sign-in';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    environment: { AUTH_MODE: 'enforced', PUBLIC_URL: 'https://clinic.example/fhir-server/' },
  });
});
afterAll(() => server.close());

it('browsers send their cookies back, because these are for the path that they see', async () => {
  const { core } = server.app;
  await core.tenants.create('acme');
  const scopes = ['openid', 'fhirUser', 'launch/patient', 'patient/*.rs'];
  const { id } = await makeClient(core, 'acme', { redirectUris: [APP], scopes });
  const aud = 'https://clinic.example/fhir-server/w/acme/api/v1/fhir/r4';
  const start = toAuthorize(server, 'acme', id, makeProof(), { aud });
  const { status, headers } = await server.request('GET', start, undefined, { accept: 'text/html' });
  expect([status, String(headers['set-cookie'])]).toEqual([
    200,
    expect.stringMatching(
      /^andiron-form=[\w-]{43}; Path=\/fhir-server\/w\/acme\/oidc; HttpOnly; SameSite=Lax$/,
    ),
  ]);
});
