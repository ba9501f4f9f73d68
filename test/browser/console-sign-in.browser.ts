/// <reference lib="dom" />
/** Signing in to the console, on servers that require it: what people see before, with and after it. */
import type { Browser, Page } from 'playwright-core';
import { makeClient } from '../support/access';
import { startConsole } from '../support/console-sign-in';
import { startServer, type TestServer } from '../support/server';
import { makeProof } from '../support/sign-in';
import { OTHER_HOST, startChromium } from './chromium';
import {
  buildConsole,
  findBarriers,
  isTooWide,
  openConsole,
  takePicture,
  type ConsolePage,
} from './console-page';
import { openPrefix, type Prefix } from './prefix-proxy';

const PASSWORD = 'correct horse battery';
const RECORD = '/w/acme/api/v1/fhir/r4/Patient/ann';
const ADMINISTRATION = '/w/system/console/administration';

let server: TestServer;
/** The same, whose access tokens end after 10 seconds. */
let brief: TestServer;
/** The same below a path of a proxy. */
let inner: TestServer;
let prefix: Prefix;
let browser: Browser;

beforeAll(async () => {
  await buildConsole();
  const environment = { AUTH_MODE: 'enforced', AUDIT: 'on', GRAPHQL_WARM: 'r4' };
  server = await startServer({ environment });
  const { database } = server;
  brief = await startServer({ database, environment: { ...environment, ACCESS_TOKEN_SECONDS: '10' } });
  prefix = await openPrefix('/prefix');
  inner = await startServer({ database, environment: { ...environment, PUBLIC_URL: prefix.address } });
  prefix.target = inner.base;
  const { core } = server.app;
  await core.tenants.create('acme');
  const { basic: authorization } = await makeClient(core, 'acme');
  for (const [type, id, more] of [
    [
      'Patient',
      'ann',
      { name: [{ use: 'official', family: 'Archer', given: ['Ann'] }], birthDate: '1984-03-07' },
    ],
    ['Practitioner', 'doc', { name: [{ family: 'Doe', given: ['Dora'] }] }],
  ] as const) {
    const resource = { resourceType: type, id, ...more };
    const path = `${server.path('acme', 'r4')}/${type}/${id}`;
    expect((await server.request('PUT', path, resource, { authorization })).status).toBe(201);
  }
  const dora = { name: 'dora', display: 'Dr. Dora Doe', fhirUser: 'Practitioner/doc', isAuditor: true };
  await core.tenants.users.create('acme', { ...dora, password: PASSWORD });
  for (const [name, isAdministrator] of [
    ['olga', true],
    ['paul', false],
  ] as const)
    await core.tenants.users.create('system', { name, password: PASSWORD, isAdministrator });
  browser = await startChromium();
});
afterAll(async () => {
  await browser.close();
  await inner.close();
  await brief.close();
  await server.close();
  await prefix.close();
});

/** Uses the console at `base` in a browser without a sign-in, and proves that nothing went wrong in its pages. */
async function inConsole(base: string, use: (opened: ConsolePage) => Promise<void>): Promise<void> {
  const opened = await openConsole(browser, base);
  await use(opened);
  expect(opened.faults).toEqual([]);
  await opened.close();
}

/** Fills in the page on which people sign in. */
async function fillIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs in from the screen that is open, and comes back to it. */
async function signIn(page: Page, name: string, display: string): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click();
  await fillIn(page, name);
  await page.getByRole('banner').getByRole('button', { name: display }).waitFor();
}

/** Returns the text of the screen. */
const said = async (page: Page): Promise<string> => (await page.getByRole('main').innerText()).trim();

describe('before the sign-in', () => {
  it('no address shows data, and every one says what to do', async () => {
    await inConsole(server.base, async ({ page, goTo }) => {
      for (const address of [RECORD, '/w/acme/api/v1/fhir/r4/Patient?name=Archer', `${RECORD}/_history/1`]) {
        await goTo(address);
        const alert = page.getByRole('alert').filter({ hasText: 'Sign in to see this' });
        await alert.getByRole('button', { name: 'Sign in' }).waitFor();
        expect(await page.content()).not.toMatch(/Archer, |1984/);
        expect(await findBarriers(page)).toEqual([]);
      }
      await goTo('/');
      await page
        .getByText('Where nobody has an account yet, the operator creates the first administrator')
        .waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await isTooWide(page)).toBe(false);
      expect(await findBarriers(page)).toEqual([]);
    });
  });

  it('over http from another machine, it says why nobody can sign in and what to do', async () => {
    const { port } = new URL(server.base);
    await inConsole(`http://${OTHER_HOST}:${port}`, async ({ page, goTo }) => {
      await goTo('/');
      await page
        .getByText(`http://${OTHER_HOST}:${port}${server.path('system', 'r4')}`, { exact: true })
        .waitFor();
      expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0);
      await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click();
      await page.getByText(`"ssh -L ${port}:localhost:${port} ${OTHER_HOST}"`).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
    });
  });

  it('an unknown tenant looks the same as one that exists', async () => {
    await inConsole(server.base, async ({ page, goTo }) => {
      const pages: string[] = [];
      for (const tenant of ['acme', 'nope']) {
        await goTo(RECORD.replace('acme', tenant));
        await page.getByText('Sign in to see this').waitFor();
        const record = await said(page);
        await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
        await fillIn(page, 'nobody');
        const refusal = await page.getByRole('alert').innerText();
        pages.push(`${record}\n${refusal}`.replaceAll(tenant, 'TENANT'));
      }
      expect(pages[1]).toBe(pages[0]);
    });
  });
});

