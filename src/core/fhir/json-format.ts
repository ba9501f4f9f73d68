/** The names of FHIR's JSON format (https://hl7.org/fhir/R4/http.html#mime-type). */
import { parseMediaRange, type MediaRange } from './media-range';
import { RELEASES, type Release } from './release';

export const JSON_SUBTYPES: readonly string[] = ['fhir+json', 'json', 'json+fhir'];
/** For the error `notAcceptable`. */
export const JSON_TYPES = 'application/fhir+json or application/json';

/**
 * True for a value of `_format` that means JSON: `json`, a JSON media type, or any. It accepts a blank for a plus sign,
 * which the query decodes so.
 */
export function isJsonFormat(format: string, release: Release): boolean {
  const wanted = format.trim().toLowerCase();
  if (wanted === 'json' || wanted === '*/*') return true;
  const range = parseMediaRange(wanted.replace(/ (?=json|fhir)/, '+'));
  if (range === undefined || !fitsRelease(range, release)) return false;
  return JSON_SUBTYPES.some((subtype) => specificityFor(range, subtype) === 2);
}

/** 0 for any, 1 for `application/*`, 2 for the type itself; undefined when the range does not match. */
export function specificityFor(range: MediaRange, subtype: string): number | undefined {
  if (range.type === '*') return range.subtype === '*' ? 0 : undefined;
  if (range.type === 'text') return range.subtype === 'json' && subtype === 'json' ? 2 : undefined;
  if (range.type !== 'application') return undefined;
  if (range.subtype === '*') return 1;
  return range.subtype === subtype ? 2 : undefined;
}

/** True when the parameter `fhirVersion` is missing or names this release (http.html#version-parameter). */
export function fitsRelease(range: MediaRange, release: Release): boolean {
  const wanted = range.parameters.get('fhirversion');
  return (
    wanted === undefined ||
    wanted === RELEASES[release].mimeVersion ||
    wanted === RELEASES[release].fhirVersion
  );
}
