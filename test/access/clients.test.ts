/**
 * Clients, their secrets and tokens, over HTTP on a server that also accepts requests without them (docs/run/access.md).
 */
import { execFile } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { RateLimiter } from '../../src/core/limits/rate-limiter';
import { RemoteKeys } from '../../src/core/oauth/remote-keys';
import { Outbound } from '../../src/core/outbound/outbound';
import {
  FORM,
  makeClient,
  makeKey,
  serveKeys,
  WITH_LOCAL_KEYS,
  toBasic,
  toJwt,
  type KeyServer,
  type MadeClient,
} from '../support/access';
import { andiron } from '../support/andiron';
import { runHere } from '../support/command-here';
import { silentLog } from '../support/log';
import { startServer, toEnvironment, type TestServer } from '../support/server';

let server: TestServer;
let client: MadeClient;
const JSON_TYPE = { 'content-type': 'application/json' };

beforeAll(async () => {
  const because = 'it looks inside, and other servers and a command run on its database';
  server = await startServer({ because, environment: WITH_LOCAL_KEYS });
  await server.createTenant('acme');
  client = await makeClient(server.app.core, 'acme', {
    scopes: ['system/*.cruds', 'system/Patient.rs'],
  });
});
afterAll(() => server.close());

const core = () => server.app.core;
const post = (form: string, headers: Record<string, string> = {}) =>
  server.request('POST', '/w/acme/oidc/token', form, { ...FORM, ...headers });
const withSecret = (more = ''): string =>
  `grant_type=client_credentials&client_id=${client.id}&client_secret=${client.secret}${more}`;
const patients = (authorization: string) =>
  server.request('GET', `${server.path('acme', 'r4')}/Patient`, undefined, { authorization });

async function getToken(): Promise<string> {
  const { status, json } = await post(withSecret());
  expect(status).toBe(200);
  return String(json.access_token);
}

function authorOf(resource: {
  meta: { extension: { url: string; valueReference?: { reference: string } }[] };
}) {
  return resource.meta.extension.find(({ url }) => url.endsWith('/author'))?.valueReference?.reference;
}

