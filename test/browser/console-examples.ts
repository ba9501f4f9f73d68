/** A server with the data of the quick start, and a browser, for tests of the console. */
import { PassThrough } from 'node:stream';
import type { Browser } from 'playwright-core';
import { loadExamples } from '../../src/embedded/examples';
import { silentLog } from '../support/log';
import { startServer, type TestServer } from '../support/server';
import { startChromium } from './chromium';
import { buildConsole } from './console-page';

export const FHIR = '/w/system/api/v1/fhir/r4';
/** A patient with everything. */
export const IDA = `${FHIR}/Patient/demo-ida`;

export interface Examples {
  readonly server: TestServer;
  readonly browser: Browser;
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
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}
