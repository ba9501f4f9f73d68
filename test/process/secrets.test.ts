/** Credentials are in no log, metric, AuditEvent or answer to another client (docs/run/access.md). */
import { Client } from 'pg';
import { makeKey, toBasic, toJwt } from '../support/access';
import { APP, Browser, FORM, makeProof, toAuthorize, toReturned } from '../support/sign-in';
import { createHttpClient } from '../support/http';
import { startProcess } from '../support/process';
import { findFreePort } from '../../src/embedded/free-port';

const JSON_TYPE = { 'content-type': 'application/json' };

/** The text of each place that is searched for secrets. */
const CANARIES = new Map([
  ['output', 'canary-in-the-log'],
  ['metrics', 'interaction="oidc"'],
  ['refusals', 'CanaryOfAnswers'],
]);

/** A text in plain form, in an address, and in Base64, at any position. */
function formsOf(value: string): string[] {
  const shifted = [0, 1, 2].map((bytes) =>
    Buffer.from(' '.repeat(bytes) + value)
      .toString('base64')
      .slice(bytes === 0 ? 0 : 4, -4),
  );
  return [value, encodeURIComponent(value), ...shifted];
}

function findIn(places: Readonly<Record<string, string>>, wanted: ReadonlyMap<string, string>): string[] {
  return Object.entries(places).flatMap(([place, text]) =>
    [...wanted].flatMap(([name, value]) =>
      formsOf(value).some((form) => text.includes(form)) ? [`${name} in ${place}`] : [],
    ),
  );
}

