import { isCanonicalValued } from '../parameters/canonical-targets';
import { uriAbove } from '../modifiers/above';
import { uriBelow } from '../modifiers/below';
import { uriContains } from '../modifiers/contains';
import { unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Predicate } from '../predicate';
import { ownIdPredicates, versionedPredicates } from './canonical';
import type { SearchType } from './search-type';
import { equalUri, hasVersions } from './uri-rows';

/** The whole uri, unfolded (search.html#uri). Canonicals, and the url of a canonical resource, accept `url|version`. */
export const uriType: SearchType = {
  modifiers: new Map([
    ['below', uriBelow],
    ['above', uriAbove],
    ['contains', uriContains],
  ]),
  predicates(context, parameter, value): Predicate[] {
    const text = unescapeValue(value);
    if (!hasVersions(context, parameter)) return equalUri(context, parameter, text);
    const own = isCanonicalValued(parameter.stored) ? ownIdPredicates(context, parameter, text) : [];
    return [...versionedPredicates(context, parameter, text), ...own];
  },
};
