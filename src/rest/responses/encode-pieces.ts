import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Encodes a text that is given in pieces as UTF-8. It never joins the text: V8 allocates a text of more than 128 kB
 * from the kernel, and returns it page by page, each time.
 * Cost: two passes over each piece.
 */
export function encodePieces(pieces: readonly string[]): Buffer {
  let size = 0;
  for (const piece of pieces) size += Buffer.byteLength(piece);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const piece of pieces) at += bytes.write(piece, at);
  return bytes;
}

/** Approximate number of characters that are encoded in one turn of the event loop. */
const ENCODED_AT_ONCE = 1024 * 1024;

/** Does the same as `encodePieces`, and yields to the event loop after each megabyte. */
export async function encodeInTurns(pieces: readonly string[]): Promise<Buffer> {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  if (length <= ENCODED_AT_ONCE) return encodePieces(pieces);
  let size = 0;
  // V8 joins a piece when its bytes are first counted, which takes as long as encoding it.
  for await (const piece of inTurns(pieces)) size += Buffer.byteLength(piece);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for await (const piece of inTurns(pieces)) at += bytes.write(piece, at);
  return bytes;
}

async function* inTurns(pieces: readonly string[]): AsyncGenerator<string, undefined> {
  let turn = 0;
  for (const piece of pieces) {
    yield piece;
    turn += piece.length;
    if (turn < ENCODED_AT_ONCE) continue;
    turn = 0;
    await nextTurn();
  }
  return undefined;
}
