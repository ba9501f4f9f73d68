/** People with the rights of an administrator or auditor (docs/run/access.md, "People"). */
import { eventually } from '../support/eventually';
import { makeClient } from '../support/access';
import { ConsoleUser } from '../support/console-sign-in';
import { startServer, type TestServer } from '../support/server';
import { APP, Browsers, FORM, makeProof, toAuthorize, toReturned } from '../support/sign-in';

const PASSWORD = 'correct horse battery';
const TENANTS = '/w/system/api/v1/tenants';

let server: TestServer;
let second: TestServer;
let app: string;
/** One that another app than the console got, for an administrator. */
let idToken = '';
/** Ids of the accounts by name. */
const accounts = new Map<string, string>();

beforeAll(async () => {
  const environment = { AUTH_MODE: 'enforced', AUDIT: 'on' };
  server = await startServer({
    because: 'administrators of the tenant system, in two processes',
    environment,
  });
  second = await startServer({ database: server.database, environment });
  const { core } = server.app;
  await core.tenants.create('acme');
  for (const name of ['olga', 'paul', 'plain']) {
    const details = { name, password: PASSWORD, isAdministrator: name !== 'plain' };
    accounts.set(name, (await core.tenants.users.create('system', details)).id);
  }
  await core.tenants.users.create('acme', { name: 'olga', password: PASSWORD, isAdministrator: true });
  await core.tenants.users.create('acme', { name: 'audrey', password: PASSWORD, isAuditor: true });
  const details = { name: 'Dashboard', redirectUris: [APP], isPublic: true };
  const scopes = ['openid', 'administration'];
  ({ id: app } = await core.tenants.clients.create('system', { ...details, scopes }));
});
afterAll(async () => {
  await second.close();
  await server.close();
});

const get = async (path: string, token: string, at = server) =>
  at.request('GET', path, undefined, { authorization: `Bearer ${token}` });
/** Those who have signed in, by tenant and name. */
const users = new Map<string, ConsoleUser>();
async function toToken(name: string, tenant = 'system'): Promise<string> {
  const key = `${tenant}/${name}`;
  const user = users.get(key) ?? new ConsoleUser(server, tenant);
  users.set(key, user);
  return (await user.signIn(name, PASSWORD)).access_token;
}
const toEvents = async (token: string) => {
  const { json } = await get('/w/system/api/v1/fhir/r4/AuditEvent?_count=100', token);
  return (json.entry ?? []).map(({ resource }: { resource: object }) => resource);
};

interface RecordedEvent {
  readonly outcomeDesc?: string;
  readonly agent: { who: { identifier?: { value: string } } }[];
  readonly entity: { query?: string }[];
}

/** The people and programs of the events of this request. */
const agentsOf = (events: readonly RecordedEvent[], query: string): unknown =>
  events
    .filter(({ entity }) => entity.some((one) => Buffer.from(one.query ?? '', 'base64').toString() === query))
    .map(({ agent, outcomeDesc }) => [...agent.map(({ who }) => who.identifier?.value), outcomeDesc]);

it('an administrator whose account has no identity in FHIR is told so, and not of a scope', async () => {
  const token = await toToken('olga', 'acme');
  const { status, json } = await get('/w/acme/api/v1/fhir/r4/Practitioner', token);
  expect([status, json.issue[0].diagnostics]).toEqual([
    403,
    'Your account has no identity in FHIR (fhirUser), so that it reaches no records: an administrator can add one to it',
  ]);
});

it('an administrator who is a RelatedPerson of no Patient is told that, and not that the identity is missing', async () => {
  const details = { name: 'rita', password: PASSWORD, isAdministrator: true, fhirUser: 'RelatedPerson/rita' };
  await server.app.core.tenants.users.create('acme', details);
  const token = await toToken('rita', 'acme');
  const { status, json } = await get('/w/acme/api/v1/fhir/r4/Observation', token);
  expect([status, json.issue[0].diagnostics]).toEqual([
    403,
    expect.stringContaining('its RelatedPerson or Person reaches no Patient now'),
  ]);
});

