/**
 * The example page of examples/patient-chart as its README starts it, with a real server and a real browser. Pictures go
 * to docs/images when UPDATE_PICTURES is set, else to the folder for temporary files.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { makeClient } from '../support/access';
import { installApart } from '../support/install-apart';
import { startServer, type TestServer } from '../support/server';
import { startChromium } from './chromium';

const root = path.resolve(__dirname, '../..');
const example = path.join(root, 'examples/patient-chart');
const pictures = process.env.UPDATE_PICTURES ? path.join(root, 'docs/images') : tmpdir();
const run = promisify(execFile);

let server: TestServer;
const vites: ChildProcess[] = [];
let address: string;
let browser: Browser;
beforeAll(async () => {
  await installApart('examples/patient-chart');
  server = await startServer();
  const env = { ...process.env, ANDIRON: server.base };
  await run(process.execPath, ['seed.mjs'], { cwd: example, env });
  address = await startPage(env);
  browser = await startChromium();
});
afterAll(async () => {
  await browser.close();
  for (const vite of vites) {
    vite.kill();
    if (vite.exitCode === null) await once(vite, 'exit');
  }
  await server.close();
});

/** Returns the address of the page; `port` 0: any. */
function startPage(env: NodeJS.ProcessEnv, port = 0): Promise<string> {
  const vite = spawn(
    process.execPath,
    ['node_modules/vite/bin/vite.js', '--strictPort', '--port', String(port)],
    {
      cwd: example,
      env: { ...env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  vites.push(vite);
  return readAddress(vite);
}

/** `Local: http://localhost:5173/` in the output of Vite, which must be read further: it ends when the pipe is full. */
function readAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (part) => {
      text += String(part);
      const found = /http:\/\/localhost:\d+\//.exec(text);
      if (found) resolve(found[0]);
    });
    child.once('exit', () => reject(new Error(`Vite did not start: ${text}`)));
  });
}

