import { isValidId } from '../../fhir/resource';
import { allowedCanonicalTypes } from '../parameters/canonical-targets';
import type { Predicate } from '../predicate';
import { indexedUri, indexedVersion, splitCanonical } from '../rows/uri';
import type { SearchTypeContext, WrittenParameter } from './search-type';
import { LAST_CHARACTER } from './string-texts';

/**
 * Returns predicates on (url, version): `url` matches any version, `url|v` that one, `:below=url|1` that one and all
 * whose version begins with `1.` (search.html#versions; docs/use/search-reference.md, Reference).
 */
export function versionedPredicates(
  { hasher }: SearchTypeContext,
  { stored, modifier }: WrittenParameter,
  canonical: string,
): Predicate[] {
  const { url, version } = splitCanonical(canonical);
  const value = indexedUri(hasher, url);
  const storedVersion = indexedVersion(version);
  return stored.rowsOf.flatMap(({ number }): Predicate[] => {
    const whole = { index: 'uri', parameter: number, value } as const;
    if (storedVersion === '') return [{ ...whole, version: undefined }];
    const same = { ...whole, version: storedVersion };
    return modifier === 'below'
      ? [same, { ...whole, version: `${storedVersion}.`, versionTo: `${storedVersion}.${LAST_CHARACTER}` }]
      : [same];
  });
}

/** Returns predicates for an id, or `Type/id`, which stands for the url of that resource. */
export function ownIdPredicates(
  { definitions, references, requireAll }: SearchTypeContext,
  { stored, modifier }: WrittenParameter,
  text: string,
): Predicate[] {
  const local = references.local(text);
  const id = local?.id ?? text;
  if (!isValidId(id)) return [];
  const type = local?.type ?? modifier;
  const types = allowedCanonicalTypes(definitions, stored).filter(
    (candidate) => type === undefined || candidate === type,
  );
  if (types.length === 0) return [];
  for (const candidate of types) requireAll?.(candidate, `'${stored.parameter.code}' with an id`);
  return stored.rowsOf.map(({ number }) => ({ index: 'canonical', parameter: number, types, id }));
}
