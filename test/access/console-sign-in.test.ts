/** People sign in to the console of the server, without a registration of it and without a page that asks for consent. */
import { create, makeClient, type MadeClient } from '../support/access';
import type { Answer } from '../support/http';
import { CONSOLE, ConsoleUser, FROM_CONSOLE, startConsole, toConsole } from '../support/console-sign-in';
import { startServer, type TestServer } from '../support/server';
import { openSharedServer } from '../support/shared-server';
import { Browser, FORM, makeProof, toReturned } from '../support/sign-in';

const PASSWORD = 'correct horse battery';
const ROOT = '/w/acme/api/v1/fhir/r4';
const EVERYTHING =
  'openid profile fhirUser offline_access launch/patient user/*.cruds patient/*.cruds administration';

let server: TestServer;
let administrator: MadeClient;

beforeAll(async () => {
  const because = 'another process with PUBLIC_URL on its database';
  server = await startServer({ because, environment: { AUTH_MODE: 'enforced', AUDIT: 'off' } });
  const { core } = server.app;
  for (const name of ['acme', 'globex']) await core.tenants.create(name);
  administrator = await makeClient(core, 'system', { isAdministrator: true });
  const writer = await makeClient(core, 'acme');
  for (const [resourceType, id] of [
    ['Patient', 'ann'],
    ['Practitioner', 'doc'],
  ]) {
    const headers = { authorization: writer.basic };
    const resource = { resourceType, id };
    const { status } = await server.request('PUT', `${ROOT}/${resourceType}/${id}`, resource, headers);
    expect(status).toBe(201);
  }
  const people = [
    { name: 'doc', display: 'Dora Doe', fhirUser: 'Practitioner/doc' },
    { name: 'ann', display: 'Ann Archer', fhirUser: 'Patient/ann' },
    { name: 'lost', display: 'Lost', fhirUser: 'Patient/nobody' },
    { name: 'plain', display: 'Plain' },
    { name: 'boss', display: 'Boss', isAdministrator: true },
  ];
  for (const person of people) await core.tenants.users.create('acme', { ...person, password: PASSWORD });
});
afterAll(() => server.close());

/** Those who have signed in, by name: a check of a password is expensive. */
const users = new Map<string, ConsoleUser>();
function userOf(name: string): ConsoleUser {
  const user = users.get(name) ?? new ConsoleUser(server, 'acme');
  users.set(name, user);
  return user;
}
const administer = (method: string, path: string, body?: object, tenant = 'acme') =>
  server.request(method, `/w/system/api/v1/tenants/${tenant}/clients${path}`, body, {
    'content-type': 'application/json',
    authorization: administrator.basic,
  });
const get = (path: string, token: string) =>
  server.request('GET', path, undefined, { authorization: `Bearer ${token}` });

