/** The guided path of the console on which an app or a program gets access to one patient, to its end: with that record. */
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import type { TestServer } from '../support/server';
import { startChromium } from './chromium';
import { administrationOf, readLine, startClinic, TENANT } from './console-clinic';
import {
  buildConsole,
  findBarriers,
  isTooWide,
  openConsole,
  takePicture,
  type ConsolePage,
} from './console-page';

const PASSWORD = 'correct horse battery';

let server: TestServer;
let browser: Browser;
/** The site of the app, to which people return. */
let app: Server;
let address: string;

beforeAll(async () => {
  await buildConsole();
  app = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end('<!doctype html><title>App</title><h1>Back at the app</h1>');
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  const bound = app.address();
  address = `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`;
  server = await startClinic({});
  browser = await startChromium();
});
afterAll(async () => {
  await browser.close();
  await server.close();
  await new Promise<void>((resolve) => app.close(() => resolve()));
});

/** Follows the path from the overview of the tenant to the choice of the patient Ann Archer. */
async function begin(): Promise<ConsolePage> {
  const opened = await openConsole(browser, server.base);
  const { page } = opened;
  await opened.goTo(administrationOf());
  await page.getByRole('link', { name: /^Give an app access to one patient/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Give an app access to one patient' }).waitFor();
  await page.getByRole('combobox', { name: 'Patient' }).fill('Arch');
  await page.getByRole('option', { name: /^Ann Archer/ }).click();
  return opened;
}

/** Returns the output of a command that the screen offers to copy. */
async function run(command: string, code = ''): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', command], {
    env: { ...process.env, CODE: code },
  });
  return stdout;
}

/** The statuses of the records of both patients for a token. */
const readBoth = (token: string): Promise<readonly number[]> =>
  Promise.all(
    ['ann', 'ben'].map(async (id) => {
      const path = `${server.path(TENANT, 'r4')}/Patient/${id}`;
      return (await server.request('GET', path, undefined, { authorization: `Bearer ${token}` })).status;
    }),
  );

const patientsIn = (bundle: { entry?: { resource: { id: string } }[] }): readonly string[] =>
  (bundle.entry ?? []).map(({ resource }) => resource.id);

it('a person signs in to the new app with the new account, and the app gets that patient and no other', async () => {
  const { page, faults, close } = await begin();
  await page.getByRole('textbox', { name: 'Name of the app' }).fill('Growth chart');
  await page.getByRole('textbox', { name: 'Redirect addresses' }).fill(`${address}/back`);
  expect(await page.getByRole('textbox', { name: 'Name to sign in with' }).inputValue()).toBe('ann.archer');
  expect(await findBarriers(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 1010 });
  await takePicture(page, 'give-access');
  await page.getByRole('button', { name: 'Give access' }).click();
  await page.getByRole('heading', { level: 1, name: 'Access is given' }).waitFor();
  await page.getByText('Growth chart can now see the record Ann Archer (Patient/ann)').waitFor();
  expect(await findBarriers(page)).toEqual([]);
  // The person opens the link, and sets a password that nobody else knows.
  const invited = await page.context().newPage();
  await invited.goto(await readLine(page, 'Link'));
  await invited.getByLabel(/^New password/).fill(PASSWORD);
  await invited.getByLabel('The same again').fill(PASSWORD);
  await invited.getByRole('button', { name: 'Set the password' }).click();
  await invited.getByText('ann.archer').waitFor();
  await invited.close();

  const opening = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'Open the sign-in page' }).click();
  const signIn = await opening;
  await signIn.getByLabel('User name').fill('ann.archer');
  await signIn.getByLabel('Password').fill(PASSWORD);
  await signIn.getByRole('button', { name: 'Sign in' }).click();
  await signIn.getByText('The record is that of Ann Archer, born 1984-03-07 (id ann).').waitFor();
  await signIn.getByRole('button', { name: 'Allow', exact: true }).click();
  await signIn.getByRole('heading', { name: 'Back at the app' }).waitFor();
  const code = new URL(signIn.url()).searchParams.get('code') ?? '';
  const { access_token: token, patient } = JSON.parse(
    await run(await readLine(page, 'Exchange the code within 60 seconds'), code),
  );
  expect([patient, await readBoth(token)]).toEqual(['ann', [200, 404]]);
  const headers = { authorization: `Bearer ${token}` };
  const path = `${server.path(TENANT, 'r4')}/Patient`;
  expect(patientsIn((await server.request('GET', path, undefined, headers)).json)).toEqual(['ann']);
  expect(faults).toEqual([]);
  await close();
});

it('a program with a secret gets that patient and no other, by the commands that the screen shows', async () => {
  const { page, faults, close } = await begin();
  await page.getByRole('radio', { name: /^A program without a person/ }).click();
  await page.getByRole('textbox', { name: 'Name of the program' }).fill('Night watch');
  await page.getByRole('button', { name: 'Give access' }).click();
  await page
    .getByText('Night watch can now see the record Ann Archer (Patient/ann), and no other one.')
    .waitFor();
  expect(await findBarriers(page)).toEqual([]);
  const { access_token: token } = JSON.parse(await run(await readLine(page, 'Get a token')));
  expect(await readBoth(token)).toEqual([200, 404]);
  const used = `TOKEN=${token}; ${await readLine(page, 'Use the token')}`;
  expect(JSON.parse(await run(used))).toMatchObject({ resourceType: 'Patient', id: 'ann' });
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await isTooWide(page)).toBe(false);
  expect(faults).toEqual([]);
  await close();
});
