/** Every address and every kind of credential, on a server that lets in only whom it knows (checks 2, 9, 10, 190). */
import { createPrivateKey, type JsonWebKey } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';
import { createClient as createSocketClient } from 'graphql-ws';
import { Client } from 'pg';
import { WebSocket } from 'ws';
import { SUBSCRIPTION, Told } from '../graphql/live/subscriber';
import { FORM, makeClient, makeKey, toBasic, toJwt, type MadeClient } from '../support/access';
import { startServer, type TestServer } from '../support/server';

let server: TestServer;
let ours: MadeClient;
let administrator: MadeClient;
let tokens: Record<Kind, string | undefined>;
const JSON_TYPE = { 'content-type': 'application/json' };
const ROOT = '/w/acme/api/v1/fhir/r4';
const GRAPHQL = '/w/acme/api/v1/graphql/r4';

const STATUSES = {
  none: 401,
  expired: 401,
  forged: 401,
  'alg none': 401,
  'wrong audience': 401,
  'token of another kind': 401,
  'issuer that nobody knows': 401,
  'no token': 401,
  'wrong secret': 401,
  'scheme that nobody knows': 401,
  'token of another tenant': 403,
} as const;
type Kind = keyof typeof STATUSES;
const KINDS = Object.keys(STATUSES) as Kind[];

/** Credentials that are all but right, each in one way. */
async function makeCredentials(right: string): Promise<Record<Kind, string | undefined>> {
  const database = new Client(server.database.settings);
  await database.connect();
  const { rows } = await database.query<{ id: string; private_key: JsonWebKey }>(
    `select k.id, k.private_key from andiron.signing_key k join andiron.tenant t on t.number = k.tenant
     where t.name = 'acme'`,
  );
  await database.end();
  const [stored] = rows;
  if (stored === undefined) throw new Error('acme has no key');
  const key = createPrivateKey({ key: stored.private_key, format: 'jwk' });
  const [, payload = ''] = right.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const header = { alg: 'ES256', typ: 'at+jwt', kid: stored.id };
  const bearer = (token: string): string => `Bearer ${token}`;
  const other = await makeClient(server.app.core, 'globex');
  const { json } = await server.request('POST', '/w/globex/oidc/token', 'grant_type=client_credentials', {
    ...FORM,
    authorization: other.basic,
  });
  const now = Math.floor(Date.now() / 1000);
  return {
    none: undefined,
    expired: bearer(toJwt(header, { ...claims, exp: now - 1 }, key)),
    forged: bearer(toJwt(header, claims, makeKey(stored.id, 'P-256').privateKey)),
    'alg none': bearer(toJwt({ ...header, alg: 'none' }, claims)),
    'wrong audience': bearer(toJwt(header, { ...claims, aud: 'https://elsewhere.example' }, key)),
    'token of another kind': bearer(toJwt({ ...header, typ: 'JWT' }, claims, key)),
    'issuer that nobody knows': bearer(toJwt(header, { ...claims, iss: 'https://elsewhere.example' }, key)),
    'no token': 'Bearer x.y.z',
    'wrong secret': toBasic(ours.id, 'guess'),
    'scheme that nobody knows': 'Negotiate abc',
    'token of another tenant': bearer(String(json.access_token)),
  };
}

beforeAll(async () => {
  server = await startServer({ environment: { AUTH_MODE: 'enforced' } });
  const { core } = server.app;
  for (const name of ['acme', 'globex']) await core.tenants.create(name);
  ours = await makeClient(core, 'acme', { isAdministrator: true });
  administrator = await makeClient(core, 'system', { isAdministrator: true });
  const { json } = await server.request('POST', '/w/acme/oidc/token', 'grant_type=client_credentials', {
    ...FORM,
    authorization: ours.basic,
  });
  tokens = await makeCredentials(String(json.access_token));
});
afterAll(() => server.close());

const ask = (method: string, path: string, authorization: string | undefined, body?: unknown) =>
  server.request(method, path, body, {
    ...JSON_TYPE,
    accept: 'application/json, text/event-stream',
    ...(authorization === undefined ? {} : { authorization }),
  });

