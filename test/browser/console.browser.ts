/// <reference lib="dom" />
/** The console on the data of the quick start, as people use it. Pictures of the docs come from here. */
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import type { TestServer } from '../support/server';
import { FHIR, IDA, openExamples } from './console-examples';
import { findBarriers, isTooWide, openConsole, takePicture, type ConsolePage } from './console-page';

const GLUCOSE = 'Glucose [Mass/volume] in Blood';

let server: TestServer;
let browser: Browser;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ server, browser, close } = await openExamples());
}, 240_000);
afterAll(() => close());

/** Opens a path in a browser without state, works there, and expects that nothing forbidden has happened. */
async function onScreen(path: string, work: (shown: ConsolePage) => Promise<void>): Promise<void> {
  const shown = await openConsole(browser, server.base);
  try {
    await shown.goTo(path);
    await work(shown);
    expect(shown.faults).toEqual([]);
  } finally {
    await shown.close();
  }
}

const heading = (page: Page, name: string | RegExp, level = 1) => page.getByRole('heading', { name, level });
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });

/** A change by a program. */
async function patch(path: string, operations: readonly object[]): Promise<void> {
  const { status, text } = await server.request('PATCH', path, operations, {
    'content-type': 'application/json-patch+json',
  });
  if (status !== 200) throw new Error(text);
}

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
    await page.getByRole('button', { name: 'Search' }).click();
    const table = page.getByRole('table', { name: 'Records of the type Patient' });
    await table.getByRole('row', { name: /^demo-ida Ida Anders 12 Apr 1958 female/ }).waitFor();
    expect(new URL(page.url()).search).toBe('?name=anders');
    await page.getByRole('status').filter({ hasText: '1 in total' }).waitFor();
    await page.getByRole('button', { name: 'As a request' }).click();
    await page.getByText(`${server.base}${FHIR}/Patient?name=anders`, { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Copy .*GraphQL/ }).waitFor();
    await page.getByRole('button', { name: /^Copy .*curl/ }).waitFor();
    await takePicture(page, 'search');
    await page.reload();
    await table.getByRole('row', { name: /^demo-ida/ }).waitFor();
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

it('a patient begins with a summary, which prints without anything to click', () =>
  onScreen(IDA, async ({ page }) => {
    const region = (name: string) => page.getByRole('region', { name, exact: true });
    await region('Problems').getByRole('link', { name: 'Diabetes mellitus type 2' }).waitFor();
    await region('Vital signs').getByRole('row').nth(1).waitFor();
    await region('Immunizations').getByText('No immunizations are recorded.').waitFor();
    await takePicture(page, 'summary');
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('navigation').isVisible()).toBe(false);
    expect(await page.getByRole('tablist').isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
    expect(await heading(page, 'Ida Anders').isVisible()).toBe(true);
    expect(await page.getByText(/^Printed on /).isVisible()).toBe(true);
  }));

it('a patient is read with labels, names of references, timeline and JSON with all digits', () =>
  onScreen(IDA, async ({ page }) => {
    await heading(page, 'Ida Anders').waitFor();
    await tab(page, 'Read').click();
    await page.getByRole('link', { name: 'Andiron Demo Clinic' }).waitFor();
    await takePicture(page, 'patient');
    await tab(page, 'Timeline').click();
    await page.getByRole('link', { name: GLUCOSE }).first().waitFor();
    await takePicture(page, 'timeline');
    await tab(page, 'References').click();
    await heading(page, 'Condition through subject', 3).waitFor();
    await page.getByRole('link', { name: 'Diabetes mellitus type 2' }).click();
    await heading(page, /Diabetes mellitus type 2/).waitFor();
    await page.goto(`${server.base}${FHIR}/Observation/demo-ida-hba1c-1#json`);
    await page.getByText('8.').first().waitFor();
    const { text } = await server.request('GET', `${FHIR}/Observation/demo-ida-hba1c-1`);
    const [, value = ''] = /"value":([\d.]+)/.exec(text) ?? [];
    await page.getByText(value).first().waitFor();
  }));

it('a person finds the glucose of a patient as a chart and as a table', () =>
  onScreen(IDA, async ({ page }) => {
    await tab(page, 'Charts').click();
    await page.getByRole('searchbox', { name: 'Find a measurement' }).fill('glucose');
    await page.getByRole('link', { name: GLUCOSE }).click();
    await page.getByRole('img', { name: `${GLUCOSE} over time, in mg/dL` }).waitFor();
    await takePicture(page, 'chart');
    await page.locator('.recharts-line-dot').nth(1).hover();
    await page.getByText('160.0 mg/dL').waitFor();
    await page.getByRole('button', { name: 'Show the values as a table' }).click();
    // 52 values and the head.
    await page.getByRole('row').nth(52).waitFor();
    await page.getByText('160.0').first().waitFor();
  }));

