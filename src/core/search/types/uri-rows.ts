/** Functions that all searches for uris share. */
import { isCanonicalUrl, isCanonicalValued } from '../parameters/canonical-targets';
import { unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Predicate } from '../predicate';
import { indexedUri } from '../rows/uri';
import type { SearchTypeContext, WrittenParameter } from './search-type';

/** Returns predicates for the whole uri, unfolded, in any version. */
export function equalUri(
  { hasher }: SearchTypeContext,
  { stored }: WrittenParameter,
  uri: string,
): Predicate[] {
  const value = indexedUri(hasher, uri);
  return stored.rowsOf.map(({ number }) => ({ index: 'uri', parameter: number, value, version: undefined }));
}

/** True when values of the parameter may be written as `url|version`. */
export function hasVersions({ definitions }: SearchTypeContext, { stored }: WrittenParameter): boolean {
  return isCanonicalValued(stored) || isCanonicalUrl(definitions, stored.parameter);
}

/** Returns the value as an address with a path; undefined for a urn, which has none and is compared as written. */
export function addressOf(value: string): string | undefined {
  const text = unescapeValue(value);
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : undefined;
}
