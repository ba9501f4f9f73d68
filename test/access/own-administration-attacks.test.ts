/** Attacks on the addresses at which a tenant administers itself (docs/run/own-administration.md). */
import { create, createClient, makeKey, serveKeys, toJwt, type MadeClient } from '../support/access';
import { ConsoleUser } from '../support/console-sign-in';
import { getToken } from '../support/credentials';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';

const PASSWORD = 'correct horse battery';
const JSON_TYPE = { 'content-type': 'application/json' };

let server: SharedServer;
let tenant: string;
let other: string;
let administrator: MadeClient;
/** Of the other tenant. */
let stranger: MadeClient;

beforeAll(async () => {
  server = await openSharedServer('enforced');
  for (const name of ['fort', 'fortress']) await server.createTenant(name);
  [tenant, other] = [server.tenant('fort'), server.tenant('fortress')];
  administrator = await createClient(server, 'fort', { administrator: true });
  stranger = await createClient(server, 'fortress', { administrator: true, name: 'Stranger' });
});
afterAll(() => server.close());

function send(
  method: string,
  path: string,
  body?: unknown,
  { headers = {}, authorization = administrator.basic, at = tenant }: Sending = {},
): Promise<Answer> {
  return server.request(method, `/w/${at}/api/v1${path}`, body, { ...JSON_TYPE, ...headers, authorization });
}
interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  readonly authorization?: string;
  readonly at?: string;
}

const isOutcome = ({ json }: Answer): boolean => json?.resourceType === 'OperationOutcome';

describe('If-Match', () => {
  const POLICY = { rules: [{ types: ['Patient'], interactions: 'rs' }] };
  const put = (headers: Readonly<Record<string, string>>, body: object = POLICY) =>
    send('PUT', '/policies/guarded', body, { headers });
  const changed = (letters: string) => ({ rules: [{ types: ['Patient'], interactions: letters }] });

  it('guards a policy: a stale, an unknown and a malformed one change nothing', async () => {
    expect((await put({ 'if-match': '*' })).status).toBe(412);
    const first = String((await put({ 'if-none-match': '*' })).headers['etag']);
    const second = String((await put({ 'if-match': first }, changed('r'))).headers['etag']);
    const attempts: readonly [string, number][] = [
      [first, 412],
      ['"nothing"', 412],
      ['W/"nothing", "else"', 412],
      ['nothing', 400],
      ['"', 400],
      ['', 400],
      [`${second} x`, 400],
      ['x'.repeat(5000), 400],
    ];
    for (const [tag, status] of attempts) {
      for (const method of ['PUT', 'DELETE']) {
        const sent = method === 'PUT' ? await put({ 'if-match': tag }, changed('c')) : await send('DELETE', '/policies/guarded', undefined, { headers: { 'if-match': tag } });
        expect([tag.slice(0, 20), method, sent.status]).toEqual([tag.slice(0, 20), method, status]);
      }
    }
    expect((await send('GET', '/policies/guarded')).json).toEqual(changed('r'));
    const both = await Promise.all(['s', 'rs'].map((letters) => put({ 'if-match': second }, changed(letters))));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect((await put({ 'if-match': '*' }, changed('r'))).status).toBe(200);
  }); // prettier-ignore

  it('is refused where there are no versions, so that nobody takes it for a guard', async () => {
    const { json: user } = await send('POST', '/users', { name: 'guarded', password: PASSWORD });
    const addresses: readonly [string, string, object?][] = [
      ['PATCH', `/users/${user.id}`, { display: 'Changed' }],
      ['DELETE', `/users/${user.id}`],
      ['PATCH', '/tenant', { display: 'Changed' }],
      ['PATCH', `/clients/${administrator.id}`, { name: 'Changed' }],
      ['POST', '/clients', { name: 'Changed' }],
    ];
    for (const [method, path, body] of addresses) {
      const answer = await send(method, path, body, { headers: { 'if-match': '"1"' } });
      expect([method, path, answer.status, isOutcome(answer)]).toEqual([method, path, 412, true]);
    }
    expect((await send('GET', `/users/${user.id}`)).json.display).toBe('guarded');
  });
});

