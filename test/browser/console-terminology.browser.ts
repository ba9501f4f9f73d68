/// <reference lib="dom" />
/** A code system whose concepts are in tables, as people browse it: its hierarchy, a search, a concept, and its versions. */
import type { Browser, Page } from 'playwright-core';
import { startServer, type TestServer } from '../support/server';
import { startChromium } from './chromium';
import {
  buildConsole,
  findBarriers,
  findCut,
  findHiddenFocus,
  heading,
  isTooWide,
  openConsole,
  takePicture,
} from './console-page';
import { CATALOGUE, importCatalogue } from './laboratory-catalogue';

const FHIR = '/w/system/api/v1/fhir/r4';
const TERMINOLOGY = '/w/system/console/r4/terminology';

let server: TestServer;
let browser: Browser;
let ids: ReadonlyMap<string, string>;
beforeAll(async () => {
  await buildConsole();
  server = await startServer();
  browser = await startChromium();
  ids = await importCatalogue(server);
  for (const [id, code] of [
    ['one', 'GLU-U'],
    ['two', 'URC'],
  ]) {
    const { status } = await server.request('PUT', `${FHIR}/Observation/${id}`, {
      ...{ resourceType: 'Observation', id, status: 'final' },
      code: { coding: [{ system: CATALOGUE, code }] },
    });
    expect(status).toBe(201);
  }
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

const search = (page: Page) =>
  page.getByRole('searchbox', { name: 'Find by words in any language, or by code' });
const details = (page: Page) => page.getByRole('region', { name: /^Concept / });
const code = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

it('a code system in tables is browsed, searched, counted and compared', async () => {
  const { page, goTo, settle, close, faults } = await openConsole(browser, server.base);
  await goTo(TERMINOLOGY);
  const row = page.getByRole('row', { name: /Laboratory catalogue 2026/ });
  await row.getByRole('cell', { name: '131', exact: true }).waitFor();
  await row.getByRole('cell', { name: 'in tables', exact: true }).waitFor();
  await row.getByRole('link', { name: 'Laboratory catalogue 2026' }).click();
  await heading(page, 'Laboratory catalogue 2026').waitFor();

  // The hierarchy, by the keyboard alone.
  await page.getByRole('button', { name: 'Show what is below LAB' }).focus();
  await page.keyboard.press('Enter');
  await code(page, 'URI').waitFor();
  await page.getByRole('button', { name: 'Show what is below URI' }).focus();
  await page.keyboard.press('Enter');
  await code(page, 'GLU-U').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Concept GLU-U' }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('concept');
  await details(page).getByRole('link', { name: 'Clinical chemistry' }).waitFor();
  await details(page).getByRole('link', { name: 'Examinations of urine' }).waitFor();
  await details(page).getByRole('cell', { name: 'Glukose im Harn' }).waitFor();
  await details(page).getByText('Nothing is below it.').waitFor();
  await details(page).getByRole('button', { name: 'Count' }).click();
  await details(page).getByRole('row', { name: 'Observation code 1' }).waitFor();
  await page.evaluate(() => scrollTo(0, 0));
  await takePicture(page, 'concepts');
  expect(await findBarriers(page)).toEqual([]);
  // A browser shows the focus to those who use keys.
  await page.keyboard.press('Tab');
  expect(await findHiddenFocus(page)).toEqual([]);

  // A higher concept is not used itself, but those below it are.
  await details(page).getByRole('link', { name: 'Examinations of urine' }).click();
  await page.getByRole('heading', { name: 'Concept URI' }).waitFor();
  await details(page).getByRole('checkbox', { name: 'Also codes below it' }).check();
  await details(page).getByRole('button', { name: 'Count' }).click();
  const count = details(page).getByRole('row', { name: 'Observation code 2' });
  await count.getByRole('link', { name: '2', exact: true }).waitFor();

  // Words of another language, without their accents.
  await search(page).fill('ham');
  await page.getByText('2 matches').waitFor();
  await page.getByRole('list', { name: 'Matches' }).getByText('Hämoglobin').waitFor();
  await page.getByText('Below: Laboratory examinations › Hematology').waitFor();

  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('Changes from version 2025 to this one').waitFor();
  await page.getByText('Changed (1)', { exact: true }).click();
  await page.getByRole('row', { name: 'PLT Thrombocytes Platelets' }).waitFor();
  await settle();
  expect(await findBarriers(page)).toEqual([]);

  // The link of a count is the search itself.
  await count.getByRole('link', { name: '2', exact: true }).click();
  await heading(page, 'Observation').waitFor();
  await page
    .getByRole('status')
    .filter({ hasText: /2 in total/ })
    .waitFor();
  expect(faults).toEqual([]);
  await close();
});

it('people with a phone can use it', async () => {
  const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;
  const { page, goTo, settle, close, faults } = await openConsole(browser, server.base, phone);
  await goTo(`${TERMINOLOGY}/CodeSystem/${ids.get('2026')}?code=MIC`);
  await code(page, 'CUL-049').waitFor();
  await details(page).getByRole('button', { name: 'More concepts' }).click();
  await code(page, 'CUL-099').waitFor();
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('Changes from version 2025 to this one').waitFor();
  await settle();
  expect(await isTooWide(page)).toBe(false);
  expect(await findCut(page)).toEqual([]);
  expect(await findBarriers(page)).toEqual([]);
  await search(page).fill('culture');
  await page.getByRole('list', { name: 'Matches' }).first().waitFor();
  await settle();
  expect(await findCut(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});
