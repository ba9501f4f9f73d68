/** Second factors of people: setting one up, signing in with it, and attacks on it (docs/run/access.md, Second factor). */
import { Client } from 'pg';
import { administerWell, create, createClient } from '../support/access';
import { andiron } from '../support/andiron';
import type { Answer } from '../support/http';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { ConsoleUser, type ConsoleTokens } from '../support/console-sign-in';
import { APP, Browser, makeProof, toAuthorize, toReturned } from '../support/sign-in';
import { toCode } from '../support/totp';

const PASSWORD = 'correct horse battery';
const WRONG = 'The code is not right, or was used before.';

let server: SharedServer;
let database: Client;
/** The tenants, which have an app each: attempts of a network are counted by tenant. */
const apps = new Map<string, string>();

beforeAll(async () => {
  server = await openSharedServer('audited');
  database = new Client(server.database.settings);
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await server.close();
});

async function makeTenant(name: string, settings: Record<string, string> = {}): Promise<string> {
  await server.createTenant(name, settings);
  const { id } = await createClient(server, name, { scopes: ['openid'], redirectUris: [APP] });
  apps.set(server.tenant(name), id);
  return server.tenant(name);
}

const usersOf = (tenant: string): string => `/tenants/${tenant}/users`;
const makeUser = async (tenant: string, name: string): Promise<string> =>
  (await create(server, usersOf(tenant), { name, password: PASSWORD })).id;
const toStart = (tenant: string): string =>
  toAuthorize(server, tenant, apps.get(tenant) ?? '', makeProof(), { scope: 'openid' });
const toSetting = (tenant: string): string => `/w/${tenant}/oidc/second-factor`;

/** Sends the form of a page back with its proof. */
function answer(browser: Browser, page: Answer, fields: Record<string, string>): Promise<Answer> {
  const [, proof = ''] = /name="proof" value="([^"]+)"/.exec(page.text) ?? [];
  return browser.send(page, { proof, ...fields });
}
const sendCode = (browser: Browser, page: Answer, code: string) =>
  answer(browser, page, { step: 'code', code });

interface Factor {
  readonly secret: string;
  readonly codes: readonly string[];
}
const secretOf = ({ text }: Answer): string =>
  /<code id="secret">([A-Z2-7 ]+)<\/code>/.exec(text)?.[1]?.replaceAll(' ', '') ?? '';
const codesOf = ({ text }: Answer): string[] =>
  [...text.matchAll(/<code>([A-Z2-7-]{27})<\/code>/g)].map(([, code = '']) => code);

/** Sets up a second factor with the code of the step before, so that the present one is free for a sign-in. */
async function enrol(tenant: string, name: string): Promise<Factor> {
  const browser = new Browser(server);
  const page = await browser.signIn(toSetting(tenant), name, PASSWORD);
  const secret = secretOf(page);
  const set = await answer(browser, page, { step: 'enrol', code: toCode(secret, -1) });
  expect(set.status).toBe(200);
  return { secret, codes: codesOf(set) };
}

/** A browser that has sent the password, and the page that asks for the code. */
async function toCodePage(tenant: string, name: string, password = PASSWORD) {
  const browser = new Browser(server);
  const page = await browser.signIn(toStart(tenant), name, password);
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('name="code"')]);
  return { browser, page };
}
const isIn = ({ status, text }: Answer): boolean => status === 200 && text.includes('asks for access');

async function signIn(tenant: string, name: string, code: string): Promise<Answer> {
  const { browser, page } = await toCodePage(tenant, name);
  return sendCode(browser, page, code);
}

it('a person sets up a second factor, and signs in with a code after the password', async () => {
  const acme = await makeTenant('acme');
  const dora = await makeUser(acme, 'dora');
  const shown = async () => (await server.administer('GET', `${usersOf(acme)}/${dora}`)).json.secondFactor;
  expect(await shown()).toBe(false);
  const { secret, codes } = await enrol(acme, 'dora');
  expect([await shown(), codes.length]).toEqual([true, 10]);
  const { browser, page } = await toCodePage(acme, 'dora');
  // Nobody is signed in yet.
  expect(browser.cookies.has('andiron-session')).toBe(false);
  expect((await browser.open(toStart(acme))).text).toContain('name="password"');
  const done = await sendCode(browser, page, toCode(secret));
  // The browser has gone on to another request meanwhile, so that the form is not that of its page.
  expect(done.status).toBe(403);
  const fresh = await toCodePage(acme, 'dora');
  expect(isIn(await sendCode(fresh.browser, fresh.page, toCode(secret)))).toBe(true);
});

