/** A tenant is not left without an administrator by its own administrators (docs/run/own-administration.md). */
import { administerWell, create, createClient, type MadeClient } from '../support/access';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';

const PASSWORD = 'correct horse battery';
const ISSUER = 'https://login.example';

let server: SharedServer;
let made = 0;
beforeAll(async () => {
  server = await openSharedServer('enforced');
});
afterAll(() => server.close());

/** A tenant with one administrator, which is a client with a secret. */
async function makeTenant(): Promise<{
  readonly name: string;
  readonly tenant: string;
  readonly client: MadeClient;
  send(method: string, path: string, body?: unknown, by?: MadeClient): Promise<Answer>;
}> {
  const name = `last-${++made}`;
  await server.createTenant(name);
  const client = await createClient(server, name, { administrator: true });
  const tenant = server.tenant(name);
  const send = (method: string, path: string, body?: unknown, by = client): Promise<Answer> =>
    server.request(method, `/w/${tenant}/api/v1${path}`, body, {
      'content-type': 'application/json',
      authorization: by.basic,
    });
  return { name, tenant, client, send };
}

const REFUSED = [409, expect.stringContaining('without an administrator')];
const inShort = ({ status, json }: Answer): unknown[] => [status, json.issue?.[0].diagnostics];

describe('the last administrator of a tenant', () => {
  it('cannot remove itself: it is enabled, has the right, and a way to prove what it is', async () => {
    const { tenant, client, send } = await makeTenant();
    const path = `/clients/${client.id}`;
    const [{ id: secret }] = (await send('GET', path)).json.secrets;
    // An account that is disabled, one without the right, and a client without a secret administer nothing.
    await create(server, `/tenants/${tenant}/users`, { name: 'off', password: PASSWORD, administrator: true, disabled: true });
    await create(server, `/tenants/${tenant}/users`, { name: 'ann', password: PASSWORD });
    await create(server, `/tenants/${tenant}/clients`, { name: 'Keyless', withSecret: false, administrator: true });
    const before = (await send('GET', path)).json;
    expect(inShort(await send('PATCH', path, { disabled: true }))).toEqual(REFUSED);
    expect(inShort(await send('PATCH', path, { administrator: false, name: 'Other' }))).toEqual(REFUSED);
    expect(inShort(await send('DELETE', `${path}/secrets/${secret}`))).toEqual(REFUSED);
    expect((await send('GET', path)).json).toEqual(before);
    expect((await send('PATCH', path, { name: 'Other' })).status).toBe(200);
    // Another secret is enough.
    expect((await send('POST', `${path}/secrets`, {})).status).toBe(201);
    expect((await send('DELETE', `${path}/secrets/${secret}`)).status).toBe(200);
  }); // prettier-ignore

  it('may leave once there is another one, and then the other one stays', async () => {
    const { tenant, client, send } = await makeTenant();
    const path = `/clients/${client.id}`;
    const olga = { name: 'olga', password: PASSWORD, administrator: true };
    const user = `/users/${(await create(server, `/tenants/${tenant}/users`, olga)).id}`;
    expect((await send('PATCH', path, { administrator: true })).status).toBe(200);
    // People sign in by the console, so that it stays as long as there are only people.
    const second = await createClient(server, 'last-' + made, { administrator: true });
    for (const id of [client.id, second.id]) {
      expect((await send('PATCH', `/clients/${id}`, { administrator: false }, second)).status).toBe(200);
    }
    await administerWell(server, 'PATCH', `/tenants/${tenant}/clients/${client.id}`, { administrator: true });
    expect((await send('PATCH', '/clients/andiron-console', { disabled: true })).status).toBe(200);
    expect(inShort(await send('PATCH', path, { disabled: true }))).toEqual(REFUSED);
    expect((await send('PATCH', '/clients/andiron-console', { disabled: false })).status).toBe(200);
    expect((await send('DELETE', user)).status).toBe(200);
    expect(inShort(await send('PATCH', path, { disabled: true }))).toEqual(REFUSED);
  });

  it('may be a client whose tokens an issuer signs, as long as there is the issuer', async () => {
    const { tenant, client, send } = await makeTenant();
    const at = `/tenants/${tenant}/clients`;
    const portal = (await create(server, at, { name: 'Portal', withSecret: false, administrator: true })).id;
    const app = (await create(server, at, { name: 'App', withSecret: false })).id;
    const issuer = { issuer: ISSUER, audience: 'andiron', jwksUrl: `${ISSUER}/jwks`, client: portal };
    expect((await send('PUT', '/issuers', issuer)).status).toBe(200);
    expect((await send('PATCH', `/clients/${client.id}`, { administrator: false })).status).toBe(200);
    await administerWell(server, 'PATCH', `${at}/${client.id}`, { administrator: true });
    expect((await send('PUT', '/issuers', { ...issuer, client: app })).status).toBe(200);
    expect(inShort(await send('PATCH', `/clients/${client.id}`, { administrator: false }))).toEqual(REFUSED);
  });

  it('is not replaced by somebody who has not used the link to set a password yet', async () => {
    const { client, send } = await makeTenant();
    const { json: olga } = await send('POST', '/users', { name: 'olga', administrator: true });
    expect((await send('POST', `/users/${olga.id}/invitations`, {})).status).toBe(201);
    expect(inShort(await send('PATCH', `/clients/${client.id}`, { disabled: true }))).toEqual(REFUSED);
    expect((await send('PATCH', `/users/${olga.id}`, { password: PASSWORD })).status).toBe(200);
    expect((await send('PATCH', `/clients/${client.id}`, { disabled: true })).status).toBe(200);
  });

  it('can be removed by the operator', async () => {
    const { tenant, client, send } = await makeTenant();
    await administerWell(server, 'PATCH', `/tenants/${tenant}/clients/${client.id}`, { disabled: true });
    expect((await send('GET', '/users')).status).toBe(401);
  });
});

it('a right that is taken away does not come back by another change at the same time', async () => {
  const { send } = await makeTenant();
  const { json: user } = await send('POST', '/users', { name: 'ben', password: PASSWORD });
  const { json: app } = await send('POST', '/clients', { name: 'App', withSecret: false });
  for (let round = 0; round < 8; round++)
    for (const path of [`/users/${user.id}`, `/clients/${app.id}`]) {
      expect((await send('PATCH', path, { auditor: true })).status).toBe(200);
      const name = path.startsWith('/users') ? { display: `Ben ${round}` } : { name: `App ${round}` };
      const changes = [{ auditor: false }, name, { disabled: round % 2 === 0 }, name];
      const answers = await Promise.all(changes.map((change) => send('PATCH', path, change)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect((await send('GET', path)).json).toMatchObject({
        auditor: false,
        ...name,
        disabled: round % 2 === 0,
      });
    }
});

it('two administrators who remove each other at once do not both succeed', async () => {
  for (let round = 0; round < 5; round++) {
    const { name, tenant, client, send } = await makeTenant();
    const other = await createClient(server, name, { administrator: true });
    const pairs = [
      [client, other],
      [other, client],
    ] as const;
    const answers = await Promise.all(
      pairs.map(([by, whom]) => send('PATCH', `/clients/${whom.id}`, { disabled: true }, by)),
    );
    // The slower one may be refused because it is disabled already.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect([401, 409]).toContain(answers.find(({ status }) => status !== 200)?.status);
    const { json } = await server.administer('GET', `/tenants/${tenant}/clients`);
    const left = json.clients.filter((each: { administrator: boolean; disabled: boolean }) => each.administrator && !each.disabled);
    expect(left).toHaveLength(1);
  }
}); // prettier-ignore