describe('a client', () => {
  it('gets a token for its secret, and its writes have its name', async () => {
    const headers = { authorization: `Bearer ${await getToken()}` };
    const path = `${server.path('acme', 'r4')}/Patient`;
    const { status, json } = await server.request('POST', path, { resourceType: 'Patient' }, headers);
    expect([status, authorOf(json)]).toEqual([201, `ClientApplication/${client.id}`]);
  });

  it('may send id and secret with each request instead', async () => {
    const path = `${server.path('acme', 'r4b')}/Patient`;
    const headers = { authorization: client.basic };
    const { status, json } = await server.request('POST', path, { resourceType: 'Patient' }, headers);
    expect([status, authorOf(json)]).toEqual([201, `ClientApplication/${client.id}`]);
  });

  it('has its current scopes, policies and rights, not those of the time of the token', async () => {
    const made = await makeClient(core(), 'acme', { scopes: ['system/*.cruds', 'system/Patient.rs'] });
    const form = `grant_type=client_credentials&scope=system/Patient.rs+system/*.cruds`;
    const { json } = await post(form, { authorization: made.basic });
    expect(json.scope).toBe('system/Patient.rs system/*.cruds');
    const space = await core().access.findSpace('acme', 'r4');
    const identify = () =>
      core().access.identify({
        tenant: 'acme',
        space,
        authorization: `Bearer ${json.access_token}`,
        address: '::1',
      });
    expect(await identify()).toEqual({
      actor: made.id,
      access: {
        client: made.id,
        scopes: ['system/Patient.rs', 'system/*.cruds'],
        policies: [],
        isAdministrator: false,
        isAuditor: false,
      },
    });
    expect(await identify()).toBe(await identify());
    await core().tenants.clients.change('acme', made.id, {
      scopes: ['system/Patient.rs'],
      policies: ['night'],
      isAuditor: true,
    });
    expect((await identify()).access).toMatchObject({
      scopes: ['system/Patient.rs'],
      policies: ['night'],
      isAuditor: true,
    });
  });

  it('is refused as soon as it is disabled, with its tokens and its secret', async () => {
    const made = await makeClient(core(), 'acme');
    const { json } = await post('grant_type=client_credentials', { authorization: made.basic });
    const ways = [made.basic, `Bearer ${json.access_token}`];
    for (const way of ways) expect((await patients(way)).status).toBe(200);
    await core().tenants.clients.change('acme', made.id, { isDisabled: true });
    for (const way of ways) expect((await patients(way)).status).toBe(401);
    const refused = await post('grant_type=client_credentials', { authorization: made.basic });
    expect([refused.status, refused.json.error]).toEqual([401, 'invalid_client']);
  });

  it('has several secrets, each until it expires or is removed', async () => {
    const made = await makeClient(core(), 'acme');
    const second = await core().tenants.clients.addSecret('acme', made.id, Date.now() + 3_600_000);
    const over = await core().tenants.clients.addSecret('acme', made.id, Date.now() - 1000);
    const ofSecond = toBasic(made.id, second?.secret ?? '');
    for (const way of [made.basic, ofSecond]) expect((await patients(way)).status).toBe(200);
    expect((await patients(toBasic(made.id, over?.secret ?? ''))).status).toBe(401);
    const [first] = (await core().tenants.clients.find('acme', made.id))?.secrets ?? [];
    expect(await core().tenants.clients.removeSecret('acme', made.id, first?.id ?? '')).toBe(true);
    expect((await patients(made.basic)).status).toBe(401);
    expect((await patients(ofSecond)).status).toBe(200);
  });

  it('that guesses secrets is throttled for any credential, and no other client is', async () => {
    const made = await makeClient(core(), 'acme');
    const guess = () => patients(toBasic(made.id, 'guess'));
    const statuses: number[] = [];
    for (let count = 0; count < 8; count += 1) statuses.push((await guess()).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    expect((await patients(made.basic)).status).toBe(429);
    expect((await patients(client.basic)).status).toBe(200);
  });

  it('has no secret in the database in plain form', async () => {
    const database = new Client(server.database.settings);
    await database.connect();
    const { rows } = await database.query<{ text: string }>(
      `select coalesce(string_agg(s::text, ''), '') as text from andiron.client_secret s`,
    );
    expect(rows[0]?.text).toContain('scrypt$');
    expect(rows[0]?.text).not.toContain(client.secret.slice(8));
    // Only the owner may read the signing keys.
    await database.query('set role andiron_application');
    await expect(database.query('select private_key from andiron.signing_key')).rejects.toThrow(
      'permission denied',
    );
    const { rows: unseen } = await database.query('select id from andiron.client_application');
    expect(unseen).toEqual([]);
    await database.end();
  });
});

describe('the token endpoint', () => {
  it.each([
    [
      'no grant_type',
      () => withSecret().replace('grant_type=client_credentials&', ''),
      400,
      'invalid_request',
    ],
    [
      'another grant',
      () => withSecret().replace('client_credentials', 'password'),
      400,
      'unsupported_grant_type',
    ],
    ['a scope that the client has not', () => withSecret('&scope=user/*.cruds'), 400, 'invalid_scope'],
    ['a parameter twice', () => withSecret('&scope=a&scope=b'), 400, 'invalid_request'],
    ['no secret', () => `grant_type=client_credentials&client_id=${client.id}`, 401, 'invalid_client'],
    ['a wrong secret', () => withSecret('x'), 401, 'invalid_client'],
    ['an unknown client', () => withSecret().replace(client.id, 'nobody'), 401, 'invalid_client'],
  ])('refuses %s with an error of OAuth', async (_title, form, status, error) => {
    const answer = await post(form());
    expect([answer.status, answer.json.error]).toEqual([status, error]);
    expect(answer.headers['cache-control']).toBe('no-store');
    if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Basic /);
  });

  it('refuses two ways of authentication at once, another type of body, other methods and unknown tenants', async () => {
    expect((await post(withSecret(), { authorization: client.basic })).json.error).toBe('invalid_request');
    expect((await post(withSecret(), JSON_TYPE)).status).toBe(415);
    expect((await server.request('GET', '/w/acme/oidc/token')).status).toBe(405);
    expect((await server.request('POST', '/w/nobody/oidc/token', withSecret(), FORM)).status).toBe(404);
  });

  it('grants the requested scopes, and states the lifetime', async () => {
    const { json, headers } = await post(withSecret('&scope=system/Patient.rs+openid+user/*.rs'));
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 300, scope: 'system/Patient.rs' });
    const part = encodeURIComponent('system/Observation.rs?status=final');
    expect((await post(withSecret(`&scope=${part}+system/Patient.read`))).json.scope).toBe(
      'system/Observation.rs?status=final system/Patient.read',
    );
    expect(headers['cache-control']).toBe('no-store');
  });
});