describe('an administrator of the tenant system who signs in to the console', () => {
  it('administers the server until the right is taken away, in every process, with the token from before', async () => {
    const token = await toToken('olga');
    const [id = ''] = [accounts.get('olga')];
    expect((await get(TENANTS, token)).json.tenants).toBeDefined();
    expect((await get(TENANTS, token, second)).status).toBe(200);
    const right = (isAdministrator: boolean) => {
      const path = `${TENANTS}/system/users/${id}`;
      const body = { administrator: isAdministrator };
      return server.request('PATCH', path, body, {
        'content-type': 'application/json',
        authorization: `Bearer ${isAdministrator ? other : token}`,
      });
    };
    const other = await toToken('paul');
    const taken = await right(false);
    expect([taken.status, taken.json.administrator]).toEqual([200, false]);
    const refused = await get(TENANTS, token);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('Only administrators')]);
    await eventually(async () => (await get(TENANTS, token, second)).status === 403, 5_000);
    // The sign-in itself stays, and the right comes back to it.
    expect((await right(true)).json.administrator).toBe(true);
    expect((await get(TENANTS, token)).status).toBe(200);
  });

  it('is named in the audit record of what was done and what was refused', async () => {
    const { core } = server.app;
    const auditor = await core.tenants.users.create('system', {
      name: 'eve',
      password: PASSWORD,
      isAuditor: true,
    });
    const token = await toToken('paul');
    await get(`${TENANTS}/acme`, token);
    await get(`${TENANTS}/acme/users`, await toToken('eve'));
    let events: readonly RecordedEvent[] = [];
    while (JSON.stringify(agentsOf(events, 'GET tenants/acme/users')) === '[]')
      events = await toEvents(await toToken('eve'));
    expect(agentsOf(events, 'GET tenants/acme')).toEqual([
      ['andiron-console', accounts.get('paul'), undefined],
    ]);
    expect(agentsOf(events, 'GET tenants/acme/users')).toEqual([['andiron-console', auditor.id, 'HTTP 403']]);
  });

  it('may do so through another client only if that is registered for it, and the person has allowed it', async () => {
    const browsers = new Browsers(server);
    const sign = async (scope: string, fields: Record<string, string> = {}) => {
      const proof = makeProof();
      const start = toAuthorize(server, 'system', app, proof, { scope });
      const { browser, page } = await browsers.open(start, 'paul', PASSWORD);
      const words = page.text.includes('use your rights as an administrator or auditor');
      const { answer } = toReturned(await browser.send(page, { step: 'allow', ...fields }));
      const form = { grant_type: 'authorization_code', client_id: app, redirect_uri: APP, ...answer };
      const body = new URLSearchParams({ ...form, code_verifier: proof.verifier }).toString();
      const { json } = await server.request('POST', '/w/system/oidc/token', body, FORM);
      idToken = json.id_token;
      return { words, scope: json.scope, status: (await get(TENANTS, json.access_token)).status };
    };
    const both = 'openid administration';
    expect(await sign(both)).toEqual({ words: true, scope: both, status: 200 });
    expect(await sign('openid')).toEqual({ words: false, scope: 'openid', status: 403 });
    expect(await sign(both, { 'scopes-1': '' })).toEqual({ words: true, scope: 'openid', status: 403 });
    await server.app.core.tenants.clients.change('system', app, { scopes: ['openid'] });
    expect(await sign(both)).toEqual({ words: false, scope: 'openid', status: 403 });
  });
});

it('a person without rights, and an administrator of another tenant, administer nothing', async () => {
  const tokens = await new ConsoleUser(server, 'system').signIn('plain', PASSWORD);
  expect([tokens.scope, (await get(TENANTS, tokens.access_token)).status]).toEqual([
    'openid profile fhirUser online_access',
    403,
  ]);
  expect((await get(TENANTS, await toToken('olga', 'acme'))).status).toBe(403);
});

