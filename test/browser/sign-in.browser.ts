/**
 * Signing in for an app as people meet it: real pages in a real browser, with the app on an address of its own. Pictures go
 * to docs/images when UPDATE_PICTURES is set, else to the folder for temporary files.
 */
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { makeClient } from '../support/access';
import { startServer, type TestServer } from '../support/server';
import { FORM, makeProof, toAuthorize } from '../support/sign-in';
import { toCode } from '../support/totp';
import { startChromium } from './chromium';
import { findBarriers, isTooWide } from './console-page';

const pictures = process.env.UPDATE_PICTURES ? path.resolve(__dirname, '../../docs/images') : tmpdir();
const TENANT = 'acme';
const PASSWORD = 'correct horse battery';
const SCOPES = ['openid', 'fhirUser', 'launch/patient', 'patient/*.rs', 'offline_access'];
const proof = makeProof();

let server: TestServer;
let app: Server;
/** The address of the app. */
let address: string;
let client: string;
let browser: Browser;

beforeAll(async () => {
  server = await startServer({ environment: { AUTH_MODE: 'enforced' } });
  address = await startApp();
  const { core } = server.app;
  await core.tenants.create(TENANT);
  const { basic } = await makeClient(core, TENANT);
  const put = async (resource: { resourceType: string; id: string }): Promise<void> => {
    const at = `${server.path(TENANT, 'r4')}/${resource.resourceType}/${resource.id}`;
    const { status, text } = await server.request('PUT', at, resource, { authorization: basic });
    if (status !== 201) throw new Error(text);
  };
  for (const [id, family, given, birthDate] of [
    ['ann', 'Archer', 'Ann', '1984-03-07'],
    ['ben', 'Baker', 'Ben', '1990-11-21'],
    ['bea', 'Baker', 'Bea', '2012-06-30'],
  ] as const) {
    await put({ resourceType: 'Patient', id, ...{ name: [{ family, given: [given] }], birthDate } });
  }
  await put({ resourceType: 'Practitioner', id: 'doc', ...{ name: [{ family: 'Doe', given: ['Dora'] }] } });
  const details = { name: 'Growth chart', scopes: SCOPES, redirectUris: [`${address}/back`] };
  ({ id: client } = await core.tenants.clients.create(TENANT, { ...details, isPublic: true }));
  for (const person of [
    { name: 'dora', display: 'Dr. Dora Doe', fhirUser: 'Practitioner/doc' },
    { name: 'ann', display: 'Ann Archer', fhirUser: 'Patient/ann' },
  ])
    await core.tenants.users.create(TENANT, { ...person, password: PASSWORD });
  browser = await startChromium();
});
afterAll(async () => {
  await browser.close();
  await new Promise<void>((resolve) => app.close(() => resolve()));
  await server.close();
});

/** Another site than the server: a page to come back to, and one that tries to frame the pages of the server. */
async function startApp(): Promise<string> {
  app = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (request.url?.startsWith('/posting') === true) {
      response.end(postingPage());
      return;
    }
    const isFraming = request.url?.startsWith('/framing') === true;
    response.end(
      isFraming
        ? `<!doctype html><title>Frame</title><iframe title="frame" src="${toStart().replaceAll('&', '&amp;')}"></iframe>`
        : '<!doctype html><title>App</title><h1>Back at the app</h1>',
    );
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  const at = app.address();
  return `http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`;
}

/** A page of the app that posts its request. */
function postingPage(): string {
  const [action = '', query = ''] = toStart().split('?');
  const fields = [...new URLSearchParams(query)].map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
  );
  return `<!doctype html><title>App</title><form method="post" action="${action}">${fields.join('')}<button>Sign in</button></form>`;
}

/** The address at which the app begins. */
function toStart(): string {
  const more = { redirect_uri: `${address}/back`, scope: SCOPES.join(' ') };
  return server.base + toAuthorize(server, TENANT, client, proof, more);
}

interface Opened {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Forbidden events: scripts, requests to others, faults. */
  readonly faults: string[];
}

