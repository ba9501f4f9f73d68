/** The accounts of a tenant: by command, over HTTP, in exports, and after their removal (docs/run/access.md, "People"). */
import { Client } from 'pg';
import { makeClient, type MadeClient } from '../support/access';
import { andiron } from '../support/andiron';
import { APP, Browser, FORM, makeProof, toAuthorize, toReturned } from '../support/sign-in';
import { startMailServer, type MailServer } from '../support/mail-server';
import { startServer, type TestServer } from '../support/server';

const PASSWORD = 'correct horse battery';
const SCOPES = ['openid', 'user/*.rs', 'offline_access'];
let server: TestServer;
let second: TestServer;
let mail: MailServer;
let administrator: MadeClient;
let app: string;
let database: Client;

beforeAll(async () => {
  mail = await startMailServer();
  const mailed = { SMTP_URL: mail.url, SMTP_FROM: 'andiron@hospital.example' };
  const environment = { AUTH_MODE: 'enforced', AUDIT: 'off', ...mailed };
  server = await startServer({ because: 'two processes and commands on one database', environment });
  const { core } = server.app;
  for (const name of ['acme', 'globex']) await core.tenants.create(name);
  second = await startServer({ database: server.database, environment });
  administrator = await makeClient(core, 'system', { isAdministrator: true });
  const details = { name: 'Growth chart', scopes: SCOPES, redirectUris: [APP], isPublic: true };
  ({ id: app } = await core.tenants.clients.create('acme', details));
  database = new Client(server.database.settings);
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await second.close();
  await server.close();
  await mail.close();
});

const administer = (method: string, path: string, body?: object, tenant = 'acme') =>
  server.request(method, `/w/system/api/v1/tenants/${tenant}/users${path}`, body, {
    'content-type': 'application/json',
    authorization: administrator.basic,
  });

/** Signs in for the app; undefined: the password is not right. */
async function toTokens(name: string, password: string) {
  const proof = makeProof();
  const browser = new Browser(server);
  const start = toAuthorize(server, 'acme', app, proof, { scope: SCOPES.join(' ') });
  const page = await browser.signIn(start, name, password);
  if (page.status !== 200) return undefined;
  const { answer } = toReturned(await browser.send(page, { step: 'allow' }));
  const form = { grant_type: 'authorization_code', client_id: app, redirect_uri: APP, ...answer };
  const body = new URLSearchParams({ ...form, code_verifier: proof.verifier }).toString();
  return (await server.request('POST', '/w/acme/oidc/token', body, FORM)).json;
}

const isGood = async (token: string, at = server) => {
  const path = '/w/acme/api/v1/fhir/r4/Patient?_count=0';
  const headers = { authorization: `Bearer ${token}` };
  return (await at.request('GET', path, undefined, headers)).status === 200;
};

/** Until it is good nowhere. */
async function untilEnded(token: string): Promise<void> {
  while ((await isGood(token)) || (await isGood(token, second)))
    await new Promise((resolve) => setTimeout(resolve, 50));
}

