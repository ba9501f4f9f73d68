/** What spreadsheets take for the beginning of a formula. */
const FORMULA = /^[\t\r ]*[=+\-@\uff0b\uff0d\uff1d\uff20|%]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** A field of CSV (RFC 4180). One that a spreadsheet would run has an apostrophe before it, which makes it a text. */
export function toCsvField(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /["\r\n,;\t]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