/** A browser without a sign-in. */
async function openBrowser(width = 720): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width, height: 620 }, colorScheme: 'light' });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // A wrong password is a response of 403, which Chromium reports.
    if (message.type() === 'error' && !message.text().includes('403')) faults.push(message.text());
  });
  page.on('request', (request) => {
    const { origin } = new URL(request.url());
    if (request.resourceType() === 'script' || ![server.base, address].includes(origin))
      faults.push(request.url());
  });
  return { context, page, faults };
}

const takePicture = (page: Page, name: string): Promise<Buffer> =>
  page.screenshot({ path: path.join(pictures, name), animations: 'disabled', fullPage: true });

/** The response to the app for the code in the address of the browser. */
async function redeem(page: Page): Promise<{ access_token: string; patient: string; scope: string }> {
  const code = new URL(page.url()).searchParams.get('code') ?? '';
  const body = new URLSearchParams({
    ...{ grant_type: 'authorization_code', client_id: client, redirect_uri: `${address}/back` },
    ...{ code, code_verifier: proof.verifier },
  });
  const { status, json } = await server.request('POST', `/w/${TENANT}/oidc/token`, body.toString(), FORM);
  expect(status).toBe(200);
  return json;
}

const read = async (id: string, token: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` };
  return (await server.request('GET', `${server.path(TENANT, 'r4')}/Patient/${id}`, undefined, headers))
    .status;
};

it('a practitioner signs in, finds a patient, allows the access, and the app reads that record alone', async () => {
  const { context, page, faults } = await openBrowser();
  await page.goto(toStart());
  await page.getByRole('heading', { name: 'Sign in to go on to Growth chart' }).waitFor();
  await page.getByLabel('User name').fill('dora');
  await takePicture(page, 'sign-in.png');
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').filter({ hasText: 'The name or the password is not right.' }).waitFor();
  // The input of the password field is not returned.
  expect(await page.getByLabel('Password').inputValue()).toBe('');
  expect(await page.getByLabel('User name').inputValue()).toBe('dora');

  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('You are signed in as Dr. Dora Doe').waitFor();
  const wishes = page.getByRole('group', { name: 'It wants to:' });
  expect((await wishes.locator('label').allTextContents()).map((text) => text.trim())).toEqual([
    'know who you are',
    'read and search for everything in this patient’s record',
    'go on having this access while you are away',
  ]);
  await page.getByText('It will know whose record this is about.').waitFor();
  const staying = page.getByRole('checkbox', { name: 'go on having this access while you are away' });
  await staying.uncheck();
  await page.getByLabel('Find a patient by name, identifier or id').fill('Baker');
  await page.getByRole('button', { name: 'Find' }).click();
  const choices = page.getByRole('group', { name: 'Whose record?' }).getByRole('radio');
  await choices.nth(1).waitFor();
  expect(await choices.count()).toBe(2);
  expect(await staying.isChecked()).toBe(false);
  await page.getByRole('radio', { name: 'Bea Baker, born 2012-06-30 (id bea)' }).check();
  await takePicture(page, 'sign-in-consent.png');
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByRole('heading', { name: 'Back at the app' }).waitFor();

  const given = await redeem(page);
  expect([given.patient, given.scope]).toEqual(['bea', 'openid fhirUser launch/patient patient/*.rs']);
  expect([await read('bea', given.access_token), await read('ben', given.access_token)]).toEqual([200, 404]);
  expect(faults).toEqual([]);
  await context.close();
});

it('all of it works by the keyboard alone, on a narrow screen too', async () => {
  const { context, page, faults } = await openBrowser(320);
  await page.goto(toStart());
  await page.getByLabel('User name').waitFor();
  // The field is there to be typed into at once.
  await page.keyboard.type('ann');
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('The record is that of Ann Archer, born 1984-03-07 (id ann).').waitFor();
  const isWider = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
  expect(isWider).toBe(false);
  // Past who the person is, and the record; the last wish is taken away.
  for (let box = 0; box < 3; box++) await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Back at the app' }).waitFor();
  const { patient, scope, access_token: token } = await redeem(page);
  expect([patient, await read('ann', token), await read('bea', token)]).toEqual(['ann', 200, 404]);
  expect(scope).not.toContain('offline_access');
  expect(faults).toEqual([]);
  await context.close();
});

it('without consent the app gets nothing, and a signed-in user must consent again, by name', async () => {
  const { context, page, faults } = await openBrowser();
  await page.goto(toStart());
  await page.getByLabel('User name').fill('ann');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Do not allow' }).click();
  await page.getByRole('heading', { name: 'Back at the app' }).waitFor();
  const { searchParams } = new URL(page.url());
  expect([searchParams.get('error'), searchParams.get('code'), searchParams.get('state')]).toEqual([
    'access_denied',
    null,
    'state-1',
  ]);
  await page.goto(toStart());
  await page.getByText('You are signed in as Ann Archer').waitFor();
  await page.getByRole('button', { name: 'Sign in as somebody else' }).click();
  await page.getByLabel('Password').waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

it('an app may post its request, and the browser still knows who is signed in', async () => {
  const { context, page, faults } = await openBrowser();
  await page.goto(`${address}/posting`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('User name').fill('ann');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('You are signed in as Ann Archer').waitFor();
  await page.goto(`${address}/posting`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('You are signed in as Ann Archer').waitFor();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByRole('heading', { name: 'Back at the app' }).waitFor();
  expect((await redeem(page)).patient).toBe('ann');
  expect(faults).toEqual([]);
  await context.close();
});

it('no script of another site sees the cookies, and no other site shows the pages in a frame', async () => {
  const { context, page } = await openBrowser();
  await page.goto(toStart());
  await page.getByLabel('User name').fill('ann');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('You are signed in as Ann Archer').waitFor();
  const cookies = await context.cookies();
  expect(cookies.length).toBeGreaterThan(0);
  for (const { httpOnly, sameSite, path: at } of cookies)
    expect([httpOnly, sameSite, at]).toEqual([true, 'Lax', `/w/${TENANT}/oidc`]);
  expect(await page.evaluate<string>('document.cookie')).toBe('');

  const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
  await page.goto(`${address}/framing`);
  await refused;
  const [, frame] = page.frames();
  expect(frame?.url()).toMatch(/^chrome-error:/);
  await context.close();
});

/** Proves that a page can be read in both colors and on a phone. */
async function checkLooks(page: Page, what: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const)
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      const faults = [await findBarriers(page), await isTooWide(page)];
      expect([what, colorScheme, width, ...faults]).toEqual([what, colorScheme, width, [], false]);
    }
}

it('a person sets the password by a link, whose secret leaves the address at once', async () => {
  const { context, page, faults } = await openBrowser();
  const { users } = server.app.core.tenants;
  const { id } = await users.create(TENANT, { name: 'ida-'.repeat(25), fhirUser: 'Practitioner/doc' });
  const { link = '' } = (await users.invite(TENANT, { id, base: server.base })) ?? {};
  const requests: string[] = [];
  page.on('request', (request) => requests.push(`${request.url()} ${request.headers()['referer'] ?? ''}`));
  await page.goto(link);
  await page.getByRole('heading', { name: 'Set your password' }).waitFor();
  expect(page.url()).toBe(link.slice(0, link.indexOf('#')));
  expect(await page.evaluate<number>('history.length')).toBeLessThan(3);
  // A page that is loaded again has no link; the link leads to the same page, which the browser does not load again.
  const missing = page.getByRole('alert').filter({ hasText: 'Open your link again' });
  expect(await missing.isVisible()).toBe(false);
  await page.reload();
  await missing.waitFor();
  await page.goto(link);
  await missing.waitFor({ state: 'hidden' });
  expect(page.url()).toBe(link.slice(0, link.indexOf('#')));
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('The same again').fill('another horse battery');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByRole('alert').filter({ hasText: 'The two passwords differ.' }).waitFor();
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('The same again').fill(PASSWORD);
  await checkLooks(page, 'invitation');
  await takePicture(page, 'invitation.png');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByRole('heading', { name: 'Your password is set' }).waitFor();
  await checkLooks(page, 'password set');
  // Another link that is opened in this page leads to it; the browser does not load it by itself either.
  const { link: another = '' } = (await users.invite(TENANT, { id, base: server.base })) ?? {};
  await page.goto(another);
  await page.getByRole('heading', { name: 'Set your password' }).waitFor();
  expect(page.url()).toBe(another.slice(0, another.indexOf('#')));
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('The same again').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByRole('heading', { name: 'Your password is set' }).waitFor();
  // Browsers leave out what stands behind the #.
  for (const { hash } of [new URL(link), new URL(another)])
    expect(requests.filter((request) => request.includes(hash.slice(1)))).toEqual([]);
  // A password that is refused is a response of 400, which Chromium reports.
  expect(faults.filter((fault) => !fault.includes('400'))).toEqual([]);
  await context.close();
});

it('a person sets up a second factor, and signs in with a code of it', async () => {
  const { context, page, faults } = await openBrowser();
  await server.app.core.tenants.users.create(TENANT, {
    ...{ name: 'emil', display: 'Emil Eriksen', fhirUser: 'Practitioner/doc', password: PASSWORD },
  });
  const sendPassword = async (): Promise<void> => {
    await page.getByLabel('User name').fill('emil');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  await page.goto(`${server.base}/w/${TENANT}/oidc/second-factor`);
  await sendPassword();
  await page.getByRole('img', { name: 'QR code of the secret' }).waitFor();
  await checkLooks(page, 'second factor');
  await takePicture(page, 'second-factor.png');
  const secret = ((await page.locator('#secret').textContent()) ?? '').replaceAll(' ', '');
  await page.getByLabel('Code of six digits').fill(toCode(secret, -1));
  await page.getByRole('button', { name: 'Set it up' }).click();
  await page.getByRole('heading', { name: 'Your second factor is set' }).waitFor();
  expect(await page.locator('li code').count()).toBe(10);
  await checkLooks(page, 'recovery codes');

  await page.goto(toStart());
  await sendPassword();
  await page.getByRole('heading', { name: 'Enter the code of your app' }).waitFor();
  await checkLooks(page, 'code');
  await takePicture(page, 'sign-in-code.png');
  await page.getByLabel('Code of six digits').fill('12345');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').filter({ hasText: 'The code is not right' }).waitFor();
  await page.getByLabel('Code of six digits').fill(toCode(secret));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('You are signed in as Emil Eriksen').waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

it('where the tenant requires a second factor, a person without one is asked at once, and cannot remove it', async () => {
  const { context, page, faults } = await openBrowser();
  const { tenants } = server.app.core;
  await tenants.users.create(TENANT, {
    ...{ name: 'fay', display: 'Fay Fisher', fhirUser: 'Practitioner/doc', password: PASSWORD },
  });
  const sendPassword = async (): Promise<void> => {
    await page.getByLabel('User name').fill('fay');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  await page.goto(toStart());
  await sendPassword();
  await page.getByText('You are signed in as Fay Fisher').waitFor();
  await tenants.changeSettings(TENANT, { 'second-factor': 'required' });
  // The session of the browser has proved none.
  await page.goto(toStart());
  await sendPassword();
  await page.getByRole('heading', { name: 'Set up your second factor' }).waitFor();
  const secret = ((await page.locator('#secret').textContent()) ?? '').replaceAll(' ', '');
  await page.getByLabel('Code of six digits').fill(toCode(secret, -1));
  await page.getByRole('button', { name: 'Set it up' }).click();
  await page.getByRole('link', { name: 'Go on' }).click();
  await page.getByText('You are signed in as Fay Fisher').waitFor();

  const setting = `${server.base}/w/${TENANT}/oidc/second-factor`;
  await page.goto(setting);
  await sendPassword();
  await page.getByRole('button', { name: 'Set up another one' }).waitFor();
  expect(await page.getByRole('button', { name: 'Remove it' }).count()).toBe(0);
  await tenants.changeSettings(TENANT, { 'second-factor': null });
  await page.goto(setting);
  await sendPassword();
  await page.getByRole('button', { name: 'Remove it' }).waitFor();
  await checkLooks(page, 'own second factor');
  await page.getByLabel('Code of six digits').fill(toCode(secret));
  await page.getByRole('button', { name: 'Remove it' }).click();
  await page.getByRole('heading', { name: 'Your second factor is removed' }).waitFor();
  await checkLooks(page, 'removed');
  expect(faults).toEqual([]);
  await context.close();
});
