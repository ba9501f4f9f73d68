import { fhirError } from '../../errors';
import { isCanonicalUrl, isCanonicalValued } from '../canonical-targets';
import { unescapeValue } from '../parameter-value';
import type { Predicate } from '../predicate';
import { indexedUri } from '../rows/uri';
import { ownIdPredicates, versionedPredicates } from './canonical';
import type { SearchType, SearchTypeContext, WrittenParameter } from './search-type';
import { LAST_CHARACTER } from './string';

/** More steps than any address has; each is one comparison. */
const MAX_STEPS = 100;

/**
 * The whole uri, unfolded; `:below` everything whose path begins with it, `:above` everything whose path it begins
 * with, `:contains` a part of it (search.html#uri). A urn has no path: it is compared as it stands. Canonicals, and the
 * url of a canonical resource, take `url|version`.
 */
export const uriType: SearchType = {
  modifiers: ['below', 'above', 'contains'],
  predicates(context, parameter, value): Predicate[] {
    const { stored, name, modifier } = parameter;
    const refuse = (reason: string): Error =>
      fhirError('invalidParameterValue', { parameter: name, value: value.slice(0, 80), reason });
    const text = unescapeValue(value);
    if (modifier === 'contains')
      return stored.rowsOf.map(({ number }) => ({ index: 'uriSubstring', parameter: number, text }));
    const isCanonical = isCanonicalValued(stored);
    if (isCanonical || isCanonicalUrl(context.definitions, stored.parameter)) {
      if (modifier === undefined) {
        const own = isCanonical ? ownIdPredicates(context, parameter, text) : [];
        return [...versionedPredicates(context, parameter, text), ...own];
      }
      if (text.includes('|')) {
        if (modifier === 'below') return versionedPredicates(context, parameter, text);
        throw refuse(':above takes an address without a version');
      }
    }
    if (modifier === undefined || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
      return equal(context, parameter, text);
    if (modifier === 'below') {
      const folder = text.endsWith('/') ? text : `${text}/`;
      return [
        ...equal(context, parameter, text),
        ...stored.rowsOf.map(({ number }): Predicate => ({
          index: 'uri',
          parameter: number,
          value: folder,
          to: folder + LAST_CHARACTER,
          version: undefined,
        })),
      ];
    }
    const steps = stepsOf(text);
    if (steps.length > MAX_STEPS) throw refuse(`an address may have at most ${MAX_STEPS} steps here`);
    return steps.flatMap((step) => equal(context, parameter, step));
  },
};

function equal({ hasher }: SearchTypeContext, { stored }: WrittenParameter, uri: string): Predicate[] {
  const value = indexedUri(hasher, uri);
  return stored.rowsOf.map(({ number }) => ({ index: 'uri', parameter: number, value, version: undefined }));
}

/** The address itself and every shorter one that its path begins with, with and without a slash at the end. */
function stepsOf(text: string): string[] {
  const steps = new Set([text]);
  const start = text.indexOf('://') + 3;
  for (let at = text.indexOf('/', start); at !== -1; at = text.indexOf('/', at + 1)) {
    steps.add(text.slice(0, at));
    steps.add(text.slice(0, at + 1));
  }
  return [...steps];
}