async function count(table: string, account: string): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::int as count from andiron.${table} where account = $1`,
    [account],
  );
  return rows[0]?.count ?? 0;
}

it('an administrator makes an account, changes, disables and removes it, and its tokens end in every process', async () => {
  const details = { name: 'Dora', display: 'Dr. Dora', password: PASSWORD, fhirUser: 'Practitioner/doc' };
  const made = await administer('POST', '', details);
  expect([made.status, made.json]).toEqual([
    201,
    {
      ...{ id: expect.any(String), name: 'dora', display: 'Dr. Dora', created: expect.any(String) },
      ...{ disabled: false, release: 'r4', fhirUser: 'Practitioner/doc', patient: null },
      ...{ administrator: false, auditor: false, secondFactor: false },
    },
  ]);
  const { id } = made.json;
  expect((await administer('POST', '', details)).status).toBe(400);
  expect((await administer('GET', '')).json.users).toEqual([made.json]);
  for (const method of ['GET', 'PATCH', 'DELETE'])
    expect((await administer(method, `/${id}`, method === 'PATCH' ? {} : undefined, 'globex')).status).toBe(
      404,
    );
  const first = await toTokens('dora', PASSWORD);
  expect(await isGood(first.access_token, second)).toBe(true);
  const changed = await administer('PATCH', `/${id}`, { password: 'another horse battery' });
  expect([changed.status, changed.text.includes('battery')]).toEqual([200, false]);
  await untilEnded(first.access_token);
  expect(await toTokens('dora', PASSWORD)).toBeUndefined();
  const next = await toTokens('dora', 'another horse battery');
  expect((await administer('PATCH', `/${id}`, { disabled: true })).json.disabled).toBe(true);
  await untilEnded(next.access_token);
  expect(await toTokens('dora', 'another horse battery')).toBeUndefined();
  await administer('PATCH', `/${id}`, { disabled: false });
  const last = await toTokens('dora', 'another horse battery');
  expect([await count('user_grant', id), await count('user_session', id)]).toEqual([3, 1]);
  expect((await administer('DELETE', `/${id}`)).json).toEqual({ removed: id });
  await untilEnded(last.access_token);
  expect([await count('user_grant', id), await count('user_session', id)]).toEqual([0, 0]);
  expect((await administer('GET', `/${id}`)).status).toBe(404);
});

it('has no name that looks like another one, and the answer says what is wrong', async () => {
  for (const mark of ['\u202e', '\u2066', '\u200f', '\u200b', '\n', '\u001b'])
    for (const body of [{ name: `em${mark}il` }, { name: 'emil', display: `Dr. ${mark}Emil` }]) {
      const { status, text } = await administer('POST', '', { ...body, password: PASSWORD });
      expect([status, text]).toEqual([400, expect.stringContaining('control characters')]);
    }
});

it('has a name with the joiners of its script', async () => {
  const display = 'مهدی\u200cزاده';
  const { json } = await administer('POST', '', { name: 'mahdi', display, password: PASSWORD });
  expect(json.display).toBe(display);
});

it('signs in with a password of 200 characters that are two for JavaScript', async () => {
  const password = '😀🐎🔋📎'.repeat(50);
  expect((await administer('POST', '', { name: 'zoe', fhirUser: 'Practitioner/doc', password })).status).toBe(
    201,
  );
  expect(await toTokens('zoe', password)).toBeDefined();
});

const andironUser = (...words: string[]): Promise<string> =>
  andiron(server.database, 'user', ...words, '--tenant', 'acme');

it('andiron user does the same, and prints a password once', async () => {
  const printed = await andironUser('create', '--name', 'emil', '--fhir-user', 'Practitioner/emil');
  const [, id = ''] = /^user_id=(.+)$/m.exec(printed) ?? [];
  const [, password = ''] = /^password=(.+)$/m.exec(printed) ?? [];
  const token = (await toTokens('emil', password)).access_token;
  const listed = await andironUser('list');
  expect([listed.includes(`${id}  active  emil`), listed.includes(password)]).toEqual([true, false]);
  expect(await andironUser('disable', id)).toContain('disabled');
  await untilEnded(token);
  expect(await andironUser('remove', id)).toBe(`Removed user ${id}\n`);
  expect((await administer('GET', `/${id}`)).status).toBe(404);
});

it('andiron user gives a person the rights of an administrator or auditor, and takes them away', async () => {
  const { id } = (await administer('POST', '', { name: 'greta', password: PASSWORD })).json;
  expect(await andironUser('change', id, '--administrator', '--auditor')).toContain(
    `${id}  active,administrator,auditor  greta`,
  );
  expect(await andironUser('change', id, '--no-administrator', '--json')).toContain('"administrator":false');
  expect((await administer('GET', `/${id}`)).json).toMatchObject({ administrator: false, auditor: true });
  await expect(andironUser('change', id, '--auditor', '--no-auditor')).rejects.toThrow(
    '--auditor and --no-auditor exclude each other',
  );
});

it('an export has accounts with their passwords, and no consents', async () => {
  const { json } = await administer('POST', '', {
    name: 'fay',
    password: PASSWORD,
    fhirUser: 'Practitioner/fay',
    auditor: true,
  });
  await toTokens('fay', PASSWORD);
  const headers = { authorization: administrator.basic };
  const tenants = '/w/system/api/v1/tenants';
  const { text } = await server.request('GET', `${tenants}/acme/export`, undefined, headers);
  expect([text.includes('"table":"user_account"'), text.includes(json.id)]).toEqual([true, true]);
  expect(/"table":"(?:user_session|user_grant|launch_context|sign_in_network|signing_key)"/.test(text)).toBe(
    false,
  );
  const lines = { ...headers, 'content-type': 'application/x-ndjson' };
  expect((await server.request('POST', `${tenants}/moved/import`, text, lines)).status).toBe(201);
  const browser = new Browser(server);
  const start = toAuthorize(server, 'moved', app, makeProof(), { scope: SCOPES.join(' ') });
  expect((await browser.signIn(start, 'fay', PASSWORD)).status).toBe(200);
  const [moved] = (await administer('GET', '', undefined, 'moved')).json.users.filter(
    ({ name }: { name: string }) => name === 'fay',
  );
  expect(moved).toMatchObject({ administrator: false, auditor: true });
  const removed = await server.request('DELETE', `${tenants}/moved?confirm=moved`, undefined, headers);
  const session = removed.json.tables.find(({ table }: { table: string }) => table === 'user_session');
  expect([removed.status, session]).toEqual([200, { table: 'user_session', removed: 1, left: 0 }]);
});

describe('an invitation by mail', () => {
  let user: string;
  beforeAll(async () => {
    await server.app.core.tenants.rename('acme', 'Acme Hospital');
    user = (await administer('POST', '', { name: 'gus' })).json.id;
  });

  it('brings the person the link, and the administrator does not get it', async () => {
    const { status, json } = await administer('POST', `/${user}/invitations`, {
      email: 'gus@hospital.example',
    });
    expect([status, json]).toEqual([201, { expires: expect.any(String) }]);
    const sent = mail.received.at(-1);
    expect(sent).toMatchObject({ from: 'andiron@hospital.example', to: ['gus@hospital.example'] });
    // Lines of a mail end at 76 characters.
    const content = sent?.content.replace(/=\n/g, '').replace(/=3D/g, '=') ?? '';
    expect(content).toContain('Subject: Set your password for Acme Hospital');
    const [, secret = ''] = /\/w\/acme\/oidc\/invitation#([\w-]{43})\s/.exec(content) ?? [];
    const browser = new Browser(server);
    const page = await browser.open('/w/acme/oidc/invitation');
    const set = await browser.send(page, { secret, password: PASSWORD, again: PASSWORD });
    expect([set.status, set.text]).toEqual([200, expect.stringContaining('Your password is set')]);
  });

  it('that the mail server refuses stays valid, and the administrator gets the link and the reason', async () => {
    const before = mail.received.length;
    const { status, json } = await administer('POST', `/${user}/invitations`, {
      email: `gus@${mail.refusedDomain}`,
    });
    expect([status, json]).toEqual([
      201,
      {
        ...{ link: expect.stringContaining('/w/acme/oidc/invitation#'), expires: expect.any(String) },
        problem: 'The mail was not sent (EENVELOPE): give the person the link',
      },
    ]);
    expect(mail.received).toHaveLength(before);
  });

  it.each([
    'gus',
    'gus@hospital.example, eve@evil.example',
    'gus@hospital.example\r\nBcc: eve@evil.example',
    'Gus <gus@hospital.example>',
    '"a b"@hospital.example',
    `${'g'.repeat(65)}@hospital.example`,
  ])('goes to one address: %s is none', async (email) => {
    const before = mail.received.length;
    expect((await administer('POST', `/${user}/invitations`, { email })).status).toBe(400);
    expect(mail.received).toHaveLength(before);
  });

  it('goes to at most a hundred addresses of a tenant within an hour', async () => {
    const { id } = (await administer('POST', '', { name: 'hal' }, 'globex')).json;
    const send = () =>
      administer('POST', `/${id}/invitations`, { email: `hal@${mail.refusedDomain}` }, 'globex');
    const began = performance.now();
    const answers = [await send()];
    while (answers.at(-1)?.status === 201 && answers.length < 200) answers.push(await send());
    // One more is allowed every 36 seconds.
    const more = Math.ceil((performance.now() - began) / 36_000);
    const refused = answers.at(-1);
    expect([refused?.status, refused?.headers['retry-after']]).toEqual([429, expect.any(String)]);
    expect(answers.length).toBeGreaterThan(100);
    expect(answers.length).toBeLessThanOrEqual(101 + more);
    expect((await administer('POST', `/${id}/invitations`, undefined, 'globex')).status).toBe(201);
  });
});
