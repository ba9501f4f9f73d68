/**
 * No answer to a caller without rights discloses which tenants exist, in enforced mode (docs/run/access.md,
 * Unknown tenants).
 */
import { WebSocket } from 'ws';
import { TENANT } from '../../src/rest/administration/mounts';
import { ADMINISTRATION_ROUTES } from '../../src/rest/administration/routes';
import { FORM, makeClient, makeKey, toBasic, toJwt, type MadeClient } from '../support/access';
import { getToken, makeCredentials, type Credentials } from '../support/credentials';
import { IS_FULL } from '../support/rounds';
import { startServer, type Answer, type TestServer } from '../support/server';
import { openSharedServer } from '../support/shared-server';
import { Browser, makeProof, toAuthorize } from '../support/sign-in';
import { takeRoutes } from './taken-routes';

let server: TestServer;
let member: MadeClient;
let foreign: MadeClient;
let credentials: Credentials;
let foreignToken: string;
/** Names are equally long. */
const EXISTING = 'acme';
const UNKNOWN = 'nope';
const DISABLED = 'gone';
const PROOF = makeProof();
/** Longer than any password: it is wrong without costing a hash. */
const TOO_LONG = 'x'.repeat(201);

beforeAll(async () => {
  server = await startServer({
    because: 'PUBLIC_URL, and it lists its routes',
    environment: { AUTH_MODE: 'enforced', AUDIT: 'off', PUBLIC_URL: 'https://fhir.example' },
  });
  const { core } = server.app;
  for (const name of [EXISTING, DISABLED, 'other']) await core.tenants.create(name);
  member = await makeClient(core, EXISTING, { isAdministrator: true });
  foreign = await makeClient(core, 'other', { isAdministrator: true });
  foreignToken = `Bearer ${await getToken(server, 'other', foreign)}`;
  credentials = await makeCredentials(server, EXISTING, member, 'other');
  // Settings and data of the tenant are not for strangers.
  await core.tenants.changeSettings(EXISTING, {
    'conditional-delete': 'multiple',
    'rate-limit': '100000/s',
    'referential-integrity': 'on-write-and-delete',
  });
  const own = {
    ...{
      resourceType: 'SearchParameter',
      id: 'shoe',
      url: 'https://acme.example/shoe',
      name: 'Shoe',
      code: 'shoe',
    },
    ...{ status: 'active', description: 'x', base: ['Patient'], type: 'string' },
    expression: "Patient.extension('https://acme.example/shoe').value",
  };
  const path = `${server.path(EXISTING, 'r4')}/SearchParameter/shoe`;
  const { status } = await server.request('PUT', path, own, { authorization: member.basic });
  expect(status).toBe(201);
  expect((await server.request('GET', `/w/${DISABLED}/oidc/jwks`)).status).toBe(200);
  await core.tenants.disable(DISABLED);
});
afterAll(() => server.close());

/** Parts of an answer that always differ. */
const VARYING = ['date', 'x-request-id', 'keep-alive', 'connection'];

type Compared = Pick<Answer, 'status' | 'text' | 'headers'>;

/** The content of an answer, without the tenant's name. */
function toComparable({ status, text, headers }: Compared, tenant: string) {
  const plain = (value: string): string => value.replaceAll(tenant, 'TENANT');
  const compared = Object.entries(headers).filter(([name]) => !VARYING.includes(name));
  return {
    status,
    headers: Object.fromEntries(compared.map(([name, value]) => [name, plain(String(value))])),
    text: plain(text),
  };
}

type Fields = Readonly<Record<string, string>>;
interface Sent {
  readonly fields?: Fields;
  readonly headers?: Fields;
}
const CODE = {
  ...{ grant_type: 'authorization_code', code: 'x'.repeat(43), redirect_uri: 'https://x.example' },
  code_verifier: 'y'.repeat(43),
};
/** A refresh token that no tenant issued. */
const REFRESH = `${'x'.repeat(43)}.${'x'.repeat(43)}`;