describe('a hostile name', () => {
  const NAMES = [
    ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'null', 'undefined', '0', '-1', '*'],
    ...['%00', 'a%00b', '..', '%2e%2e', '..%2f..%2fsystem', '%252e%252e', '.%2f', '%5c..%5c', '%0d%0aX-Injected:%201'],
    ...['%E2%80%AE', '%F0%9F%98%80', '%ff', '%', '%zz', "'%20or%201=1--", '%3Cscript%3E', '%20'],
    'a'.repeat(10_000),
    '%E2%80%AE'.repeat(1_000),
  ]; // prettier-ignore

  it.each(['policies', 'users', 'clients', 'jobs'])('of %s is none, and never an error of the server', async (kind) => {
    for (const name of NAMES)
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const answer = await send(method, `/${kind}/${name}`, method === 'PATCH' ? {} : undefined);
        expect([method, name.slice(0, 30), [400, 404, 405, 414, 431].includes(answer.status) ? '' : answer.status]).toEqual([method, name.slice(0, 30), '']);
        expect(answer.headers['x-injected']).toBeUndefined();
        expect(answer.text).not.toMatch(/\bat .*\.js:|andiron\.[a-z_]+|select /);
      }
  }); // prettier-ignore

  it('is stored for no policy, user or client', async () => {
    for (const name of NAMES) {
      const answer = await send('PUT', `/policies/${name}`, { rules: [] });
      const isPlain = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
      expect([name.slice(0, 30), answer.status < 300]).toEqual([name.slice(0, 30), isPlain]);
    }
    const { json } = await send('GET', '/policies');
    for (const { name } of json.policies) expect((await send('DELETE', `/policies/${name}`)).status).toBe(200);
    expect((await send('GET', '/policies')).json).toEqual({ policies: [] });
    for (const name of ['', ' ', 'a b', 'a\u0000b', '\u202Egnp', 'a\nb', 'x'.repeat(10_000)]) {
      const user = await send('POST', '/users', { name, password: PASSWORD });
      expect([name.slice(0, 10), user.status]).toEqual([name.slice(0, 10), 400]);
    }
    for (const name of ['', ' ', 'a\u0000b', '\u202Egnp', 'a\nb', 'x'.repeat(10_000)])
      expect([name.slice(0, 10), (await send('POST', '/clients', { name })).status]).toEqual([name.slice(0, 10), 400]);
  }); // prettier-ignore
});

it('the character U+0000 is no part of any query or body', async () => {
  const query = (path: string, ...names: readonly string[]) => names.map((name) => ['GET', `${path}?${name}=a%00b`] as const);
  const nul = 'a\u0000b';
  const issuer = { issuer: 'https://x.example', client: administrator.id, audience: 'a', jwksUrl: 'https://x.example/jwks' };
  const requests: readonly (readonly [string, string, object?])[] = [
    ...query('/audit', 'who', 'what', 'since', 'until', 'request', 'page'),
    ...query('/audit.csv', 'who', 'what'),
    ['DELETE', '/issuers?issuer=a%00b'],
    ...Object.keys(issuer).map((name) => ['PUT', '/issuers', { ...issuer, [name]: nul }] as const),
    ['PATCH', '/tenant', { display: nul }],
    ['PATCH', '/tenant', { settings: { [nul]: 'x' } }],
    ['PATCH', '/tenant', { settings: { validation: nul } }],
    ['POST', '/clients', { name: 'x', scopes: [nul] }],
    ['POST', '/clients', { name: 'x', redirectUris: [`https://x.example/${nul}`] }],
    ['POST', '/clients', { name: 'x', jwks: { keys: [{ kty: 'EC', x: nul }] } }],
    ['POST', '/users', { name: nul, password: PASSWORD }],
    ['POST', '/users', { name: 'x', display: nul, password: PASSWORD }],
    ['POST', '/users', { name: 'x', password: PASSWORD + nul }],
    ['POST', '/access', { type: nul, client: administrator.id }],
    ['POST', '/access', { type: 'Patient', client: nul }],
    ['POST', '/access', { type: 'Patient', user: nul }],
    ['POST', '/packages', { package: `${nul}@1.0.0` }],
    ['PUT', '/policies/nul', { rules: [{ types: ['Patient'], interactions: 'r', criteria: [`name=${nul}`] }] }],
  ];
  for (const [method, path, body] of requests) {
    const answer = await send(method, path, body);
    expect([method, path, body, answer.status]).toEqual([method, path, body, 400]);
  }
}); // prettier-ignore