describe('a person who signs in to the console', () => {
  it.each([
    ['doc', 'openid profile fhirUser user/*.cruds'],
    ['ann', 'openid profile fhirUser user/*.cruds'],
    // Its record does not exist; what it refers to might.
    ['lost', 'openid profile fhirUser user/*.cruds'],
    ['plain', 'openid profile fhirUser'],
    ['boss', 'openid profile fhirUser administration'],
  ])(
    'gets those of its scopes that the person can have, and none for a patient or for 90 days: %s',
    async (name, scope) => {
      const tokens = await userOf(name).signIn(name, PASSWORD, { scope: EVERYTHING });
      expect([tokens.scope, tokens.patient, tokens.refresh_token]).toEqual([scope, undefined, undefined]);
    },
  );

  it.each(['offline_access', 'patient/*.rs', 'launch/patient'])(
    'cannot be asked for %s alone',
    async (scope) => {
      expect((await userOf('ann').attempt({ scope })).answer['error']).toBe('invalid_scope');
    },
  );

  it('reaches the same data as through any other client', async () => {
    const { access_token: token } = await userOf('doc').signIn('doc', PASSWORD);
    expect((await get(`${ROOT}/Patient/ann`, token)).status).toBe(200);
    const written = await server.request(
      'PUT',
      `${ROOT}/Patient/ben`,
      { resourceType: 'Patient', id: 'ben' },
      { authorization: `Bearer ${token}` },
    );
    expect([written.status, JSON.stringify(written.json)]).toEqual([
      201,
      expect.stringContaining(`ClientApplication/${CONSOLE}`),
    ]);
    const { access_token: powerless } = await userOf('plain').signIn('plain', PASSWORD);
    expect((await get(`${ROOT}/Patient/ann`, powerless)).status).toBe(403);
  });

  it('is not asked again while the browser is signed in, and the token is renewed without a page', async () => {
    const user = new ConsoleUser(server, 'acme');
    expect((await user.attempt()).answer['error']).toBe('login_required');
    await user.signIn('doc', PASSWORD);
    expect((await user.renew()).scope).toContain('user/*.cruds');
    const again = startConsole(server, 'acme', makeProof());
    expect(toReturned(await user.browser.open(again, FROM_CONSOLE)).answer['code']).toBeDefined();
    // A new sign-in is one, if the console asks for it.
    const anew = await user.browser.open(`${again}&prompt=login`, FROM_CONSOLE);
    expect(anew.text).toContain('name="password"');
    expect((await user.attempt({ max_age: '0' })).answer['error']).toBe('login_required');
  });

  it('gets a new token by the refresh token', async () => {
    const user = new ConsoleUser(server, 'acme');
    const tokens = await user.signIn('doc', PASSWORD);
    const { status, json } = await user.refresh(tokens);
    expect([status, json.scope]).toEqual([200, tokens.scope]);
    expect((await get(`${ROOT}/Patient/ann`, json.access_token)).status).toBe(200);
  });

  it('reads data of the release that the console names', async () => {
    const aud = `${server.base}/w/acme/api/v1/fhir/r4b`;
    const user = userOf('boss');
    const tokens = await user.signIn('boss', PASSWORD, { aud });
    expect(tokens.scope).toContain('administration');
    expect((await user.renew()).scope).toContain('administration');
    // The accounts of these people belong to R4.
    const other = await userOf('doc').signIn('doc', PASSWORD, { aud });
    expect(other.scope).toBe('openid profile fhirUser online_access');
  });
});