it('a person with the longest names sets one up, whose QR code has room for their beginnings', async () => {
  const tenant = await makeTenant('longest');
  const renamed = await server.administer('PATCH', `/tenants/${tenant}`, { display: '漢'.repeat(200) });
  expect(renamed.status).toBe(200);
  const name = '子'.repeat(100);
  await makeUser(tenant, name);
  expect((await enrol(tenant, name)).codes).toHaveLength(10);
});

it('a code is valid once, in any browser, and of two uses at once one signs in', async () => {
  const tenant = await makeTenant('replayed');
  await makeUser(tenant, 'emil');
  const { secret } = await enrol(tenant, 'emil');
  const code = toCode(secret);
  const pages = [await toCodePage(tenant, 'emil'), await toCodePage(tenant, 'emil')];
  const answers = await Promise.all(pages.map(({ browser, page }) => sendCode(browser, page, code)));
  expect(answers.map(isIn).sort()).toEqual([false, true]);
  const again = await signIn(tenant, 'emil', code);
  expect([again.status, again.text]).toEqual([403, expect.stringContaining(WRONG)]);
  // Neither is one before it.
  expect((await signIn(tenant, 'emil', toCode(secret, -1))).status).toBe(403);
  expect(isIn(await signIn(tenant, 'emil', toCode(secret, 1)))).toBe(true);
});

it('a recovery code is valid once, and of two uses at once one signs in', async () => {
  const tenant = await makeTenant('recovered');
  await makeUser(tenant, 'fay');
  const { codes } = await enrol(tenant, 'fay');
  const [first = '', second = ''] = codes;
  const pages = [await toCodePage(tenant, 'fay'), await toCodePage(tenant, 'fay')];
  const answers = await Promise.all(pages.map(({ browser, page }) => sendCode(browser, page, first)));
  expect(answers.map(isIn).sort()).toEqual([false, true]);
  expect(isIn(await signIn(tenant, 'fay', second.toLowerCase().replaceAll('-', ' ')))).toBe(true);
});

it('wrong codes are counted over many sign-ins, and then a right one is refused too', async () => {
  const tenant = await makeTenant('guessed');
  await makeUser(tenant, 'gus');
  const { secret } = await enrol(tenant, 'gus');
  const wrong = toCode(secret, 1000);
  const statuses = [];
  for (let count = 0; count < 6; count++) statuses.push((await signIn(tenant, 'gus', wrong)).status);
  expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
  const refused = await signIn(tenant, 'gus', toCode(secret));
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.any(String)]);
});

