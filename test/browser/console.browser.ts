/// <reference lib="dom" />
/** The console on the data of the quick start, as people use it. Pictures of the docs come from here. */
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually';
import type { TestServer } from '../support/server';
import { FHIR, IDA, openExamples, type Examples } from './console-examples';
import { findBarriers, heading, isTooWide, openConsole, retype, takePicture } from './console-page';

let server: TestServer;
let browser: Browser;
let onScreen: Examples['onScreen'];
let close: Examples['close'];
beforeAll(async () => {
  ({ server, browser, onScreen, close } = await openExamples());
});
afterAll(() => close());

it('the start shows health, addresses to copy, tenants and what to do', () =>
  onScreen('/', async ({ page }) => {
    await page.getByRole('status').filter({ hasText: 'Ready' }).waitFor();
    await page.getByText(`${server.base}${FHIR}`, { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Copy FHIR REST' }).count()).toBe(1);
    await page.getByRole('link', { name: 'system', exact: true }).waitFor();
    await takePicture(page, 'start');
    await page.getByRole('link', { name: /^Find a patient/ }).click();
    await heading(page, 'Patient').waitFor();
    expect(new URL(page.url()).pathname).toBe(`${FHIR}/Patient`);
  }));

it('all types are listed with their counts, and an address opens a record', () =>
  onScreen(FHIR, async ({ page }) => {
    await page.getByRole('searchbox', { name: 'Filter types' }).fill('pract');
    await page.getByRole('link', { name: /^Practitioner \d+ records$/ }).waitFor();
    await page.getByRole('textbox', { name: 'Open a record' }).fill(`${server.base}${IDA}`);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await heading(page, 'Ida Anders').waitFor();
  }));

it('Ctrl-K finds a patient and a screen by the keyboard alone, on a phone too', () =>
  onScreen(`${FHIR}/Observation`, async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    const field = page.getByRole('combobox', { name: 'Search', exact: true });
    await page.keyboard.press('ControlOrMeta+k');
    await field.pressSequentially('anders');
    await page.getByRole('option', { name: /^Ida Anders/ }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await takePicture(page, 'quick-search');
    const last = await page.getByRole('button', { name: 'Use dark colors' }).boundingBox();
    expect((last?.x ?? Infinity) + (last?.width ?? 0)).toBeLessThanOrEqual(390);
    await page.keyboard.press('Enter');
    await heading(page, 'Ida Anders').waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
    const button = page.getByRole('button', { name: 'Search', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    await field.pressSequentially('termin');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    await page.locator('button:focus', { hasText: 'Ctrl K' }).waitFor();
  }));

it('a search is built by form, shown as a request, and lives in the address', () =>
  onScreen(`${FHIR}/Patient`, async ({ page }) => {
    await page.getByRole('textbox', { name: 'Name: value' }).fill('anders');
    await page.locator('#content').getByRole('button', { name: 'Search', exact: true }).click();
    const table = page.getByRole('table', { name: 'Records of the type Patient' });
    await table.getByRole('row', { name: /demo-ida Ida Anders 12 Apr 1958 female/ }).waitFor();
    expect(new URL(page.url()).search).toBe('?name=anders');
    await page.getByRole('status').filter({ hasText: '1 in total' }).waitFor();
    await page.getByRole('button', { name: 'As a request' }).click();
    await page.getByText(`${server.base}${FHIR}/Patient?name=anders`, { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Copy .*GraphQL/ }).waitFor();
    await page.getByRole('button', { name: /^Copy .*curl/ }).waitFor();
    await takePicture(page, 'search');
    await page.reload();
    await table.getByRole('row', { name: /demo-ida/ }).waitFor();
    await page.goBack();
    await page.getByRole('row').nth(5).waitFor();
  }));

it('records of a list are selected, tagged, saved as a file, and deleted after a dry run', async () => {
  for (const id of ['one', 'two', 'three'])
    await server.request('PUT', `${FHIR}/Basic/list-${id}`, {
      ...{ resourceType: 'Basic', id: `list-${id}`, code: { text: `=${id}` } },
      ...(id === 'two' ? { subject: { reference: 'Basic/list-one' } } : {}),
    });
  await onScreen(`${FHIR}/Basic?_id=list-one,list-two,list-three`, async ({ page }) => {
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    const selection = page.getByRole('group', { name: 'Selection' });
    await selection.getByText('3 selected').waitFor();
    const downloading = page.waitForEvent('download');
    await selection.getByRole('button', { name: 'Save as CSV' }).click();
    const csv = await readFile(await (await downloading).path(), 'utf8');
    expect(csv).toMatch(/^\ufeffID,.*\r\n/);
    expect(csv).toContain(`'=one`);
    await selection.getByRole('button', { name: 'Tag …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'System' }).fill('http://hospital.example/tags');
    await dialog.getByRole('textbox', { name: 'Code' }).fill('old');
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Change 3 records' }).click();
    await dialog.getByText('Done: 3 of 3 requests.').waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    const { json } = await server.request('GET', `${FHIR}/Basic/list-one`);
    expect(json).toMatchObject({ meta: { versionId: '2', tag: [{ code: 'old' }] } });

    await page.getByRole('checkbox', { name: 'Select list-one' }).check();
    await page.getByRole('checkbox', { name: 'Select list-three' }).check();
    await takePicture(page, 'list');
    await selection.getByRole('button', { name: 'Delete …' }).click();
    await dialog.getByRole('row', { name: 'Basic subject 1' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect((await server.request('GET', `${FHIR}/Basic/list-one`)).status).toBe(200);
    await dialog.getByRole('button', { name: 'Delete 2 records' }).click();
    await dialog.getByText('Done: 2 of 2 requests.').waitFor();
    expect((await server.request('GET', `${FHIR}/Basic/list-one`)).status).toBe(410);
  });
});

it('a search is saved for oneself, and shared in the tenant', () =>
  onScreen(`${FHIR}/Patient?name=anders`, async ({ page }) => {
    const menu = page.getByRole('button', { name: 'Saved searches' });
    for (const [name, isShared] of [
      ['All Anders', false],
      ['Anders for all', true],
    ] as const) {
      await menu.click();
      await page.getByRole('button', { name: 'Save this search …' }).click();
      await page.getByRole('textbox', { name: 'Name' }).last().fill(name);
      if (isShared) await page.getByRole('checkbox', { name: /^Share it/ }).check();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('dialog', { name: 'Save this search …' }).waitFor({ state: 'detached' });
    }
    await page.goto(`${server.base}${FHIR}/Patient`);
    await menu.click();
    await page.getByRole('region', { name: 'Shared in this tenant' }).getByRole('link').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'All Anders' }).click();
    await page.waitForURL(/\?name=anders$/);
  }));

it('a chained search by hand is understood, and its pages follow each other', () =>
  onScreen(`${FHIR}/Observation?subject:Patient.name=anders&_sort=-date&_count=20`, async ({ page }) => {
    await page.getByRole('row').nth(20).waitFor();
    await page.getByRole('status').filter({ hasText: '100 in total' }).waitFor();
    const first = await page.getByRole('row').nth(1).textContent();
    await page
      .getByRole('button', { name: 'Next' })
      .or(page.getByRole('link', { name: 'Next' }))
      .first()
      .click();
    await expectOther(page, first);
    await page.goBack();
    await page.getByRole('row').filter({ hasText: '124.6' }).waitFor();
  }));

async function expectOther(page: Page, first: string | null): Promise<void> {
  await page.waitForFunction((before) => {
    const text = document.querySelectorAll('tr')[1]?.textContent;
    return text !== undefined && text !== before;
  }, first);
}

it('a value set is expanded with a filter, and a code is checked', () =>
  onScreen('/w/system/console/r4/terminology', async ({ page }) => {
    await page.getByText('Value sets', { exact: true }).click();
    await page.getByRole('searchbox', { name: 'Filter the value sets' }).fill('AdministrativeGender');
    await page.getByRole('link', { name: 'AdministrativeGender', exact: true }).first().click();
    await heading(page, 'AdministrativeGender').waitFor();
    await page.getByRole('searchbox').first().fill('fem');
    await page.getByText('1–1 of 1').waitFor();
    await page.getByRole('cell', { name: 'Female', exact: true }).waitFor();
    await takePicture(page, 'terminology');
    await page.goto(`${server.base}/w/system/console/r4/terminology`);
    await page
      .getByRole('combobox', { name: 'Code system' })
      .fill('http://hl7.org/fhir/administrative-gender');
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill('male');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('Male', { exact: true }).first().waitFor();
  }));

it('GraphiQL answers inside of the console, with the tenant and release of its address', () =>
  onScreen('/w/system/console/r4b/graphiql', async ({ page }) => {
    const frame = page.frameLocator('iframe[title="GraphiQL"]');
    await frame.locator('.graphiql-execute-button').click();
    await frame.locator('.graphiql-response .view-lines', { hasText: 'PatientList' }).waitFor();
    expect(await frame.getByRole('textbox', { name: 'Tenant' }).count()).toBe(0);
    await takePicture(page, 'graphiql');
    await page.getByRole('button', { name: 'Use dark colors' }).click();
    await frame.locator('body.graphiql-dark').waitFor();
    // On a phone the answer stands below the query.
    await page.setViewportSize({ width: 390, height: 844 });
    const [query, answer] = [frame.locator('.graphiql-query-editor'), frame.locator('.graphiql-response')];
    await eventually(async () => {
      const [above, below] = [await query.boundingBox(), await answer.boundingBox()];
      if (above === null || below === null) return false;
      return below.y >= above.y + above.height && below.width > 200 && below.x + below.width <= 390;
    });
  }));

it('a request is written with completion, answered, and kept; a file is tried and sent', () =>
  onScreen('/w/system/console/r4/rest', async ({ page }) => {
    const path = page.getByRole('combobox', { name: 'Path' });
    await path.pressSequentially('Pati');
    await page.getByRole('option', { name: /^Patient$/ }).waitFor();
    await path.fill('Patient?nam');
    await page.getByRole('option', { name: /^name/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await path.inputValue()).toBe('Patient?name=');
    await path.pressSequentially('anders');
    await page.keyboard.press('Enter');
    await page.getByText('200 OK').waitFor();
    await page.getByRole('textbox', { name: 'Body of the answer' }).getByText('"searchset"').waitFor();
    await page.getByRole('button', { name: 'Take GET Patient?name=anders again' }).waitFor();
    await takePicture(page, 'rest');
    await path.fill('ValueSet/$expand');
    await page.getByRole('button', { name: 'Parameters of $expand' }).click();
    await page
      .getByRole('textbox', { name: /^url: uri/ })
      .fill('http://hl7.org/fhir/ValueSet/administrative-gender');
    await page.getByRole('textbox', { name: /^count: integer/ }).fill('1');
    await page.getByRole('button', { name: 'Put the parameters into the body' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('row', { name: /^Take POST ValueSet\/\$expand again 200/ }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('tab', { name: 'File' }).click();
    const lines = [
      '{"resourceType":"Patient","id":"from-file","active":true}',
      '{"resourceType":"Patient","id":"wrong","gender":"x"}',
    ];
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'x.ndjson', mimeType: 'text/plain', buffer: Buffer.from(lines.join('\n')) });
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('Dry run: errors in 1 of 2 resources. Nothing was stored.').waitFor();
    expect((await server.request('GET', `${FHIR}/Patient/from-file`)).status).toBe(404);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send 1 request' }).click();
    await page.getByText('Done: 1 of 1 requests.').waitFor();
    expect((await server.request('GET', `${FHIR}/Patient/from-file`)).status).toBe(200);
  }));

it('other answers of FHIR addresses are shown, with links to records and other pages', () =>
  onScreen(`${FHIR}/_history?_count=5`, async ({ page }) => {
    await heading(page, 'Entries', 2).waitFor();
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.waitForURL(/_cursor=/);
    await page.goto(`${server.base}${FHIR}/metadata`);
    await page.getByText('CapabilityStatement').first().waitFor();
  }));

it('a name in another script has its own direction, and characters that turn it around are signs', async () => {
  const path = `${FHIR}/Patient/dina`;
  const text = 'דינה \u202Eנסים';
  await server.request('PUT', path, { resourceType: 'Patient', id: 'dina', name: [{ text }] });
  await onScreen(path, async ({ page }) => {
    const name = heading(page, 'דינה [U+202E]נסים');
    await name.waitFor();
    expect(await name.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
    // It begins where the page does, beside what belongs to it.
    expect(await name.evaluate((element) => getComputedStyle(element).textAlign)).toBe('left');
    await page.goto(`${server.base}${path}#json`);
    await page.locator('.cm-line .json-sign', { hasText: '[U+202E]' }).waitFor();
    await page.goto(`${server.base}${path}#edit`);
    const editor = page.getByRole('textbox', { name: /^JSON of Patient\/dina/ });
    await editor.locator('.json-sign').waitFor();
    await retype(page, editor, JSON.stringify({ resourceType: 'Patient', id: 'dina', name: [{ text }] }));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 1 is').or(page.getByText('Version 2 is')).first().waitFor();
  });
  expect((await server.request('GET', path)).json).toMatchObject({ name: [{ text }] });
});

it('what does not exist is told in words', () =>
  onScreen(`${FHIR}/Patient/nobody`, async ({ page }) => {
    await page.getByText('Patient/nobody does not exist').waitFor();
    await page.goto(`${server.base}/w/nobody/api/v1/fhir/r4/Patient`);
    await page.getByRole('alert').waitFor();
    await page.goto(`${server.base}${FHIR}/Nothing`);
    await page.getByRole('alert').waitFor();
  }));

it('a page that was open during an upgrade says that it must be loaded again', async () => {
  const shown = await openConsole(browser, server.base);
  await shown.goTo('/');
  // The server after it has other names of files.
  await shown.page.route(/\/console\/assets\/types-screen/, (route) => route.fulfill({ status: 404 }));
  await shown.page.getByRole('navigation').getByRole('link', { name: 'Resources' }).click();
  await shown.page.getByRole('button', { name: 'Load again' }).waitFor();
  await shown.page.unrouteAll();
  await shown.page.getByRole('button', { name: 'Load again' }).click();
  await heading(shown.page, 'Resources').waitFor();
  await shown.close();
});

it('everything is reached by the keyboard', () =>
  onScreen('/', async ({ page }) => {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
    const link = page.getByRole('navigation').getByRole('link', { name: 'Resources' });
    for (
      let step = 0;
      step < 20 && !(await link.evaluate((element) => element === document.activeElement));
      step++
    )
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await heading(page, 'Resources').waitFor();
    // A screen reader begins at the content of the new screen.
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
  }));

it('the docs are served beside it, with search, and without a fault', async () => {
  const shown = await openConsole(browser, server.base);
  await shown.page.goto(`${server.base}/docs/`);
  await shown.page.getByRole('button', { name: 'Search' }).click();
  await shown.page.getByRole('searchbox').fill('console');
  await shown.page.getByRole('option').first().waitFor();
  expect(shown.faults).toEqual([]);
  await shown.close();
});