it('a person sees who changed what, compares two versions and restores one', async () => {
  await patch(`${FHIR}/Patient/demo-jonas`, [
    { op: 'replace', path: '/birthDate', value: '1917-11-30' },
    { op: 'replace', path: '/address/0/city', value: 'Odense C' },
  ]);
  await onScreen(`${FHIR}/Patient/demo-jonas`, async ({ page }) => {
    await tab(page, 'History').click();
    const versions = page.getByRole('table', { name: 'Versions, newest first' });
    await versions.getByRole('row', { name: /^Version 2 current .* birthDate/ }).waitFor();
    await page
      .getByRole('table', { name: /compar|differ|change/i })
      .getByText('1917')
      .first()
      .waitFor();
    await takePicture(page, 'history');
    await versions
      .getByRole('row', { name: /^Version 1 / })
      .getByRole('button', { name: /Restore/ })
      .click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Restore/ })
      .click();
    await versions.getByRole('row', { name: /^Version 3 current/ }).waitFor();
  });
  const { json } = await server.request('GET', `${FHIR}/Patient/demo-jonas`);
  expect(json).toMatchObject({ birthDate: '1971-11-30', meta: { versionId: '3' } });
});

it('a person who looks at a record learns at once that somebody else has saved it', () =>
  onScreen(FHIR, async ({ page }) => {
    const path = `${FHIR}/Observation/demo-ida-hba1c-2`;
    const bar = page.getByRole('status').filter({ hasText: 'Version 2 was saved' });
    const watching = page.waitForResponse((response) => response.url().endsWith('/stream'));
    await page.goto(server.base + path);
    await watching;
    await page.getByText('Version 1, updated').waitFor();
    await patch(path, [{ op: 'replace', path: '/status', value: 'amended' }]);
    await bar.getByRole('button', { name: 'Show it' }).click();
    await page.getByText('Version 2, updated').waitFor();
    await bar.waitFor({ state: 'detached' });
  }));

it('a machine without a network is told so in words, and what failed can be tried again', () =>
  onScreen(IDA, async ({ page }) => {
    const problem = page.getByRole('link', { name: 'Diabetes mellitus type 2' });
    await problem.waitFor();
    await page.context().setOffline(true);
    await page.getByText('What you see can be old').waitFor();
    await problem.click();
    await page.getByText('This machine has no network. Try again').first().waitFor();
    await page.context().setOffline(false);
    await page.getByText('What you see can be old').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await heading(page, /Diabetes mellitus type 2/).waitFor();
  }));

it('a deleted record says so, and comes back', async () => {
  const path = `${FHIR}/Observation/demo-defne-weight-1`;
  await onScreen(path, async ({ page }) => {
    await page.getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Delete/ })
      .click();
    await page
      .getByRole('button', { name: /Restore/ })
      .first()
      .waitFor();
    expect((await server.request('GET', path)).status).toBe(410);
    await page.reload();
    await page
      .getByRole('button', { name: /Restore/ })
      .first()
      .click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Restore/ })
      .click();
    await tab(page, 'Read').waitFor();
  });
  expect((await server.request('GET', path)).status).toBe(200);
});

it('a record to which others refer is not deleted where the tenant forbids it, and the dialog names them', async () => {
  await server.app.core.tenants.create('kept', { 'referential-integrity': 'on-write-and-delete' });
  const kept = '/w/kept/api/v1/fhir/r4';
  const basic = {
    resourceType: 'Basic',
    id: 'note',
    code: { text: 'a note' },
    subject: { reference: 'Patient/ann' },
  };
  for (const resource of [{ resourceType: 'Patient', id: 'ann' }, basic])
    await server.request('PUT', `${kept}/${resource.resourceType}/${resource.id}`, resource);
  await onScreen(`${kept}/Patient/ann`, async ({ page }) => {
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /Delete/ }).click();
    const refusal = dialog.getByRole('alert');
    await refusal.getByText('Basic/note').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await heading(page, /ann/).waitFor();
  });
});

it('an edit is validated, stays over a reload, and is joined with the change of somebody else', async () => {
  const path = `${FHIR}/Patient/demo-defne`;
  await onScreen(path, async ({ page }) => {
    await page.getByRole('link', { name: 'Edit' }).click();
    const editor = page.getByRole('textbox', { name: /^JSON of Patient\/demo-defne/ });
    const before = JSON.stringify((await server.request('GET', path)).json, undefined, 2);
    await retype(page, editor, before.replace('"female"', '"femal"'));
    await page.getByRole('tabpanel').getByRole('button', { name: 'Validate' }).click();
    await page.getByText('Patient.gender').first().waitFor();
    await takePicture(page, 'edit');
    await retype(page, editor, before.replace('"Vejle"', '"Kolding"'));
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('These are your unsaved changes from before.').waitFor();
    await patch(path, [
      { op: 'replace', path: '/active', value: false },
      { op: 'replace', path: '/address/0/city', value: 'Odense' },
    ]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const conflict = page.getByRole('alert');
    await conflict.getByText('Both of you changed the same in 1 place; 1 to choose.').waitFor();
    const take = conflict.getByRole('button', { name: 'Put the joined text into the editor' });
    expect(await take.isDisabled()).toBe(true);
    await conflict.getByRole('radio', { name: 'Your text' }).check();
    await takePicture(page, 'conflict');
    expect(await findBarriers(page)).toEqual([]);
    await take.click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 3 is saved.').waitFor();
  });
  expect((await server.request('GET', path)).json).toMatchObject({
    ...{ meta: { versionId: '3' }, active: false, address: [{ city: 'Kolding' }] },
  });
});

/** Replaces the text of the editor, as by a paste. */
async function retype(page: Page, editor: ReturnType<Page['locator']>, text: string): Promise<void> {
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
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
