import { createHmac, timingSafeEqual } from 'node:crypto';
import { fhirError } from '../../errors';

/** The content of a cursor: plain JSON, small. */
export type CursorContent = readonly (string | number | null)[];

const SIGNATURE_BYTES = 16;

/**
 * Makes an opaque page cursor: the content, signed (HMAC-SHA256, cut to 128 bits) together with its scope, so that
 * it is invalid for another tenant, release or query. The first key signs.
 */
export function sealCursor(keys: readonly Buffer[], cursorScope: string, content: CursorContent): string {
  const body = Buffer.from(JSON.stringify(content), 'utf8');
  const [key] = keys;
  if (key === undefined) throw new Error('no key to sign cursors with');
  return Buffer.concat([sign(key, cursorScope, body), body]).toString('base64url');
}

/** The content of a cursor that one of the keys signed. Throws invalidCursor. */
export function openCursor(keys: readonly Buffer[], cursorScope: string, cursor: string): CursorContent {
  const bytes = Buffer.from(cursor, 'base64url');
  const signature = bytes.subarray(0, SIGNATURE_BYTES);
  const body = bytes.subarray(SIGNATURE_BYTES);
  const genuine =
    bytes.length > SIGNATURE_BYTES &&
    keys.some((key) => timingSafeEqual(sign(key, cursorScope, body), signature));
  if (!genuine) throw fhirError('invalidCursor');
  return JSON.parse(body.toString('utf8')) as CursorContent;
}

function sign(key: Buffer, cursorScope: string, body: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(cursorScope)
    .update('\0')
    .update(body)
    .digest()
    .subarray(0, SIGNATURE_BYTES);
}
