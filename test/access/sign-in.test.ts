/** Users sign in for an app, over HTTP, from the first page to the data (docs/run/access.md). */
import { createHash, createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { Client } from 'pg';
import { makeClient, type MadeClient } from '../support/access';
import { APP, Browser, FORM, makeProof, toAuthorize, toReturned, type Proof } from '../support/sign-in';
import { startServer, type TestServer } from '../support/server';

let server: TestServer;
let confidential: MadeClient;
let app: string;
const PASSWORD = 'correct horse battery';
const SCOPES = [
  ...['openid', 'fhirUser', 'profile', 'launch', 'launch/patient', 'offline_access', 'online_access'],
  ...['patient/*.rs', 'user/*.cruds', 'system/*.cruds'],
];
const ROOT = '/w/acme/api/v1/fhir/r4';

beforeAll(async () => {
  server = await startServer({ because: 'keys in its database', environment: { AUTH_MODE: 'enforced' } });
  const { core } = server.app;
  for (const name of ['acme', 'globex']) await core.tenants.create(name);
  const writer = await makeClient(core, 'acme');
  const put = async (resource: { resourceType: string; id: string }): Promise<void> => {
    const path = `${ROOT}/${resource.resourceType}/${resource.id}`;
    const { status } = await server.request('PUT', path, resource, { authorization: writer.basic });
    expect(status).toBe(201);
  };
  const named = (family: string, given: string) => ({ name: [{ family, given: [given] }] });
  await put({ resourceType: 'Patient', id: 'ann', ...named('Archer', 'Ann') });
  await put({ resourceType: 'Patient', id: 'ben', ...named('Baker', 'Ben') });
  await put({ resourceType: 'Practitioner', id: 'doc', ...named('Doe', 'Dora') });
  for (const id of ['ann', 'ben'])
    await put({
      resourceType: 'Observation',
      id: `weight-of-${id}`,
      ...{ status: 'final', code: { text: 'weight' }, subject: { reference: `Patient/${id}` } },
    });
  const details = { name: 'Growth <chart>', scopes: SCOPES, redirectUris: [APP] };
  confidential = await makeClient(core, 'acme', details);
  ({ id: app } = await core.tenants.clients.create('acme', { ...details, isPublic: true }));
  const people = [
    { name: 'Doc', display: 'Dr. Dora <Doe>', fhirUser: 'Practitioner/doc' },
    { name: 'ann', display: 'Ann Archer', fhirUser: 'Patient/ann' },
    { name: 'nobody', display: 'Nobody' },
  ];
  for (const person of people) await core.tenants.users.create('acme', { ...person, password: PASSWORD });
});
afterAll(() => server.close());

const start = (proof: Proof, more: Record<string, string> = {}, client = app) =>
  toAuthorize(server, 'acme', client, proof, more);
const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  server.request('POST', `/w/acme/oidc/${path}`, new URLSearchParams(form).toString(), {
    ...FORM,
    ...headers,
  });
const get = (path: string, token: unknown) =>
  server.request('GET', path, undefined, { authorization: `Bearer ${String(token)}` });
const partOf = (token: unknown, part: number) =>
  JSON.parse(Buffer.from(String(token).split('.')[part] ?? '', 'base64url').toString());
const claimsOf = (token: unknown) => partOf(token, 1);

/** The algorithm of a token that one of the published keys has signed; undefined: none has. */
async function signedBy(token: unknown): Promise<string | undefined> {
  const { json } = await server.request('GET', '/w/acme/oidc/jwks');
  const { alg, kid } = partOf(token, 0);
  const jwk: (JsonWebKey & { alg: string }) | undefined = json.keys.find(
    (key: { kid: string }) => key.kid === kid,
  );
  if (jwk === undefined || jwk.alg !== alg) return undefined;
  const [head, claims, signature = ''] = String(token).split('.');
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const how = alg === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' as const } : key;
  return verify('sha256', Buffer.from(`${head}.${claims}`), how, Buffer.from(signature, 'base64url'))
    ? alg
    : undefined;
}

/** Signs in, allows everything, and gives the code. */
async function toCode(proof: Proof, more: Record<string, string> = {}, user = 'ann', client = app) {
  const browser = new Browser(server);
  const page = await browser.signIn(start(proof, more, client), user, PASSWORD);
  expect(page.status).toBe(200);
  const { to, answer } = toReturned(await browser.send(page, { step: 'allow', patient: 'ann' }));
  expect(to).toBe(APP);
  return { code: answer['code'] ?? '', answer, browser };
}

const redeem = (proof: Proof, code: string, more: Record<string, string> = {}) =>
  post('token', {
    grant_type: 'authorization_code',
    client_id: app,
    redirect_uri: APP,
    code_verifier: proof.verifier,
    code,
    ...more,
  });

describe('a patient', () => {
  it('signs in for a public app, and it reaches this record and no other', async () => {
    const proof = makeProof();
    const browser = new Browser(server);
    const page = await browser.open(
      start(proof, { nonce: 'n-1', scope: 'openid fhirUser profile launch/patient patient/*.rs' }),
    );
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Growth &#60;chart&#62;')]);
    const consent = await browser.send(page, { step: 'sign-in', user: 'ANN', password: PASSWORD });
    expect(consent.text).toContain('<bdi>Ann Archer</bdi> (id ann)');
    const { to, answer } = toReturned(await browser.send(consent, { step: 'allow' }));
    expect([to, answer]).toEqual([
      APP,
      { code: expect.any(String), state: 'state-1', iss: `${server.base}/w/acme/oidc` },
    ]);
    const { status, json, headers } = await redeem(proof, answer['code'] ?? '');
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(json).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 300,
      scope: 'openid fhirUser profile launch/patient patient/*.rs',
      patient: 'ann',
      id_token: expect.any(String),
    });
    const person = `${server.base}${ROOT}/Patient/ann`;
    expect(claimsOf(json.id_token)).toMatchObject({
      iss: `${server.base}/w/acme/oidc`,
      aud: app,
      nonce: 'n-1',
      fhirUser: person,
      profile: person,
      name: 'Ann Archer',
    });
    expect((await get(`${ROOT}/Patient/ann`, json.access_token)).status).toBe(200);
    expect((await get(`${ROOT}/Patient/ben`, json.access_token)).status).toBe(404);
    const { json: found } = await get(`${ROOT}/Observation`, json.access_token);
    expect(found.entry.map(({ resource }: { resource: { id: string } }) => resource.id)).toEqual([
      'weight-of-ann',
    ]);
    const other = await get('/w/acme/api/v1/fhir/r4b/Patient/ann', json.access_token);
    expect(other.status).toBe(401);
    expect((await get(`${ROOT}/Patient/ann`, json.id_token)).status).toBe(401);
  });
});