/** Asserts that all tenants are answered like one that never existed; with which status. */
async function expectAlike(send: (tenant: string) => Promise<Compared>): Promise<number> {
  const [unknown, ...others] = await Promise.all(
    [UNKNOWN, EXISTING, DISABLED].map(async (tenant) => toComparable(await send(tenant), tenant)),
  );
  for (const other of others) expect(other).toEqual(unknown);
  return unknown?.status ?? 0;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const HTML = { accept: 'text/html' };
const form = (fields: Fields): string => new URLSearchParams(fields).toString();

describe('a tenant that does not exist, or is disabled, answers strangers like one that exists', () => {
  it('at every address of the router, by every method', async () => {
    const routes = server.app.routes.filter(({ pattern }) => pattern.startsWith('/w/:tenant/'));
    expect(routes.length).toBeGreaterThan(100);
    // Each address has one of the two in turn, because the same code refuses both everywhere.
    const strangers = [undefined, foreignToken];
    const administration = new Set(
      Object.values(ADMINISTRATION_ROUTES).flatMap((route) => {
        const path = route.who === 'everybody' ? undefined : TENANT.pathOf(route);
        return path === undefined ? [] : [TENANT.root + path.replace(/\{(\w+)\}/g, ':$1')];
      }),
    );
    let turn = 0;
    for (const { method, pattern } of takeRoutes(routes)) {
      // Its keys have a test of their own.
      if (pattern.endsWith('/jwks') && ['GET', 'HEAD'].includes(method)) continue;
      const [release, type] = ['r4', 'Patient'];
      const rest = pattern
        .slice('/w/:tenant'.length)
        .replace(':release', release)
        .replace(':type', type)
        .replace('$:code', '$validate')
        .replace(':member', 'Observation')
        .replace(':vid', '1')
        .replace(/:\w+/g, '1');
      const isRead = ['GET', 'HEAD', 'TRACE'].includes(method);
      for (const authorization of IS_FULL ? strangers : [strangers[turn++ % strangers.length]]) {
        // Programs find no page of the console. Pages with forms give a browser without a cookie a random one.
        const headers = {
          ...JSON_TYPE,
          cookie: `andiron-form=${'c'.repeat(43)}`,
          ...(pattern.startsWith('/w/:tenant/console') ? HTML : {}),
          ...(authorization === undefined ? {} : { authorization }),
        };
        const status = await expectAlike((tenant) =>
          server.request(method, `/w/${tenant}${rest}`, isRead ? undefined : {}, headers),
        );
        // To the credentials of another tenant its administration does not exist; its description is for everybody.
        const isHidden = authorization !== undefined && administration.has(pattern);
        expect([pattern, status === 404]).toEqual([pattern, isHidden]);
        expect(status).toBeLessThan(500);
      }
    }
  });

  it.each<readonly [method: string, path: string, sent: Sent]>([
    ['GET', '/api/v1/fhir/r4b/metadata', {}],
    ['GET', '/api/v1/fhir/r4/metadata?mode=terminology', {}],
    ['GET', '/api/v1/fhir/r4/metadata?mode=normative', {}],
    ['GET', '/api/v1/fhir/r4/metadata', { headers: { accept: 'text/turtle' } }],
    ['GET', '/api/v1/fhir/r4/$reindex-status', {}],
    ['GET', '/api/v1/fhir/r4/Nothing', {}],
    ['GET', '/api/v1/fhir/r4/Patient?nothing=1', {}],
    ['GET', '/api/v1/fhir/r5/metadata', {}],
    ['GET', '/api/v1/nothing', {}],
    ['GET', '/nothing', {}],
    ['GET', '/api/v1/graphql/r4', { headers: { accept: 'text/html' } }],
    ['GET', '/oidc/authorize?client_id=x', { headers: { accept: 'text/html' } }],
    ['POST', '/oidc/authorize?client_id=x', { fields: { step: 'sign-in', user: 'a', password: 'b' } }],
    ['POST', '/oidc/token', { fields: { grant_type: 'none' } }],
    ['POST', '/oidc/token', { fields: { grant_type: 'client_credentials', client_id: 'x' } }],
    [
      'POST',
      '/oidc/token',
      { fields: { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y' } },
    ],
    ['POST', '/oidc/token', { fields: { grant_type: 'refresh_token', refresh_token: REFRESH } }],
    [
      'POST',
      '/oidc/token',
      { fields: { grant_type: 'refresh_token', refresh_token: REFRESH, client_id: 'x' } },
    ],
    ['POST', '/oidc/token', { fields: { grant_type: 'authorization_code', code: 'x', client_id: 'x' } }],
    ['POST', '/oidc/token', { fields: { ...CODE, client_id: 'andiron-console' } }],
    [
      'POST',
      '/oidc/token',
      { fields: { grant_type: 'refresh_token', refresh_token: REFRESH, client_id: 'andiron-console' } },
    ],
    ['POST', '/oidc/token', { fields: { grant_type: 'client_credentials', client_id: 'andiron-console' } }],
    [
      'POST',
      '/oidc/token',
      { fields: { grant_type: 'client_credentials', client_id: 'andiron-console', client_secret: 'y' } },
    ],
    ['POST', '/oidc/revoke', { fields: { token: REFRESH, client_id: 'andiron-console' } }],
    ['GET', '/oidc/logout', {}],
    ['GET', '/oidc/logout?id_token_hint=e30.e30.e30&client_id=andiron-console', {}],
    ['POST', '/oidc/logout', { fields: { id_token_hint: 'e30.e30.e30' } }],
    ['POST', '/oidc/revoke', { fields: { token: 'x', client_id: 'x', client_secret: 'z' } }],
    ['POST', '/oidc/introspect', { fields: { token: 'x', client_id: 'x', client_secret: 'z' } }],
  ])('%s %s', async (method, path, { fields, headers = {} }) => {
    const body = fields && form(fields);
    const all = fields === undefined ? headers : FORM;
    await expectAlike((tenant) => server.request(method, `/w/${tenant}${path}`, body, all));
  });

  it.each(['enabled', 'disabled'])(
    'on the page to sign in to the console, where every password is wrong: the console is %s there',
    async (state) => {
      await server.app.core.tenants.clients.change(EXISTING, 'andiron-console', {
        isDisabled: state === 'disabled',
      });
      const base = 'https://fhir.example';
      const toStart = (tenant: string, more: Fields = {}) =>
        toAuthorize({ ...server, base }, tenant, 'andiron-console', PROOF, {
          redirect_uri: `${base}/w/${tenant}/console/signed-in`,
          ...more,
        });
      const send = async (tenant: string, more: Fields = {}, password?: string) => {
        const browser = new Browser(server);
        let page = await browser.open(toStart(tenant, more));
        if (password !== undefined)
          page = await browser.send(page, { step: 'sign-in', user: `nobody-${state}`, password });
        // The token and the cookie of a form are random.
        const { 'set-cookie': cookie, 'content-length': _length, ...headers } = page.headers;
        const text = page.text
          .replace(/(?<=name="token" value=")[^"]+/, 'TOKEN')
          // The pauses of three tenants begin one after the other, so that their seconds may differ.
          .replace(/(?<=try again in )(?:[1-9]|[1-5]\d|60)(?= s)/, 'SECONDS');
        const pause = headers['retry-after'];
        if (pause !== undefined) expect([Number(pause) > 0, Number(pause) <= 60]).toEqual([true, true]);
        const sent = String(cookie).replace(/(?<=andiron-form=)[^;]+/, 'COOKIE');
        const waits = pause === undefined ? {} : { 'retry-after': 'SECONDS' };
        return { status: page.status, text, headers: { ...headers, ...waits, 'set-cookie': [sent] } };
      };
      expect(await expectAlike((tenant) => send(tenant))).toBe(200);
      expect(await expectAlike((tenant) => send(tenant, { prompt: 'none' }))).toBe(303);
      expect(await expectAlike((tenant) => send(tenant, { response_type: 'token' }))).toBe(303);
      const elsewhere = { redirect_uri: `${base}/w/other/console/signed-in` };
      expect(await expectAlike((tenant) => send(tenant, elsewhere))).toBe(400);
      const statuses: number[] = [];
      for (let count = 0; count < 6; count++)
        statuses.push(await expectAlike((tenant) => send(tenant, {}, count === 0 ? 'guess' : TOO_LONG)));
      expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
    },
  );

  it('to an assertion that is none of its clients', async () => {
    const { privateKey } = makeKey('one');
    const client_assertion = toJwt({ alg: 'ES384' }, { iss: 'x', sub: 'x', jti: 'j' }, privateKey);
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    const body = form({ grant_type: 'client_credentials', client_assertion_type, client_assertion });
    const send = (tenant: string) => server.request('POST', `/w/${tenant}/oidc/token`, body, FORM);
    expect(await expectAlike(send)).toBe(401);
  });

  it.each(['/api/v1/fhir/r4/Patient', '/api/v1/graphql/r4', '/oidc/launch'])(
    'to guesses of a secret, which are throttled: %s',
    async (rest) => {
      const guess = (tenant: string, count: number) =>
        server.request(
          'POST',
          `/w/${tenant}${rest}`,
          {},
          {
            ...JSON_TYPE,
            authorization: toBasic(`guessed${rest.length}`, `secret ${count}`),
          },
        );
      const statuses: number[] = [];
      for (let count = 0; count < 6; count++) {
        const answers = await Promise.all(
          [EXISTING, DISABLED, UNKNOWN].map((tenant) => guess(tenant, count)),
        );
        expect(new Set(answers.map(({ status }) => status)).size).toBe(1);
        statuses.push(answers[0]?.status ?? 0);
      }
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    },
  );

  it.each<[string, object | undefined]>([
    ['without credentials', undefined],
    ['with those of another tenant', { Authorization: 'foreign' }],
  ])('to a WebSocket %s, which is accepted and then refused', async (_what, sent) => {
    const endOf = (tenant: string): Promise<unknown> => {
      const url = `${server.base.replace('http', 'ws')}/w/${tenant}/api/v1/graphql/r4`;
      const socket = new WebSocket(url, 'graphql-transport-ws');
      const payload = sent && { Authorization: foreignToken };
      socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload })));
      return new Promise((resolve) => {
        socket.on('error', (error) => resolve(error.message));
        socket.on('close', (code, reason) => resolve([code, reason.toString()]));
      });
    };
    const [existing, unknown, disabled] = await Promise.all([EXISTING, UNKNOWN, DISABLED].map(endOf));
    expect(existing).toEqual([sent === undefined ? 4401 : 4403, expect.any(String)]);
    expect([unknown, disabled]).toEqual([existing, existing]);
  });
});