describe('a client with keys', () => {
  const key = makeKey('one');
  let keyServer: KeyServer;
  beforeAll(async () => {
    keyServer = await serveKeys([key]);
  });
  afterAll(() => keyServer.close());

  /** The searched text is in the header. */
  const noToken = { payload: '', signature: '' };
  const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  const send = (assertion: string) =>
    post(
      `grant_type=client_credentials&client_assertion_type=${encodeURIComponent(TYPE)}&client_assertion=${assertion}`,
    );
  let count = 0;
  const assert = (id: string, changes: object = {}, signer = key): string => {
    count += 1;
    const claims = {
      iss: id,
      sub: id,
      aud: `${server.base}/w/acme/oidc/token`,
      jti: `j${count}`,
      exp: Math.floor(Date.now() / 1000) + 240,
      ...changes,
    };
    return toJwt({ alg: 'ES384', typ: 'JWT', kid: signer.kid }, claims, signer.privateKey);
  };

  it.each(['in the server', 'under an address'])(
    '%s gets a token for a signed assertion, once',
    async (where) => {
      const keys = where === 'in the server' ? { jwks: { keys: [key.jwk] } } : { jwksUrl: keyServer.url };
      const { id } = await core().tenants.clients.create('acme', {
        name: 'Backend',
        scopes: ['system/*.rs'],
        ...keys,
      });
      const assertion = assert(id);
      const { status, json } = await send(assertion);
      expect([status, json.scope]).toEqual([200, 'system/*.rs']);
      expect((await patients(`Bearer ${json.access_token}`)).status).toBe(200);
      const again = await send(assertion);
      expect([again.status, again.json.error]).toEqual([401, 'invalid_client']);
      for (const changes of [
        { exp: Math.floor(Date.now() / 1000) - 60 },
        { exp: Math.floor(Date.now() / 1000) + 3600 },
        { aud: 'https://elsewhere.example/token' },
        { sub: 'somebody' },
        { jti: undefined },
      ])
        expect((await send(assert(id, changes))).status).toBe(401);
      expect((await send(assert(id, {}, makeKey('one')))).status).toBe(401);
      expect((await send(toJwt({ alg: 'none' }, { iss: id, sub: id, jti: 'x' }))).status).toBe(401);
    },
  );

  it('may replace its key at its address without notice; while the address cannot be reached it is 503', async () => {
    const own = await serveKeys([key]);
    const outbound = new Outbound(['127.0.0.1:*']);
    const rates = new RateLimiter({ name: 'test', take: async () => undefined, digest: (name) => name });
    const remote = new RemoteKeys({ outbound, log: silentLog, rates, cooldownMs: 1 });
    const find = async (kid: string, tenantNumber = 1) =>
      (await remote.of({ tenantNumber }, own.url))({ alg: 'ES384', kid }, noToken);
    await find('one');
    await expect(find('two')).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
    own.keys = [key, makeKey('two')];
    await delay(5);
    await find('two');
    await own.close();
    await delay(5);
    await expect(find('three')).rejects.toMatchObject({ status: 503 });
    await find('one');
  });

  it('costs its tenant a fetch, of which each tenant has a number a minute', async () => {
    const own = await serveKeys([key]);
    const rates = new RateLimiter({ name: 'test', take: async () => undefined, digest: (name) => name });
    const outbound = new Outbound(['127.0.0.1:*']);
    const remote = new RemoteKeys({ outbound, log: silentLog, rates, cooldownMs: 1 });
    const find = async (kid: string, tenantNumber: number) =>
      (await remote.of({ tenantNumber }, own.url))({ alg: 'ES384', kid }, noToken);
    const statuses: unknown[] = [];
    while (!statuses.includes(503) && statuses.length < 1_000) {
      await delay(2);
      const error: unknown = await find('unknown', 1).catch((thrown: unknown) => thrown);
      statuses.push(error instanceof Error && 'status' in error ? error.status : 'fetched');
    }
    expect(statuses.at(-1)).toBe(503);
    // The first search may fetch twice: once for the keys, and again for the unknown one.
    expect(own.fetches).toBeGreaterThanOrEqual(120);
    await find('one', 2);
    await own.close();
  });

  it('keeps the private half of a key to itself, and its address on TLS', async () => {
    const privateKey = createPrivateKey({ key: key.privateKey.export({ format: 'jwk' }), format: 'jwk' });
    const jwks = { keys: [{ ...privateKey.export({ format: 'jwk' }) }] };
    await expect(core().tenants.clients.create('acme', { name: 'x', jwks })).rejects.toThrow(
      'public keys only',
    );
    const jwksUrl = 'http://keys.example/jwks';
    await expect(core().tenants.clients.create('acme', { name: 'x', jwksUrl })).rejects.toThrow('https://');
  });

  it('has no address of keys inside the network of the server, unless the operator lists it', async () => {
    const issuer = { issuer: 'https://idp.example', client: client.id, audience: 'andiron' };
    for (const host of ['localhost', '10.0.0.1', '169.254.169.254', '[::1]', '2130706433']) {
      const jwksUrl = `https://${host}/jwks`;
      const reason = /OUTBOUND_ALLOWED_HOSTS does not list|its host is to be written/;
      await expect(core().tenants.clients.create('acme', { name: 'x', jwksUrl })).rejects.toThrow(reason);
      await expect(core().tenants.issuers.put('acme', { ...issuer, jwksUrl })).rejects.toThrow(reason);
    }
  });

  it('can be disabled although the address of its keys is not allowed any more, and is refused', async () => {
    const { id } = await core().tenants.clients.create('acme', { name: 'Old', jwksUrl: keyServer.url });
    const strict = await startServer({ database: server.database });
    try {
      const form = `grant_type=client_credentials&client_assertion_type=${encodeURIComponent(TYPE)}`;
      const signed = assert(id, { aud: `${strict.base}/w/acme/oidc/token` });
      const body = `${form}&client_assertion=${signed}`;
      expect((await strict.request('POST', '/w/acme/oidc/token', body, FORM)).status).toBe(503);
      expect(await strict.app.core.tenants.clients.change('acme', id, { isDisabled: true })).toMatchObject({
        isDisabled: true,
      });
    } finally {
      await strict.close();
    }
  });
});

