/** The request of an app by POST (OpenID Connect Core 1.0, section 3.1.2.1; docs/run/access.md). */
import { Browser, FORM, makeProof, toReturned } from '../support/sign-in';
import { PASSWORD, SmartTenant } from '../support/smart-app';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

const SCOPE = 'openid launch/patient patient/*.rs';
let server: SharedServer;

beforeAll(async () => {
  server = await openSharedServer('enforced');
});
afterAll(() => server.close());

describe.each(TESTED_RELEASES)('an app that posts its request, in %s', (release) => {
  let smart: SmartTenant;
  const address = () => `/w/${smart.tenant}/oidc/authorize`;
  const requestOf = (more: Record<string, string> = {}, challenge = makeProof().challenge): string =>
    smart.authorizeAt(challenge, SCOPE, more).split('?')[1] ?? '';
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    server.request('POST', path, body, { ...FORM, ...headers });

  beforeAll(async () => {
    smart = await SmartTenant.make(server, `posted-${release}`, release);
    await smart.put({ resourceType: 'Patient', id: 'ann' });
    await smart.addPerson('ann', 'Patient/ann');
  });

  it('gets the same pages and the same token, also from a page of another site', async () => {
    const { verifier, challenge } = makeProof();
    const browser = new Browser(server);
    const page = await browser.post(address(), requestOf({}, challenge), {
      origin: 'https://app.example',
      'sec-fetch-site': 'cross-site',
    });
    expect([page.status, page.text.includes('type="password"')]).toEqual([200, true]);
    const consent = await browser.send(page, { step: 'sign-in', user: 'ann', password: PASSWORD });
    const { answer } = toReturned(await browser.send(consent, { step: 'allow' }));
    const { status, json } = await smart.post('token', {
      ...{ grant_type: 'authorization_code', client_id: smart.app, code: answer['code'] ?? '' },
      ...{ code_verifier: verifier, redirect_uri: 'https://app.example/back' },
    });
    expect([status, json.patient, json.scope]).toEqual([200, 'ann', SCOPE]);
    const again = await browser.post(address(), requestOf());
    expect(again.text).toContain('asks for access');
  });

  it.each<[string, Record<string, string>, string]>([
    ['no challenge', { code_challenge: '' }, 'invalid_request'],
    ['no state', { state: '' }, 'invalid_request'],
    ['data of somebody else', { aud: 'https://evil.example/fhir/r4' }, 'invalid_request'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no scope of the app', { scope: 'system/*.rs' }, 'invalid_scope'],
  ])('is refused as by GET: %s', async (_what, more, error) => {
    const [posted, opened] = [
      await post(address(), requestOf(more, 'x'.repeat(43))),
      await server.request('GET', `${address()}?${requestOf(more, 'x'.repeat(43))}`),
    ];
    expect(toReturned(posted)).toEqual(toReturned(opened));
    expect([posted.status, toReturned(posted).answer['error']]).toEqual([303, error]);
  });

  it.each<[string, () => Promise<{ status: number; headers: Record<string, unknown> }>, number]>([
    ['parameters in the address and in the body', () => post(`${address()}?state=1`, requestOf()), 400],
    ['an empty body', () => post(`${address()}?${requestOf()}`, ''), 400],
    ['another redirect', () => post(address(), requestOf({ redirect_uri: 'https://evil.example' })), 400],
    ['a parameter that is there twice', () => post(address(), `${requestOf()}&state=2`), 400],
    ['more than 16 kB', () => post(address(), `${requestOf()}&x=${'y'.repeat(16 * 1024)}`), 413],
    ['JSON', () => post(address(), '{}', { 'content-type': 'application/json' }), 415],
  ])('goes nowhere with %s', async (_what, attempt, status) => {
    const answer = await attempt();
    expect([answer.status, answer.headers['location']]).toEqual([status, undefined]);
  });

  it('finds the capability in the discovery document', async () => {
    const { json } = await server.request('GET', `${smart.root}/.well-known/smart-configuration`);
    expect(json.capabilities).toContain('authorize-post');
  });
});
