import { fhirError, parseQueryText } from '../../core';

/** Nothing that is sent to these addresses is long. */
const LONGEST_FORM = 64 * 1024;

/** Names and values of a form. `twice` is thrown for a name that stands twice; throws bodyTooLarge, invalidValue. */
export function readForm(text: string, twice: () => Error): ReadonlyMap<string, string> {
  if (text.length > LONGEST_FORM) throw fhirError('bodyTooLarge', { limit: LONGEST_FORM });
  const form = new Map<string, string>();
  for (const [name, value] of parseQueryText(text)) {
    if (form.has(name)) throw twice();
    // RFC 6749, section 3.2: what has no value counts as not sent.
    if (value !== '') form.set(name, value);
  }
  return form;
}