describe('the keys of a tenant', () => {
  it('are public without their private half, and a rotation does not break existing tokens', async () => {
    const before = await getToken();
    const kids = async (): Promise<unknown[]> => {
      const { json } = await server.request('GET', '/w/acme/oidc/jwks');
      expect(JSON.stringify(json)).not.toContain('"d"');
      return json.keys.map(({ kid }: { kid: string }) => kid);
    };
    const old = await kids();
    const fresh = await core().access.tokens.rotateKeys('acme', false);
    expect(old).toHaveLength(2);
    // By their ids: the order says nothing of their age.
    expect(await kids()).toEqual([...old, ...fresh].sort());
    for (const token of [before, await getToken()])
      expect((await patients(`Bearer ${token}`)).status).toBe(200);
    await core().access.tokens.rotateKeys('acme', true);
    expect(await kids()).toHaveLength(2);
    expect((await patients(`Bearer ${before}`)).status).toBe(401);
    expect((await patients(`Bearer ${await getToken()}`)).status).toBe(200);
  });
});

describe('an identity provider elsewhere', () => {
  const key = makeKey('idp', 'P-256');
  const issuer = 'https://login.hospital.example';
  let keyServer: KeyServer;
  let id: string;
  const issue = (changes: object = {}, signer = key): string =>
    `Bearer ${toJwt(
      { alg: 'ES256', kid: signer.kid },
      {
        iss: issuer,
        aud: 'andiron',
        sub: 'u1',
        exp: Math.floor(Date.now() / 1000) + 600,
        groups: ['doctors', 'smokers'],
        fhirUser: `${server.base}/w/acme/api/v1/fhir/r4/Practitioner/7`,
        patient: 'p1',
        ...changes,
      },
      signer.privateKey,
    )}`;
  beforeAll(async () => {
    keyServer = await serveKeys([key]);
    ({ id } = await core().tenants.clients.create('acme', {
      name: 'Portal',
      scopes: ['user/*.rs', 'patient/*.rs'],
    }));
    await core().tenants.issuers.put('acme', {
      issuer,
      client: id,
      audience: 'andiron',
      jwksUrl: keyServer.url,
      scopeClaim: 'groups',
      scopeMap: { doctors: ['user/*.rs', 'system/*.cruds'] },
    });
  });
  afterAll(() => keyServer.close());

  it('states the user and the scopes of the user, at most those of the client', async () => {
    const space = await core().access.findSpace('acme', 'r4');
    const authorization = issue();
    const caller = await core().access.identify({ tenant: 'acme', space, authorization, address: '::1' });
    expect(caller).toEqual({
      actor: id,
      access: {
        client: id,
        user: 'Practitioner/7',
        patient: 'p1',
        issuer,
        scopes: ['user/*.rs'],
        policies: [],
        isAdministrator: false,
        isAuditor: false,
      },
    });
  });

  it('is accepted for its own audience, in time, and with its own keys only', async () => {
    for (const changes of [
      { aud: 'another' },
      { exp: Math.floor(Date.now() / 1000) - 60 },
      { exp: undefined },
    ])
      expect((await patients(issue(changes))).status).toBe(401);
    expect((await patients(issue({}, makeKey('idp', 'P-256')))).status).toBe(401);
    const unsigned = toJwt({ alg: 'none' }, { iss: issuer, aud: 'andiron', exp: 9_999_999_999 });
    expect((await patients(`Bearer ${unsigned}`)).status).toBe(401);
  });

  it('is refused once it is removed', async () => {
    const other = 'https://other.example';
    await core().tenants.issuers.put('acme', {
      issuer: other,
      client: id,
      audience: 'andiron',
      jwksUrl: keyServer.url,
    });
    const space = await core().access.findSpace('acme', 'r4');
    const requestToken = () =>
      core().access.identify({ tenant: 'acme', space, authorization: issue({ iss: other }), address: '::1' });
    expect((await requestToken()).actor).toBe(id);
    expect(await core().tenants.issuers.remove('acme', other)).toBe(true);
    expect((await requestToken()).actor).toBe('anonymous');
  });
});

