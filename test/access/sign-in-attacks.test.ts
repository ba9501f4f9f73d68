/** Attacks on signing in, and the exact answer to each (docs/run/access.md). */
import { Client } from 'pg';
import { makeClient, type MadeClient } from '../support/access';
import { APP, Browser, FORM, makeProof, toAuthorize, toReturned, type Proof } from '../support/sign-in';
import { startServer, type TestServer } from '../support/server';

let server: TestServer;
let second: TestServer;
let app: string;
let other: string;
let elsewhere: string;
let confidential: MadeClient;
const PASSWORD = 'correct horse battery';

beforeAll(async () => {
  const environment = { AUTH_MODE: 'enforced' };
  server = await startServer({ because: 'a second process on its database', environment });
  const { core } = server.app;
  for (const name of ['acme', 'globex']) await core.tenants.create(name);
  second = await startServer({ database: server.database, environment });
  const details = {
    name: 'Growth chart',
    scopes: ['openid', 'fhirUser', 'launch', 'offline_access', 'user/*.rs', 'system/*.rs'],
    redirectUris: [APP],
  };
  const make = async (tenant: string): Promise<string> =>
    (await core.tenants.clients.create(tenant, { ...details, isPublic: true })).id;
  [app, other, elsewhere] = [await make('acme'), await make('acme'), await make('globex')];
  confidential = await makeClient(core, 'acme', { ...details, isAdministrator: true });
  for (const tenant of ['acme', 'globex'])
    await core.tenants.users.create(tenant, {
      name: 'doc',
      fhirUser: 'Practitioner/doc',
      password: PASSWORD,
    });
});
afterAll(async () => {
  await second.close();
  await server.close();
});

const SCOPE = 'openid fhirUser user/*.rs offline_access';
const start = (proof: Proof, more: Record<string, string> = {}, client = app) =>
  toAuthorize(server, 'acme', client, proof, { scope: SCOPE, ...more });
const post = (path: string, form: Record<string, string>, tenant = 'acme', headers = {}) =>
  server.request('POST', `/w/${tenant}/oidc/${path}`, new URLSearchParams(form).toString(), {
    ...FORM,
    ...headers,
  });
const redeem = (proof: Proof, code: string, more: Record<string, string> = {}, tenant = 'acme') => {
  const form = { grant_type: 'authorization_code', client_id: app, redirect_uri: APP, code };
  return post('token', { ...form, code_verifier: proof.verifier, ...more }, tenant);
};
const refresh = (token: unknown, client = app, tenant = 'acme') =>
  post('token', { grant_type: 'refresh_token', client_id: client, refresh_token: String(token) }, tenant);
const isGood = async (token: unknown) => {
  const authorization = `Bearer ${String(token)}`;
  const path = '/w/acme/api/v1/fhir/r4/Patient?_count=0';
  return (await server.request('GET', path, undefined, { authorization })).status === 200;
};

let browser: Browser;
/** A code, of a browser in which the person is signed in. */
async function toCode(proof: Proof, more: Record<string, string> = {}): Promise<string> {
  const page = await browser.open(start(proof, more));
  const { answer } = toReturned(await browser.send(page, { step: 'allow' }));
  return answer['code'] ?? '';
}
beforeAll(async () => {
  browser = new Browser(server);
  expect((await browser.signIn(start(makeProof()), 'doc', PASSWORD)).status).toBe(200);
});

