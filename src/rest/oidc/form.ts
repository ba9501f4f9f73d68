import { fhirError, parseQueryText } from '../../core';

/** Limit on the bytes of a form of a client; all forms of these addresses are short. */
const LONGEST_FORM = 64 * 1024;
/** Limit on the bytes of what a browser posts to the authorization endpoint. */
export const LONGEST_REQUEST = 16 * 1024;

/**
 * Reads the names and values of a form. Throws the error of `twice` for a repeated name; throws bodyTooLarge,
 * invalidValue.
 */
export function readForm(
  text: string,
  twice: () => Error,
  limit = LONGEST_FORM,
): ReadonlyMap<string, string> {
  requireShort(text, limit);
  const form = new Map<string, string>();
  for (const [name, value] of parseQueryText(text)) {
    if (form.has(name)) throw twice();
    // RFC 6749, section 3.2: a parameter without a value counts as omitted.
    if (value !== '') form.set(name, value);
  }
  return form;
}

/** Throws bodyTooLarge. `limit`: bytes. */
export function requireShort(text: string, limit: number): void {
  if (Buffer.byteLength(text) > limit) throw fhirError('bodyTooLarge', { limit });
}