describe('a practitioner', () => {
  it('finds the patient, signs in for a confidential app, and acts in their own name', async () => {
    const proof = makeProof();
    const browser = new Browser(server);
    const scope = 'openid fhirUser launch/patient user/*.cruds system/*.cruds offline_access';
    const page = await browser.signIn(start(proof, { scope }, confidential.id), 'doc', PASSWORD);
    expect(page.text).toContain('Dr. Dora &#60;Doe&#62;');
    const found = await browser.send(page, { step: 'find', search: 'Baker' });
    expect([found.text.includes('value="ben"'), found.text.includes('value="ann"')]).toEqual([true, false]);
    const none = await browser.send(found, { step: 'allow' });
    expect(none.text).toContain('Choose a patient first');
    const { answer } = toReturned(await browser.send(none, { step: 'allow', patient: 'ben' }));
    const headers = { authorization: confidential.basic };
    const form = { code: answer['code'] ?? '', code_verifier: proof.verifier, redirect_uri: APP };
    const { status, json } = await post('token', { grant_type: 'authorization_code', ...form }, headers);
    expect([status, json.patient, json.scope]).toEqual([
      200,
      'ben',
      'openid fhirUser launch/patient user/*.cruds offline_access',
    ]);
    expect(claimsOf(json.id_token).fhirUser).toBe(`${server.base}${ROOT}/Practitioner/doc`);
    expect((await get(`${ROOT}/Patient/ann`, json.access_token)).status).toBe(200);
    const space = await server.app.core.access.findSpace('acme', 'r4');
    const caller = await server.app.core.access.identify({
      ...{ tenant: 'acme', space, address: '::1' },
      authorization: `Bearer ${json.access_token}`,
    });
    expect(caller.access).toMatchObject({ user: 'Practitioner/doc', patient: 'ben', isAdministrator: false });

    const refresh = (token: unknown) =>
      post('token', { grant_type: 'refresh_token', refresh_token: String(token) }, headers);
    const second = await refresh(json.refresh_token);
    expect([second.status, second.json.patient]).toEqual([200, 'ben']);
    expect((await get(`${ROOT}/Patient/ann`, second.json.access_token)).status).toBe(200);
    const third = await refresh(second.json.refresh_token);
    expect(third.status).toBe(200);
    const stolen = await refresh(json.refresh_token);
    expect([stolen.status, stolen.json.error]).toEqual([400, 'invalid_grant']);
    expect((await refresh(third.json.refresh_token)).status).toBe(400);
    expect((await get(`${ROOT}/Patient/ann`, third.json.access_token)).status).toBe(401);
  });
});

