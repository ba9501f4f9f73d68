/**
 * GraphiQL as a user meets it: a real server, a real browser. The picture goes to docs/images/graphiql.png when
 * UPDATE_PICTURES is set, else to the folder for temporary files.
 */
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { gatewayPath, putExample } from '../graphql/gateway-client';
import { startServer, type TestServer } from '../support/server';
import { startChromium } from './chromium';

const root = path.resolve(__dirname, '../..');
const picture = path.join(
  process.env.UPDATE_PICTURES ? path.join(root, 'docs/images') : tmpdir(),
  'graphiql.png',
);

let server: TestServer;
let browser: Browser;
let context: BrowserContext;
beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['scripts/build-graphiql.mjs'], { cwd: root });
  server = await startServer({ environment: { GRAPHQL_WARM: 'r4' } });
  await server.createTenant('ward');
  for (const name of [
    'Patient-example',
    'Observation-example',
    'Observation-decimal',
    'Observation-blood-pressure',
  ]) {
    await putExample(server, 'system', 'r4', name);
  }
  browser = await startChromium();
  // One for all, so that only the first page has to load its files.
  context = await browser.newContext({ viewport: { width: 1720, height: 900 }, colorScheme: 'light' });
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

/** A page that records forbidden events. */
async function openGraphiql(): Promise<{ page: Page; strangers: string[]; faults: string[] }> {
  const page = await context.newPage();
  const strangers: string[] = [];
  const faults: string[] = [];
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== server.base && protocol !== 'data:' && protocol !== 'blob:') strangers.push(request.url());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${new URL(response.url()).pathname}`);
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.goto(server.base + gatewayPath('system', 'r4'));
  await page.waitForSelector('.graphiql-query-editor .view-line');
  return { page, strangers, faults };
}

/** The displayed answer, once it has `expected`. Only visible lines are in the page. */
async function readAnswer(page: Page, expected: string): Promise<string> {
  const lines = page.locator('.graphiql-response .view-lines', { hasText: expected });
  return ((await lines.textContent()) ?? '').replaceAll('\u00a0', ' ');
}

async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name, exact: true }).click();
  await page.locator('.graphiql-query-editor .view-lines', { hasText: `${name} ` }).waitFor();
}

it('opens with an example, documentation of the whole schema and completion, and sends requests only to its server', async () => {
  const { page, strangers, faults } = await openGraphiql();
  expect(await page.title()).toBe('Andiron GraphQL · system · R4');
  await page.click('.graphiql-execute-button');
  expect(await readAnswer(page, 'Chalmers')).toContain('"birthDate": "1974-12-25"');

  await page.getByRole('button', { name: /documentation explorer/i }).click();
  const documentation = page.locator('.graphiql-doc-explorer');
  await documentation.getByRole('link', { name: 'Query', exact: true }).click();
  await documentation.getByText(/^The versions of a resource, of all resources of a type/).waitFor();
  await page.mouse.move(900, 700);
  await page.screenshot({ path: picture, animations: 'disabled' });
  await documentation.getByRole('link', { name: 'ObservationList', exact: true }).click();
  await documentation.getByText('value_quantity', { exact: true }).waitFor();

  await page.click('.graphiql-query-editor .view-lines');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('{ Patient(id: "1") { birthD');
  await page.locator('.suggest-widget .monaco-list-row', { hasText: 'birthDate' }).first().waitFor();
  expect([strangers, faults]).toEqual([[], []]);
  await page.close();
});

it('has examples that all work; that of a live query shows changes as they come, until it is stopped', async () => {
  const { page, strangers, faults } = await openGraphiql();
  await page.setViewportSize({ width: 1720, height: 3000 });
  for (const [name, expected] of [
    ['Where', '"family": "Chalmers"'],
    ['Search', '"total": 2'],
    ['History', '"change": "UPDATE"'],
    ['Patch', '"active": true'],
    ['Atomic', '"location": "Observation/'],
    ['Expand', '"code": "female"'],
  ] as const) {
    await openTab(page, name);
    await page.click('.graphiql-execute-button');
    expect(await readAnswer(page, expected)).not.toContain('"errors"');
  }

  await openTab(page, 'Search');
  await page.getByRole('button', { name: 'Headers' }).click();
  await page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden)').click();
  await page.keyboard.type('{"x-graphql-cost": "1"');
  await page.click('.graphiql-execute-button');
  await readAnswer(page, '"statements":');

  await openTab(page, 'Follow');
  const begun = page.waitForResponse((response) => response.url().endsWith('/stream'));
  await page.click('.graphiql-execute-button');
  await begun;
  for (const family of ['Abel', 'Bell']) {
    await server.request('PUT', `${server.path('system', 'r4')}/Patient/followed`, {
      resourceType: 'Patient',
      id: 'followed',
      name: [{ family }],
    });
    expect(await readAnswer(page, family)).toContain('"id": "followed"');
  }
  await page.getByRole('button', { name: /^Stop/ }).click();
  await page.getByRole('button', { name: /^Execute/ }).waitFor();
  expect([strangers, faults]).toEqual([[], []]);
  await page.close();
});

it('switches to another release and another tenant, and shows its data', async () => {
  const { page, strangers, faults } = await openGraphiql();
  await page.getByLabel('Release').selectOption('r4b');
  await page.waitForURL(server.base + gatewayPath('system', 'r4b'));
  expect(await page.getByLabel('Release').inputValue()).toBe('r4b');
  await page.getByLabel('Tenant').focus();
  await page.locator('#andiron-tenants option[value=ward]').waitFor({ state: 'attached' });
  await page.getByLabel('Tenant').fill('nowhere');
  await page.keyboard.press('Enter');
  await page.locator('input:invalid').waitFor();
  expect(faults.splice(0)).toContain(`404 ${gatewayPath('nowhere', 'r4b')}`);
  await page.getByLabel('Tenant').fill('ward');
  await page.keyboard.press('Enter');
  await page.waitForURL(server.base + gatewayPath('ward', 'r4b'));
  expect(await page.title()).toBe('Andiron GraphQL · ward · R4B');
  await page.click('.graphiql-execute-button');
  await readAnswer(page, '"PatientList": []');
  expect([strangers, faults]).toEqual([[], []]);
  await page.close();
});