describe('the proof of a password', () => {
  let tenant: string;
  let secret: string;
  beforeAll(async () => {
    tenant = await makeTenant('proved');
    await makeUser(tenant, 'hal');
    await makeUser(tenant, 'ida');
    ({ secret } = await enrol(tenant, 'hal'));
  });

  it('is not valid in another browser, for another account, or when it is changed', async () => {
    const { browser, page } = await toCodePage(tenant, 'hal');
    const [, proof = ''] = /name="proof" value="([^"]+)"/.exec(page.text) ?? [];
    const [text = '', signature = ''] = proof.split('.');
    const plain = Buffer.from(text, 'base64url').toString();
    const ida = (await server.administer('GET', usersOf(tenant))).json.users.find(
      ({ name }: { name: string }) => name === 'ida',
    ).id;
    const others = [
      `${Buffer.from(plain.replace(/^\S+/, ida)).toString('base64url')}.${signature}`,
      `${Buffer.from(plain.replace(/ (\d+) /, ' 9999999999999 ')).toString('base64url')}.${signature}`,
      `${text}.`,
      '',
    ];
    for (const changed of others) {
      const refused = await browser.send(page, { step: 'code', code: toCode(secret), proof: changed });
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('Sign in again.')]);
    }
    const stranger = new Browser(server);
    const own = await stranger.open(browser.path);
    const stolen = await stranger.send(own, { step: 'code', code: toCode(secret), proof });
    expect([stolen.status, stolen.text]).toEqual([403, expect.stringContaining('Sign in again.')]);
  });

  it('sets up no other second factor in place of the present one', async () => {
    const { browser, page } = await toCodePage(tenant, 'hal');
    const sent = await answer(browser, page, { step: 'enrol', code: toCode(secret) });
    expect([sent.status, sent.text]).toEqual([403, expect.stringContaining('Sign in again.')]);
  });

  it('of two who set up a second factor at once, the first has it', async () => {
    const pages = await Promise.all(
      [0, 1].map(async () => {
        const browser = new Browser(server);
        return { browser, page: await browser.signIn(toSetting(tenant), 'ida', PASSWORD) };
      }),
    );
    const answers = await Promise.all(
      pages.map(({ browser, page }) =>
        answer(browser, page, { step: 'enrol', code: toCode(secretOf(page), -1) }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    const winner = answers.findIndex(({ status }) => status === 200);
    const page = pages[winner]?.page;
    if (page === undefined) throw new Error('nobody has it');
    expect(isIn(await signIn(tenant, 'ida', toCode(secretOf(page))))).toBe(true);
  });

  it('ends with a new password and with disabling the account', async () => {
    const kim = await makeUser(tenant, 'kim');
    const factor = await enrol(tenant, 'kim');
    const { browser, page } = await toCodePage(tenant, 'kim');
    await administerWell(server, 'PATCH', `${usersOf(tenant)}/${kim}`, { password: 'another horse battery' });
    expect((await sendCode(browser, page, toCode(factor.secret))).text).toContain('Sign in again.');
    // The second factor stays.
    const next = await toCodePage(tenant, 'kim', 'another horse battery');
    await administerWell(server, 'PATCH', `${usersOf(tenant)}/${kim}`, { disabled: true });
    expect((await sendCode(next.browser, next.page, toCode(factor.secret))).text).toContain('Sign in again.');
  });
});

it('a person changes to another app after a code of the present one, and the old one is over', async () => {
  const tenant = await makeTenant('changed');
  await makeUser(tenant, 'lea');
  const old = await enrol(tenant, 'lea');
  const browser = new Browser(server);
  const asked = await browser.signIn(toSetting(tenant), 'lea', PASSWORD);
  const page = await sendCode(browser, asked, toCode(old.secret));
  const secret = secretOf(page);
  expect([secret.length, secret === old.secret]).toEqual([32, false]);
  const wrong = await answer(browser, page, { step: 'enrol', code: toCode(secret, 1000) });
  expect([wrong.status, secretOf(wrong)]).toEqual([403, secret]);
  const set = await answer(browser, wrong, { step: 'enrol', code: toCode(secret, -1) });
  expect(codesOf(set)).toHaveLength(10);
  expect((await signIn(tenant, 'lea', old.codes[0] ?? '')).status).toBe(403);
  expect((await signIn(tenant, 'lea', toCode(old.secret, 1))).status).toBe(403);
  expect(isIn(await signIn(tenant, 'lea', toCode(secret)))).toBe(true);
});

it('where the tenant requires it, a person sets one up at the next sign-in, before the session begins', async () => {
  const tenant = await makeTenant('required', { 'second-factor': 'required' });
  await makeUser(tenant, 'mia');
  const browser = new Browser(server);
  const page = await browser.signIn(toStart(tenant), 'mia', PASSWORD);
  const secret = secretOf(page);
  expect([page.status, secret.length, browser.cookies.has('andiron-session')]).toEqual([200, 32, false]);
  const set = await answer(browser, page, { step: 'enrol', code: toCode(secret, -1) });
  expect([codesOf(set).length, browser.cookies.has('andiron-session')]).toEqual([10, true]);
  const [, next = ''] = /<a href="(authorize[^"]+)"/.exec(set.text) ?? [];
  const path = `/w/${tenant}/oidc/${next.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)))}`;
  expect(isIn(await browser.open(path))).toBe(true);
  expect(isIn(await signIn(tenant, 'mia', toCode(secret)))).toBe(true);
});