describe('a person with an identity in FHIR', () => {
  it('signs in from the address of a record, edits it, and the history names the person', async () => {
    await inConsole(server.base, async ({ page, goTo }) => {
      await goTo(RECORD);
      await page.getByText('Sign in to see this').waitFor();
      await takePicture(page, 'sign-in');
      await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
      await fillIn(page, 'dora');
      await page.getByRole('heading', { level: 1, name: /Archer/ }).waitFor();
      expect(page.url()).toBe(server.base + RECORD);
      expect(await findBarriers(page)).toEqual([]);

      await page.getByRole('link', { name: 'Edit' }).click();
      const editor = page.getByRole('textbox', { name: /^JSON of Patient\/ann/ });
      await editor.click();
      await page.keyboard.press('Control+a');
      const name = [{ use: 'official', family: 'Archer', given: ['Annabel'] }];
      await page.keyboard.insertText(JSON.stringify({ resourceType: 'Patient', id: 'ann', name }));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Version 2 is saved.').waitFor();
      await page.getByRole('tab', { name: 'History' }).click();
      const change = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Version 2' }) });
      await change.getByRole('link', { name: 'Dora Doe' }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
    });
  });

  it('has the code in no address by the time that it is redeemed', async () => {
    await inConsole(server.base, async ({ page, goTo }) => {
      const seen: string[] = [];
      await page.route('**/oidc/token', async (route) => {
        seen.push(await page.evaluate(() => location.href));
        await route.continue();
      });
      await goTo(RECORD);
      await signIn(page, 'dora', 'Dr. Dora Doe');
      expect(seen).toEqual([`${server.base}/w/acme/console/signed-in`]);
    });
  });

  it('is asked first where a page of another site leads to the sign-in', async () => {
    await inConsole(server.base, async ({ page }) => {
      const question = page.getByRole('heading', { level: 1, name: 'Continue as Dr. Dora Doe?' });
      const lure = async () => {
        await page.goto('data:text/html,<title>Another site</title>');
        const address = server.base + startConsole(server, 'acme', makeProof());
        await page.evaluate((to) => location.assign(to), address);
      };
      await lure();
      await fillIn(page, 'dora');
      await question.waitFor();
      await page.reload();
      await question.waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await lure();
      await question.waitFor();
      await page.getByRole('button', { name: 'Continue' }).click();
      // The tab has not begun it, so that nobody is signed in.
      await page.getByText('no sign-in has begun in this tab').waitFor();
      expect(page.url()).toBe(`${server.base}/w/acme/console/signed-in`);
      expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
    });
  });

  it('asks questions in GraphiQL, which answers what the person may see', async () => {
    await inConsole(server.base, async ({ page, goTo }) => {
      await goTo('/w/acme');
      await signIn(page, 'dora', 'Dr. Dora Doe');
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'GraphiQL' }).click();
      const graphiql = page.frameLocator('iframe[title=GraphiQL]');
      await graphiql.locator('.graphiql-execute-button').click();
      await graphiql.locator('.graphiql-response .view-lines', { hasText: 'Archer' }).waitFor();
    });
  });

  it('stays signed in when the access token has ended', async () => {
    await inConsole(brief.base, async ({ page, goTo }) => {
      await goTo('/w/acme');
      await signIn(page, 'dora', 'Dr. Dora Doe');
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'GraphiQL' }).click();
      const graphiql = page.frameLocator('iframe[title=GraphiQL]');
      await graphiql.locator('.graphiql-execute-button').waitFor();
      const first = await page.evaluate(() => JSON.stringify(sessionStorage));
      // GraphiQL stays open for longer than a token lives.
      const renewal = await page.waitForResponse(
        (response) => response.request().postData()?.includes('grant_type=refresh_token') === true,
        { timeout: 30_000 },
      );
      expect(renewal.status()).toBe(200);
      await page.waitForFunction((before) => JSON.stringify(sessionStorage) !== before, first);
      await graphiql.locator('.graphiql-execute-button').click();
      await graphiql.locator('.graphiql-response .view-lines', { hasText: 'Archer' }).waitFor();
    });
  });

  it('a duplicated tab shows the record too, and leaves the session to the first', async () => {
    // The tokens of the second end so soon that each request needs another one.
    for (const { base, seen } of [
      { base: server.base, seen: (copy: Page) => copy.getByRole('heading', { level: 1, name: /Archer/ }) },
      { base: brief.base, seen: (copy: Page) => copy.getByText('Sign in to see this') },
    ]) {
      await inConsole(base, async ({ page, goTo }) => {
        await goTo(RECORD);
        await signIn(page, 'dora', 'Dr. Dora Doe');
        await page.getByRole('heading', { level: 1, name: /Archer/ }).waitFor();
        // As the browser does it, with a copy of the storage.
        const opened = page.waitForEvent('popup');
        await page.evaluate(() => window.open(location.href));
        const copy = await opened;
        await seen(copy).waitFor();
        expect(await copy.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('refreshToken');
        await page.reload();
        await page.getByRole('heading', { level: 1, name: /Archer/ }).waitFor();
        await page.getByRole('tab', { name: 'History' }).click();
        await page.getByRole('link', { name: 'Version 1' }).waitFor();
        expect(await page.evaluate(() => JSON.stringify(sessionStorage))).toContain('refreshToken');
      });
    }
  });

  it('signs out, and the console shows nothing again', async () => {
    await inConsole(server.base, async ({ page, goTo }) => {
      await goTo(RECORD);
      await signIn(page, 'dora', 'Dr. Dora Doe');
      await page.getByRole('heading', { level: 1, name: /Archer/ }).waitFor();
      await page.getByRole('banner').getByRole('button', { name: 'Dr. Dora Doe' }).click();
      expect(await findBarriers(page)).toEqual([]);
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.waitForURL(`${server.base}/w/acme`);
      await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
      await goTo(RECORD);
      await page.getByText('Sign in to see this').waitFor();
      // The server does not know the browser any more either.
      await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
      await page.getByLabel('Password').waitFor();
    });
  });
});