/** The page, and its forbidden events. A refused edit is a response of 412. */
async function openPage(): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 760 }, colorScheme: 'light' });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith('data:')) faults.push(request.url());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${new URL(response.url()).pathname}`);
  });
  await page.goto(address);
  await page.getByTestId('count').filter({ hasText: '3 patients' }).waitFor();
  return { page, faults };
}

async function takePicture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: path.join(pictures, name), animations: 'disabled', fullPage: true });
}

async function openPatient(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('button', { name }).click();
  await page.getByRole('heading', { name }).waitFor();
}

/** Somebody else's change, by REST. */
async function patchPatient(id: string, patch: readonly object[]): Promise<void> {
  const answer = await server.request('PATCH', `${server.path('system', 'r4')}/Patient/${id}`, patch, {
    'content-type': 'application/json-patch+json',
  });
  if (answer.status !== 200) throw new Error(answer.text);
}

it('lists patients and finds them by name', async () => {
  const { page, faults } = await openPage();
  const list = page.getByRole('navigation').getByRole('listitem');
  expect(await list.allTextContents()).toEqual([
    'Anders, Ida1958-04-12 · female',
    'Brandt, Jonas1971-11-30 · male',
    'Çelik, Defne1990-07-03 · female',
  ]);
  // As REST searches strings: without regard to case and accents, from the beginning.
  await page.getByRole('searchbox').fill('cel');
  await page.getByTestId('count').filter({ hasText: '1 patient' }).waitFor();
  expect(await list.allTextContents()).toEqual(['Çelik, Defne1990-07-03 · female']);
  expect(faults).toEqual([]);
  await page.close();
});

it('charts the measurements over time, each component of an observation as a line', async () => {
  const { page, faults } = await openPage();
  await openPatient(page, 'Anders, Ida');
  const weight = page.getByRole('img', { name: 'Body weight over time, in kg' });
  expect(await weight.locator('circle').count()).toBe(10);
  const pressure = page.getByRole('figure').filter({ hasText: 'Blood pressure' });
  expect(await pressure.locator('polyline').count()).toBe(2);
  expect(await weight.locator('.time text').allTextContents()).toEqual([
    'Mar 2026',
    'May 2026',
    'Jul 2026',
    expect.stringMatching(/^Sept? 2026$/),
  ]);
  expect(await weight.locator('.unit').textContent()).toBe('kg');
  expect(await pressure.locator('.legend span').allTextContents()).toEqual(['Systolic', 'Diastolic']);
  await takePicture(page, 'patient-chart.png');
  expect(faults).toEqual([]);
  await page.close();
});

it('sums up the record: problems, allergies, drugs (contained ones too), latest values, and the encounters in time', async () => {
  const { page, faults } = await openPage();
  await openPatient(page, 'Anders, Ida');
  const summary = page.getByRole('region', { name: 'Summary' });
  const card = (title: string) => summary.locator('div').filter({ hasText: title }).getByRole('listitem');
  expect(await card('Problems').allTextContents()).toEqual(['Hypertension 20 May 2019']);
  expect(await card('Allergies').allTextContents()).toEqual(['Penicillin high risk']);
  expect((await card('Medication').allTextContents()).sort()).toEqual([
    'Metoprolol 47.5 mg one in the evening',
    'Ramipril 5 mg one in the morning',
  ]);
  const latest = (await card('Latest values').allTextContents()).sort();
  expect(latest).toEqual([
    expect.stringMatching(/^Blood pressure \d+ \/ \d+ mmHg · 10 Oct 2026$/),
    expect.stringMatching(/^Body weight [\d.]+ kg · 10 Oct 2026$/),
    expect.stringMatching(/^Heart rate \d+ \/min · 10 Oct 2026$/),
  ]);
  const encounters = page.getByRole('region', { name: 'Encounters' });
  expect(await encounters.locator('rect').count()).toBe(4);
  expect(await encounters.getByRole('listitem').first().textContent()).toBe(
    '10 Oct 2026 Check-up ambulatory',
  );
  expect(faults).toEqual([]);
  await page.close();
});

it('saves an edit, and after a conflict shows the other change before the edit is applied again', async () => {
  const { page, faults } = await openPage();
  await openPatient(page, 'Brandt, Jonas');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Born').fill('1971-12-01');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Version 2').waitFor();
  expect(await page.getByRole('article').getByText('1971-12-01').count()).toBe(1);

  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Family name').fill('Brandt-Weber');
  await patchPatient('chart-brandt', [{ op: 'replace', path: '/gender', value: 'other' }]);
  expect(faults).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  const conflict = page.getByRole('alert');
  await conflict.getByText('Somebody else changed this patient meanwhile').waitFor();
  expect(await conflict.getByRole('row').allTextContents()).toEqual([
    'replace/gender"other"',
    'add/name/0/family"Brandt-Weber"',
  ]);
  // The conflict is in the answer, and no failure of the network.
  expect(faults.splice(0)).toEqual([]);
  await takePicture(page, 'patient-chart-conflict.png');

  await conflict.getByRole('button', { name: 'Put my change on version 3' }).click();
  await page.getByText('Version 4').waitFor();
  await page.getByRole('heading', { name: 'Brandt-Weber, Jonas' }).waitFor();
  expect(await page.getByRole('article').getByText('other').count()).toBe(1);
  expect(faults).toEqual([]);
  await page.close();
});

it('follows the changes of others, in the list and in the chart', async () => {
  const { page, faults } = await openPage();
  await openPatient(page, 'Çelik, Defne');
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  const fhir = server.path('system', 'r4');
  const pulse = page.getByRole('img', { name: 'Heart rate over time, in /min' }).locator('circle');
  expect(await pulse.count()).toBe(10);
  const last = await server.request('GET', `${fhir}/Observation/chart-celik-pulse-10`);
  await server.request('PUT', `${fhir}/Observation/chart-celik-pulse-11`, {
    ...last.json,
    id: 'chart-celik-pulse-11',
    effectiveDateTime: '2026-11-10T09:00:00Z',
  });
  await pulse.nth(10).waitFor();
  await takePicture(page, 'patient-chart-live.png');

  await patchPatient('chart-celik', [{ op: 'replace', path: '/name/0/family', value: 'Demir' }]);
  await page.getByRole('heading', { name: 'Demir, Defne' }).waitFor();
  await page.getByRole('navigation').getByRole('button', { name: 'Demir, Defne' }).waitFor();

  await server.request('DELETE', `${fhir}/Observation/chart-celik-pulse-11`);
  await pulse.nth(10).waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await page.close();
});

it('signs people in by SMART where the server answers nobody else, and follows changes with their rights', async () => {
  const port = await freePort();
  const guarded = await startServer({ environment: { AUTH_MODE: 'enforced' } });
  try {
    const { core } = guarded.app;
    await core.tenants.create('acme');
    const { basic } = await makeClient(core, 'acme');
    const env = { ...process.env, ANDIRON: guarded.base, TENANT: 'acme', AUTHORIZATION: basic };
    await run(process.execPath, ['seed.mjs'], { cwd: example, env });
    const doctor = { resourceType: 'Practitioner', id: 'doc', name: [{ family: 'Doe' }] };
    const fhir = guarded.path('acme', 'r4');
    await guarded.request('PUT', `${fhir}/Practitioner/doc`, doctor, { authorization: basic });
    await core.tenants.users.create('acme', {
      name: 'dora',
      display: 'Dr. Doe',
      fhirUser: 'Practitioner/doc',
      password: PASSWORD,
    });
    const { id } = await core.tenants.clients.create('acme', {
      ...{ name: 'Patient charts', isPublic: true, redirectUris: [`http://localhost:${port}/`] },
      scopes: ['openid', 'fhirUser', 'offline_access', 'user/*.cruds'],
    });
    const guardedPage = await startPage({ ...env, VITE_CLIENT_ID: id }, port);
    const page = await browser.newPage({ viewport: { width: 1280, height: 760 }, colorScheme: 'light' });
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(`${guardedPage}?tenant=acme`);
    await page.getByText('Sign in to see patients.').waitFor();
    await takePicture(page, 'patient-chart-sign-in.png');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('User name').fill('dora');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByTestId('count').filter({ hasText: '3 patients' }).waitFor();
    expect(page.url()).toBe(guardedPage);
    expect(await page.locator('.user').textContent()).toContain('Practitioner/doc');
    await openPatient(page, 'Anders, Ida');
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    const patch = [{ op: 'replace', path: '/name/0/family', value: 'Andersen' }];
    await guarded.request('PATCH', `${fhir}/Patient/chart-anders`, patch, {
      ...{ 'content-type': 'application/json-patch+json', authorization: basic },
    });
    await page.getByRole('heading', { name: 'Andersen, Ida' }).waitFor();
    await page.reload();
    await page.getByTestId('count').filter({ hasText: '3 patients' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Sign in to see patients.').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  } finally {
    await guarded.close();
  }
});

const PASSWORD = 'correct horse battery';

/** The address of the page is registered before it is started. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const at = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof at === 'object' && at !== null ? at.port : 0;
}
