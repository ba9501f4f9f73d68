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