describe('an ID token', () => {
  const toTokens = async () => {
    const proof = makeProof();
    const { code } = await toCode(proof);
    return (await redeem(proof, code)).json;
  };

  it('is signed by RS256, as OpenID Connect expects, or by the registered algorithm of its client', async () => {
    const first = await toTokens();
    expect([await signedBy(first.id_token), await signedBy(first.access_token)]).toEqual(['RS256', 'ES256']);
    await server.app.core.tenants.clients.change('acme', app, { idTokenAlgorithm: 'ES256' });
    expect(await signedBy((await toTokens()).id_token)).toBe('ES256');
    await server.app.core.tenants.clients.change('acme', app, { idTokenAlgorithm: 'RS256' });
    const { json } = await server.request('GET', '/w/acme/oidc/.well-known/openid-configuration');
    expect(json.id_token_signing_alg_values_supported).toEqual(['RS256', 'ES256']);
    await server.app.core.access.tokens.rotateKeys('acme', false);
    const next = await toTokens();
    expect(partOf(next.id_token, 0).kid).not.toBe(partOf(first.id_token, 0).kid);
    for (const { id_token: token } of [first, next]) expect(await signedBy(token)).toBe('RS256');
  });

  it('has a key of its own where a tenant had one of ES256 alone, and older signatures stay valid', async () => {
    const before = await toTokens();
    const database = new Client(server.database.settings);
    await database.connect();
    await database.query("delete from andiron.signing_key where algorithm = 'RS256'");
    await database.end();
    const other = await startServer({ database: server.database, environment: { AUTH_MODE: 'enforced' } });
    const { json } = await other.request('GET', '/w/acme/oidc/jwks');
    expect(json.keys.map(({ alg }: { alg: string }) => alg)).toContain('RS256');
    expect(json.keys.map(({ kid }: { kid: string }) => kid)).toContain(partOf(before.access_token, 0).kid);
    const headers = { authorization: `Bearer ${before.access_token}` };
    expect((await other.request('GET', `${ROOT}/Patient/ann`, undefined, headers)).status).toBe(200);
    await other.close();
  });
});

it('a code has an S256 challenge of a verifier that only the app has', async () => {
  const proof = makeProof();
  expect(createHash('sha256').update(proof.verifier).digest('base64url')).toBe(proof.challenge);
  const { code } = await toCode(proof);
  expect((await redeem(makeProof(), code)).status).toBe(400);
  expect((await redeem(proof, code)).status).toBe(400);
});
