/**
 * The example page of examples/patient-chart as its README starts it, with a real server and a real browser. Pictures go
 * to docs/images when UPDATE_PICTURES is set, else to the folder for temporary files.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { startServer, type TestServer } from '../support/server';
import { startChromium } from './chromium';

const root = path.resolve(__dirname, '../..');
const example = path.join(root, 'examples/patient-chart');
const pictures = process.env.UPDATE_PICTURES ? path.join(root, 'docs/images') : tmpdir();
const run = promisify(execFile);

let server: TestServer;
let vite: ChildProcess;
let address: string;
let browser: Browser;
beforeAll(async () => {
  await install();
  server = await startServer();
  const env = { ...process.env, ANDIRON: server.base };
  await run(process.execPath, ['seed.mjs'], { cwd: example, env });
  vite = spawn(process.execPath, ['node_modules/vite/bin/vite.js', '--port', '0'], {
    cwd: example,
    env: { ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  address = await readAddress(vite);
  browser = await startChromium();
});
afterAll(async () => {
  await browser.close();
  vite.kill();
  if (vite.exitCode === null) await once(vite, 'exit');
  await server.close();
});

/** Installs the packages of the lockfile where they are missing. */
async function install(): Promise<void> {
  const changed = async (file: string) =>
    (await stat(path.join(example, file)).catch(() => undefined))?.mtimeMs ?? 0;
  if ((await changed('node_modules/.package-lock.json')) >= (await changed('package-lock.json'))) return;
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: example });
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
  await page.screenshot({ path: path.join(pictures, name), animations: 'disabled' });
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
  const weight = page.getByRole('img', { name: 'Body weight over time' });
  expect(await weight.locator('circle').count()).toBe(10);
  const pressure = page.getByRole('figure').filter({ hasText: 'Blood pressure' });
  expect(await pressure.locator('polyline').count()).toBe(2);
  expect(await pressure.locator('.legend span').allTextContents()).toEqual(['Systolic', 'Diastolic']);
  await takePicture(page, 'patient-chart.png');
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
  const pulse = page.getByRole('img', { name: 'Heart rate over time' }).locator('circle');
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
