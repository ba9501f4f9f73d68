/// <reference lib="dom" />
/** The console, GraphiQL and the docs are one product: one colour, the same fonts and mark, and ways between them. */
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { gatewayPath } from '../graphql/gateway-client';
import { openSharedServer } from '../support/shared-server';
import { startChromium } from './chromium';
import { findBarriers } from './console-page';

const ROOT = path.resolve(__dirname, '../..');
const PLACES = { console: '/', graphiql: gatewayPath('system', 'r4'), docs: '/docs/' };
/** What only a finished page has. */
const SHOWN = { console: 'h1', graphiql: '.graphiql-query-editor .view-line', docs: '.VPHero .name' };
type Place = keyof typeof PLACES;

let base: string;
let browser: Browser;
beforeAll(async () => {
  for (const name of ['console', 'graphiql', 'site'])
    await promisify(execFile)(process.execPath, [`scripts/build-${name}.mjs`], { cwd: ROOT });
  ({ base } = await openSharedServer());
  browser = await startChromium();
});
afterAll(() => browser.close());

async function open(place: Place, colorScheme: 'light' | 'dark', width = 1280): Promise<Page> {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 860 } });
  await page.goto(base + PLACES[place]);
  await page.waitForSelector(SHOWN[place]);
  return page;
}

async function lookOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    const style = getComputedStyle(document.body);
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href ?? '';
    // The policy of the docs lets no script fetch a text of the page itself.
    const mark = icon.startsWith('data:')
      ? atob(icon.slice(icon.indexOf(',') + 1))
      : await (await fetch(icon)).text();
    const sample = document.createElement('i');
    sample.style.color = 'var(--andiron-color)';
    document.body.append(sample);
    return [
      getComputedStyle(sample).color,
      style.getPropertyValue('--andiron-font'),
      mark.replace(/\s+/g, ' '),
    ];
  });
}

describe.each(['light', 'dark'] as const)('a person with %s colours', (colors) => {
  it('sees the same colour, font and mark everywhere', async () => {
    const looks = new Map<string, Place>();
    for (const place of ['console', 'graphiql', 'docs'] as const) {
      const page = await open(place, colors);
      looks.set(JSON.stringify(await lookOf(page)), place);
      await page.close();
    }
    expect([...looks.keys()]).toHaveLength(1);
    expect([...looks.keys()][0]).toContain(colors === 'light' ? 'rgb(181, 57, 10)' : 'rgb(255, 169, 77)');
  });
});

it.each([
  ['console', 'Docs', 'docs'],
  ['graphiql', 'Andiron', 'console'],
  ['graphiql', 'Docs', 'docs'],
  ['docs', 'Console', 'console'],
] as const)('%s leads by the link %s to %s', async (from, link, to) => {
  const page = await open(from, 'light');
  await page.getByRole('link', { name: link, exact: true }).first().click();
  await page.waitForURL(base + PLACES[to]);
  await page.waitForSelector(SHOWN[to]);
  await page.close();
});

it.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
] as const)(
  'the first page of the docs has no barrier in %s colours, %i pixels wide',
  async (colors, width) => {
    const page = await open('docs', colors, width);
    expect(await findBarriers(page, 'all')).toEqual([]);
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
    ).toBeLessThanOrEqual(0);
    if (process.env.UPDATE_PICTURES === undefined)
      await page.screenshot({ path: path.join(tmpdir(), `docs-${colors}-${width}.png`) });
    await page.close();
  },
);

it('a page of the docs has no barrier, also after the way from the first page', async () => {
  const page = await open('docs', 'light');
  await page.getByRole('link', { name: 'Reference', exact: true }).first().click();
  await page.waitForURL('**/docs/reference/rest');
  await page.waitForSelector('.VPSidebarItem .caret');
  expect(await findBarriers(page)).toEqual([]);
  await page.close();
});