describe('an invalid request', () => {
  it.each<[string, Record<string, string>]>([
    ['another address', { redirect_uri: 'https://evil.example/back' }],
    ['an address that begins alike', { redirect_uri: `${APP}/../evil` }],
    ['an address with a query', { redirect_uri: `${APP}?next=https://evil.example` }],
    ['no such client', { client_id: 'nobody' }],
  ])('sends nobody anywhere: %s', async (_what, more) => {
    const { status, headers } = await browser.open(start(makeProof(), more));
    expect([status, headers['location']]).toEqual([400, undefined]);
  });

  it.each<[string, Record<string, string>, string]>([
    ['plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no method', { code_challenge_method: '' }, 'invalid_request'],
    ['no challenge', { code_challenge: '' }, 'invalid_request'],
    ['no state', { state: '' }, 'invalid_request'],
    ['data of somebody else', { aud: 'https://evil.example/fhir/r4' }, 'invalid_request'],
    ['data of another tenant', { aud: 'globex' }, 'invalid_request'],
    ['a token at once', { response_type: 'token' }, 'unsupported_response_type'],
    ['the answer in a fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['system scopes alone', { scope: 'system/*.rs' }, 'invalid_scope'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['a launch that is not one', { scope: 'launch user/*.rs', launch: 'guess' }, 'invalid_request'],
    ['no page', { prompt: 'none' }, 'consent_required'],
  ])('is refused to the client: %s', async (_what, more, error) => {
    const aud: Record<string, string> =
      more['aud'] === 'globex' ? { aud: `${server.base}/w/globex/api/v1/fhir/r4` } : {};
    const answer = await browser.open(start(makeProof(), { ...more, ...aud }));
    expect(answer.status).toBe(303);
    const returned = toReturned(answer);
    expect([returned.to, returned.answer['error'], returned.answer['code']]).toEqual([APP, error, undefined]);
    expect(returned.answer['iss']).toBe(`${server.base}/w/acme/oidc`);
  });
});

describe('a code', () => {
  it.each<[string, (proof: Proof, code: string) => ReturnType<typeof post>]>([
    ['with another verifier', (_proof, code) => redeem(makeProof(), code)],
    ['by another client', (proof, code) => redeem(proof, code, { client_id: other })],
    ['at another tenant', (proof, code) => redeem(proof, code, { client_id: elsewhere }, 'globex')],
    ['for another address', (proof, code) => redeem(proof, code, { redirect_uri: 'https://evil.example' })],
  ])('is not good %s', async (_how, attempt) => {
    const proof = makeProof();
    const { status, json } = await attempt(proof, await toCode(proof));
    expect([status, json.error]).toEqual([400, 'invalid_grant']);
  });

  it('of a confidential client needs its secret', async () => {
    const { status, json } = await redeem(makeProof(), 'x'.repeat(43), { client_id: confidential.id });
    expect([status, json.error]).toEqual([401, 'invalid_client']);
  });

  it('that is used twice ends all tokens made from it', async () => {
    const proof = makeProof();
    const code = await toCode(proof);
    const { json } = await redeem(proof, code);
    expect(await isGood(json.access_token)).toBe(true);
    expect((await redeem(proof, code)).json.error).toBe('invalid_grant');
    expect(await isGood(json.access_token)).toBe(false);
    expect((await refresh(json.refresh_token)).status).toBe(400);
  });

  it('sent twenty times at once is valid once at most, and then invalid', async () => {
    const proof = makeProof();
    const code = await toCode(proof);
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(proof, code)));
    const good = answers.filter(({ status }) => status === 200);
    expect(good.length).toBeLessThanOrEqual(1);
    for (const { json } of good) expect(await isGood(json.access_token)).toBe(false);
  });
});

describe('a refresh token', () => {
  it('is valid for its client and tenant alone, and for no more than was allowed', async () => {
    const proof = makeProof();
    const { json } = await redeem(proof, await toCode(proof));
    for (const attempt of [
      await refresh(json.refresh_token, other),
      await refresh(json.refresh_token, elsewhere, 'globex'),
    ])
      expect([attempt.status, attempt.json.error]).toEqual([400, 'invalid_grant']);
    const form = { grant_type: 'refresh_token', client_id: app, refresh_token: String(json.refresh_token) };
    expect((await post('token', { ...form, scope: 'user/*.cruds' })).json.error).toBe('invalid_scope');
    expect((await refresh(json.refresh_token)).status).toBe(200);
  });

  it('of a confidential client is invalid without its credentials, also where no client is named', async () => {
    const proof = makeProof();
    const page = await browser.open(start(proof, {}, confidential.id));
    const { answer } = toReturned(await browser.send(page, { step: 'allow' }));
    const form = { grant_type: 'authorization_code', code: answer['code'] ?? '', redirect_uri: APP };
    const headers = { authorization: confidential.basic };
    const { json } = await post('token', { ...form, code_verifier: proof.verifier }, 'acme', headers);
    const refreshForm = { grant_type: 'refresh_token', refresh_token: String(json.refresh_token) };
    expect((await post('token', refreshForm)).status).toBe(401);
    expect((await post('token', refreshForm, 'acme', headers)).status).toBe(200);
  });

  /** A new grant: its access token and its first refresh token. */
  async function granted() {
    const proof = makeProof();
    const { json } = await redeem(proof, await toCode(proof));
    return { access: String(json.access_token), first: String(json.refresh_token) };
  }
  const at = (one: TestServer, token: string) => {
    const form = { grant_type: 'refresh_token', client_id: app, refresh_token: token };
    return one.request('POST', '/w/acme/oidc/token', new URLSearchParams(form).toString(), FORM);
  };

  it('that two tabs use at the same instant, at two processes, signs neither out', async () => {
    const { access, first } = await granted();
    const tabs = await Promise.all([at(server, first), at(second, first)]);
    expect(tabs.map(({ status }) => status)).toEqual([200, 200]);
    let tokens = tabs.map(({ json }) => String(json.refresh_token));
    expect(new Set([first, ...tokens]).size).toBe(3);
    for (let round = 0; round < 3; round += 1) {
      const next = await Promise.all(tokens.map((token, tab) => at(tab === 0 ? second : server, token)));
      expect(next.map(({ status }) => status)).toEqual([200, 200]);
      tokens = next.map(({ json }) => String(json.refresh_token));
    }
    expect(await isGood(access)).toBe(true);
  });

  it('gets four tokens of its family at most, also if it is sent twenty times at once, and then ends all', async () => {
    const { access, first } = await granted();
    for (let count = 0; count < 4; count += 1) expect((await refresh(first)).status).toBe(200);
    expect((await refresh(first)).json.error).toBe('invalid_grant');
    expect(await isGood(access)).toBe(false);
    const flooded = await granted();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => at(index % 2 === 0 ? server : second, flooded.first)),
    );
    const good = answers.filter(({ status }) => status === 200);
    expect(good.length).toBeLessThanOrEqual(4);
    expect(answers.filter(({ json }) => json.error === 'invalid_grant')).toHaveLength(20 - good.length);
    for (const { json } of good) {
      expect(await isGood(json.access_token)).toBe(false);
      expect((await refresh(json.refresh_token)).status).toBe(400);
    }
  });

  it('that is used again once a successor was used ends the grant', async () => {
    const { access, first } = await granted();
    const next = await refresh(first);
    await refresh(first);
    expect((await refresh(next.json.refresh_token)).status).toBe(200);
    expect(await isGood(access)).toBe(true);
    expect((await refresh(first)).json.error).toBe('invalid_grant');
    expect(await isGood(access)).toBe(false);
  });

  it('that is used again after ten seconds ends the grant', async () => {
    const { access, first } = await granted();
    const next = await refresh(first);
    const database = new Client(server.database.settings);
    await database.connect();
    const { rows } = await database.query(
      `update andiron.user_grant set refresh_uses =
           jsonb_set(refresh_uses, '{used,0,at}', to_jsonb((refresh_uses #>> '{used,0,at}')::bigint - 10000))
         where refresh_current = sha256($1::text::bytea) returning row_to_json(user_grant)::text as text`,
      [next.json.refresh_token],
    );
    await database.end();
    // The database has only hashes of the tokens.
    expect(rows).toHaveLength(1);
    for (const token of [first, String(next.json.refresh_token)])
      for (const part of token.split('.')) expect(rows[0].text).not.toContain(part);
    expect((await refresh(first)).json.error).toBe('invalid_grant');
    expect(await isGood(access)).toBe(false);
    expect((await refresh(next.json.refresh_token)).status).toBe(400);
  });

  it('of another client may not be used again, and ends nothing', async () => {
    const { access, first } = await granted();
    await refresh(first);
    expect((await refresh(first, other)).json.error).toBe('invalid_grant');
    expect((await refresh(first)).status).toBe(200);
    expect(await isGood(access)).toBe(true);
  });

  it('that a program of the previous version has issued is valid, and the one before it is not', async () => {
    const { access, first } = await granted();
    const next = String((await refresh(first)).json.refresh_token);
    const issued = `${first.split('.')[0]}.${'n'.repeat(43)}`;
    const database = new Client(server.database.settings);
    await database.connect();
    await database.query(
      `update andiron.user_grant set refresh_current = sha256($2::text::bytea)
         where refresh_current = sha256($1::text::bytea)`,
      [next, issued],
    );
    await database.end();
    expect((await refresh(issued)).status).toBe(200);
    expect(await isGood(access)).toBe(true);
    expect((await refresh(first)).json.error).toBe('invalid_grant');
    expect(await isGood(access)).toBe(false);
  });

  it('for offline access is invalid once the client may not have that, although it has online_access', async () => {
    const { core } = server.app;
    const scopes = ['user/*.rs', 'online_access'];
    const details = { name: 'Ward app', isPublic: true, redirectUris: [APP] };
    const { id } = await core.tenants.clients.create('acme', {
      ...details,
      scopes: [...scopes, 'offline_access'],
    });
    const proof = makeProof();
    const scope = 'user/*.rs online_access offline_access';
    const page = await browser.open(start(proof, { scope }, id));
    const { answer } = toReturned(await browser.send(page, { step: 'allow' }));
    const { json } = await redeem(proof, answer['code'] ?? '', { client_id: id });
    await core.tenants.clients.change('acme', id, { scopes });
    expect((await refresh(json.refresh_token, id)).json.error).toBe('invalid_grant');
  });

  it('ends by revocation, with its access tokens', async () => {
    const proof = makeProof();
    const { json } = await redeem(proof, await toCode(proof));
    const foreign = await post('revoke', { client_id: other, token: String(json.access_token) });
    expect([foreign.status, await isGood(json.access_token)]).toEqual([200, true]);
    await post('revoke', { client_id: app, token: String(json.refresh_token) });
    expect(await isGood(json.access_token)).toBe(false);
  });
});

describe('a form', () => {
  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['without its token', { token: '' }, {}],
    ['with a token of nobody', { token: 'x'.repeat(43) }, {}],
    ['from another site', {}, { origin: 'https://evil.example' }],
    ['from another site, as browsers say', {}, { 'sec-fetch-site': 'cross-site' }],
  ])('%s allows nothing', async (_what, fields, headers) => {
    const page = await browser.open(start(makeProof()));
    const answer = await browser.send(page, { step: 'allow', ...fields }, headers);
    expect([answer.status, answer.headers['location']]).toEqual([403, undefined]);
  });

  it('for one request is invalid for another', async () => {
    const page = await browser.open(start(makeProof()));
    await browser.open(start(makeProof(), { state: 'state-2' }));
    expect((await browser.send(page, { step: 'allow' })).status).toBe(403);
  });

  it('of one tenant is invalid at another, with its cookies', async () => {
    const proof = makeProof();
    const aud = `${server.base}/w/globex/api/v1/fhir/r4`;
    const page = await browser.open(toAuthorize(server, 'globex', elsewhere, proof, { scope: SCOPE, aud }));
    expect(page.text).toContain('type="password"');
  });
});

