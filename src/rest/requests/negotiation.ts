import {
  fhirError,
  fitsRelease,
  isJsonFormat,
  JSON_SUBTYPES,
  JSON_TYPES,
  parseMediaRanges,
  specificityFor,
  type MediaRange,
  type Release,
} from '../../core';
import type { FhirRequest } from './fhir-request';

export const FHIR_JSON = 'application/fhir+json; charset=utf-8';

/** Resources, each on a line. */
export const NDJSON = 'application/fhir+ndjson';

/** True for a request that accepts resources on lines by name, and that they are written so: those of `$everything`. */
export function wantsLines(
  { headers: { accept }, params: { code } }: FhirRequest,
  format: string | undefined,
): boolean {
  if (code !== 'everything') return false;
  // The query decodes a plus sign as a blank.
  return (format?.replace(/ (?=ndjson)/, '+') ?? accept)?.split(/[,;]/)[0]?.trim() === NDJSON;
}

const CACHE_SIZE = 256;
const CACHED_LENGTH = 512;

/** Cached results by release and header; clients send few different ones. */
const cachedResults: Readonly<Record<Release, Map<string, boolean>>> = { r4: new Map(), r4b: new Map() };

/**
 * Requires that the client accepts JSON; throws `notAcceptable`. `_format` overrides the header
 * (https://hl7.org/fhir/R4/http.html#parameters). A missing or malformed header accepts anything.
 * Cost: one look-up in a map for a header in the cache.
 */
export function requireJsonAccepted(
  accept: string | undefined,
  format: string | undefined,
  release: Release,
): void {
  const wanted = format ?? accept;
  if (wanted === undefined || wanted === '' || wanted === '*/*') return;
  const results = cachedResults[release];
  const key = format === undefined ? wanted : `?${wanted}`;
  let isAccepted = results.get(key);
  if (isAccepted === undefined) {
    isAccepted = format === undefined ? acceptsJson(wanted, release) : isJsonFormat(format, release);
    if (results.size >= CACHE_SIZE) results.clear();
    if (key.length <= CACHED_LENGTH) results.set(key, isAccepted);
  }
  if (!isAccepted) throw fhirError('notAcceptable', { offered: JSON_TYPES, accept: wanted });
}

/** True when a JSON media type has a quality above zero; the most specific range decides for each type. */
function acceptsJson(accept: string, release: Release): boolean {
  const ranges = parseMediaRanges(accept);
  if (ranges.length === 0) return true;
  return JSON_SUBTYPES.some((subtype) => qualityOf(subtype, ranges, release) > 0);
}

function qualityOf(subtype: string, ranges: readonly MediaRange[], release: Release): number {
  let quality = 0;
  let best = -1;
  for (const range of ranges) {
    const specificity = specificityFor(range, subtype);
    if (specificity === undefined || !fitsRelease(range, release)) continue;
    if (specificity > best || (specificity === best && range.quality > quality)) {
      best = specificity;
      quality = range.quality;
    }
  }
  return quality;
}