describe('a request for the console', () => {
  const start = (more: Record<string, string> = {}) => startConsole(server, 'acme', makeProof(), more);
  const FOREIGN = { 'sec-fetch-site': 'cross-site' };
  const codeOf = (answer: Answer) => toReturned(answer).answer['code'];
  const isQuestion = ({ status, text }: Answer) =>
    status === 200 && text.includes('<h1>Continue as <bdi>Dora Doe</bdi>?</h1>');

  it.each<[string, Record<string, string>, boolean]>([
    ['the console itself', FROM_CONSOLE, false],
    ['the address bar or a bookmark', { 'sec-fetch-site': 'none' }, false],
    ['a page of another site', FOREIGN, true],
    ['a page of a neighbouring host', { 'sec-fetch-site': 'same-site' }, true],
    ['a browser that does not say', {}, true],
    ['somebody who says two things', { 'sec-fetch-site': 'none, same-origin' }, true],
  ])('that %s begins gives a code at once, or asks the person first', async (_who, headers, isAsked) => {
    const user = userOf('doc');
    await user.signIn('doc', PASSWORD);
    for (const begin of [
      () => user.browser.open(start(), headers),
      () => user.browser.post('/w/acme/oidc/authorize', start().split('?')[1] ?? '', headers),
    ]) {
      const answer = await begin();
      expect([isQuestion(answer), codeOf(answer) === undefined]).toEqual([isAsked, isAsked]);
    }
    const silent = toReturned(await user.browser.open(start({ prompt: 'none' }), headers)).answer;
    expect(silent['error']).toBe(isAsked ? 'consent_required' : undefined);
  });

  it('that another site begins asks after a sign-in and a reload too, and the person continues', async () => {
    const { browser } = new ConsoleUser(server, 'acme');
    const page = await browser.open(start(), FOREIGN);
    const signedIn = { step: 'sign-in', user: 'doc', password: PASSWORD };
    const question = await browser.send(page, signedIn, FROM_CONSOLE);
    expect(isQuestion(question)).toBe(true);
    expect(question.headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'/),
    });
    // The browser has the address of the last redirect, and says that the person has opened it.
    const reloaded = await browser.open(browser.path, { 'sec-fetch-site': 'none' });
    expect(isQuestion(reloaded)).toBe(true);
    const answer = await browser.send(reloaded, { step: 'continue' }, FROM_CONSOLE);
    expect(toReturned(answer).to).toBe(`${toConsole(server, 'acme')}/signed-in`);
    expect(codeOf(answer)).toBeDefined();
  });

  it('that another site begins ends without a code, or with the sign-in of somebody else', async () => {
    const user = new ConsoleUser(server, 'acme');
    await user.signIn('doc', PASSWORD);
    const { browser } = user;
    const question = await browser.open(start(), FOREIGN);
    const denied = toReturned(await browser.send(question, { step: 'deny' }, FROM_CONSOLE)).answer;
    expect([denied['error'], denied['code']]).toEqual(['access_denied', undefined]);
    const page = await browser.send(question, { step: 'sign-out' }, FROM_CONSOLE);
    expect(page.text).toContain('name="password"');
    const other = { step: 'sign-in', user: 'boss', password: PASSWORD };
    expect((await browser.send(page, other, FROM_CONSOLE)).text).toContain('Continue as Boss?');
  });

  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['from another site', {}, { origin: 'https://evil.example' }],
    ['from another site, as browsers say', {}, FOREIGN],
    ['without its token', { token: '' }, {}],
    ['with a token of nobody', { token: 'x'.repeat(43) }, {}],
  ])('is not continued by a form %s', async (_what, fields, headers) => {
    const user = userOf('doc');
    await user.signIn('doc', PASSWORD);
    const question = await user.browser.open(start(), FOREIGN);
    expect(isQuestion(question)).toBe(true);
    const answer = await user.browser.send(question, { step: 'continue', ...fields }, headers);
    expect([answer.status, answer.headers['location']]).toEqual([403, undefined]);
  });

  it('is not continued by the answer to the question about another one', async () => {
    const user = userOf('doc');
    await user.signIn('doc', PASSWORD);
    const question = await user.browser.open(start(), FOREIGN);
    await user.browser.open(start({ state: 'state-2' }), FOREIGN);
    expect((await user.browser.send(question, { step: 'continue' }, FROM_CONSOLE)).status).toBe(403);
  });
});