describe('the administration', () => {
  it('opens for an administrator of the tenant system, who needs no identity in FHIR', async () => {
    await inConsole(server.base, async ({ page, goTo }) => {
      await goTo(`${ADMINISTRATION}/acme/users`);
      await page.getByText('This needs the rights of an administrator').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await page.getByRole('button', { name: 'Sign in as an administrator' }).click();
      await fillIn(page, 'olga');
      await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
      await page.getByRole('cell', { name: 'Dr. Dora Doe' }).waitFor();
    });
  });

  it('gives an app access to a patient by its id, where the administrator may not see the records', async () => {
    await inConsole(server.base, async ({ page, goTo }) => {
      await goTo(`${ADMINISTRATION}/acme`);
      await signIn(page, 'olga', 'olga');
      await page.getByRole('link', { name: /^Give an app access to one patient/ }).click();
      await page.getByRole('textbox', { name: /^Patient: Id of the record/ }).fill('ann');
      await page.getByRole('button', { name: 'Sign in to this tenant to search' }).waitFor();
      await page.getByRole('textbox', { name: 'Name of the app' }).fill('Growth chart');
      await page.getByRole('textbox', { name: 'Redirect addresses' }).fill('https://app.example/back');
      await page.getByRole('textbox', { name: 'Name to sign in with' }).fill('ann');
      expect(await findBarriers(page)).toEqual([]);
      await page.getByRole('button', { name: 'Give access' }).click();
      await page.getByText('Growth chart can now see the record Patient/ann').waitFor();
    });
  });

  it('tells a person without the right what is missing and how to get it', async () => {
    await inConsole(server.base, async ({ page, goTo }) => {
      await goTo(ADMINISTRATION);
      await signIn(page, 'paul', 'paul');
      const alert = page.getByRole('alert');
      await alert
        .getByText(
          'You are signed in to the tenant "system" as paul, an account without the right "administrator".',
        )
        .waitFor();
      await alert.getByText('npx --no-install andiron user create --tenant system --name admin').waitFor();
      await alert.getByRole('button', { name: 'Sign in with another account' }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
    });
  });
});

it('all of it works below a path of a proxy, from the first page to the last', async () => {
  await inConsole(prefix.address, async ({ page, goTo }) => {
    await goTo(RECORD);
    await page.getByRole('alert').getByRole('button', { name: 'Sign in' }).click();
    await fillIn(page, 'dora');
    await page.getByRole('heading', { level: 1, name: /Archer/ }).waitFor();
    expect(page.url()).toBe(prefix.address + RECORD);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'GraphiQL' }).click();
    const graphiql = page.frameLocator('iframe[title=GraphiQL]');
    await graphiql.locator('.graphiql-execute-button').click();
    await graphiql.locator('.graphiql-response .view-lines', { hasText: 'Archer' }).waitFor();
    await page.getByRole('banner').getByRole('button', { name: 'Dr. Dora Doe' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(`${prefix.address}/w/acme`);
    await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).waitFor();
  });
});