describe('the keys of a tenant that does not exist', () => {
  type Key = Record<string, string>;
  const send = (tenant: string) => server.request('GET', `/w/${tenant}/oidc/jwks`);
  const keysOf = async (tenant: string): Promise<Key[]> => (await send(tenant)).json.keys;

  it('look like those of an existing tenant, also after these were rotated and revoked', async () => {
    const FIXED_MEMBERS = ['alg', 'crv', 'e', 'kty', 'use'];
    // Members in their order; random texts are replaced by the characters they may have.
    const shapeOf = async (tenant: string): Promise<string[]> => {
      const { json, headers, status } = await send(tenant);
      expect(json.keys.map(({ kid }: Key) => kid)).toEqual(json.keys.map(({ kid }: Key) => kid).sort());
      const shapes = json.keys.map((key: Key) =>
        JSON.stringify(
          Object.entries(key).map(([name, value]) => [
            name,
            FIXED_MEMBERS.includes(name) ? value : value.length,
          ]),
        ),
      );
      return [...shapes.sort(), status, headers['cache-control'], headers['content-length']];
    };
    const unknown = await shapeOf(UNKNOWN);
    expect(unknown).toHaveLength(5);
    expect(await shapeOf(EXISTING)).toEqual(unknown);
    expect(await shapeOf(DISABLED)).toEqual(unknown);
    await server.app.core.access.tokens.rotateKeys(EXISTING, true);
    expect(await shapeOf(EXISTING)).toEqual(unknown);
    expect((await keysOf(UNKNOWN)).map(({ kid }) => kid)).toEqual([
      expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
      expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
    ]);
  });

  it('are the same in each process, and different for another name', async () => {
    const unknown = await keysOf(UNKNOWN);
    const second = await startServer({
      database: server.database,
      environment: { AUTH_MODE: 'enforced', AUDIT: 'off' },
    });
    const { json } = await second.request('GET', `/w/${UNKNOWN}/oidc/jwks`);
    await second.close();
    expect(json.keys).toEqual(unknown);
    const all = await Promise.all([...'abcdefghij'].map((name) => keysOf(name)));
    expect(new Set([...all.flat(), ...unknown].flatMap(({ kid, n, x }) => [kid, n ?? x])).size).toBe(44);
  });

  it('can be read as keys', async () => {
    for (const name of ['one', 'two', 'three'])
      for (const key of await keysOf(name)) {
        const { kty, alg } = key;
        const algorithm =
          kty === 'EC'
            ? { name: 'ECDSA', namedCurve: 'P-256' }
            : { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
        const read = await crypto.subtle.importKey('jwk', key, algorithm, true, ['verify']);
        expect([alg, read.type]).toEqual([kty === 'EC' ? 'ES256' : 'RS256', 'public']);
      }
  });
});

describe('a caller with rights in the tenant', () => {
  const codes = async (authorization?: string): Promise<string[]> => {
    const headers: Fields = authorization === undefined ? {} : { authorization };
    const { status, json } = await server.request(
      'GET',
      `${server.path(EXISTING, 'r4')}/metadata`,
      undefined,
      headers,
    );
    expect(status).toBe(200);
    const [{ resource }] = json.rest;
    const patient = resource.find(({ type }: { type: string }) => type === 'Patient');
    return patient.searchParam.map(({ name }: { name: string }) => name);
  };

  it('sees its own search parameters in metadata, and others do not', async () => {
    expect(await codes(member.basic)).toContain('shoe');
    for (const authorization of [undefined, foreignToken, credentials.forged]) {
      const answers = await codes(authorization);
      expect(answers).toContain('name');
      expect(answers).not.toContain('shoe');
    }
  });
});

it('in open mode a tenant that does not exist is 404', async () => {
  const open = await openSharedServer();
  for (const rest of [
    '/oidc/jwks',
    '/oidc/.well-known/openid-configuration',
    '/api/v1/fhir/r4/metadata',
    '/api/v1/graphql/r4',
  ])
    expect([rest, (await open.request('GET', `/w/${UNKNOWN}${rest}`)).status]).toEqual([rest, 404]);
  await open.close();
});
