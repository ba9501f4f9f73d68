/** Escapes values of filters for a search (http://hl7.org/fhir/R4/search.html#escaping). */

const SPECIAL = /[\\,|$]/g;

/** Escapes all special characters of a text. */
export function escapeText(text: string): string {
  return text.replace(SPECIAL, '\\$&');
}

/**
 * Escapes commas in a value with parts (`system|code`, `8480-6$gt140`). Existing escapes such as `\|` and `\$` stay.
 * Commas are part of the value, and so is a backslash that escapes nothing.
 */
export function escapeCommas(text: string): string {
  return text.replace(/\\[,|$\\]|[\\,]/g, (found) => (found.length === 2 ? found : `\\${found}`));
}
