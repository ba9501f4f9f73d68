/// <reference lib="dom" />
/** Records in the console that are large, and their forms. */
import type { Browser, Page } from 'playwright-core';
import { startServer, type TestServer } from '../support/server';
import { startChromium } from './chromium';
import { buildConsole, findBarriers, openConsole, type ConsolePage } from './console-page';

const FHIR = '/w/system/api/v1/fhir/r4';

let server: TestServer;
let browser: Browser;
beforeAll(async () => {
  await buildConsole();
  server = await startServer();
  browser = await startChromium();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

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

async function put(resource: { readonly resourceType: string; readonly id: string }): Promise<void> {
  const { status, text } = await server.request(
    'PUT',
    `${FHIR}/${resource.resourceType}/${resource.id}`,
    resource,
  );
  if (status > 201) throw new Error(text);
}

const basic = (id: string, extension: readonly object[]) => ({
  ...{ resourceType: 'Basic', id, code: { text: 'a large record' } },
  extension,
});

/** A hundred thousand values. */
const values = (first: number): readonly object[] =>
  Array.from({ length: 25_000 }, (_, index) => ({
    url: `http://example.org/${index % 40}`,
    valueQuantity: { value: index + first, unit: 'mg' },
  }));
const text = (last: string): readonly object[] =>
  [1, 2, 3, 4].map(() => ({
    url: 'http://example.org/text',
    valueString: `${'x y '.repeat(250_000)}${last}`.slice(4),
  }));

/** Boxes in boxes. */
function nested(depth: number): object {
  const inside = { url: 'http://example.org/leaf', valueString: `level ${depth}` };
  return { url: 'http://example.org/box', extension: depth === 0 ? [inside] : [nested(depth - 1), inside] };
}

const entries = Array.from({ length: 4_000 }, (_, index) => ({
  fullUrl: `urn:uuid:00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  resource: {
    ...{ resourceType: 'Observation', status: 'final', code: { text: `value ${index}` } },
    subject: { reference: 'Patient/nobody' },
  },
}));

const LARGE: Readonly<Record<string, readonly { readonly resourceType: string; readonly id: string }[]>> = {
  'a hundred thousand values': [basic('values', values(0.5)), basic('values', values(1.5))],
  'texts of a megabyte': [basic('texts', text('a')), basic('texts', text('b'))],
  'a file of five megabytes': ['A', 'B'].map((last) => ({
    ...{ resourceType: 'DocumentReference', id: 'file', status: 'current' },
    content: [
      { attachment: { contentType: 'application/zip', data: `${'AAAA'.repeat(1_250_000)}AAA${last}` } },
    ],
  })),
  'thousands of entries': [
    { resourceType: 'Bundle', id: 'entries', type: 'collection', entry: entries } as never,
    { resourceType: 'Bundle', id: 'entries', type: 'collection', entry: entries.slice(1) } as never,
  ],
  'boxes in boxes': [basic('boxes', [nested(25)]), basic('boxes', [nested(24)])],
};

/** What a tab shows when it is there. */
const TABS = {
  read: 'dl',
  references: 'section',
  history: 'table',
  json: '.cm-content',
  edit: '.cm-content',
} as const;
/** Elements of a page that a browser lays out at once; pages of usual records have a thousand. */
const MOST_ELEMENTS = 6_000;
const MOST_CHARACTERS = 200_000;

const countIn = (page: Page): Promise<{ elements: number; characters: number }> =>
  page.evaluate(() => ({
    elements: document.querySelectorAll('*').length,
    characters: document.body.textContent.length,
  }));

it.each(Object.entries(LARGE))(
  'every tab of a record with %s draws a part of it',
  async (_name, versions) => {
    for (const version of versions) await put(version);
    const [{ resourceType, id } = { resourceType: '', id: '' }] = versions;
    for (const [tab, sign] of Object.entries(TABS))
      await onScreen(`${FHIR}/${resourceType}/${id}#${tab}`, async (shown) => {
        await shown.page.getByRole('tabpanel').locator(sign).first().waitFor();
        await shown.settle();
        const { elements, characters } = await countIn(shown.page);
        expect(elements).toBeLessThan(MOST_ELEMENTS);
        expect(characters).toBeLessThan(MOST_CHARACTERS);
        expect(await findBarriers(shown.page)).toEqual([]);
      });
  },
);

it('a person sees more of a large record, and what changed in it', () =>
  onScreen(`${FHIR}/Basic/values#read`, async ({ page }) => {
    const more = page.getByRole('button', { name: /^Show more \(\d+ of 25000 are shown\)$/ });
    const before = await more.textContent();
    await more.click();
    await page.getByRole('button', { name: before ?? '', exact: true }).waitFor({ state: 'detached' });
    await more.waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('25000 elements are different').first().waitFor();
    await page.getByRole('button', { name: 'Show more (50 of 25000 are shown)' }).click();
    await page.getByRole('button', { name: 'Show more (100 of 25000 are shown)' }).waitFor();
  }));

it('a large record is edited and saved, to the digit', () =>
  onScreen(`${FHIR}/Basic/values#edit`, async ({ page }) => {
    const editor = page.getByRole('textbox', { name: /^JSON of Basic\/values/ });
    await editor.click();
    await page.getByRole('textbox', { name: 'Find in the text' }).fill('a large record');
    await page.getByText('1 of 1').waitFor();
    await editor.focus();
    await page.keyboard.insertText('a changed record');
    await page.getByRole('tabpanel').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Version 3 is saved.').waitFor();
    const { json } = await server.request('GET', `${FHIR}/Basic/values`);
    expect(json).toMatchObject({ code: { text: 'a changed record' }, extension: values(1.5) });
  }));

const asForm = async (page: Page) => {
  await page.getByRole('radiogroup', { name: 'Edit as' }).getByText('Form', { exact: true }).click();
  const form = page.getByRole('form', { name: 'Form' });
  await form.waitFor();
  return form;
};

it('a record is written by form alone, with codes and records found by name, and read as JSON', async () => {
  await put({ resourceType: 'Patient', id: 'ann', name: [{ given: ['Ann'], family: 'Archer' }] } as never);
  await onScreen(`${FHIR}/Observation#new`, async ({ page, settle }) => {
    // A new record is a form at once.
    const form = page.getByRole('form', { name: 'Form' });
    await form.getByRole('combobox', { name: /^Status/ }).click();
    await page.keyboard.type('fin');
    await page.getByRole('option', { name: /final/i }).first().click();
    await form.getByRole('textbox', { name: 'Code: In words' }).fill('Potassium');
    await form.getByRole('combobox', { name: 'Subject', exact: true }).click();
    await page.keyboard.type('ann archer');
    await page.getByRole('option', { name: /Ann Archer/ }).click();
    await form.getByRole('textbox', { name: 'Value: Value' }).fill('4.10');
    await form.getByRole('textbox', { name: 'Value: UCUM code' }).fill('mmol/L');
    const date = form.getByRole('textbox', { name: 'Effective', exact: true });
    await date.fill('2024-5');
    await form.getByText(/^Write it like/).waitFor();
    await date.fill('2024-05');
    await settle();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('radiogroup', { name: 'Edit as' }).getByText('JSON', { exact: true }).click();
    await page.locator('.cm-content').getByText('4.10').waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText(/^Observation\/.* is created\.$/).waitFor();
  });
  const { text } = await server.request('GET', `${FHIR}/Observation?subject=Patient/ann`);
  expect(text).toContain('"value":4.10');
  expect(text).toContain('"effectiveDateTime":"2024-05"');
  expect(text).toContain('"reference":"Patient/ann","display":"Ann Archer"');
});

it('in R4B, too, a profile gives the form its slices, and the record what it fixes', async () => {
  const r4b = '/w/system/api/v1/fhir/r4b';
  await onScreen(`${r4b}/Observation#new`, async ({ page, settle }) => {
    const form = page.getByRole('form', { name: 'Form' });
    await form.getByRole('combobox', { name: 'Form of' }).click();
    await page.keyboard.type('StructureDefinition/bp');
    await page.getByRole('option', { name: /StructureDefinition\/bp\)$/ }).click();
    await form.getByRole('button', { name: 'Add the profile to the record, with what it fixes' }).click();
    await form.getByRole('combobox', { name: /^Status/ }).click();
    await page.keyboard.type('fin');
    await page.getByRole('option', { name: /final/i }).first().click();
    const component = form.getByRole('group', { name: 'Component', exact: true });
    for (const name of [/^Component: Systolic/, /^Component: Diastolic/])
      await component.getByRole('button', { name }).waitFor();
    await settle();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create' }).click();
    await page
      .getByText(/is created\.$|errors/)
      .first()
      .waitFor();
    await page.getByRole('radiogroup', { name: 'Edit as' }).getByText('JSON', { exact: true }).click();
    await page.locator('.cm-content').getByText('8480-6').waitFor();
  });
});