it('a policy with more criteria than the server compares at once is refused', async () => {
  const criteria = Array.from({ length: 200 }, (_, each) => `_id=${each}`);
  const rules = Array.from({ length: 6 }, () => ({ types: ['*'], interactions: 'r', criteria }));
  for (const [count, status] of [
    [6, 400],
    [5, 201],
  ] as const) {
    const answer = await send('PUT', '/policies/long', { rules: rules.slice(0, count) });
    expect([count, answer.status]).toEqual([count, status]);
  }
  expect((await send('DELETE', '/policies/long')).status).toBe(200);
});

describe('a token', () => {
  it('that has expired, of an issuer that was removed, or with other claims, administers nothing', async () => {
    const key = makeKey('idp', 'P-256');
    const keys = await serveKeys([key]);
    const issuer = 'https://login.fort.example';
    const { id: client } = await create(server, `/tenants/${tenant}/clients`, { name: 'Portal', administrator: true, withSecret: false });
    const path = '/issuers';
    expect((await send('PUT', path, { issuer, client, audience: 'andiron', jwksUrl: keys.url })).status).toBe(200);
    const now = Math.floor(Date.now() / 1000);
    const issue = (claims: object, by = key): string =>
      `Bearer ${toJwt({ alg: 'ES256', kid: by.kid, typ: 'JWT' }, { iss: issuer, aud: 'andiron', sub: 'x', iat: now, exp: now + 300, scope: '', ...claims }, by.privateKey)}`;
    const statusOf = async (authorization: string, at = tenant): Promise<number> => (await send('GET', '/users', undefined, { authorization, at })).status;
    expect(await statusOf(issue({}))).toBe(200);
    const wrong: readonly object[] = [{ exp: now - 3600, iat: now - 7200 }, { aud: 'other' }, { iss: 'https://other.example' }, { nbf: now + 3600 }];
    for (const claims of wrong) expect([claims, await statusOf(issue(claims))]).toEqual([claims, 401]);
    expect(await statusOf(issue({}, makeKey('idp', 'P-256')))).toBe(401);
    expect([401, 404]).toContain(await statusOf(issue({}), other));
    expect((await send('DELETE', `${path}?issuer=${encodeURIComponent(issuer)}`)).status).toBe(200);
    expect(await statusOf(issue({}))).toBe(401);
    await keys.close();
  }); // prettier-ignore

  it('that was revoked, by new keys, a sign-out or the end of the account, administers nothing', async () => {
    const { json: user } = await send('POST', '/users', { name: 'olga', password: PASSWORD, administrator: true });
    const person = new ConsoleUser(server, tenant);
    const bearer = async (): Promise<string> => `Bearer ${(await person.signIn('olga', PASSWORD)).access_token}`;
    const statusOf = async (authorization: string): Promise<number> => (await send('GET', '/users', undefined, { authorization })).status;
    const first = await bearer();
    expect(await statusOf(first)).toBe(200);
    expect((await send('POST', '/keys', { revoke: true })).status).toBe(201);
    expect(await statusOf(first)).toBe(401);
    const second = await bearer();
    expect((await send('PATCH', `/users/${user.id}`, { administrator: false })).status).toBe(200);
    expect(await statusOf(second)).toBe(403);
    expect((await send('PATCH', `/users/${user.id}`, { administrator: true })).status).toBe(200);
    const token = `Bearer ${await getToken(server, tenant, administrator)}`;
    expect(await statusOf(token)).toBe(200);
    expect((await send('DELETE', `/users/${user.id}`)).status).toBe(200);
    expect(await statusOf(second)).toBe(401);
  }); // prettier-ignore
});

