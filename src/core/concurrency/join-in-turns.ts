import { setImmediate as nextTurn } from 'node:timers/promises';

/** Bytes that are copied in one turn of the event loop. */
const AT_ONCE = 1024 * 1024;

/** Joins blocks of bytes, and yields to the event loop after each megabyte. */
export async function joinInTurns(blocks: readonly Uint8Array[]): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  let turn = 0;
  for (const block of blocks) {
    bytes.set(block, at);
    at += block.length;
    turn += block.length;
    if (turn < AT_ONCE) continue;
    turn = 0;
    await nextTurn();
  }
  return bytes;
}