/** Every address below `{fhir_root}` with its methods, as the server lists them; of each kind of type and operation one. */
async function listAddresses(): Promise<[method: string, path: string][]> {
  const { json } = await ask('GET', `${ROOT}/openapi.json`, ours.basic);
  const addresses = new Map<string, [string, string]>();
  for (const [template, methods] of Object.entries<Record<string, unknown>>(json.paths)) {
    if (!/^\/(?:$|[_$o{]|Patient)/.test(template)) continue;
    const path = template
      .replace('{type}', 'Patient')
      .replace('{vid}', '1')
      .replace(/\{\w+\}/g, 'nobody');
    for (const method of Object.keys(methods).filter((name) => name !== 'parameters')) {
      const kind = `${method} ${path.replace(/\$(?!graphql)[\w-]+$/, '$')}`;
      addresses.set(kind, [method.toUpperCase(), ROOT + path.replace(/\/$/, '')]);
    }
  }
  return [...addresses.values()];
}

describe('every address of FHIR', () => {
  it('answers exactly as the credential deserves (check 190)', async () => {
    const addresses = await listAddresses();
    expect(addresses.length).toBeGreaterThan(30);
    const wrong: string[] = [];
    const check = async (method: string, path: string, kind: Kind): Promise<void> => {
      const { status, headers, text } = await ask(method, path, tokens[kind]);
      const isSaid = status !== 401 || headers['www-authenticate']?.startsWith('Bearer ') === true;
      const isExact = status === STATUSES[kind] && isSaid && text.includes('"OperationOutcome"');
      if (!isExact) wrong.push(`${kind}: ${method} ${path} → ${status} ${text.slice(0, 100)}`);
    };
    for (const [method, path] of addresses) {
      // Guesses begin a pause, which has a test of its own.
      const kinds = KINDS.filter((kind) => kind !== 'wrong secret' || path === `${ROOT}/Patient/nobody`);
      await Promise.all(kinds.map((kind) => check(method, path, kind)));
      const right = await ask(method, path, ours.basic);
      if ([401, 403].includes(right.status)) wrong.push(`right: ${method} ${path} → ${right.status}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('every address of GraphQL', () => {
  const query = { query: '{ __typename }' };
  it.each([
    ['POST', GRAPHQL, query],
    ['GET', `${GRAPHQL}?query=%7B__typename%7D`, undefined],
    ['GET', `${GRAPHQL}/schema.graphql`, undefined],
    ['POST', `${GRAPHQL}/stream`, { query: 'subscription { resourceChanged { kind } }' }],
    ['POST', `${ROOT}/$graphql`, query],
    ['GET', `${ROOT}/$graphql?query=%7B__typename%7D`, undefined],
    ['GET', `${ROOT}/Patient/nobody/$graphql?query=%7Bid%7D`, undefined],
    ['PUT', GRAPHQL, undefined],
  ])('%s %s answers exactly as the credential deserves', async (method, path, body) => {
    for (const kind of KINDS) {
      if (kind === 'wrong secret') continue;
      const { status } = await ask(method, path, tokens[kind], body);
      expect([kind, status]).toEqual([kind, STATUSES[kind]]);
    }
    if (path.endsWith('/stream')) return;
    expect([401, 403]).not.toContain((await ask(method, path, ours.basic, body)).status);
  });
});

describe('a live query', () => {
  const follow = (connectionParams: Record<string, string>) => {
    const told = new Told(() => undefined);
    const client = createSocketClient({
      url: `${server.base.replace('http', 'ws')}${GRAPHQL}`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams,
    });
    const ended = new Promise<unknown>((resolve) => {
      client.subscribe<Record<string, unknown>>(
        { query: SUBSCRIPTION },
        {
          next: (result) => told.take(result as ExecutionResult<Record<string, unknown>>),
          error: resolve,
          complete: () => resolve(undefined),
        },
      );
    });
    return { told, ended, close: () => void client.dispose() };
  };

  it('is let in by what its first message brings, as browsers can send it', async () => {
    for (const kind of ['none', 'forged', 'token of another tenant'] as const) {
      const authorization = tokens[kind];
      const { ended } = follow(authorization === undefined ? {} : { Authorization: authorization });
      expect(await ended).toMatchObject({ code: STATUSES[kind] === 403 ? 4403 : 4401 });
    }
  });

  it('ends when its client is disabled', async () => {
    const watcher = await makeClient(server.app.core, 'acme');
    const { told, ended, close } = follow({ Authorization: watcher.basic });
    const write = () => ask('POST', `${ROOT}/Patient`, ours.basic, { resourceType: 'Patient' });
    // Written until it follows.
    while (told.changes.length === 0) {
      expect((await write()).status).toBe(201);
      await delay(50);
    }
    await server.app.core.clients.change('acme', watcher.id, { isDisabled: true });
    const seen = told.changes.length;
    await write();
    await ended;
    expect(told.changes.length).toBe(seen);
    close();
  });
});

describe('what is open', () => {
  it.each([
    ['GET', '/health/live'],
    ['GET', '/health/ready'],
    ['GET', '/w/acme/oidc/jwks'],
    ['GET', '/w/acme/oidc/.well-known/openid-configuration'],
    ['GET', '/w/acme/oidc/.well-known/smart-configuration'],
    ['GET', '/w/acme/api/v1/fhir/r4b/metadata'],
  ])('%s %s is answered to everybody (check 2)', async (method, path) => {
    expect((await ask(method, path, undefined)).status).toBe(200);
    expect((await ask(method, path, tokens.forged)).status).toBe(200);
  });

  it('tells where people sign in and tokens are had, and lists what works (check 9)', async () => {
    const { status, json } = await ask('GET', `${ROOT}/.well-known/smart-configuration`, undefined);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      issuer: `${server.base}/w/acme/oidc`,
      token_endpoint: `${server.base}/w/acme/oidc/token`,
      jwks_uri: `${server.base}/w/acme/oidc/jwks`,
      authorization_endpoint: `${server.base}/w/acme/oidc/authorize`,
      code_challenge_methods_supported: ['S256'],
      grant_types_supported: expect.arrayContaining(['authorization_code', 'client_credentials']),
      capabilities: expect.arrayContaining(['launch-standalone', 'client-public', 'permission-v2']),
    });
    const served = Object.entries<string>(json).filter(([name]) => name.endsWith('_endpoint'));
    expect(served).toHaveLength(4);
    for (const [, url] of served)
      expect((await ask('PUT', new URL(url).pathname, undefined)).status).toBe(405);
    const { pathname } = new URL(json.token_endpoint);
    const answer = await server.request('POST', pathname, 'grant_type=client_credentials', {
      ...FORM,
      authorization: ours.basic,
    });
    expect(answer.status).toBe(200);
  });

  it('says in metadata how to get in (check 10)', async () => {
    const { json } = await ask('GET', `${ROOT}/metadata`, undefined);
    const codes = json.rest[0].security.service.map(
      ({ coding }: { coding: { code: string }[] }) => coding[0]?.code,
    );
    expect(codes).toContain('SMART-on-FHIR');
  });
});

describe('a tenant that there is not', () => {
  it('looks like one that the caller may not know', async () => {
    for (const path of ['/w/nobody/api/v1/fhir/r4/Patient', '/w/nobody/api/v1/graphql/r4?query=%7Bx%7D']) {
      for (const kind of ['none', 'forged', 'token of another tenant'] as const)
        expect((await ask('GET', path, tokens[kind])).status).toBe(
          kind === 'token of another tenant' ? 403 : 401,
        );
    }
  });
});

describe('administration', () => {
  const PATHS = [
    '/w/system/api/v1/tenants',
    '/w/system/api/v1/tenants/acme',
    '/w/system/api/v1/tenants/acme/clients',
    '/w/system/api/v1/tenants/acme/issuers',
  ];
  it.each(PATHS)('%s is for administrators of the tenant system, on whatever machine', async (path) => {
    const plain = await makeClient(server.app.core, 'system');
    const wanted: [string | undefined, number][] = [
      [undefined, 401],
      [tokens.forged, 401],
      [tokens['token of another tenant'], 403],
      [ours.basic, 401],
      [plain.basic, 403],
      [administrator.basic, 200],
    ];
    for (const [authorization, status] of wanted)
      expect((await ask('GET', path, authorization)).status).toBe(status);
    expect((await ask('DELETE', '/w/system/api/v1/tenants', undefined)).status).toBe(401);
  });
});

describe('a browser', () => {
  it('is not asked for a password', async () => {
    const { status, headers } = await server.request('GET', `${ROOT}/Patient`, undefined, {
      accept: 'text/html',
    });
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="andiron"']);
  });
});