it('the console is told what a person is in which tenant, and other apps are not', async () => {
  await server.app.core.tenants.rename('acme', 'Acme Hospital');
  const claimsOf = (token: string) => {
    const { tenant_name, administrator, auditor } = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
    );
    return [tenant_name, administrator, auditor];
  };
  const told = async (name: string, tenant: string, more = {}) =>
    claimsOf((await new ConsoleUser(server, tenant).signIn(name, PASSWORD, more)).id_token);
  expect(await told('olga', 'acme')).toEqual(['Acme Hospital', true, false]);
  expect(await told('audrey', 'acme')).toEqual(['Acme Hospital', false, true]);
  expect(await told('plain', 'system')).toEqual(['system', false, false]);
  // The token has no rights that it did not ask for.
  expect(await told('olga', 'acme', { scope: 'openid profile' })).toEqual(['Acme Hospital', false, false]);
  expect(claimsOf(idToken)).toEqual([undefined, undefined, undefined]);
});

it('a client has the scope of administration only for people, never for itself', async () => {
  const client = await makeClient(server.app.core, 'system', { scopes: ['administration'], isAuditor: true });
  const headers = { ...FORM, authorization: client.basic };
  const { json } = await server.request(
    'POST',
    '/w/system/oidc/token',
    'grant_type=client_credentials',
    headers,
  );
  expect(json.scope).toBe('');
  expect((await get(TENANTS, json.access_token)).status).toBe(403);
});

it('an auditor reads AuditEvents, and so does an administrator, each of the own tenant', async () => {
  await server.app.core.tenants.users.create('acme', { name: 'plain', password: PASSWORD });
  const path = '/w/acme/api/v1/fhir/r4/AuditEvent';
  for (const name of ['audrey', 'olga']) {
    const read = await get(path, await toToken(name, 'acme'));
    expect([read.status, read.json.resourceType]).toEqual([200, 'Bundle']);
  }
  expect((await get(path, await toToken('plain', 'acme'))).status).toBe(403);
  expect((await get(path, await toToken('paul'))).status).toBe(403);
});

it('where access is open an administrator signs in, too', async () => {
  const open = await startServer({ environment: { AUTH_MODE: 'open' } });
  const { core } = open.app;
  await core.tenants.users.create('system', { name: 'olga', password: PASSWORD, isAdministrator: true });
  await core.tenants.users.create('system', { name: 'plain', password: PASSWORD });
  // A proxy sends it, so that it does not count as this machine.
  const statusOf = async (name: string) => {
    const { access_token: token } = await new ConsoleUser(open, 'system').signIn(name, PASSWORD);
    const headers = { authorization: `Bearer ${token}`, via: '1.1 proxy' };
    return (await open.request('GET', TENANTS, undefined, headers)).status;
  };
  expect([await statusOf('olga'), await statusOf('plain')]).toEqual([200, 403]);
  await open.close();
});

it('the server keeps an administrator, whoever changes it', async () => {
  const { users, clients } = server.app.core.tenants;
  for (const { id, isAdministrator } of await clients.list('system'))
    if (isAdministrator) await clients.change('system', id, { isAdministrator: false });
  const [last, ...others] = (await users.list('system')).filter(({ isAdministrator }) => isAdministrator);
  for (const { id } of others) await users.remove('system', id);
  const refused = { status: 409, key: 'lastAdministrator' };
  for (const changes of [{ isDisabled: true }, { isAdministrator: false }])
    await expect(users.change('system', last?.id ?? '', changes)).rejects.toMatchObject(refused);
  await expect(users.remove('system', last?.id ?? '')).rejects.toMatchObject(refused);
  await expect(clients.change('system', 'andiron-console', { isDisabled: true })).rejects.toMatchObject(
    refused,
  );
  expect((await users.find('system', last?.id ?? ''))?.isAdministrator).toBe(true);
});