it('no page can be framed, cached, or run anything', async () => {
  for (const page of [
    await new Browser(server).open(start(makeProof())),
    await browser.open(start(makeProof())),
    await browser.open(start(makeProof(), { client_id: 'nobody' })),
  ]) {
    const { headers, text } = page;
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'/),
    });
    expect(text).not.toMatch(/<script|javascript:| on\w+=/i);
  }
  const first = await new Browser(server).open(start(makeProof()));
  expect(String(first.headers['set-cookie'])).toMatch(/; Path=\/w\/acme\/oidc; HttpOnly; SameSite=Lax$/);
});

describe('administrator rights of a client', () => {
  it('are not granted to the users who sign in for it, and scopes of users not to the client', async () => {
    const proof = makeProof();
    const page = await browser.open(start(proof, {}, confidential.id));
    const { answer } = toReturned(await browser.send(page, { step: 'allow' }));
    const form = { grant_type: 'authorization_code', code: answer['code'] ?? '', redirect_uri: APP };
    const headers = { authorization: confidential.basic };
    const { json } = await post('token', { ...form, code_verifier: proof.verifier }, 'acme', headers);
    const launch = (authorization: string) =>
      server.request(
        'POST',
        '/w/acme/oidc/launch',
        { client: app },
        {
          ...{ 'content-type': 'application/json' },
          authorization,
        },
      );
    expect((await launch(`Bearer ${json.access_token}`)).status).toBe(403);
    const made = await launch(confidential.basic);
    expect(made.status).toBe(201);
    const own = await post('token', { grant_type: 'client_credentials' }, 'acme', headers);
    expect(own.json.scope).toBe('system/*.rs');
    // A launch is good once.
    const context = { scope: 'launch user/*.rs', launch: String(made.json.launch) };
    expect(await toCode(makeProof(), context)).not.toBe('');
    const again = toReturned(await browser.open(start(makeProof(), context)));
    expect(again.answer['error']).toBe('invalid_request');
  });
});