it('a person goes back to the app from the page of the code, and from that to set one up', async () => {
  const tenant = await makeTenant('cancelled');
  await makeUser(tenant, 'max');
  await enrol(tenant, 'max');
  const asked = await toCodePage(tenant, 'max');
  expect(asked.page.text).toContain('recovery codes');
  const changed = await server.administer('PATCH', `/tenants/${tenant}`, {
    settings: { 'second-factor': 'required' },
  });
  expect(changed.status).toBe(200);
  await makeUser(tenant, 'moa');
  const browser = new Browser(server);
  const setting = { browser, page: await browser.signIn(toStart(tenant), 'moa', PASSWORD) };
  expect(secretOf(setting.page)).toHaveLength(32);
  for (const { browser, page } of [asked, setting]) {
    const [cancel = ''] = /<button [^>]*>Cancel<\/button>/.exec(page.text) ?? [];
    expect(cancel).toContain('value="deny" formnovalidate');
    const { answer } = toReturned(await browser.send(page, { step: 'deny' }));
    expect([answer.error, browser.cookies.has('andiron-session')]).toEqual(['access_denied', false]);
  }
  // There is no app to go back to.
  const own = new Browser(server);
  expect((await own.signIn(toSetting(tenant), 'max', PASSWORD)).text).not.toContain('Cancel');
});

describe('on the page of the second factor', () => {
  let tenant: string;
  beforeAll(async () => {
    tenant = await makeTenant('own');
  });

  /** The page that asks for a code of the present second factor. */
  async function toChoice(name: string): Promise<{ readonly browser: Browser; readonly page: Answer }> {
    const browser = new Browser(server);
    return { browser, page: await browser.signIn(toSetting(tenant), name, PASSWORD) };
  }

  it('a person removes it with a code or a recovery code, and then the password alone is enough', async () => {
    const zoe = await makeUser(tenant, 'zoe');
    for (const proof of ['code', 'recovery code']) {
      const { secret, codes } = await enrol(tenant, 'zoe');
      const { browser, page } = await toChoice('zoe');
      expect(page.text).toContain('value="remove"');
      const code = proof === 'code' ? toCode(secret) : (codes[0] ?? '');
      const removed = await answer(browser, page, { step: 'remove', code });
      expect([removed.status, removed.text]).toEqual([200, expect.stringContaining('Your second factor is removed')]);
      expect((await server.administer('GET', `${usersOf(tenant)}/${zoe}`)).json.secondFactor).toBe(false);
      expect(isIn(await new Browser(server).signIn(toStart(tenant), 'zoe', PASSWORD))).toBe(true);
      // The form is of no use any more.
      expect((await answer(browser, page, { step: 'remove', code })).text).toContain('Sign in again.');
    }
  }); // prettier-ignore

  it('a wrong code removes nothing, and is counted as at a sign-in', async () => {
    const yan = await makeUser(tenant, 'yan');
    const { secret } = await enrol(tenant, 'yan');
    const statuses: number[] = [];
    for (let count = 0; count < 6; count++) {
      const { browser, page } = await toChoice('yan');
      statuses.push((await answer(browser, page, { step: 'remove', code: toCode(secret, 1000) })).status);
    }
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
    expect((await signIn(tenant, 'yan', toCode(secret))).status).toBe(429);
    expect((await server.administer('GET', `${usersOf(tenant)}/${yan}`)).json.secondFactor).toBe(true);
  });

  it('nothing is removed by a sign-in, without a code, or where the tenant requires one', async () => {
    const xia = await makeUser(tenant, 'xia');
    const { secret } = await enrol(tenant, 'xia');
    const signing = await toCodePage(tenant, 'xia');
    expect(signing.page.text).not.toContain('value="remove"');
    expect(
      (await answer(signing.browser, signing.page, { step: 'remove', code: toCode(secret) })).status,
    ).toBe(400);
    const { browser, page } = await toChoice('xia');
    expect((await answer(browser, page, { step: 'remove', code: '' })).status).toBe(403);
    await administerWell(server, 'PATCH', `/tenants/${tenant}`, {
      settings: { 'second-factor': 'required' },
    });
    const refused = await answer(browser, page, { step: 'remove', code: toCode(secret) });
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('you can only set up another one'),
    ]);
    expect(refused.text).not.toContain('value="remove"');
    expect((await server.administer('GET', `${usersOf(tenant)}/${xia}`)).json.secondFactor).toBe(true);
  });
});

