/** Values of filters as a search writes them (http://hl7.org/fhir/R4/search.html#escaping). */

const SPECIAL = /[\\,|$]/g;

/** A text in which nothing has a meaning of its own. */
export function escapeText(text: string): string {
  return text.replace(SPECIAL, '\\$&');
}

/**
 * A value with parts (`system|code`, `8480-6$gt140`), in which `\|` and `\$` are no separators: commas in it are part of
 * the value, and so is a backslash that protects nothing.
 */
export function escapeCommas(text: string): string {
  return text.replace(/\\[,|$\\]|[\\,]/g, (found) => (found.length === 2 ? found : `\\${found}`));
}
