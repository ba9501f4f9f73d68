/**
 * GraphiQL as a user meets it: a real server, a real browser. The picture goes to docs/images/graphiql.png when
 * UPDATE_PICTURES is set, else to the folder for temporary files.
 */
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
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
beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['scripts/build-graphiql.mjs'], { cwd: root });
  server = await startServer();
  for (const name of [
    'Patient-example',
    'Observation-example',
    'Observation-decimal',
    'Observation-blood-pressure',
  ]) {
    await putExample(server, 'system', 'r4', name);
  }
  browser = await startChromium();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

/** A page that remembers what must not happen on it. */
async function openGraphiql(): Promise<{ page: Page; strangers: string[]; faults: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1360, height: 820 }, colorScheme: 'light' });
  const strangers: string[] = [];
  const faults: string[] = [];
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== server.base && protocol !== 'data:' && protocol !== 'blob:') strangers.push(request.url());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.goto(server.base + gatewayPath('system', 'r4'));
  await page.waitForSelector('.graphiql-query-editor .view-line');
  return { page, strangers, faults };
}

/** The answer as it is shown, once it holds `expected`. Only lines in view are in the page. */
async function readAnswer(page: Page, expected: string): Promise<string> {
  const lines = page.locator('.graphiql-response .view-lines', { hasText: expected });
  return ((await lines.textContent()) ?? '').replaceAll('\u00a0', ' ');
}

async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).click();
  await page.locator('.graphiql-query-editor .view-lines', { hasText: name }).waitFor();
}

it('opens with an example, answers it, and asks nobody else for anything', async () => {
  const { page, strangers, faults } = await openGraphiql();
  expect(await page.title()).toBe('Andiron GraphQL · system · R4');
  await page.click('.graphiql-execute-button');
  const answer = await readAnswer(page, 'Patient');
  expect(answer).toContain('"total": 2');
  await page.mouse.move(700, 500);
  await page.screenshot({ path: picture, animations: 'disabled' });
  expect(strangers).toEqual([]);
  expect(faults).toEqual([]);
  await page.close();
});

it('has example queries that all work', async () => {
  const { page, strangers, faults } = await openGraphiql();
  await page.setViewportSize({ width: 1360, height: 3000 });
  for (const [name, expected] of [
    ['Version', '"reference": "ClientApplication/anonymous"'],
    ['History', '"change": "UPDATE"'],
    ['Patch', '"active": true'],
    ['Expand', '"code": "female"'],
  ] as const) {
    await openTab(page, name);
    await page.click('.graphiql-execute-button');
    expect(await readAnswer(page, expected)).not.toContain('"errors"');
  }
  expect([strangers, faults]).toEqual([[], []]);
  await page.close();
});

it('shows the documentation of the schema', async () => {
  const { page, strangers, faults } = await openGraphiql();
  await page.getByRole('button', { name: /documentation explorer/i }).click();
  const documentation = page.locator('.graphiql-doc-explorer');
  await documentation.getByRole('link', { name: 'Query', exact: true }).click();
  await documentation.getByText(/^The versions of a resource, of all resources of a type/).waitFor();
  expect([strangers, faults]).toEqual([[], []]);
  await page.close();
});
