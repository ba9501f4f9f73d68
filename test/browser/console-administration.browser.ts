/** The administration in the console, as an administrator meets it on a server in open mode. */
import type { Browser, Page } from 'playwright-core';
import { makeFolder, packResources } from '../packages/make-package';
import { openRegistry, type Registry } from '../packages/open-registry';
import { makeClient, serveKeys, type KeyServer } from '../support/access';
import { startEndpoint } from '../support/endpoint';
import { eventually } from '../support/eventually';
import { startServer, type TestServer } from '../support/server';
import { whileNothingIsWritten } from '../support/write-lock';
import { Browser as SigningBrowser } from '../support/sign-in';
import { toCode } from '../support/totp';
import { startChromium } from './chromium';
import { administrationOf, readLine, startClinic, TENANT } from './console-clinic';
import {
  buildConsole,
  findBarriers,
  findCut,
  findHiddenFocus,
  isTooWide,
  openConsole,
  setColors,
  takePicture,
  type ConsolePage,
} from './console-page';

const ADMINISTRATION = '/w/system/console/administration';
const JSON_TYPE = { 'content-type': 'application/json' };
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 860 };

let server: TestServer;
let registry: Registry;
let keys: KeyServer;
let browser: Browser;
let folder: string;
let remove: () => Promise<void>;
/** The same without an audit trail, for whose records a test can stop all writing. */
let silent: TestServer;
/** A client that exists from the beginning. */
let client: string;

beforeAll(async () => {
  await buildConsole();
  ({ folder, remove } = await makeFolder());
  registry = await openRegistry();
  keys = await serveKeys([]);
  const registries = { PACKAGE_REGISTRY: registry.address, OUTBOUND_ALLOWED_HOSTS: '127.0.0.1:*' };
  server = await startClinic({ ...registries, AUDIT: 'on' });
  silent = await startServer({ database: server.database, environment: registries });
  const { core } = server.app;
  ({ id: client } = await makeClient(core, TENANT, { name: 'Ward round' }));
  const account = { name: 'dora', display: 'Dr. Dora Doe', fhirUser: 'Practitioner/doc' };
  await core.tenants.users.create(TENANT, { ...account, password: 'correct horse battery' });
  browser = await startChromium();
});
afterAll(async () => {
  await browser.close();
  await silent.close();
  await server.close();
  await keys.close();
  await registry.close();
  await remove();
});

/** Opens a screen of the administration of the tenant, uses it, and proves that nothing went wrong in the page. */
async function onScreen(
  screen: string,
  use: (opened: ConsolePage) => Promise<void>,
  at = server,
): Promise<void> {
  const opened = await openConsole(browser, at.base);
  await opened.goTo(administrationOf(screen));
  await use(opened);
  expect(opened.faults).toEqual([]);
  await opened.close();
}

const at = (place: string): string => `/w/system/api/v1/tenants/${TENANT}${place}`;
const read = async (place: string) => (await server.request('GET', at(place))).json;
const inDialog = (page: Page) => page.getByRole('dialog');
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

