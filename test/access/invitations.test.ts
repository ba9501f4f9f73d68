/** Links by which people set their passwords (docs/run/access.md, Invitations). */
import { Client } from 'pg';
import { createClient, create, administerWell } from '../support/access';
import { andiron } from '../support/andiron';
import type { Answer } from '../support/http';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { APP, Browser, makeProof, toAuthorize } from '../support/sign-in';

const PASSWORD = 'correct horse battery';
const NEW = 'another horse battery';
const NOT_VALID = 'This link is not valid, or not any more.';

let server: SharedServer;
let database: Client;
let acme: string;
let app: string;

beforeAll(async () => {
  server = await openSharedServer('audited');
  for (const name of ['acme', 'beta']) await server.createTenant(name);
  acme = server.tenant('acme');
  ({ id: app } = await createClient(server, 'acme', { scopes: ['openid'], redirectUris: [APP] }));
  database = new Client(server.database.settings);
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await server.close();
});

const usersOf = (tenant: string): string => `/tenants/${tenant}/users`;
const makeUser = async (name: string, more: object = {}): Promise<string> =>
  (await create(server, usersOf(acme), { name, ...more })).id;

/** The path of a link and its secret. */
async function invite(user: string): Promise<{ path: string; secret: string }> {
  const made = await administerWell(server, 'POST', `${usersOf(acme)}/${user}/invitations`);
  const { pathname, hash, origin } = new URL(made.link);
  expect([origin, pathname]).toEqual([server.base, `/w/${acme}/oidc/invitation`]);
  return { path: pathname, secret: hash.slice(1) };
}

interface RecordedEvent {
  readonly outcome: string;
  readonly agent: readonly { readonly who: { readonly identifier?: { readonly value: string } } }[];
}
interface Sent {
  readonly path: string;
  readonly secret: string;
  readonly password?: string;
  readonly again?: string;
}
async function use({ path, secret, password = NEW, again = password }: Sent): Promise<Answer> {
  const browser = new Browser(server);
  return browser.send(await browser.open(path), { secret, password, again });
}

const signIn = async (user: string, password: string): Promise<Answer> =>
  new Browser(server).signIn(
    toAuthorize(server, acme, app, makeProof(), { scope: 'openid' }),
    user,
    password,
  );
const canSignIn = async (user: string, password: string): Promise<boolean> =>
  (await signIn(user, password)).text.includes('asks for access');

it('a person without a password sets one by the link, once, and signs in', async () => {
  const dora = await makeUser('dora');
  expect(await canSignIn('dora', '')).toBe(false);
  const link = await invite(dora);
  expect((await server.administer('GET', `${usersOf(acme)}/${dora}`)).json.invited).toEqual(
    expect.any(String),
  );
  const set = await use(link);
  expect([set.status, set.text]).toEqual([200, expect.stringContaining('<h1>Your password is set</h1>')]);
  expect(await canSignIn('dora', NEW)).toBe(true);
  expect((await server.administer('GET', `${usersOf(acme)}/${dora}`)).json.invited).toBeUndefined();
  const again = await use({ ...link, password: 'a third horse battery' });
  expect([again.status, again.text]).toEqual([403, expect.stringContaining(NOT_VALID)]);
  expect(await canSignIn('dora', NEW)).toBe(true);
});

it('the old password is valid until the link is used, and then every sign-in of the account ends', async () => {
  const emil = await makeUser('emil', { password: PASSWORD });
  const browser = new Browser(server);
  const start = toAuthorize(server, acme, app, makeProof(), { scope: 'openid' });
  await browser.signIn(start, 'emil', PASSWORD);
  const link = await invite(emil);
  expect((await browser.open(start)).text).toContain('asks for access');
  expect((await use(link)).status).toBe(200);
  expect((await browser.open(start)).text).toContain('name="password"');
  expect([await canSignIn('emil', PASSWORD), await canSignIn('emil', NEW)]).toEqual([false, true]);
});