describe('an administrator', () => {
  it('creates a client over HTTP, gets its secret once, and changes and disables it', async () => {
    const path = '/w/system/api/v1/tenants/acme/clients';
    const made = await server.request('POST', path, { name: 'App', scopes: ['system/*.rs'] }, JSON_TYPE);
    expect(made.status).toBe(201);
    const { id, secret } = made.json;
    expect((await patients(toBasic(id, secret.secret))).status).toBe(200);
    const listed = await server.request('GET', path);
    expect(listed.text).toContain(id);
    expect(listed.text).not.toContain(secret.secret);
    expect(listed.text).not.toContain('scrypt');
    const next = await server.request('POST', `${path}/${id}/secrets`, '', JSON_TYPE);
    expect((await patients(toBasic(id, next.json.secret))).status).toBe(200);
    const removed = await server.request('DELETE', `${path}/${id}/secrets/${secret.id}`);
    expect(removed.status).toBe(200);
    expect((await patients(toBasic(id, secret.secret))).status).toBe(401);
    const stopped = await server.request('PATCH', `${path}/${id}`, { disabled: true }, JSON_TYPE);
    expect(stopped.json).toMatchObject({ disabled: true, scopes: ['system/*.rs'] });
    expect((await patients(toBasic(id, next.json.secret))).status).toBe(401);
  });

  it('is warned of scopes that grant nothing and of policies that do not exist, until they do', async () => {
    const path = '/w/system/api/v1/tenants/acme/clients';
    const details = {
      scopes: [
        ...['system/*.rs', 'openid', 'launch/encounter', 'system/Pateint.rs'],
        ...[
          'system/Patient.rs?gendr=male',
          'system/Patient.rs?birthdate=yesterday',
          'system/*.rs?gendr=male',
        ],
        ...[
          'system/Observation.rs?category=laboratory',
          'system/*.rs?_id=one',
          'patient/Patient.rs?gender=male',
        ],
      ],
      policies: ['wards'],
    };
    const { status, json } = await server.request('POST', path, { name: 'Typo', ...details }, JSON_TYPE);
    expect([status, json.warnings]).toEqual([
      201,
      [
        "The scope 'system/Pateint.rs' grants nothing: 'Pateint' is not a resource type; did you mean Patient?",
        expect.stringContaining(
          "The scope 'system/Patient.rs?gendr=male' grants nothing: 'gendr=male' is not a valid search of Patient: 'gendr' is not a search parameter of Patient; did you mean gender?",
        ),
        expect.stringContaining(
          "The scope 'system/Patient.rs?birthdate=yesterday' grants nothing: 'birthdate=yesterday' is not a valid search of Patient: 'yesterday' is not a value",
        ),
        "The scope 'system/*.rs?gendr=male' grants nothing: 'gendr=male' is not a valid search of any type",
        "The policy 'wards' does not exist, so that it allows nothing",
      ],
    ]);
    for (const [scope, end] of [
      ['sytem/*.rs', ': it begins with patient/, user/, system/; did you mean system?'],
      ['openidd', '; did you mean openid?'],
      ['system/*.sr', ': it is written like system/Patient.rs, with the letters of cruds in this order'],
    ] as const) {
      const refused = await server.request('POST', path, { name: 'Typo', scopes: [scope] }, JSON_TYPE);
      expect([refused.status, refused.json.issue[0].diagnostics]).toEqual([
        400,
        `'${scope}' is not a scope${end}`,
      ]);
    }
    const policies = '/w/system/api/v1/tenants/acme/policies';
    await server.request('PUT', `${policies}/ward`, { rules: [] }, JSON_TYPE);
    const kept = { scopes: ['system/*.rs'] };
    const changed = await server.request('PATCH', `${path}/${json.id}`, kept, JSON_TYPE);
    expect(changed.json.warnings).toEqual([
      "The policy 'wards' does not exist, so that it allows nothing; did you mean ward?",
    ]);
    await server.request('PUT', `${policies}/wards`, { rules: [] }, JSON_TYPE);
    const read = await server.request('GET', `${path}/${json.id}`);
    expect(read.json.warnings).toEqual([]);
    for (const name of ['ward', 'wards']) await server.request('DELETE', `${policies}/${name}`);
  });

  it('may register addresses whose dots are no segments, and names of any language', async () => {
    const path = '/w/system/api/v1/tenants/acme/clients';
    const redirectUris = [
      ...[
        'https://app.example/back..',
        'https://app.example/.well-known/back',
        'https://app.example/a?b=../c',
      ],
      ...['com.example.app:/back', 'http://127.0.0.1:3000/a...b'],
    ];
    for (const name of ['مستشفى', 'Kinder\u00adklinik 👩‍⚕️']) {
      const made = await server.request('POST', path, { name, redirectUris }, JSON_TYPE);
      expect([made.status, made.json.name, made.json.redirectUris]).toEqual([201, name, redirectUris]);
    }
  });

  it('may change a client whose name or addresses were allowed before, and not give them to another one', async () => {
    const path = '/w/system/api/v1/tenants/acme/clients';
    const { id } = await makeClient(core(), 'acme');
    const [name, uri] = ['Old \u202eeman', 'https://app.example/*'];
    const owner = new Client(server.database.settings);
    await owner.connect();
    await owner.query('update andiron.client_application set name = $1, redirect_uris = $2 where id = $3', [
      name,
      [uri],
      id,
    ]);
    await owner.end();
    const changed = await server.request('PATCH', `${path}/${id}`, { disabled: true }, JSON_TYPE);
    expect([changed.status, changed.json]).toMatchObject([
      200,
      { name, redirectUris: [uri], disabled: true },
    ]);
    for (const body of [{ name: 'Old \u202dname' }, { redirectUris: [uri, 'https://app.example/a/..'] }])
      expect((await server.request('PATCH', `${path}/${id}`, body, JSON_TYPE)).status).toBe(400);
  });

  it('names no issuer with characters that mislead its reader', async () => {
    const path = '/w/system/api/v1/tenants/acme/issuers';
    const { id } = await makeClient(core(), 'acme');
    const given = { client: id, audience: 'andiron', jwksUrl: 'https://idp.example/keys' };
    for (const issuer of ['https://idp.example/\u202egro.live', 'https://idp.example/\n'])
      expect((await server.request('PUT', path, { ...given, issuer }, JSON_TYPE)).status).toBe(400);
    const scopeMap = { '\u2066staff': ['system/*.rs'] };
    const body = { ...given, issuer: 'https://idp.example/a', scopeMap };
    expect((await server.request('PUT', path, body, JSON_TYPE)).status).toBe(400);
  });

  it('adds an issuer over HTTP and removes it again', async () => {
    const path = '/w/system/api/v1/tenants/acme/issuers';
    const { id } = await makeClient(core(), 'acme');
    const issuer = 'https://idp.example/realms/a?b=c&d';
    const given = { issuer, client: id, audience: 'andiron', jwksUrl: 'https://idp.example/keys' };
    expect((await server.request('PUT', path, given, JSON_TYPE)).status).toBe(200);
    expect((await server.request('GET', path)).text).toContain('idp.example/realms');
    const remove = (search: string) => server.request('DELETE', path + search);
    const named = `?issuer=${encodeURIComponent(issuer)}`;
    expect((await remove('')).status).toBe(400);
    expect((await remove('?issuer=https://other.example')).status).toBe(404);
    expect((await remove(named)).json).toEqual({ removed: issuer });
    expect((await remove(named)).status).toBe(404);
    expect((await server.request('GET', path)).text).not.toContain('idp.example/realms');
  });

  it.each<[unknown]>([
    [{ scopes: ['system/*.rs'] }],
    [{ name: 'x', scopes: ['everything'] }],
    [{ name: 'x', scope: 'system/*.rs' }],
    [{ name: 'x', redirectUris: ['http://app.example/back'] }],
    ...[
      ...[
        'https://*.app.example/back',
        'https://%2a.app.example/back',
        'https://app.example/*',
        'https://app.example:*/',
      ],
      ...['https://app.example/back?next=*', 'com.example.app:/*', 'https://app.example/a/../back'],
      ...[
        'https://app.example/./back',
        'https://app.example/a/%2e%2E/back',
        'https://app.example/a%2f..%2fback',
      ],
      ...['https://app.example/a\\..\\back', 'https://app.example/..', 'com.example.app:/../back'],
      ...['http://localhost:3000/a/..'],
      ...[
        'https://:app.example@evil.example/back',
        'https://@evil.example/back',
        'https://app.example/back#',
      ],
      ...['https:evil.example/back', 'https:/\\evil.example/back', 'https://evil.example\\@app.example/back'],
    ].map((uri): [unknown] => [{ name: 'x', redirectUris: ['https://app.example/back', uri] }]),
    ...[...'\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\n\u001b'].map(
      (mark): [unknown] => [{ name: `Growth ${mark}chart` }],
    ),
    [{ name: 'x', jwks: { keys: ['k'] } }],
    [{ name: 'x', disabled: 'yes' }],
    [[]],
  ])('gets an error that names the fault of %j', async (body) => {
    const path = '/w/system/api/v1/tenants/acme/clients';
    const { status, json } = await server.request('POST', path, body, JSON_TYPE);
    expect([status, json.resourceType]).toEqual([400, 'OperationOutcome']);
  });
});