it('a new tenant is made in the list of tenants, and is open at once', async () => {
  const { page, goTo, close, faults } = await openConsole(browser, server.base);
  await goTo(ADMINISTRATION);
  await page.getByRole('button', { name: 'New tenant' }).click();
  await inDialog(page).getByLabel('Name in addresses').fill('branch');
  await inDialog(page).getByLabel('Name for people').fill('Branch office');
  expect(await findBarriers(page)).toEqual([]);
  await inDialog(page).getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'Branch office' }).waitFor();
  await page.getByRole('navigation', { name: 'You are here' }).getByRole('link').click();
  await row(page, 'Branch office').getByRole('link', { name: 'Administer branch' }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

it('a setting is changed for the tenant, and goes back to the default of the server', async () => {
  await onScreen('/settings', async ({ page }) => {
    const setting = page.getByRole('region', { name: 'quota-resources', exact: true });
    const before = await setting.getByRole('textbox').inputValue();
    await setting.getByRole('textbox').fill('1700');
    await page.getByText('1 change is not saved').waitFor();
    await setting.getByRole('button', { name: 'Save quota-resources' }).click();
    await setting.getByText('Set for this tenant').waitFor();
    expect((await read('')).own).toContain('quota-resources');
    expect((await read('')).settings).toMatchObject({ 'quota-resources': '1700' });
    await setting.getByRole('button', { name: 'Reset to the default: quota-resources' }).click();
    await setting.getByText('Set for this tenant').waitFor({ state: 'hidden' });
    expect(await setting.getByRole('textbox').inputValue()).toBe(before);
    expect((await read('')).own).not.toContain('quota-resources');
  });
});

it('a program is registered, and its secret is shown once and works', async () => {
  await onScreen('/clients', async ({ page }) => {
    await page.getByRole('link', { name: 'New client' }).click();
    await page.getByRole('radio', { name: /^Program without people, with a secret/ }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Nightly report');
    const create = page.getByRole('button', { name: 'Create' });
    await create.hover();
    expect(await findBarriers(page)).toEqual([]);
    await create.click();
    await page.getByText('Copy the secret now. It is not shown again.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const [id, secret] = [await readLine(page, 'Client id'), await readLine(page, 'Secret')];
    const { status, json } = await server.request(
      'POST',
      `/w/${TENANT}/oidc/token`,
      'grant_type=client_credentials&scope=system/*.rs',
      {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      },
    );
    expect([status, json.token_type]).toEqual([200, 'Bearer']);
    await page.getByRole('link', { name: 'Go to the client' }).click();
    await page.getByRole('heading', { name: 'Secrets' }).waitFor();
    expect(await page.locator('body').textContent()).not.toContain(secret);
  });
});

it('a person gets an account, with the record that the person is', async () => {
  await onScreen('/users/new', async ({ page }) => {
    await page.getByRole('textbox', { name: 'Name to sign in with' }).fill('eve');
    await page.getByRole('textbox', { name: 'Name for people' }).fill('Eve Early');
    await page.getByRole('combobox', { name: 'Record of the person' }).fill('Doe');
    await page.getByRole('option', { name: /Dora Doe/ }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('The account of Eve Early is ready.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Go to the account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Eve Early' }).waitFor();
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await row(page, 'eve').getByText('Practitioner/doc').waitFor();
  });
});

it('a policy is saved, and a change of somebody else in the meantime is not overwritten', async () => {
  await onScreen('/policies', async ({ page }) => {
    await page.getByLabel('Name of the new policy').fill('laboratory');
    await page.getByRole('button', { name: 'New policy' }).click();
    await page.getByText('This policy does not exist yet.').waitFor();
    await page.getByRole('button', { name: 'Laboratory results only' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor();
    const theirs = { rules: [{ types: ['Patient'], interactions: 'r' }] };
    const tag = (await server.request('GET', at('/policies/laboratory'))).headers['etag'] ?? '';
    const headers = { ...JSON_TYPE, 'if-match': tag };
    expect((await server.request('PUT', at('/policies/laboratory'), theirs, headers)).status).toBe(200);

    await page.getByRole('button', { name: 'Read everything, change nothing' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Somebody else has changed this policy' });
    await alert.waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect((await read('/policies/laboratory')).rules).toEqual(theirs.rules);
    await alert.getByRole('button', { name: 'Load the policy as it is now' }).click();
    await alert.waitFor({ state: 'hidden' });
    const definition = page.getByRole('textbox', { name: 'Definition' });
    expect(JSON.parse(await definition.innerText())).toMatchObject(theirs);
    // The change is tried before it is saved.
    await page.getByRole('combobox', { name: 'Type', exact: true }).fill('Patient');
    await page.getByRole('option', { name: 'Patient', exact: true }).click();
    await page.getByRole('textbox', { name: /^Id of a record/ }).fill('ann');
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await row(page, 'Allowed by the scope system/*.cruds, rule 1 of the policy laboratory').first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await definition.fill('{"rules": [{"types": ["Pat');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: 'Patient', exact: true }).click();
    expect(await definition.innerText()).toBe('{"rules": [{"types": ["Patient"');
  });
});

it('the lost second factor of a person is removed', async () => {
  const password = 'correct horse battery';
  const { json: user } = await server.request('POST', at('/users'), { name: 'gil', display: 'Gil Garcia', password }, JSON_TYPE);
  const person = new SigningBrowser(server);
  const page = await person.signIn(`/w/${TENANT}/oidc/second-factor`, 'gil', password);
  const secret = (/<code id="secret">([A-Z2-7 ]+)<\/code>/.exec(page.text)?.[1] ?? '').replaceAll(' ', '');
  const [, proof = ''] = /name="proof" value="([^"]+)"/.exec(page.text) ?? [];
  expect((await person.send(page, { step: 'enrol', proof, code: toCode(secret) })).status).toBe(200);
  expect((await read(`/users/${user.id}`)).secondFactor).toBe(true);
  await onScreen(`/users/${user.id}`, async ({ page: shown }) => {
    await shown.getByRole('button', { name: 'Remove the second factor' }).click();
    const dialog = inDialog(shown);
    await dialog.getByText('Be sure that it is this person who asks.').waitFor();
    expect(await findBarriers(shown)).toEqual([]);
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await shown.getByRole('button', { name: 'Remove the second factor' }).waitFor({ state: 'detached' });
  });
  expect((await read(`/users/${user.id}`)).secondFactor).toBe(false);
}); // prettier-ignore

it('says whether a client may do something, and why not', async () => {
  await onScreen('/access', async ({ page }) => {
    await page.getByRole('combobox', { name: 'Client' }).click();
    await page.getByRole('option', { name: 'Ward round' }).click();
    await page.getByRole('textbox', { name: /^Id of a record/ }).fill('ann');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByRole('table', { name: 'What is allowed, and why' }).waitFor();
    await row(page, 'Delete').getByText('Yes', { exact: true }).waitFor();
    await row(page, 'Allowed by the scope system/*.cruds').first().waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });
});

it('a Subscription whose endpoint fails says why, and an administrator delivers, switches it off and on again', async () => {
  const endpoint = await startEndpoint();
  endpoint.behave((_received, response) => {
    response.statusCode = 503;
    response.end();
  });
  const root = server.path(TENANT, 'r4');
  const stored = await server.request('PUT', `${root}/Subscription/ward-7`, {
    ...{ resourceType: 'Subscription', id: 'ward-7', status: 'requested', reason: 'A ward' },
    criteria: 'Basic?',
    channel: { type: 'rest-hook', endpoint: endpoint.base, payload: 'application/fhir+json' },
  });
  expect(stored.status).toBe(201);
  await eventually(async () => (await read('/subscriptions/r4/ward-7')).status === 'active');
  const basic = { resourceType: 'Basic', code: { text: 'bed' } };
  expect((await server.request('PUT', `${root}/Basic/bed`, { ...basic, id: 'bed' })).status).toBe(201);
  await onScreen('/subscriptions', async ({ page }) => {
    const ward = row(page, 'ward-7');
    await ward.getByText('Failing').waitFor();
    await ward.getByText('the endpoint answers 503').waitFor();
    await page.getByRole('button', { name: 'Details of Subscription ward-7' }).click();
    await page.getByText('Not delivered').waitFor();
    await page.getByRole('button', { name: 'What are they about?' }).click();
    await page.getByRole('link', { name: 'Basic/bed' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'subscriptions');
    endpoint.behave(undefined);
    await page.getByRole('button', { name: 'Deliver now: Subscription ward-7' }).click();
    await ward.getByText('1 of 1').waitFor();
    await page.getByRole('button', { name: 'Switch off Subscription ward-7' }).click();
    await inDialog(page).getByRole('button', { name: 'Switch off' }).click();
    await ward.getByText('An administrator has switched it off').waitFor();
    await page.getByRole('button', { name: 'Switch on Subscription ward-7' }).click();
    await ward.getByText('Active').waitFor();
  });
  await endpoint.close();
});

it('the tenant gets new signing keys', async () => {
  const published = async (): Promise<readonly { kid: string }[]> =>
    (await server.request('GET', `/w/${TENANT}/oidc/jwks`)).json.keys;
  const before = await published();
  await onScreen('/keys', async ({ page }) => {
    await page.getByRole('button', { name: 'Make new keys', exact: true }).click();
    await inDialog(page).getByRole('button', { name: 'Make new keys' }).hover();
    expect(await findBarriers(page)).toEqual([]);
    await inDialog(page).getByRole('button', { name: 'Make new keys' }).click();
    await page.getByText('The tenant signs with new keys.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });
  const known = new Set(before.map(({ kid }) => kid));
  expect((await published()).filter(({ kid }) => !known.has(kid)).length).toBeGreaterThan(0);
});

it('an identity provider is added, and removed again', async () => {
  await onScreen('/issuers', async ({ page }) => {
    await page.getByRole('button', { name: 'New identity provider' }).click();
    const dialog = inDialog(page);
    await dialog.getByLabel('Issuer (iss)').fill('https://login.hospital.example');
    await dialog.getByLabel('Audience (aud)').fill('https://fhir.hospital.example');
    await dialog.getByLabel('Address of its keys').fill(keys.url);
    await dialog.getByRole('combobox', { name: 'Acts as the client' }).click();
    await page.getByRole('option', { name: 'Ward round' }).click();
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row(page, 'https://login.hospital.example').getByText('Ward round').waitFor();
    await page.getByRole('button', { name: 'Remove https://login.hospital.example' }).click();
    await inDialog(page).getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The tenant accepts only its own tokens.').waitFor();
  });
});

it('a package of the registry is imported with its progress, and is then listed', async () => {
  const manifest = { name: 'rooms.example', version: '1.0.0', fhirVersions: ['4.0.1'] };
  const rooms = { resourceType: 'ValueSet', id: 'rooms', url: 'http://rooms.example', status: 'active' };
  await registry.publish(
    'rooms.example',
    '1.0.0',
    await packResources(folder, manifest, { 'ValueSet-rooms.json': rooms }),
  );
  await onScreen(
    '/packages',
    async ({ page }) => {
      await page.getByText('No package is imported yet.').waitFor();
      const job = page.getByRole('article', { name: /^rooms\.example@1\.0\.0/ });
      await whileNothingIsWritten(server.database.settings, async () => {
        await page.getByRole('textbox', { name: 'Name and version' }).fill('rooms.example@1.0.0');
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await job.getByText('It has begun.').waitFor();
        await job.getByRole('progressbar').waitFor({ state: 'attached' });
        expect(await findBarriers(page)).toEqual([]);
      });
      await job.getByText('Done').waitFor();
      await job.getByText('1 stored, 0 unchanged, 0 refused').waitFor();
      await row(page, 'rooms.example').getByRole('cell', { name: 'R4', exact: true }).waitFor();
    },
    silent,
  );
});

it('the index is compared with the records until that is done', async () => {
  await onScreen('/indexes', async ({ page }) => {
    await page.getByRole('button', { name: 'Compare and repair the index' }).click();
    const job = page.getByRole('article', { name: 'Reindex of R4 and R4B' });
    await job.getByText('Done').waitFor();
    await job.getByText(/resources compared, 0 repaired/).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });
});

it('the audit trail shows who did what, and its filters find the events of one patient', async () => {
  await server.request('GET', `${server.path(TENANT, 'r4')}/Patient/ben`);
  await onScreen('/audit', async ({ page }) => {
    await row(page, 'Patient/ann').first().waitFor();
    await page.getByRole('textbox', { name: 'Patient or record' }).fill('ben');
    await page.getByRole('combobox', { name: 'What was done' }).click();
    await page.getByRole('option', { name: 'Read', exact: true }).click();
    await page.getByRole('button', { name: 'Show events' }).click();
    await row(page, 'Patient/ann').first().waitFor({ state: 'hidden' });
    await row(page, 'Patient/ben').first().waitFor();
    await page
      .getByRole('button', { name: /^Details of the event of/ })
      .first()
      .click();
    await page.getByText('Clients and people').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await takePicture(page, 'audit');
    await page.getByRole('button', { name: 'Show all' }).click();
    await row(page, 'Patient/ann').first().waitFor();
  });
});

/** Screens of a tenant with their first headings. */
const SCREENS = [
  ['', 'clinic'],
  ['/settings', 'Settings'],
  ['/give-access', 'Give an app access to one patient'],
  ['/clients', 'Clients'],
  ['/clients/new', 'New client'],
  ['/users', 'Users'],
  ['/users/new', 'New user'],
  ['/issuers', 'Identity providers'],
  ['/keys', 'Signing keys'],
  ['/policies', 'Policies'],
  ['/policies/new', 'new'],
  ['/access', 'Access'],
  ['/audit', 'Audit trail'],
  ['/packages', 'Packages'],
  ['/indexes', 'Indexes'],
  ['/bulk', 'Exports and imports'],
  ['/subscriptions', 'Subscriptions'],
] as const;

it('every screen can be read in light and dark colors, and fits a phone', async () => {
  const { page, goTo, close, faults } = await openConsole(browser, server.base);
  const screens = [
    [ADMINISTRATION, 'Administration'],
    ...SCREENS.map(([screen, heading]) => [administrationOf(screen), heading]),
    [administrationOf(`/clients/${client}`), 'Ward round'],
  ] as const;
  for (const [path = '', heading = ''] of screens) {
    await page.setViewportSize(DESK);
    await goTo(path);
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    await page.getByRole('status', { name: 'Loading …' }).first().waitFor({ state: 'hidden' });
    for (const colorScheme of ['light', 'dark'] as const) {
      await setColors(page, colorScheme);
      expect([path, colorScheme, await findBarriers(page)]).toEqual([path, colorScheme, []]);
    }
    expect([path, await findHiddenFocus(page)]).toEqual([path, []]);
    if (path.endsWith(TENANT)) {
      await setColors(page, 'light');
      await takePicture(page, 'administration');
    }
    await page.setViewportSize(PHONE);
    expect([path, await isTooWide(page), await findCut(page)]).toEqual([path, false, []]);
  }
  expect(faults).toEqual([]);
  await close();
});