it('all ways to sign in, right and wrong, leave no secret in the log at level trace', async () => {
  const metricsPort = await findFreePort();
  const environment = {
    LOG_LEVEL: 'trace',
    AUDIT: 'on',
    METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
  };
  const server = await startProcess({ because: 'its log is read', environment });
  const secrets = new Map<string, string>();
  const record = (name: string, secret: unknown): string => {
    expect([name, typeof secret, String(secret).length > 7]).toEqual([name, 'string', true]);
    secrets.set(name, String(secret));
    return String(secret);
  };
  const bodies: string[] = [];
  const administer = async (path: string, body: object) =>
    (await server.request('POST', `/w/system/api/v1/tenants${path}`, body, JSON_TYPE)).json;
  const post = async (form: Record<string, string>, headers: Record<string, string> = {}, to = 'token') => {
    const body = new URLSearchParams(form).toString();
    return server.request('POST', `/w/acme/oidc/${to}`, body, { ...FORM, ...headers });
  };
  /** With an answer that has no secret in it. */
  const refused = async (answer: Promise<{ text: string; status: number }>): Promise<void> => {
    const { text, status } = await answer;
    expect(status).toBeGreaterThanOrEqual(400);
    bodies.push(text);
  };
  try {
    await administer('', { name: 'acme' });
    const key = makeKey('one');
    const scopes = ['openid', 'fhirUser', 'user/*.rs', 'system/*.rs', 'offline_access'];
    const client = await administer('/acme/clients', {
      name: 'Ward',
      scopes,
      redirectUris: [APP],
    });
    const signer = await administer('/acme/clients', { name: 'Job', scopes, jwks: { keys: [key.jwk] } });
    const secret = record('client secret', client.secret.secret);
    const password = record('password', 'correct horse battery');
    const wrong = record('wrong password', 'a wrong password of somebody');
    await administer('/acme/users', { name: 'doc', password, fhirUser: 'Practitioner/doc' });
    await refused(
      administerRefused(server, { name: 'x y', password: record('refused password', 'never taken by it') }),
    );

    const fhir = (authorization: string) =>
      server.request('GET', '/w/acme/api/v1/fhir/r4/Patient', undefined, { authorization });
    expect((await fhir(toBasic(client.id, secret))).status).toBe(200);
    await refused(fhir(toBasic(client.id, record('wrong secret', 'andiron_wrong_secret'))));
    const own = await post({ grant_type: 'client_credentials', client_id: client.id, client_secret: secret });
    const ownToken = record('token', own.json.access_token);
    expect((await fhir(`Bearer ${ownToken}`)).status).toBe(200);
    await refused(fhir(`Bearer ${record('forged token', `${ownToken.slice(0, -12)}AAAAAAAAAAAA`)}`));
    await refused(
      post({ grant_type: 'client_credentials' }, { authorization: toBasic(client.id, 'wrong_secret_2') }),
    );
    const claims = {
      ...{ iss: signer.id, sub: signer.id, aud: `${server.base}/w/acme/oidc/token`, jti: 'used-once-1' },
      exp: Math.floor(Date.now() / 1000) + 60,
    };
    const assertion = record('assertion', toJwt({ alg: 'ES384', kid: 'one' }, claims, key.privateKey));
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    const signed = {
      ...{ grant_type: 'client_credentials', client_assertion_type: type, client_assertion: assertion },
    };
    record('token of a signer', (await post(signed)).json.access_token);
    await refused(post(signed));

    const proof = makeProof();
    record('verifier', proof.verifier);
    const address = toAuthorize(server, 'acme', client.id, proof, {
      ...{ scope: 'openid fhirUser user/*.rs offline_access', state: record('state', 'state-of-the-app') },
    });
    const browser = new Browser(server);
    await refused(browser.signIn(address, 'doc', wrong));
    const page = await browser.signIn(address, 'doc', password);
    record('session', browser.cookies.get('andiron-session'));
    record('form cookie', browser.cookies.get('andiron-form'));
    const code = record('code', toReturned(await browser.send(page, { step: 'allow' })).answer['code']);
    const form = { grant_type: 'authorization_code', code, redirect_uri: APP, code_verifier: proof.verifier };
    const headers = { authorization: toBasic(client.id, secret) };
    record('basic', headers.authorization.slice('Basic '.length));
    const { json } = await post(form, headers);
    record('access token', json.access_token);
    record('ID token', json.id_token);
    const refreshToken = record('refresh token', json.refresh_token);
    expect((await fhir(`Bearer ${json.access_token}`)).status).toBe(200);
    const next = await post({ grant_type: 'refresh_token', refresh_token: refreshToken }, headers);
    record('next refresh token', next.json.refresh_token);
    await refused(post(form, headers));
    await refused(post({ grant_type: 'refresh_token', refresh_token: refreshToken }, headers));
    await post({ token: json.access_token }, headers, 'introspect');
    const headersOfCanary = { 'x-request-id': 'canary-in-the-log' };
    await refused(
      server.request('GET', '/w/acme/api/v1/fhir/r4/CanaryOfAnswers', undefined, headersOfCanary),
    );
    // Internal errors are logged too.
    const database = new Client(server.database.settings);
    await database.connect();
    await database.query('alter table andiron.user_account rename to gone');
    await refused(new Browser(server).signIn(address, 'doc', password));
    await database.query('alter table andiron.gone rename to user_account');
    await database.end();

    const metrics = createHttpClient(`http://127.0.0.1:${metricsPort}`);
    const measured = await metrics.request('GET', '/metrics');
    metrics.close();
    const audit = await server.request('GET', '/w/acme/api/v1/fhir/r4/AuditEvent?_count=200');
    expect([audit.status, audit.json.entry.length > 3]).toEqual([200, true]);
    await server.terminate();
    const output = await server.output();
    expect(output).toContain('"interaction":"oidc"');
    const places = { output, metrics: measured.text, audit: audit.text, refusals: bodies.join('\n') };
    expect(findIn(places, secrets)).toEqual([]);
    // The test works: a secret that was put into each place on purpose is found there, in every form.
    const canaries = new Map([...CANARIES, ['audit', `ClientApplication/${client.id}`]]);
    for (const [place, text] of Object.entries(places))
      expect([place, findIn({ [place]: text }, canaries)]).toEqual([
        place,
        expect.arrayContaining([`${place} in ${place}`]),
      ]);
    for (const [name, value] of secrets)
      for (const form of formsOf(value))
        expect(findIn({ planted: `before ${form} behind` }, secrets)).toContain(`${name} in planted`);
  } finally {
    await server.close();
  }
});

function administerRefused(
  server: { request: Awaited<ReturnType<typeof startProcess>>['request'] },
  user: object,
) {
  return server.request('POST', '/w/system/api/v1/tenants/acme/users', user, JSON_TYPE);
}
