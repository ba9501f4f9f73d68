/// <reference lib="dom" />
/** The console in a real browser: pages that record what must not happen, axe-core, and pictures for the docs. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

const root = path.resolve(__dirname, '../..');
const pictures = process.env.UPDATE_PICTURES ? path.join(root, 'docs/images') : tmpdir();
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** Findings that keep people from using a screen. */
const BAD: readonly string[] = ['serious', 'critical'];

export interface ConsolePage {
  readonly page: Page;
  /** Errors of scripts, broken rules of the Content-Security-Policy, and requests to other hosts. */
  readonly faults: readonly string[];
  /** Opens a path of the server, as a person does who types it. */
  goTo(path: string): Promise<void>;
  close(): Promise<void>;
}

/** Builds the console where its sources have changed. */
export async function buildConsole(): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/build-console.mjs'], { cwd: root });
}

/** A page of a browser that has no state. `base`: the address of the server, or that of a prefix before it. */
export async function openConsole(
  browser: Browser,
  base: string,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    colorScheme: 'light',
    locale: 'en-GB',
    timezoneId: 'Europe/Copenhagen',
    ...options,
  });
  const page = await context.newPage();
  const faults: string[] = [];
  const { origin: own } = new URL(base);
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== own && protocol !== 'data:' && protocol !== 'blob:') faults.push(request.url());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // Refusals of the server are answers, which the screens show.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) faults.push(message.text());
  });
  return {
    page,
    faults,
    goTo: async (to) => {
      await page.goto(base + to);
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
    close: () => context.close(),
  };
}

/** Waits for all transitions: colors and sizes in the middle of one are nobody's. Those without an end go on. */
async function endTransitions(page: Page): Promise<void> {
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
        .map(({ finished }) => finished.catch(() => undefined)),
    ),
  );
}

/** The serious findings of axe-core on what is shown, each with the element. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  await endTransitions(page);
  const { violations } = await page.evaluate<AxeResults>(
    'axe.run(document, { resultTypes: ["violations"] })',
  );
  return violations
    .filter(({ impact }) => BAD.includes(impact ?? ''))
    .flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 300)}`));
}

/** Shows the page as to a person whose system has light or dark colors. */
export async function setColors(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  // The page learns it by an event of its own.
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
}

/** Takes a picture for the docs; without UPDATE_PICTURES it goes to the folder for temporary files. */
export async function takePicture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: path.join(pictures, `console-${name}.png`), animations: 'disabled' });
}

/** True if the page is wider than its window, so that a person has to scroll to the side. */
export async function isTooWide(page: Page): Promise<boolean> {
  await endTransitions(page);
  return page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth + 1);
}