describe('andiron client', () => {
  it('creates a client and prints its secret once, in a form that a shell can read', async () => {
    const printed = await andiron(
      server.database,
      'client',
      'create',
      '--tenant',
      'acme',
      '--name',
      'CLI',
      '--scopes',
      'system/*.rs',
    );
    const [, id = ''] = /^client_id=(.+)$/m.exec(printed) ?? [];
    const [, secret = ''] = /^client_secret=(andiron_.+)$/m.exec(printed) ?? [];
    expect((await patients(toBasic(id, secret))).status).toBe(200);
    // Warnings (there is no Redis) are not part of the output of a command.
    const env = { ...process.env, ...toEnvironment(server.database), REDIS_PORT: '1' };
    const list = ['dist/src/cli.js', 'client', 'list', '--tenant', 'acme'];
    const { stdout: listed, stderr } = await promisify(execFile)(process.execPath, list, { env });
    expect([listed.includes('"level"'), stderr.includes('Redis cannot be reached')]).toEqual([false, true]);
    expect(listed).toContain(`${id}  active  CLI`);
    expect(listed).not.toContain(secret);
  });

  it('warns of what has no effect beside the result, and says which client was meant', async () => {
    const words = ['client', 'create', '--tenant', 'acme', '--name', 'Typo', '--scopes', 'system/Pateint.rs'];
    const { code, output, errors } = await runHere(words, { environment: toEnvironment(server.database) });
    expect(code).toBe(0);
    expect(output).toMatch(/^client_id=\S+\nclient_secret=\S+\nsecret_id=\S+\n$/);
    expect(errors).toContain(
      "andiron: The scope 'system/Pateint.rs' grants nothing: 'Pateint' is not a resource type",
    );
    const [, id = ''] = /^client_id=(.+)$/m.exec(output) ?? [];
    await expect(andiron(server.database, 'client', 'disable', `${id}0`, '--tenant', 'acme')).rejects.toThrow(
      `The client '${id}0' does not exist; did you mean ${id}?`,
    );
    await expect(andiron(server.database, 'client', 'disable', id, '--tenant', 'acmee')).rejects.toThrow(
      "The tenant 'acmee' does not exist; did you mean acme?",
    );
  });
});
