/// <reference lib="dom" />
/** The console in a real browser: pages that record what must not happen, axe-core, and pictures for the docs. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';

const root = path.resolve(__dirname, '../..');
const pictures = process.env.UPDATE_PICTURES ? path.join(root, 'docs/images') : tmpdir();
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** Findings that keep people from using a screen. */
const BAD: readonly string[] = ['serious', 'critical'];

/** What leaves the browser for no other host; its viewer of PDFs is an extension that is part of it. */
const OWN_PROTOCOLS: readonly string[] = ['data:', 'blob:', 'chrome:', 'chrome-extension:'];

export interface ConsolePage {
  readonly page: Page;
  /** Errors of scripts, broken rules of the Content-Security-Policy, and requests to other hosts. */
  readonly faults: readonly string[];
  /** Opens a path of the server, as a person does who types it. */
  goTo(path: string): Promise<void>;
  /** Waits until nothing has loaded for half a second; a record is watched by a request that does not end. */
  settle(): Promise<void>;
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
    if (origin !== own && !OWN_PROTOCOLS.includes(protocol)) faults.push(request.url());
  });
  const loading = new Set<Request>();
  page.on('request', (request) => {
    if (!request.url().endsWith('/stream')) loading.add(request);
  });
  page.on('requestfinished', (request) => void loading.delete(request));
  page.on('requestfailed', (request) => void loading.delete(request));
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
    settle: async () => {
      for (let quiet = 0; quiet < 10; quiet = loading.size === 0 ? quiet + 1 : 0) await delay(50);
    },
    close: () => context.close(),
  };
}

/** Waits for all transitions: colors and sizes in the middle of one are nobody's. Those without an end go on, and those by scrolling. */
async function endTransitions(page: Page): Promise<void> {
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter(
          ({ effect, timeline }) =>
            timeline === document.timeline && effect?.getComputedTiming().iterations !== Infinity,
        )
        .map(({ finished }) => finished.catch(() => undefined)),
    ),
  );
}

/** The serious findings of axe-core on what is shown, or all of them, each with the element. */
export async function findBarriers(
  page: Page,
  which: 'serious' | 'all' = 'serious',
): Promise<readonly string[]> {
  await page.evaluate(AXE);
  await endTransitions(page);
  const { violations } = await page.evaluate<AxeResults>(
    'axe.run(document, { resultTypes: ["violations"] })',
  );
  return violations
    .filter(({ impact }) => which === 'all' || BAD.includes(impact ?? ''))
    .flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 300)}`));
}

/** Shows the page as to a person whose system has light or dark colors. */
export async function setColors(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  // The page learns it by an event of its own.
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
}

/** More elements are on no screen, so that the focus goes around in them. */
const LONGEST_WAY = 400;

/**
 * Goes through the whole page by the Tab key. Returns the elements that it reaches without an outline that can be seen: a
 * line of two pixels whose color has a contrast of at least 3 with the page.
 */
export async function findHiddenFocus(page: Page): Promise<readonly string[]> {
  const hidden: string[] = [];
  await page.locator('a[href="#content"]').focus();
  for (let step = 0; step < LONGEST_WAY; step++) {
    const found = await page.evaluate(describeFocus);
    if (found === undefined) return hidden;
    if (found.fault !== undefined) hidden.push(found.fault);
    // In an editor, Tab indents; after Escape it leads on.
    if (found.isEditor) await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
  }
  return [...hidden, `the focus has not come to an end after ${LONGEST_WAY} steps`];
}

/** In the page: undefined where the focus has left it, or has been there before. */
function describeFocus(): { readonly fault: string | undefined; readonly isEditor: boolean } | undefined {
  const focused = document.activeElement;
  // GraphiQL in its frame is a page of its own.
  if (focused === null || focused === document.body || focused instanceof HTMLIFrameElement) return undefined;
  const key = 'andiron-test-focus';
  if (Object.hasOwn(focused, key)) return undefined;
  Object.defineProperty(focused, key, { value: true });
  const luminance = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const page = luminance(getComputedStyle(document.body).backgroundColor);
  const isMarked = (element: Element): boolean => {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    const line = luminance(outlineColor);
    const contrast = (Math.max(line, page) + 0.05) / (Math.min(line, page) + 0.05);
    return outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2 && contrast >= 3 && width * height > 1;
  };
  // Radios and switches have no size; their label or track stands for them.
  const stands = [focused, focused.nextElementSibling, focused.closest('.cm-editor')];
  const isSeen = stands.some((element) => element !== null && isMarked(element));
  return {
    fault: isSeen ? undefined : focused.outerHTML.slice(0, 300),
    isEditor: focused.matches('.cm-content'),
  };
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

/**
 * What a narrow window cuts: elements that reach beyond it, outside of a box that scrolls, and texts that end without a sign of
 * the rest, or that have room for a few letters only.
 */
export async function findCut(page: Page): Promise<readonly string[]> {
  await endTransitions(page);
  return page.evaluate(describeCut);
}

function describeCut(): readonly string[] {
  const FEW_LETTERS = 40;
  const found: string[] = [];
  const tell = (what: string, element: Element): void =>
    void found.push(`${what}: ${element.outerHTML.slice(0, 300)}`);
  const cuts = (element: Element): boolean =>
    ['hidden', 'clip'].includes(getComputedStyle(element).overflowX);
  const scrolls = (element: Element): boolean =>
    ['auto', 'scroll'].includes(getComputedStyle(element).overflowX);
  /** The element and those around it, up to the first box that scrolls. */
  const aroundOf = (element: Element): readonly Element[] => {
    const around: Element[] = [];
    for (let at: Element | null = element; at !== null && !scrolls(at); at = at.parentElement)
      around.push(at);
    return around;
  };
  const judge = (element: Element, cutter: Element): void => {
    if (getComputedStyle(cutter).textOverflow !== 'ellipsis') tell('cut without a sign', element);
    else if (cutter.clientWidth < FEW_LETTERS) tell('cut to a few letters', element);
  };
  for (const element of Array.from(document.body.querySelectorAll('*:not(svg *)'))) {
    const { left, right, width } = element.getBoundingClientRect();
    const around = aroundOf(element);
    // The closed menu is beside the window; texts for screen readers have a pixel or are clipped.
    if (right <= 0 || !element.checkVisibility()) continue;
    if (around.some((at) => at.clientWidth === 1 || getComputedStyle(at).clipPath !== 'none')) continue;
    const isInBox = around.at(-1) !== document.documentElement;
    if (width > 1 && (left < -1 || right > window.innerWidth + 1) && !isInBox)
      tell('beyond the window', element);
    if (element instanceof HTMLInputElement && element.scrollWidth > element.clientWidth + 1)
      judge(element, element);
    const text = Array.from(element.childNodes).find(
      (node) => node instanceof Text && node.data.trim() !== '',
    );
    if (text === undefined) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const end = range.getBoundingClientRect().right;
    const cutter = around.find((at) => cuts(at) && at.getBoundingClientRect().right < end - 1);
    if (cutter !== undefined) judge(element, cutter);
  }
  return found;
}

/** A heading of a screen. */
export const heading = (page: Page, name: string | RegExp, level = 1) =>
  page.getByRole('heading', { name, level });
export const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });

/** Replaces the text of the editor, as by a paste. */
export async function retype(page: Page, editor: ReturnType<Page['locator']>, text: string): Promise<void> {
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}
