/** Exports and imports in the console, and attachments that are large, in a browser against a server. */
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { startServer, type TestServer } from '../support/server';
import { startChromium } from './chromium';
import { buildConsole, findBarriers, openConsole, setColors } from './console-page';

const FHIR = '/w/system/api/v1/fhir/r4';
const SCREEN = '/w/system/console/administration/system/bulk';
/** Megabytes, which the page need not hold. */
/** One empty page. */
const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
);
const LARGE = Buffer.alloc(3_000_000, 'scan');

/** An image of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let server: TestServer;
let browser: Browser;
beforeAll(async () => {
  await buildConsole();
  server = await startServer();
  browser = await startChromium();
  for (const id of ['ann', 'ben']) await put('Patient', { resourceType: 'Patient', id });
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

async function put(
  type: string,
  resource: { readonly id: string; readonly [name: string]: unknown },
): Promise<void> {
  const { status, text } = await server.request('PUT', `${FHIR}/${type}/${resource.id}`, resource);
  if (status > 201) throw new Error(text);
}

it('an export is begun, followed to its files, saved, and removed', async () => {
  const { page, goTo, close, faults } = await openConsole(browser, server.base);
  await goTo(SCREEN);
  await page.getByRole('combobox', { name: 'What' }).click();
  await page.getByRole('option', { name: 'The records of all patients' }).click();
  await page.getByRole('button', { name: 'Start the export' }).click();
  const job = page.getByRole('article', { name: 'Export: The records of all patients' });
  await job.getByRole('status').getByText('Done').waitFor();
  // The job is still there when the page is loaded again.
  await goTo(SCREEN);
  await job.getByRole('status').getByText('Done').waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    job.getByRole('button', { name: 'Save Patient Resources' }).click(),
  ]);
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { id: string }).id).toSorted()).toEqual(['ann', 'ben']);
  for (const colors of ['light', 'dark'] as const) {
    await setColors(page, colors);
    expect(await findBarriers(page)).toEqual([]);
  }
  // Administrators see it with those of others.
  const row = page.getByRole('row', { name: /^Export: The records of all patients · R4 / });
  await row.getByText('Done').waitFor();
  await row.getByText('2 lines in 1 files').waitFor();
  await job.getByRole('button', { name: /^Remove/ }).click();
  await row.waitFor({ state: 'detached' });
  expect(await page.getByText('None yet.').count()).toBe(2);
  expect(faults).toEqual([]);
  await close();
});

it('files are imported, and the lines that are refused are saved with their reasons', async () => {
  const lines = [
    '{"resourceType":"Location","id":"ward"}',
    '{"resourceType":"Location","id":"x","status":"gone"}',
  ];
  const { page, goTo, close, faults } = await openConsole(browser, server.base);
  await goTo(SCREEN);
  await page.locator('input[type=file]').setInputFiles({
    ...{ name: 'rooms.ndjson', mimeType: 'application/x-ndjson' },
    buffer: Buffer.from(lines.join('\n')),
  });
  await page.getByRole('button', { name: 'Start the import' }).click();
  const job = page.getByRole('article', { name: 'Import: rooms.ndjson' });
  await job.getByRole('status').getByText('Done').waitFor();
  await job.getByRole('row', { name: /^rooms\.ndjson Written lines 1/ }).waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    job.getByRole('button', { name: 'Save rooms.ndjson Errors' }).click(),
  ]);
  expect(readFileSync(await file.path(), 'utf8')).toContain('Location.status');
  expect((await server.request('GET', `${FHIR}/Location/ward`)).status).toBe(200);
  expect(await findBarriers(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

it('the export of another client is removed, and an import that is still sent is given up', async () => {
  const begun = await server.request('GET', `${FHIR}/$export`, undefined, { prefer: 'respond-async' });
  expect(begun.status).toBe(202);
  const { page, goTo, close, faults } = await openConsole(browser, server.base);
  await goTo(SCREEN);
  await page.getByRole('button', { name: /^(Stop|Remove): Export: All resources · R4/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove this export or import?' });
  await dialog.getByRole('button', { name: /^(Stop|Remove)$/ }).click();
  await page.getByRole('row', { name: /^Export: All resources/ }).waitFor({ state: 'detached' });
  const status = new URL(String(begun.headers['content-location'])).pathname;
  expect((await server.request('GET', status)).status).toBe(404);
  // The server never answers this one.
  await page.route('**/$import', () => undefined);
  await page.locator('input[type=file]').setInputFiles({
    ...{ name: 'rooms.ndjson', mimeType: 'application/x-ndjson' },
    buffer: Buffer.from('{"resourceType":"Location","id":"a"}'),
  });
  await page.getByRole('button', { name: 'Start the import' }).click();
  await page.getByRole('progressbar', { name: 'Sending the files' }).waitFor({ state: 'attached' });
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('progressbar', { name: 'Sending the files' }).waitFor({ state: 'detached' });
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

