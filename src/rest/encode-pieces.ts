import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The UTF-8 of a text that is given in pieces. The text itself is never put together: V8 lays out one of more than 128 kB in
 * memory that it asks of the kernel and gives back, page by page, each time. Cost: two walks over each piece.
 */
export function encodePieces(pieces: readonly string[]): Buffer {
  let size = 0;
  for (const piece of pieces) size += Buffer.byteLength(piece);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const piece of pieces) at += bytes.write(piece, at);
  return bytes;
}

/** Characters that are encoded in one turn of the event loop, about. */
const ENCODED_AT_ONCE = 1024 * 1024;

/** The same as `encodePieces`, but others have their turn after each megabyte. */
export async function encodeInTurns(pieces: readonly string[]): Promise<Buffer> {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  if (length <= ENCODED_AT_ONCE) return encodePieces(pieces);
  let size = 0;
  // V8 puts a text together, which takes as long as encoding it, when its bytes are first counted.
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
