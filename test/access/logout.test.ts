/** A client signs its user out of the browser (OpenID Connect RP-Initiated Logout 1.0; docs/run/access.md, Signing out). */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { create, createClient, toJwt } from '../support/access';
import { CONSOLE, ConsoleUser, toConsole } from '../support/console-sign-in';
import { connectTo } from '../support/shared-database';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { APP, Browsers, FORM, makeProof, toAuthorize, toReturned } from '../support/sign-in';

const PASSWORD = 'correct horse battery';
let server: SharedServer;
/** The name of the tenant on the server. */
let acme: string;
/** The address at which its clients sign their users out. */
let logout: string;
let app: string;
let native: string;

beforeAll(async () => {
  server = await openSharedServer('audited');
  browsers = new Browsers(server);
  await server.createTenant('acme');
  acme = server.tenant('acme');
  logout = `/w/${acme}/oidc/logout`;
  const at = `/tenants/${acme}`;
  for (const name of ['dora', 'emil']) await create(server, `${at}/users`, { name, password: PASSWORD });
  const details = { scopes: ['openid', 'online_access'], public: true };
  ({ id: app } = await create(server, `${at}/clients`, { ...details, name: 'App', redirectUris: [APP] }));
  const redirectUris = ['com.example.app:/back'];
  ({ id: native } = await create(server, `${at}/clients`, { ...details, name: 'Phone', redirectUris }));
});
afterAll(() => server.close());

const toQuery = (fields: Record<string, string>): string => new URLSearchParams(fields).toString();
const isSignedIn = async (user: ConsoleUser): Promise<boolean> =>
  (await user.attempt()).answer['code'] !== undefined;

async function signedIn(name = 'dora') {
  const user = new ConsoleUser(server, acme);
  return { user, tokens: await user.signIn(name, PASSWORD) };
}

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

/** An ID token with these claims, signed by the key of the tenant. */
async function signed(claims: object): Promise<string> {
  const owner = await connectTo(server);
  const { rows } = await owner.query(
    `select id, private_key from andiron.signing_key where tenant = $1 and algorithm = 'RS256'`,
    [await owner.tenantNumber('acme')],
  );
  await owner.close();
  const key = createPrivateKey({ key: rows[0].private_key, format: 'jwk' });
  return toJwt({ alg: 'RS256', typ: 'JWT', kid: rows[0].id }, claims, key);
}

/** For other clients than the console. */
let browsers: Browsers;

/** The ID token of somebody who signs in for another client. */
async function idTokenFor(client: string, redirect_uri: string): Promise<string> {
  const proof = makeProof();
  const start = toAuthorize(server, acme, client, proof, { redirect_uri, scope: 'openid online_access' });
  const { browser, page } = await browsers.open(start, 'dora', PASSWORD);
  const { code = '' } = toReturned(await browser.send(page, { step: 'allow' })).answer;
  const form = { grant_type: 'authorization_code', client_id: client, redirect_uri, code };
  const body = toQuery({ ...form, code_verifier: proof.verifier });
  return (await server.request('POST', `/w/${acme}/oidc/token`, body, FORM)).json.id_token;
}