describe('sign-ins that have not proved a second factor', () => {
  const isSignedIn = async (tenant: string, { access_token }: ConsoleTokens): Promise<boolean> => {
    // The account has no right to data: 403 as long as it is signed in.
    const { status } = await server.request('GET', `/w/${tenant}/api/v1/fhir/r4/Patient`, undefined, {
      authorization: `Bearer ${access_token}`,
    });
    expect([401, 403]).toContain(status);
    return status === 403;
  };

  it('end with the first one that a person sets up, in all browsers and apps', async () => {
    const tenant = await makeTenant('sooner');
    await makeUser(tenant, 'vera');
    const user = new ConsoleUser(server, tenant);
    const tokens = await user.signIn('vera', PASSWORD);
    expect(await isSignedIn(tenant, tokens)).toBe(true);
    await enrol(tenant, 'vera');
    expect(await isSignedIn(tenant, tokens)).toBe(false);
    expect((await user.refresh(tokens)).status).toBe(400);
    expect((await user.attempt()).answer).toMatchObject({ error: 'login_required' });
  });

  it('do not count while the tenant requires one: people without are asked at once, and others go on', async () => {
    const tenant = await makeTenant('later');
    for (const name of ['uma', 'tom']) await makeUser(tenant, name);
    const { secret } = await enrol(tenant, 'tom');
    const [uma, tom] = [new ConsoleUser(server, tenant), new ConsoleUser(server, tenant)];
    const ofUma = await uma.signIn('uma', PASSWORD);
    // The session of the browser is that of the app's sign-in, with the code.
    const page = await tom.browser.signIn(toStart(tenant), 'tom', PASSWORD);
    expect(isIn(await sendCode(tom.browser, page, toCode(secret)))).toBe(true);
    const ofTom = await tom.renew();
    await administerWell(server, 'PATCH', `/tenants/${tenant}`, {
      settings: { 'second-factor': 'required' },
    });
    expect(await isSignedIn(tenant, ofUma)).toBe(false);
    expect((await uma.refresh(ofUma)).status).toBe(400);
    expect((await uma.attempt()).answer).toMatchObject({ error: 'login_required' });
    expect(await isSignedIn(tenant, ofTom)).toBe(true);
    expect((await tom.refresh(ofTom)).status).toBe(200);
  });
});

it('an administrator removes a second factor, and the password stays', async () => {
  const tenant = await makeTenant('removed');
  const nina = await makeUser(tenant, 'nina');
  await enrol(tenant, 'nina');
  const address = `${usersOf(tenant)}/${nina}/second-factor`;
  expect((await server.administer('DELETE', address)).status).toBe(200);
  expect((await server.administer('DELETE', address)).status).toBe(404);
  expect(isIn(await new Browser(server).signIn(toStart(tenant), 'nina', PASSWORD))).toBe(true);
  await enrol(tenant, 'nina');
  await andiron(server.database, 'user', 'remove-second-factor', nina, '--tenant', tenant);
  expect(isIn(await new Browser(server).signIn(toStart(tenant), 'nina', PASSWORD))).toBe(true);
});

it('a link sets another password beside the second factor', async () => {
  const tenant = await makeTenant('reset');
  const olga = await makeUser(tenant, 'olga');
  const { secret } = await enrol(tenant, 'olga');
  const { link } = await administerWell(server, 'POST', `${usersOf(tenant)}/${olga}/invitations`);
  const browser = new Browser(server);
  const password = 'another horse battery';
  const page = await browser.open(`/w/${tenant}/oidc/invitation`);
  await browser.send(page, { secret: new URL(link).hash.slice(1), password, again: password });
  const next = await toCodePage(tenant, 'olga', password);
  expect(isIn(await sendCode(next.browser, next.page, toCode(secret)))).toBe(true);
});

