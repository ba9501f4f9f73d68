/** The time for which a server's event loop is blocked, by the probe that is loaded into it (loop-probe.cjs). */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServerProcess } from './process';

const PROBE = path.join(__dirname, 'loop-probe.cjs');
const HELD = /^event loop held for ([\d.]+) ms$/gm;

/** The environment of a server to measure. */
export const PROBED: Readonly<Record<string, string>> = { NODE_OPTIONS: `--require ${PROBE}` };

/** The longest time in ms that the event loop was blocked since the last call. */
export async function heldFor(server: ServerProcess): Promise<number> {
  const read = async (): Promise<number[]> =>
    [...(await server.output()).matchAll(HELD)].map(([, milliseconds]) => Number(milliseconds));
  const { length: before } = await read();
  process.kill(server.processId, 'SIGUSR2');
  for (;;) {
    const all = await read();
    const last = all.at(-1);
    if (all.length > before && last !== undefined) return last;
    await delay(5);
  }
}