describe('a client that signs its user out', () => {
  it('ends the session of the browser and the grants that end with it, and gets the browser back', async () => {
    const { user, tokens } = await signedIn();
    const target = `${toConsole(server, acme)}/start?from=logout`;
    const left = await user.browser.open(
      `${logout}?${toQuery({
        ...{ id_token_hint: tokens.id_token, client_id: CONSOLE, state: 'state 2' },
        post_logout_redirect_uri: target,
      })}`,
    );
    expect([left.status, left.headers['location']]).toEqual([303, `${target}&state=state+2`]);
    expect(String(left.headers['set-cookie'])).toContain('Max-Age=0');
    expect(user.browser.cookies.has('andiron-session')).toBe(false);
    expect(await isSignedIn(user)).toBe(false);
    const { status, json } = await user.refresh(tokens);
    expect([status, json.error]).toEqual([400, 'invalid_grant']);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    expect(
      (await server.request('GET', `${server.path('acme', 'r4')}/Patient`, undefined, headers)).status,
    ).toBe(401);
  });

  it('may do so by POST, also from its own site, where the browser sends no cookie with it', async () => {
    for (const isCrossSite of [false, true]) {
      const { user, tokens } = await signedIn();
      const kept = new Map(user.browser.cookies);
      if (isCrossSite) user.browser.cookies.clear();
      const body = toQuery({ id_token_hint: tokens.id_token });
      const headers = isCrossSite
        ? { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }
        : { origin: server.base, 'sec-fetch-site': 'same-origin' };
      let page = await user.browser.post(logout, body, headers);
      if (isCrossSite) {
        expect([page.status, page.headers['location']]).toEqual([303, `logout?${body}`]);
        for (const [name, value] of kept) user.browser.cookies.set(name, value);
        page = await user.browser.open(`/w/${acme}/oidc/${String(page.headers['location'])}`);
      }
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('You are signed out')]);
      expect(await isSignedIn(user)).toBe(false);
    }
  });

  it('may show an expired ID token', async () => {
    const { user, tokens } = await signedIn();
    const { exp, ...claims } = claimsOf(tokens.id_token);
    expect(exp).toBeGreaterThan(0);
    const hint = await signed({ ...claims, iat: 1, exp: 2 });
    const page = await user.browser.open(`${logout}?${toQuery({ id_token_hint: hint })}`);
    expect([page.status, await isSignedIn(user)]).toEqual([200, false]);
  });

  it('leaves the session of another person', async () => {
    const { tokens } = await signedIn('emil');
    const { user } = await signedIn('dora');
    const page = await user.browser.open(`${logout}?${toQuery({ id_token_hint: tokens.id_token })}`);
    expect([page.status, await isSignedIn(user)]).toEqual([200, true]);
  });

  let lasting: Awaited<ReturnType<typeof signedIn>>;
  beforeAll(async () => {
    lasting = await signedIn();
  });

  it.each([
    ['no proof', () => ({})],
    ['an access token', ({ access_token }: { access_token: string }) => ({ id_token_hint: access_token })],
    ['another client', ({ id_token }: { id_token: string }) => ({ id_token_hint: id_token, client_id: app })],
    [
      'a signature that is not ours',
      () => {
        const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
        const claims = { iss: `${server.base}/w/${acme}/oidc`, aud: CONSOLE, sub: 'dora' };
        return { id_token_hint: toJwt({ alg: 'RS256', typ: 'JWT', kid: 'x' }, claims, privateKey) };
      },
    ],
    [
      'no signature',
      ({ id_token }: { id_token: string }) => ({
        id_token_hint: toJwt({ alg: 'none' }, claimsOf(id_token)),
      }),
    ],
  ])('proves it by an ID token of its own: %s ends nothing', async (_what, toFields) => {
    const { user, tokens } = lasting;
    const fields = { ...toFields(tokens), post_logout_redirect_uri: toConsole(server, acme) };
    const page = await user.browser.open(`${logout}?${toQuery(fields)}`);
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('must have an id_token_hint')]);
    expect(await isSignedIn(user)).toBe(true);
  });

  it('sends the browser to itself only', async () => {
    const console = lasting.tokens.id_token;
    const hints = {
      console,
      app: await idTokenFor(app, APP),
      native: await idTokenFor(native, 'com.example.app:/back'),
    };
    const targetOf = async (hint: keyof typeof hints, post_logout_redirect_uri: string) => {
      const fields = { id_token_hint: hints[hint], post_logout_redirect_uri };
      const { status, headers } = await server.request('GET', `${logout}?${toQuery(fields)}`);
      expect([post_logout_redirect_uri, status]).toEqual([
        post_logout_redirect_uri,
        headers['location'] === undefined ? 200 : 303,
      ]);
      return headers['location'];
    };
    const { base } = server;
    for (const [hint, good] of [
      ['console', `${base}/w/${acme}`],
      ['console', `${base}/w/${acme}/console/`],
      ['console', `${base}/w/${acme}/console/r4/Patient?name=a`],
      ['app', 'https://app.example/goodbye'],
      ['native', 'com.example.app:/back'],
    ] as const)
      expect(await targetOf(hint, good)).toBe(good);
    for (const [hint, bad] of [
      ['console', `${base}/w/globex/console/`],
      ['console', `${base}/w/${acme}/console/../../globex`],
      ['console', `${base}/w/${acme}/console/%2e%2e/api/v1/fhir/r4`],
      ['console', `${base}/w/${acme}/consoles`],
      ['console', `${base}.evil.example/w/${acme}/console/`],
      ['console', 'https://app.example/goodbye'],
      ['app', 'https://evil.example/back'],
      ['app', 'http://app.example/back'],
      ['app', 'https://app.example@evil.example/'],
      ['app', 'javascript:alert(1)'],
      ['app', '/back'],
      ['native', 'com.evil.app:/back'],
    ] as const)
      expect([bad, await targetOf(hint, bad)]).toEqual([bad, undefined]);
  });

  it('is recorded in the audit', async () => {
    const { user, tokens } = await signedIn();
    await user.browser.open(`${logout}?${toQuery({ id_token_hint: tokens.id_token })}`);
    const auditor = await createClient(server, 'acme', { scopes: ['system/*.rs'], auditor: true });
    const address = `${server.path('acme', 'r4')}/AuditEvent?subtype=110123`;
    const headers = { authorization: auditor.basic };
    const [latest] = (await server.request('GET', address, undefined, headers)).json.entry;
    const { json } = await server.administer('GET', `/tenants/${acme}/users`);
    const dora = (json.users as { name: string; id: string }[]).find(({ name }) => name === 'dora');
    expect(latest.resource.agent.map(({ who }: { who: { identifier: object } }) => who.identifier)).toEqual([
      { value: CONSOLE },
      { value: dora?.id },
    ]);
  });

  it('finds the address in the discovery documents', async () => {
    for (const name of ['openid-configuration', 'smart-configuration']) {
      const { json } = await server.request('GET', `/w/${acme}/oidc/.well-known/${name}`);
      expect(json.end_session_endpoint).toBe(`${server.base}${logout}`);
    }
  });
});

it('a page of another site signs nobody out, because it has no ID token', async () => {
  const { user } = await signedIn();
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  expect((await user.browser.post(logout, 'client_id=x', headers)).status).toBe(400);
  expect(await isSignedIn(user)).toBe(true);
});
