/** A server with the data of the quick start, and a browser, for tests of the console. */
import { PassThrough } from 'node:stream';
import type { Browser } from 'playwright-core';
import { loadExamples } from '../../src/embedded/examples';
import { silentLog } from '../support/log';
import { startServer, type TestServer } from '../support/server';
import { startChromium } from './chromium';
import { buildConsole, openConsole, type ConsolePage } from './console-page';

export const FHIR = '/w/system/api/v1/fhir/r4';
/** A patient with everything. */
export const IDA = `${FHIR}/Patient/demo-ida`;

export interface Examples {
  readonly server: TestServer;
  readonly browser: Browser;
  /** Opens a path in a browser without state, works there, and expects that nothing forbidden has happened. */
  onScreen(path: string, work: (shown: ConsolePage) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** Builds the console where its sources have changed, and starts both. The caller closes them. */
export async function openExamples(environment: Readonly<Record<string, string>> = {}): Promise<Examples> {
  await buildConsole();
  const server = await startServer({ environment });
  const output = Object.assign(new PassThrough().resume(), { isTTY: false as const });
  await loadExamples(server.app.core, 'system', silentLog, { output });
  const browser = await startChromium();
  return {
    server,
    browser,
    async onScreen(path, work) {
      const shown = await openConsole(browser, server.base);
      try {
        await shown.goTo(path);
        await work(shown);
        expect(shown.faults).toEqual([]);
      } finally {
        await shown.close();
      }
    },
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}