it('a guessing client waits, over all processes, even with the right password; a signed-in user does not', async () => {
  await server.app.core.tenants.users.create('acme', { name: 'victim', password: PASSWORD });
  const guess = async (at: TestServer, password: string) =>
    (
      await new Browser(at).signIn(
        toAuthorize(at, 'acme', app, makeProof(), { scope: SCOPE }),
        'victim',
        password,
      )
    ).status;
  const statuses: number[] = [];
  for (const at of [server, second, server, second, server]) statuses.push(await guess(at, 'guess'));
  expect(statuses).toEqual([403, 403, 403, 403, 403]);
  expect([await guess(second, 'guess'), await guess(server, PASSWORD)]).toEqual([429, 429]);
  const basic = (at: TestServer, secret: string) =>
    at.request('GET', '/w/acme/api/v1/fhir/r4/Patient?_count=0', undefined, {
      authorization: `Basic ${Buffer.from(`${confidential.id}:${secret}`).toString('base64')}`,
    });
  const { json } = await post('token', { grant_type: 'client_credentials' }, 'acme', {
    authorization: confidential.basic,
  });
  for (let count = 0; count < 5; count += 1) await basic(second, 'guess');
  const refused = await basic(second, confidential.secret);
  expect([refused.status, Number(refused.headers['retry-after']) > 1]).toEqual([429, true]);
  expect(await isGood(json.access_token)).toBe(true);
  expect((await browser.open(start(makeProof()))).status).toBe(200);
});
