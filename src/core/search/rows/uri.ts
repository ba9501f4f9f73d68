/**
 * Uri rows: unfolded, and for canonical references split into url and version.
 * Source: https://hl7.org/fhir/R4/search.html#uri and https://hl7.org/fhir/R4/references.html#canonical
 */
import type { JsonValue } from '../../fhir/json';
import type { PathValue } from '../../fhir/path';
import { cut } from './fold';
import type { Hasher } from './hash';
import { MAX_URI_LENGTH, MAX_VERSION_LENGTH } from './index-rows';
import type { RowCollector } from './collector';

/** Characters that PostgreSQL cannot store as text: NUL and unpaired surrogates. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/**
 * Adds the row of one value of a uri parameter, or of a canonical value of a reference parameter. `ownVersion`: the
 * version of the resource, where the value is its own url.
 */
export function addUriRows(
  { value, type }: PathValue,
  {
    parameter,
    hasher,
    rows,
    ownVersion,
  }: {
    readonly parameter: number;
    readonly hasher: Hasher;
    readonly rows: RowCollector;
    readonly ownVersion?: JsonValue;
  },
): void {
  if (!isStorable(value)) return;
  if (type !== 'canonical') {
    rows.uri(parameter, indexedUri(hasher, value), isStorable(ownVersion) ? indexedVersion(ownVersion) : '');
    return;
  }
  const { url, version } = splitCanonical(value);
  if (url.length > 0) rows.uri(parameter, indexedUri(hasher, url), indexedVersion(version));
}

/** True for a text that can have a row. */
export function isStorable(value: JsonValue | undefined): value is string {
  return (
    typeof value === 'string' && value.length > 0 && value.charCodeAt(0) !== 1 && !UNSTORABLE.test(value)
  );
}

/**
 * Returns a uri as stored in rows. One that is too long becomes its beginning, a space (which no uri has) and a hash of
 * the whole.
 */
export function indexedUri(hasher: Hasher, uri: string): string {
  if (uri.length <= MAX_URI_LENGTH) return uri;
  const digits = [hasher.text(uri), hasher.low].map((half) => (half >>> 0).toString(16).padStart(8, '0'));
  return `${cut(uri, MAX_URI_LENGTH - 17)} ${digits.join('')}`;
}

export function indexedVersion(version: string): string {
  return cut(version, MAX_VERSION_LENGTH);
}

/** Splits `url|version#fragment` without the fragment; the version is '' when there is none. */
export function splitCanonical(canonical: string): { url: string; version: string } {
  const fragment = canonical.indexOf('#');
  const whole = fragment < 0 ? canonical : canonical.slice(0, fragment);
  const bar = whole.indexOf('|');
  return bar < 0 ? { url: whole, version: '' } : { url: whole.slice(0, bar), version: whole.slice(bar + 1) };
}
