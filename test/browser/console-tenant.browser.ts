/// <reference lib="dom" />
/** An administrator of one tenant at work, beside another tenant on the same server. */
import type { Browser, Page } from 'playwright-core';
import { startServer, type TestServer } from '../support/server';
import { startChromium } from './chromium';
import { readLine } from './console-clinic';
import { buildConsole, findBarriers, isTooWide, openConsole } from './console-page';

const PASSWORD = 'correct horse battery';
const OWN = '/w/acme/console/administration';
const RULES = [{ types: ['Patient'], interactions: 'r' }];

let server: TestServer;
let browser: Browser;

beforeAll(async () => {
  await buildConsole();
  server = await startServer({ environment: { AUTH_MODE: 'enforced', AUDIT: 'on', GRAPHQL_WARM: 'r4' } });
  const { tenants } = server.app.core;
  for (const [name, display, person] of [
    ['acme', 'Acme Hospital', 'anna'],
    ['beta', 'Beta Clinic', 'bert'],
  ] as const) {
    await tenants.create(name, {}, display);
    const names = { name: person, display: `${person} of ${name}` };
    await tenants.users.create(name, { ...names, password: PASSWORD, isAdministrator: true });
    await tenants.policies.put(name, `${name}-rules`, { rules: RULES });
  }
  browser = await startChromium();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

/** Fills in the page on which people sign in, and comes back. */
async function signIn(page: Page, name: string): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('banner').getByRole('button', { name }).waitFor();
}

const screenOf = (page: Page, name: string) =>
  page
    .getByRole('navigation', { name: 'Administration of the tenant' })
    .getByRole('link', { name, exact: true })
    .click();

it('an administrator of a tenant invites a person, changes a policy and a setting, and sees nothing of another tenant', async () => {
  const { page, goTo, close, faults } = await openConsole(browser, server.base);
  /** The addresses that the page has asked, and whose token it has sent. */
  const asked: { readonly path: string; readonly authorization: string | undefined }[] = [];
  const said: string[] = [];
  page.on('request', (request) => {
    asked.push({ path: new URL(request.url()).pathname, authorization: request.headers()['authorization'] });
  });
  await goTo('/w/acme');
  await signIn(page, 'anna');
  asked.length = 0;
  await page.getByRole('banner').getByRole('button', { name: 'anna' }).click();
  await page.getByText('Tenant: acme · Acme Hospital').waitFor();
  await page.getByText('administrator', { exact: true }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press('Escape');

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Administration' }).click();
  await page.getByRole('heading', { level: 1, name: 'Acme Hospital' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(OWN);
  expect(await page.getByRole('button', { name: 'Remove the tenant' }).count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);

  await screenOf(page, 'Users');
  await page.getByRole('link', { name: 'New user' }).click();
  await page.getByRole('textbox', { name: 'Name to sign in with' }).fill('eve');
  await page.getByRole('combobox', { name: 'Kind of person' }).click();
  await page.getByRole('option', { name: 'None' }).click();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('The account of eve is ready.').waitFor();
  expect(await findBarriers(page)).toEqual([]);
  const link = await readLine(page, 'Link');
  await screenOf(page, 'Users');
  await page.getByRole('link', { name: 'eve' }).waitFor();
  said.push(await page.content());

  await screenOf(page, 'Policies');
  await page.getByRole('link', { name: 'acme-rules' }).click();
  await page.getByRole('button', { name: 'Read everything, change nothing' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor();
  await screenOf(page, 'Policies');
  await page.getByRole('link', { name: 'acme-rules' }).waitFor();
  said.push(await page.content());

  await screenOf(page, 'Settings');
  const setting = page.getByRole('region', { name: 'referential-integrity', exact: true });
  await setting.getByRole('combobox').click();
  await page.getByRole('option', { name: 'on-write', exact: true }).click();
  await setting.getByRole('button', { name: 'Save referential-integrity' }).click();
  await setting.getByText('Set for this tenant').waitFor();
  const operators = page.getByRole('region', { name: 'quota-resources', exact: true });
  await operators.getByText('The operator of the server sets it').waitFor();
  expect(await operators.getByRole('textbox').isEditable()).toBe(false);
  expect(await findBarriers(page)).toEqual([]);
  said.push(await page.content());
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await isTooWide(page)).toBe(false);
  const shownTenant = page.getByRole('banner').getByRole('button', { name: 'Tenant acme' }).locator('bdi');
  expect(await shownTenant.evaluate((name) => name.scrollWidth - name.clientWidth)).toBe(0);
  await page.setViewportSize({ width: 1280, height: 860 });

  const { tenants } = server.app.core;
  const guest = await openConsole(browser, server.base);
  await guest.page.goto(link);
  await guest.page.getByLabel('New password').fill(PASSWORD);
  await guest.page.getByLabel('The same again').fill(PASSWORD);
  await guest.page.getByRole('button', { name: 'Set the password' }).click();
  await guest.page.getByRole('link', { name: 'Open the console' }).click();
  await signIn(guest.page, 'eve');
  expect(guest.faults).toEqual([]);
  await guest.close();
  expect((await tenants.policies.find('acme', 'acme-rules'))?.definition.rules).not.toEqual(RULES);
  expect((await tenants.describe('acme'))?.own).toContain('referential-integrity');
  expect(said.join('\n')).not.toMatch(/beta|bert/i);
  expect(asked.filter(({ path }) => /^\/w\/(?!acme(?:\/|$))/.test(path))).toEqual([]);

  // The other tenant knows nothing of the session, and shows nothing of this one.
  asked.length = 0;
  await page.getByRole('button', { name: 'Tenant acme: change' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('link', { name: 'acme' }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole('textbox', { name: 'Name of the tenant' }).fill(' BETA');
  await dialog.getByRole('button', { name: 'Open' }).click();
  await page.waitForURL(`${server.base}/w/beta`);
  await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).waitFor();
  await page.goto(`${server.base}${OWN.replace('acme', 'beta')}/users`);
  await page.getByText('Sign in to see this').waitFor();
  expect(await page.content()).not.toMatch(/anna|eve\b/);
  const others = asked.filter(({ path }) => path.startsWith('/w/beta/'));
  expect(others.length).toBeGreaterThan(0);
  expect(others.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  await page.goBack();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  await page.getByRole('banner').getByRole('button', { name: 'anna' }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

it('a person without the right has no administration, and is told so at its address', async () => {
  await server.app.core.tenants.users.create('beta', { name: 'carl', password: PASSWORD });
  const { page, goTo, close, faults } = await openConsole(browser, server.base);
  await goTo('/w/beta');
  await signIn(page, 'carl');
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
  expect(await links.allInnerTexts()).not.toContain('Administration');
  await goTo(`${OWN.replace('acme', 'beta')}/users`);
  await page.getByText('You are signed in, but you may not see this.').waitFor();
  expect(await page.content()).not.toContain('bert');
  expect(faults).toEqual([]);
  await close();
});

it('who opens the address of the operator finds the way to the administration of the own tenant', async () => {
  const { page, goTo, close, faults } = await openConsole(browser, server.base);
  await goTo('/w/system/console/administration/beta/users');
  await page.getByText('This needs the rights of an administrator').waitFor();
  await page.getByRole('button', { name: 'Sign in to beta' }).click();
  await page.getByLabel('User name').fill('bert');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'bert' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/w/beta/console/administration/users');
  expect(faults).toEqual([]);
  await close();
});