it('a form keeps what it does not show, and has the findings of the server beside their fields', async () => {
  const body =
    '{"resourceType":"Patient","id":"kept","multipleBirthInteger":1,"extension":[{"url":"http://example.org/x","valueDecimal":1.50}],' +
    '"name":[{"given":["Bea","Ann"],"_given":[{"id":"b"},null],"family":"Archer"}],"birthDate":"1970"}';
  await server.request('PUT', `${FHIR}/Patient/kept`, JSON.parse(body) as object);
  await onScreen(`${FHIR}/Patient/kept#edit`, async ({ page, settle }) => {
    const form = await asForm(page);
    await form.getByRole('button', { name: 'Name', exact: true }).click();
    await form.getByRole('textbox', { name: 'Family' }).fill('Baker');
    await form.getByRole('button', { name: 'Move Given 2 up' }).click();
    await form.getByRole('textbox', { name: 'Birth date' }).fill('1970-02');
    await settle();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Version 2 is saved.').waitFor();
  });
  const { json } = await server.request('GET', `${FHIR}/Patient/kept`);
  expect(json).toMatchObject({
    ...{ multipleBirthInteger: 1, extension: [{ url: 'http://example.org/x', valueDecimal: 1.5 }] },
    name: [{ given: ['Ann', 'Bea'], _given: [null, { id: 'b' }], family: 'Baker' }],
    birthDate: '1970-02',
  });
});