it('of two uses at once one sets its password', async () => {
  const fay = await makeUser('fay');
  const link = await invite(fay);
  const passwords = ['first horse battery', 'second horse battery'];
  const answers = await Promise.all(passwords.map((password) => use({ ...link, password })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
  const can = [];
  for (const password of passwords) can.push(await canSignIn('fay', password));
  expect(can).toEqual(answers.map(({ status }) => status === 200));
});

describe('a link that is not valid is answered alike:', () => {
  const expectRefused = async (link: Sent): Promise<void> => {
    const plain = ({ status, text }: Answer) => [
      status,
      text.replace(/name="token" value="[^"]+"/, '').replaceAll(acme, 'TENANT'),
    ];
    const made = await use(link);
    const wrong = await use({ path: link.path, secret: makeProof().verifier });
    expect(plain(made)).toEqual(plain(wrong));
    expect([wrong.status, wrong.text]).toEqual([403, expect.stringContaining(NOT_VALID)]);
  };
  const invited = async (name: string) => {
    const id = await makeUser(name, { password: PASSWORD });
    return { id, link: await invite(id) };
  };

  it('one that has expired', async () => {
    const { id, link } = await invited('gus');
    await database.query('update andiron.user_invitation set expires = now() where account = $1', [id]);
    await expectRefused(link);
  });

  it('one that a new one has replaced', async () => {
    const { id, link } = await invited('hal');
    const next = await invite(id);
    await expectRefused(link);
    expect((await use(next)).status).toBe(200);
  });

  it.each<[string, (user: string) => Promise<unknown>]>([
    ['has been disabled', (user) => administerWell(server, 'PATCH', user, { disabled: true })],
    [
      'has been disabled and enabled',
      async (user) => {
        await administerWell(server, 'PATCH', user, { disabled: true });
        await administerWell(server, 'PATCH', user, { disabled: false });
      },
    ],
    [
      'got a password meanwhile',
      (user) => administerWell(server, 'PATCH', user, { password: 'given horse battery' }),
    ],
    ['was removed', (user) => administerWell(server, 'DELETE', user)],
  ])('one of an account that %s', async (what, change) => {
    const { id, link } = await invited(what.replaceAll(' ', '-'));
    await change(`${usersOf(acme)}/${id}`);
    await expectRefused(link);
  });

  it('one of another tenant, and one of a tenant that does not exist', async () => {
    const { link } = await invited('ida');
    for (const tenant of ['beta', 'nope'].map(server.tenant)) {
      const path = `/w/${tenant}/oidc/invitation`;
      const { status, text } = await use({ path, secret: link.secret });
      expect([status, text]).toEqual([403, expect.stringContaining(NOT_VALID)]);
    }
    expect((await use(link)).status).toBe(200);
  });
});

it('a password that is not allowed uses up no link, and the page keeps its secret', async () => {
  const link = await invite(await makeUser('joe'));
  for (const [password, again, problem] of [
    ['short', 'short', 'A password must have 12 to 200 characters'],
    [NEW, PASSWORD, 'The two passwords differ'],
  ] as const) {
    const { status, text } = await use({ ...link, password, again });
    expect([status, text]).toEqual([400, expect.stringContaining(problem)]);
    expect(text).toContain(`name="secret" value="${link.secret}"`);
  }
  expect((await use(link)).status).toBe(200);
});

it('a form without a link says so, and is not counted', async () => {
  const { path, secret } = await invite(await makeUser('jon'));
  for (let times = 0; times < 10; times++) {
    const { status, text } = await use({ path, secret: '' });
    expect([status, text.includes('Open your link again'), text.includes(NOT_VALID)]).toEqual([
      400,
      true,
      false,
    ]);
  }
  expect((await use({ path, secret })).status).toBe(200);
});

it('a form of another browser or another site sets nothing', async () => {
  const link = await invite(await makeUser('kim'));
  const page = await new Browser(server).open(link.path);
  const fields = { secret: link.secret, password: NEW, again: NEW };
  const stranger = new Browser(server);
  await stranger.open(link.path);
  expect((await stranger.send(page, fields)).status).toBe(403);
  const own = new Browser(server);
  const sent = await own.send(await own.open(link.path), fields, { origin: 'https://evil.example' });
  expect(sent.status).toBe(403);
  expect((await use(link)).status).toBe(200);
});

it('the page cannot be framed, stored or loaded with other scripts, and no answer has the secret', async () => {
  const { path } = await invite(await makeUser('lea'));
  const { headers, text } = await new Browser(server).open(path);
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    ),
  });
  expect(text).toContain("history.replaceState(null, '', location.pathname)");
});

it('without a mail server, no link is sent to an address', async () => {
  const user = await makeUser('nell');
  const { status, text } = await server.administer('POST', `${usersOf(acme)}/${user}/invitations`, {
    email: 'nell@hospital.example',
  });
  expect([status, text]).toEqual([400, expect.stringContaining('SMTP_URL')]);
});