describe('the client of the console', () => {
  it('sends people back to the console of this server only', async () => {
    for (const redirect of [
      'https://evil.example/w/acme/console/signed-in',
      `${server.base}/w/globex/console/signed-in`,
      `${server.base}/w/acme/console/other`,
    ]) {
      const start = startConsole(server, 'acme', makeProof(), { redirect_uri: redirect });
      const { status, text, headers } = await new Browser(server).open(start);
      expect([status, text, headers['location']]).toEqual([
        400,
        expect.stringContaining('is not registered'),
        undefined,
      ]);
    }
  });

  it('follows PUBLIC_URL, each of its addresses', async () => {
    const PUBLIC_URL = 'https://one.example/fhir,https://two.example';
    const other = await startServer({
      database: server.database,
      environment: { AUTH_MODE: 'enforced', PUBLIC_URL },
    });
    const open = async (base: string) => {
      const start = startConsole(other, 'acme', makeProof(), {
        redirect_uri: `${base}/w/acme/console/signed-in`,
        aud: `${base}/w/acme/api/v1/fhir/r4`,
      });
      return (await new Browser(other).open(start)).status;
    };
    const bases = ['https://one.example/fhir', 'https://two.example', 'https://one.example', other.base];
    expect(await Promise.all(bases.map(open))).toEqual([200, 200, 400, 400]);
    const { json } = await other.request(
      'GET',
      `/w/system/api/v1/tenants/acme/clients/${CONSOLE}`,
      undefined,
      { authorization: administrator.basic },
    );
    expect(json.redirectUris).toEqual(bases.slice(0, 2).map((base) => `${base}/w/acme/console/signed-in`));
    await other.close();
  });

  it('is in the list of clients by its name, also before its first use', async () => {
    await server.app.core.tenants.create('fresh');
    const { json } = await administer('GET', '', undefined, 'fresh');
    expect(json.clients).toEqual([
      expect.objectContaining({
        ...{ id: CONSOLE, name: 'Andiron console', disabled: false, public: true },
        ...{ administrator: false, auditor: false, policies: [], secrets: [] },
        scopes: expect.arrayContaining(['user/*.cruds', 'administration']),
      }),
    ]);
    expect((await administer('GET', `/${CONSOLE}`)).json.name).toBe('Andiron console');
  });

  it('is the program’s: an administrator changes whether it is disabled and its policies, and nothing else', async () => {
    for (const change of [
      { name: 'Mine' },
      { redirectUris: ['https://evil.example/back'] },
      { scopes: ['system/*.cruds'] },
      { public: false },
      { administrator: true },
      { disabled: true, jwksUrl: 'https://evil.example/keys' },
    ])
      expect([change, (await administer('PATCH', `/${CONSOLE}`, change)).status]).toEqual([change, 400]);
    expect((await administer('POST', `/${CONSOLE}/secrets`)).status).toBe(400);
    expect((await administer('PATCH', `/${CONSOLE}`, { policies: ['ward'] })).json).toMatchObject({
      policies: ['ward'],
      disabled: false,
    });
    const { access_token: token } = await userOf('doc').signIn('doc', PASSWORD);
    // A policy that does not exist allows nothing.
    expect((await get(`${ROOT}/Patient/ann`, token)).status).toBe(403);
    await administer('PATCH', `/${CONSOLE}`, { policies: [] });
    expect((await get(`${ROOT}/Patient/ann`, token)).status).toBe(200);
  });

  it('has no token of its own', async () => {
    const form = { grant_type: 'client_credentials', client_id: CONSOLE };
    const body = new URLSearchParams(form).toString();
    const { status, json } = await server.request('POST', '/w/acme/oidc/token', body, FORM);
    expect([status, json.error]).toEqual([400, 'unauthorized_client']);
  });

  it('signs nobody in while it is disabled, its tokens end, and only people of the tenant learn why', async () => {
    const user = new ConsoleUser(server, 'acme');
    const tokens = await user.signIn('doc', PASSWORD);
    expect((await administer('PATCH', `/${CONSOLE}`, { disabled: true })).json.disabled).toBe(true);
    expect((await get(`${ROOT}/Patient/ann`, tokens.access_token)).status).toBe(401);
    expect((await user.refresh(tokens)).json.error).toBe('invalid_grant');
    expect((await user.attempt()).answer).toMatchObject({
      error: 'access_denied',
      error_description: 'The console is disabled in this tenant',
    });
    const stranger = await new Browser(server).open(startConsole(server, 'acme', makeProof()));
    expect([stranger.status, stranger.text.includes('name="password"')]).toEqual([200, true]);
    await administer('PATCH', `/${CONSOLE}`, { disabled: false });
    expect((await user.renew()).scope).toContain('user/*.cruds');
  });
});

it('the console signs people in where access is open, too', async () => {
  const open = await openSharedServer();
  await open.createTenant('acme');
  const acme = open.tenant('acme');
  const doc = { name: 'doc', fhirUser: 'Practitioner/doc', password: PASSWORD };
  await create(open, `/tenants/${acme}/users`, doc);
  const { access_token: token, scope } = await new ConsoleUser(open, acme).signIn('doc', PASSWORD);
  expect(scope).toBe('openid profile fhirUser online_access user/*.cruds');
  const headers = { authorization: `Bearer ${token}` };
  expect((await open.request('GET', `${open.path('acme', 'r4')}/Patient`, undefined, headers)).status).toBe(
    200,
  );
  expect(toConsole(open, acme)).toBe(`${open.base}/w/${acme}/console`);
  await open.close();
});
