/** Errors of the endpoints of clients have the form of OAuth 2.0, whatever was sent and is accepted (docs/run/access.md). */
import { FORM } from '../support/sign-in';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer('enforced');
  await server.createTenant('acme');
});
afterAll(() => server.close());

/** A length this far above MAX_BODY_BYTES is refused before the body arrives (DRAINED_SIZE of src/rest/requests/body-bytes.ts). */
const TOO_LONG = { ...FORM, 'content-length': '100000000', connection: 'close' };
const FORM_GZIP = { ...FORM, 'content-encoding': 'gzip' };
const CASES: readonly [what: string, method: string, body: string, headers: object, status: number][] = [
  ['no content type', 'POST', 'a=b', { 'content-type': '' }, 415],
  ['JSON', 'POST', '{"grant_type":"client_credentials"}', { 'content-type': 'application/json' }, 415],
  ['a content type with quotes', 'POST', 'a=b', { 'content-type': 'text/plain; a="b\\"c"' }, 415],
  ['FHIR', 'POST', '{}', { 'content-type': 'application/fhir+json' }, 415],
  ['percent-encoding that is not valid', 'POST', 'grant_type=%zz', FORM, 400],
  ['a body that is not what its coding says', 'POST', 'a=b', FORM_GZIP, 400],
  ['an unknown coding', 'POST', 'a=b', { ...FORM, 'content-encoding': 'zip' }, 415],
  ['a form of more than 64 kB', 'POST', `a=${'b'.repeat(65_536)}`, FORM, 413],
  ['a body beyond the limit of bodies', 'POST', 'a=b', TOO_LONG, 413],
  ['a parameter that is there twice', 'POST', 'grant_type=a&grant_type=b', FORM, 400],
  ['no parameters', 'POST', '', FORM, 400],
  ['another method', 'PUT', '', {}, 405],
];

describe.each(['token', 'introspect', 'revoke'])('the %s endpoint', (endpoint) => {
  it.each(CASES)('answers %s with JSON of OAuth', async (_what, method, body, headers, status) => {
    for (const accept of ['application/fhir+json', 'application/json', 'text/html', '*/*']) {
      const path = `/w/${server.tenant('acme')}/oidc/${endpoint}?_pretty=true`;
      const answer = await server.request(method, path, body, { accept, ...headers });
      // A request without a client is refused before its parameters are looked at.
      expect(status === 400 ? [400, 401] : [status]).toContain(answer.status);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.json).toEqual({
        error: expect.stringMatching(/^invalid_(?:request|client)$/),
        error_description: expect.stringMatching(/^[\x20\x21\x23-\x5B\x5D-\x7E]+$/),
      });
    }
  });
});

describe.each(TESTED_RELEASES)('metadata of %s', (release) => {
  const securityOf = async (tenant: string, mode: string) => {
    const path = `${server.path(tenant, release)}/metadata?mode=${mode}`;
    const { json } = await server.request('GET', path);
    return { security: json.rest?.[0].security };
  };

  it('names the endpoints of OAuth in the extension of SMART, those of each tenant', async () => {
    for (const tenant of ['system', 'acme']) {
      const issuer = `${server.base}/w/${server.tenant(tenant)}/oidc`;
      const { security } = await securityOf(tenant, 'full');
      expect(security.extension).toEqual([
        {
          url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
          extension: [
            { url: 'authorize', valueUri: `${issuer}/authorize` },
            { url: 'token', valueUri: `${issuer}/token` },
            { url: 'introspect', valueUri: `${issuer}/introspect` },
            { url: 'revoke', valueUri: `${issuer}/revoke` },
          ],
        },
      ]);
      expect(security.service[0].coding[0].code).toBe('SMART-on-FHIR');
    }
    expect((await securityOf('acme', 'terminology')).security).toBeUndefined();
  });
});
