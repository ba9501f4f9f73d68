import { setTimeout as delay } from 'node:timers/promises';

const BEAT_MS = 10;
const PATIENCE_MS = 30_000;

/**
 * Calls `check` until it returns true. A beat is a call and the pause after it. A slow machine makes fewer beats, so it does
 * not use up the patience.
 *
 * **Throws** where `check` is not true after the beats that take `withinMs` on an idle machine.
 */
export async function eventually(
  check: () => boolean | Promise<boolean>,
  withinMs = PATIENCE_MS,
): Promise<void> {
  const beats = Math.ceil(withinMs / BEAT_MS);
  for (let beat = 0; !(await check()); beat++) {
    if (beat >= beats) throw new Error(`it did not come true within ${beats} beats of ${BEAT_MS} ms`);
    await delay(BEAT_MS);
  }
}
