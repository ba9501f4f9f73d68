/**
 * Uri rows: unfolded, and for canonical references split into url and version.
 * Source: https://hl7.org/fhir/R4/search.html#uri and https://hl7.org/fhir/R4/references.html#canonical
 */
import type { PathValue } from '../../fhir/path';
import { cut } from '../fold';
import { MAX_URI_LENGTH, MAX_VERSION_LENGTH } from '../index-rows';
import type { RowCollector } from './collector';

/** What PostgreSQL cannot hold as text: NUL and halves of surrogate pairs. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** Adds the row of one value of a uri parameter, or of a canonical value of a reference parameter. */
export function addUriRows({ value, type }: PathValue, parameter: number, rows: RowCollector): void {
  if (typeof value !== 'string' || value.length === 0 || value.charCodeAt(0) === 1 || UNSTORABLE.test(value))
    return;
  if (type !== 'canonical') {
    rows.uri(parameter, cut(value, MAX_URI_LENGTH), '');
    return;
  }
  const { url, version } = splitCanonical(value);
  if (url.length > 0) rows.uri(parameter, cut(url, MAX_URI_LENGTH), cut(version, MAX_VERSION_LENGTH));
}

/** `url|version#fragment` without the fragment; the version is '' when there is none. */
export function splitCanonical(canonical: string): { url: string; version: string } {
  const fragment = canonical.indexOf('#');
  const whole = fragment < 0 ? canonical : canonical.slice(0, fragment);
  const bar = whole.indexOf('|');
  return bar < 0 ? { url: whole, version: '' } : { url: whole.slice(0, bar), version: whole.slice(bar + 1) };
}