it('an image is loaded by the browser from an address of its own', async () => {
  const content = Buffer.from(PIXEL, 'base64');
  const sent = await server.request('PUT', `${FHIR}/Binary/wound`, content, { 'content-type': 'image/png' });
  expect(sent.status).toBe(201);
  const attachment = { contentType: 'image/png', url: 'Binary/wound', title: 'Wound' };
  await put('DocumentReference', {
    ...{ resourceType: 'DocumentReference', id: 'wound', status: 'current' },
    content: [{ attachment }],
  });
  const { page, goTo, close, faults } = await openConsole(browser, server.base);
  await goTo(`${FHIR}/DocumentReference/wound`);
  const image = page.getByRole('img', { name: 'Wound.png' });
  await image.waitFor();
  expect(await image.getAttribute('src')).toContain(`${FHIR}/Binary/wound`);
  await page.waitForFunction(
    () => document.querySelector<HTMLImageElement>('img[alt="Wound.png"]')?.naturalWidth === 1,
  );
  expect(faults).toEqual([]);
  await close();
});

it('a PDF is shown by the viewer of the browser from an address of its own, and opened in a page of its own', async () => {
  const sent = await server.request('PUT', `${FHIR}/Binary/letter`, PDF, {
    'content-type': 'application/pdf',
  });
  expect(sent.status).toBe(201);
  const attachment = { contentType: 'application/pdf', url: 'Binary/letter', title: 'Letter' };
  await put('DocumentReference', {
    ...{ resourceType: 'DocumentReference', id: 'letter', status: 'current' },
    content: [{ attachment }],
  });
  const { page, goTo, close, faults } = await openConsole(browser, server.base);
  await goTo(`${FHIR}/DocumentReference/letter`);
  const viewer = page.waitForRequest(/^chrome-extension:.*\/pdf_viewer/);
  await page.getByRole('button', { name: 'Load the content' }).click();
  await viewer;
  const frame = page.getByTitle('Content of Letter.pdf');
  await frame.waitFor();
  expect(await frame.getAttribute('src')).toContain(`${FHIR}/Binary/letter/_history/`);
  const [opened] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: 'Open', exact: true }).click(),
  ]);
  await opened.waitForURL(/Binary\/letter\/_history\/.*_signature=/);
  expect(faults).toEqual([]);
  await close();
});

it('a file that is not shown is saved by an address of its own', async () => {
  const sent = await server.request('PUT', `${FHIR}/Binary/scan`, LARGE, { 'content-type': 'image/tiff' });
  expect(sent.status).toBe(201);
  const attachment = { contentType: 'image/tiff', url: 'Binary/scan', title: 'Scan', size: LARGE.length };
  await put('DocumentReference', {
    ...{ resourceType: 'DocumentReference', id: 'scan', status: 'current' },
    content: [{ attachment }],
  });
  const { page, goTo, close, faults } = await openConsole(browser, server.base);
  await goTo(`${FHIR}/DocumentReference/scan`);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('Scan.tiff');
  expect(readFileSync(await file.path()).equals(LARGE)).toBe(true);
  expect(faults).toEqual([]);
  await close();
});
