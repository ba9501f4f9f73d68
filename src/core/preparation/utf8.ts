import { isUtf8 } from 'node:buffer';
import { fhirError } from '../errors';

/** Decodes a body. Throws `invalidJson`, with the position, for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw fhirError('invalidJson', { reason: `${placeOfBadByte(bytes)}: its bytes are not UTF-8` });
}

const REPLACEMENT = '\ufffd';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);

/** Returns line and column, as the parser counts them, of the first byte that is not UTF-8. */
function placeOfBadByte(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  let position = text.indexOf(REPLACEMENT);
  let offset = Buffer.byteLength(text.slice(0, position));
  // A replacement character from the client is in the bytes too.
  while (bytes.subarray(offset, offset + REPLACEMENT_BYTES.length).equals(REPLACEMENT_BYTES)) {
    const next = text.indexOf(REPLACEMENT, position + 1);
    offset += Buffer.byteLength(text.slice(position, next));
    position = next;
  }
  const before = text.slice(0, position);
  return `line ${before.split('\n').length}, column ${position - before.lastIndexOf('\n')}`;
}