describe('another tenant', () => {
  it('is reached by no name, id or member of a body', async () => {
    const { json: own } = await send('POST', '/users', { name: 'pat', password: PASSWORD });
    const policy = { rules: [{ types: ['Patient'], interactions: 'rs' }] };
    expect((await send('PUT', '/policies/theirs', policy, { authorization: stranger.basic, at: other })).status).toBe(201);
    const refused: readonly [string, string, object][] = [
      ['PATCH', '/tenant', { name: other }],
      ['PATCH', '/tenant', { tenant: other, display: 'x' }],
      ['PATCH', `/users/${own.id}`, { id: stranger.id }],
      ['PATCH', `/users/${own.id}`, { tenant: other }],
      ['POST', '/users', { name: 'x', password: PASSWORD, tenant: other }],
      ['PATCH', `/clients/${administrator.id}`, { id: stranger.id }],
      ['POST', '/clients', { name: 'x', tenant: other }],
      ['PUT', '/issuers', { issuer: 'https://x.example', client: stranger.id, audience: 'a', jwksUrl: 'https://x.example/jwks' }],
      ['PUT', '/policies/mine', { ...policy, tenant: other }],
      ['POST', '/reindex', { tenant: other }],
      ['POST', '/packages', { package: 'a@1.0.0', tenant: other }],
      ['POST', '/access', { type: 'Patient', client: stranger.id }],
      ['POST', '/access', { type: 'Patient', client: 'Stranger', tenant: other }],
    ];
    for (const [method, path, body] of refused) {
      const answer = await send(method, path, body);
      expect([method, path, body, answer.status]).toEqual([method, path, body, 400]);
      expect(answer.text).not.toContain(`"${other}"`);
    }
    // What is unknown and what is another tenant's are answered alike.
    const [theirs, none] = await Promise.all([stranger.id, '00000000-0000-4000-8000-000000000000'].map((client) => send('POST', '/access', { type: 'Patient', client })));
    expect(theirs?.text.replaceAll(stranger.id, 'ID')).toBe(none?.text.replaceAll('00000000-0000-4000-8000-000000000000', 'ID'));
    // The name of a policy means that of the own tenant, which has none.
    const { json: bound } = await send('POST', '/clients', { name: 'Bound', scopes: ['system/*.rs'], policies: ['theirs'], withSecret: true });
    const basic = `Basic ${Buffer.from(`${bound.id}:${bound.secret.secret}`).toString('base64')}`;
    expect((await send('GET', '/fhir/r4/Patient', undefined, { authorization: basic })).status).toBe(403);
    expect((await send('GET', '/tenant', undefined, { authorization: stranger.basic, at: other })).json.display).toBe(other);
  }); // prettier-ignore
});

describe('a body', () => {
  const deep = (depth: number): string => `{"name":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const BODIES: readonly [string, string | Buffer, readonly number[]][] = [
    ['nested 100,000 deep', deep(100_000), [400]],
    ['nested deep in objects', `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`, [400]],
    ['of a megabyte', JSON.stringify({ name: 'x'.repeat(1_000_000) }), [400, 413]],
    ['with a member twice', '{"name":"a","name":"b"}', [400]],
    ['with __proto__', '{"name":"a","__proto__":{"administrator":true}}', [400]],
    ['with constructor', '{"name":"a","constructor":{"prototype":{"administrator":true}}}', [400]],
    ['that is a list', '[{"name":"a"}]', [400]],
    ['that is null', 'null', [400]],
    ['that is empty', '', [400, 415]],
    ['with a number beyond all', '{"name":1e999}', [400]],
    ['that is cut off', '{"name":"a"', [400]],
    ['with a lone surrogate', '{"name":"\\ud800"}', [400]],
    ['that is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), [400]],
  ];
  it.each(BODIES)('%s makes nothing, and is no error of the server', async (_what, body, statuses) => {
    for (const path of ['/clients', '/users']) {
      const answer = await send('POST', path, body);
      expect([path, statuses.includes(answer.status) ? '' : `${answer.status} ${answer.text.slice(0, 200)}`]).toEqual([path, '']);
    }
    for (const [method, path] of [['PATCH', '/tenant'], ['PUT', '/policies/body'], ['POST', '/access']] as const)
      expect([path, (await send(method, path, body)).status >= 500]).toEqual([path, false]);
    expect((await send('GET', '/policies')).json.policies.some(({ name }: { name: string }) => name === 'body')).toBe(false);
  }); // prettier-ignore
});
