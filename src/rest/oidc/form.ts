import { fhirError, parseQueryText } from '../../core';

/** Limit on the characters of a form; all forms of these addresses are short. */
const LONGEST_FORM = 64 * 1024;

/**
 * Reads the names and values of a form. Throws the error of `twice` for a repeated name; throws bodyTooLarge,
 * invalidValue.
 */
export function readForm(text: string, twice: () => Error): ReadonlyMap<string, string> {
  if (text.length > LONGEST_FORM) throw fhirError('bodyTooLarge', { limit: LONGEST_FORM });
  const form = new Map<string, string>();
  for (const [name, value] of parseQueryText(text)) {
    if (form.has(name)) throw twice();
    // RFC 6749, section 3.2: a parameter without a value counts as omitted.
    if (value !== '') form.set(name, value);
  }
  return form;
}
