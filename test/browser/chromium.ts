import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's; playwright-core brings no browser of its own. */
const EXECUTABLE = '/usr/bin/chromium';

/** Everything that a browser requests by itself is off, so that all requests are those of the page. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Installs Chromium where that is possible, and prints instructions where it is not. */
function provideChromium(): void {
  if (existsSync(EXECUTABLE)) return;
  if (process.getuid?.() !== 0)
    throw new Error(`There is no ${EXECUTABLE}: install it with 'apt-get install chromium'`);
  const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  execFileSync('apt-get', ['update', '-qq'], options);
  execFileSync(
    'apt-get',
    ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'],
    options,
  );
}

/** A host name that the browser finds on this machine, and trusts as little as any other without https. */
export const OTHER_HOST = 'andiron.test';

/** A headless Chromium; the caller closes it. */
export async function startChromium(): Promise<Browser> {
  provideChromium();
  const args = [...FLAGS, `--host-resolver-rules=MAP ${OTHER_HOST} 127.0.0.1`];
  return chromium.launch({ executablePath: EXECUTABLE, args, headless: true });
}