it('a disabled account gets no link, and an account that does not exist is 404', async () => {
  const mia = await makeUser('mia', { disabled: true });
  expect((await server.administer('POST', `${usersOf(acme)}/${mia}/invitations`)).status).toBe(400);
  expect((await server.administer('POST', `${usersOf(acme)}/none/invitations`)).status).toBe(404);
  const beta = usersOf(server.tenant('beta'));
  expect((await server.administer('POST', `${beta}/${mia}/invitations`)).status).toBe(404);
});

it('attempts are counted as those of sign-ins are: of one link, and of a network', async () => {
  await server.createTenant('guessed');
  const tenant = server.tenant('guessed');
  const { id } = await create(server, usersOf(tenant), { name: 'nina' });
  const made = await administerWell(server, 'POST', `${usersOf(tenant)}/${id}/invitations`);
  const browser = new Browser(server);
  const page = await browser.open(`/w/${tenant}/oidc/invitation`);
  const send = (secret: string) => browser.send(page, { secret, password: 'short', again: 'short' });
  const statuses = [];
  for (let count = 0; count < 5; count++) statuses.push((await send('0'.repeat(43))).status);
  expect(statuses).toEqual([403, 403, 403, 403, 403]);
  const refused = await send('0'.repeat(43));
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.any(String)]);
  // Others in the hospital can still use theirs, until the network has guessed a hundred.
  const secret = new URL(made.link).hash.slice(1);
  expect((await send(secret)).status).toBe(400);
  const guess = async (count: number) => (await send(String(count).padStart(43, '1'))).status;
  for (let count = 5; count < 100; count++) expect(await guess(count)).toBe(403);
  // One more is allowed every six seconds.
  let more = 0;
  while (more < 100 && (await guess(100 + more)) === 403) more++;
  expect(more).toBeLessThan(100);
  expect((await send(secret)).status).toBe(429);
});

it('neither the database, an export nor the audit record has the secret; the audit record has each attempt', async () => {
  await server.createTenant('recorded');
  const tenant = server.tenant('recorded');
  const { id } = await create(server, usersOf(tenant), { name: 'olga' });
  const made = await administerWell(server, 'POST', `${usersOf(tenant)}/${id}/invitations`);
  const secret = new URL(made.link).hash.slice(1);
  const path = `/w/${tenant}/oidc/invitation`;
  const { rows } = await database.query<{ text: string }>(
    'select i::text as text from andiron.user_invitation i where account = $1',
    [id],
  );
  expect(rows).toHaveLength(1);
  const exported = await server.administer('GET', `/tenants/${tenant}/export`);
  expect([exported.status, exported.text.includes('user_invitation')]).toEqual([200, false]);
  await use({ path, secret: 'x'.repeat(43) });
  await use({ path, secret });
  const auditor = await createClient(server, 'recorded', { scopes: ['system/*.rs'], auditor: true });
  const trail = await server.request(
    'GET',
    `${server.path('recorded', 'r4')}/AuditEvent?type=110114`,
    undefined,
    { authorization: auditor.basic },
  );
  const events = (trail.json.entry as { resource: RecordedEvent }[]).map(({ resource }) => [
    resource.outcome,
    resource.agent.some(({ who }) => who.identifier?.value === id),
  ]);
  expect(events.toReversed()).toEqual([
    ['4', false],
    ['0', true],
  ]);
  for (const text of [JSON.stringify(rows), exported.text, trail.text])
    expect([secret, NEW].filter((one) => text.includes(one))).toEqual([]);
});

it('andiron user invite prints a link, and user create --invite one of a new account', async () => {
  await server.createTenant('commanded');
  const tenant = server.tenant('commanded');
  const environment = { ...server.database.environment, PUBLIC_URL: server.base };
  const run = (...words: string[]) =>
    andiron({ environment }, 'user', ...words, '--tenant', tenant, '--json');
  const made = JSON.parse(await run('create', '--name', 'pia', '--invite'));
  const printed = JSON.parse(await run('invite', made.id));
  for (const { link } of [made.invitation, printed])
    expect(link).toMatch(new RegExp(`/w/${tenant}/oidc/invitation#[\\w-]{43}$`));
  const path = `/w/${tenant}/oidc/invitation`;
  const statuses = [];
  for (const { link } of [made.invitation, printed])
    statuses.push((await use({ path, secret: new URL(link).hash.slice(1) })).status);
  expect(statuses).toEqual([403, 200]);
  await expect(run('invite', 'none')).rejects.toThrow("The user 'none' does not exist");
});
