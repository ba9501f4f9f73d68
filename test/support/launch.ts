import path from 'node:path';
import { eventually } from './eventually';
import type { Child } from '../../src/embedded/child';
import { createHttpClient } from './http';

/** This program, as `npm run build` has made it. */
export const MAIN = path.resolve(__dirname, '..', '..', 'dist', 'src', 'main.js');

/** The commands of it. */
export const CLI = path.join(path.dirname(MAIN), 'cli.js');

/** `npx --no-install andiron …` in the shells of tests: the same program, without the second that npm takes to find it. */
export const NPX_LINE = `[ "$1 $2" != '--no-install andiron' ] || { shift 2; exec '${process.execPath}' '${CLI}' "$@"; }`;

const START_TIMEOUT_MS = 120_000;

/** The port that the server has logged; undefined when it has ended, or not within two minutes. */
export async function waitForPort(
  output: () => Promise<string>,
  child: Pick<Child, 'isRunning'>,
): Promise<number | undefined> {
  let port: string | undefined;
  const isOver = async (): Promise<boolean> => {
    [, port] = /"port":(\d+).*"msg":"listening"/.exec(await output()) ?? [];
    return port !== undefined || !child.isRunning();
  };
  await eventually(isOver, START_TIMEOUT_MS).catch(() => undefined);
  return port === undefined ? undefined : Number(port);
}

/** False when the server has ended, or is not ready after two minutes. */
export async function waitUntilReady(base: string, child: Pick<Child, 'isRunning'>): Promise<boolean> {
  const client = createHttpClient(base);
  try {
    let isReady = false;
    const isOver = async (): Promise<boolean> => {
      const answer = await client.request('GET', '/health/ready').catch(() => undefined);
      isReady = answer?.status === 200;
      return isReady || !child.isRunning();
    };
    await eventually(isOver, START_TIMEOUT_MS).catch(() => undefined);
    return isReady;
  } finally {
    client.close();
  }
}
