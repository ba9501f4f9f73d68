import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from '../../src/embedded/child';
import { createHttpClient } from './http';

/** This program, as `npm run build` has made it. */
export const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'src', 'main.js');

/** The commands of it. */
export const CLI = path.join(path.dirname(MAIN), 'cli.js');

const START_TIMEOUT_MS = 120_000;

/** The port that the server has logged; undefined when it has ended, or not within two minutes. */
export async function waitForPort(
  output: () => Promise<string>,
  child: Pick<Child, 'isRunning'>,
): Promise<number | undefined> {
  const end = Date.now() + START_TIMEOUT_MS;
  while (child.isRunning() && Date.now() < end) {
    const [, port] = /"port":(\d+).*"msg":"listening"/.exec(await output()) ?? [];
    if (port !== undefined) return Number(port);
    await delay(20);
  }
  return undefined;
}

/** False when the server has ended, or is not ready after two minutes. */
export async function waitUntilReady(base: string, child: Pick<Child, 'isRunning'>): Promise<boolean> {
  const client = createHttpClient(base);
  try {
    const end = Date.now() + START_TIMEOUT_MS;
    while (child.isRunning() && Date.now() < end) {
      const answer = await client.request('GET', '/health/ready').catch(() => undefined);
      if (answer?.status === 200) return true;
      await delay(20);
    }
    return false;
  } finally {
    client.close();
  }
}