it('a program without second factors, and an import, find no password of the account', async () => {
  const tenant = await makeTenant('moving');
  const pia = await makeUser(tenant, 'pia');
  const hashOf = async () =>
    (await database.query('select hash from andiron.user_account where id = $1', [pia])).rows[0]?.hash;
  const before = await hashOf();
  const { secret, codes } = await enrol(tenant, 'pia');
  const placeholder = await hashOf();
  expect([typeof placeholder, placeholder === before]).toEqual(['string', false]);
  const { text } = await server.administer('GET', `/tenants/${tenant}/export`);
  const bytes = await database.query<{ secret: string }>(
    `select encode(secret, 'hex') as secret from andiron.second_factor where account = $1`,
    [pia],
  );
  for (const one of [before, secret, bytes.rows[0]?.secret, ...codes]) expect(text).not.toContain(one);
  const moved = server.tenant('moved');
  const imported = await server.administer('POST', `/tenants/${moved}/import`, text, {
    'content-type': 'application/x-ndjson',
  });
  expect(imported.status).toBe(201);
  const start = toAuthorize(server, moved, apps.get(tenant) ?? '', makeProof(), { scope: 'openid' });
  expect((await new Browser(server).signIn(start, 'pia', PASSWORD)).status).toBe(403);
  // A program without second factors has set another password: it counts, and the second factor stays.
  await administerWell(server, 'PATCH', `${usersOf(tenant)}/${pia}`, { display: 'Pia' });
  const other = await makeUser(tenant, 'pim');
  await database.query(
    'update andiron.user_account set hash = (select hash from andiron.user_account where id = $2) where id = $1',
    [pia, other],
  );
  expect(isIn(await signIn(tenant, 'pia', toCode(secret)))).toBe(true);
});

it('each step is in the audit record, and no secret or code is', async () => {
  const tenant = await makeTenant('recorded');
  const quinn = await makeUser(tenant, 'quinn');
  const { secret, codes } = await enrol(tenant, 'quinn');
  const [recovery = ''] = codes;
  const code = toCode(secret);
  const { browser, page } = await toCodePage(tenant, 'quinn');
  await sendCode(browser, page, toCode(secret, 1000));
  await sendCode(browser, page, code);
  await signIn(tenant, 'quinn', recovery);
  const auditor = await createClient(server, 'recorded', { scopes: ['system/*.rs'], auditor: true });
  const trail = await server.request(
    'GET',
    `${server.path('recorded', 'r4')}/AuditEvent?type=110114&agent:identifier=|${quinn}`,
    undefined,
    { authorization: auditor.basic },
  );
  type Event = { outcome: string; entity: { query?: string }[] };
  const steps = (trail.json.entry as { resource: Event }[]).map(({ resource: { outcome, entity } }) =>
    [
      outcome,
      ...entity.flatMap(({ query }) => (query === undefined ? [] : Buffer.from(query, 'base64').toString())),
    ].join(' '),
  );
  expect(steps.toReversed()).toEqual([
    '0 oidc/second-factor?proof=password',
    '0 oidc/second-factor?proof=enrolment',
    '0 oidc/authorize?proof=password',
    '4 oidc/authorize?proof=code',
    '0 oidc/authorize?proof=code',
    '0 oidc/authorize?proof=password',
    '0 oidc/authorize?proof=recovery-code',
  ]);
  for (const one of [secret, ...codes, PASSWORD]) expect(trail.text).not.toContain(one);
});

it('a tenant that does not exist has the same page to set one up, on which every password is wrong', async () => {
  const [known, unknown] = [await makeTenant('exists'), server.tenant('nope')];
  const texts = [];
  for (const tenant of [known, unknown]) {
    const { status, text } = await new Browser(server).signIn(toSetting(tenant), 'dora', 'x'.repeat(201));
    expect(status).toBe(403);
    texts.push(text.replaceAll(tenant, 'TENANT').replace(/name="token" value="[^"]+"/, ''));
  }
  expect(texts[0]).toBe(texts[1]);
});
