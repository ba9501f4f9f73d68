import { isCanonicalValued } from '../parameters/canonical-targets';
import { unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Predicate } from '../predicate';
import { versionedPredicates } from '../types/canonical';
import { hierarchyPredicates } from '../types/hierarchy';
import { allowedTypes } from '../types/reference-targets';
import type { Modifier } from '../types/search-type';
import { LAST_CHARACTER } from '../types/string-texts';
import { subsumptionPredicates } from '../types/subsumption';
import { addressOf, equalUri, hasVersions } from '../types/uri-rows';

/**
 * Matches the code, and all codes below it in its code system; for a media type, also those with parameters
 * (search.html#token).
 */
export const tokenBelow: Modifier = {
  predicates: (context, parameter, value) => subsumptionPredicates(context, parameter, 'below', value),
};

/**
 * Matches everything whose path begins with the value; for `url|1` the versions that begin so (search.html#uri,
 * #versions).
 */
export const uriBelow: Modifier = {
  predicates(context, parameter, value) {
    const text = unescapeValue(value);
    if (text.includes('|') && hasVersions(context, parameter))
      return versionedPredicates(context, parameter, text);
    const equal = equalUri(context, parameter, text);
    const address = addressOf(value);
    if (address === undefined) return equal;
    const folder = address.endsWith('/') ? address : `${address}/`;
    return [
      ...equal,
      ...parameter.stored.rowsOf.map(({ number }): Predicate => ({
        index: 'uri',
        parameter: number,
        value: folder,
        to: folder + LAST_CHARACTER,
        version: undefined,
      })),
    ];
  },
};

/**
 * Matches references to the value and to all parts of it, at any depth; for a canonical the versions that begin so
 * (search.html#recursive).
 */
export const referenceBelow: Modifier = {
  predicates(context, parameter, value) {
    if (isCanonicalValued(parameter.stored))
      return versionedPredicates(context, parameter, unescapeValue(value));
    const targets = allowedTypes(context, { ...parameter, modifier: undefined });
    return hierarchyPredicates(context, { written: parameter, relation: 'below', targets, value });
  },
};
