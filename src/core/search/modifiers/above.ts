import { fhirError } from '../../errors';
import { isCanonicalValued } from '../canonical-targets';
import { unescapeValue } from '../parameter-value';
import { hierarchyPredicates } from '../types/hierarchy';
import { allowedTypes } from '../types/reference-targets';
import type { Modifier } from '../types/search-type';
import { subsumptionPredicates } from '../types/subsumption';
import { addressOf, equalUri, hasVersions } from '../types/uri-rows';

/** More steps than any address has; each is one comparison. */
const MAX_STEPS = 100;

/** The code, and all that its code system has above it (search.html#token). */
export const tokenAbove: Modifier = {
  predicates: (context, parameter, value) => subsumptionPredicates(context, parameter, 'above', value),
};

/** Every address that the path of the value begins with (search.html#uri). */
export const uriAbove: Modifier = {
  predicates(context, parameter, value) {
    const refuse = (reason: string): Error =>
      fhirError('invalidParameterValue', { parameter: parameter.name, value: value.slice(0, 80), reason });
    const text = unescapeValue(value);
    if (text.includes('|') && hasVersions(context, parameter))
      throw refuse(':above takes an address without a version');
    const address = addressOf(value);
    if (address === undefined) return equalUri(context, parameter, text);
    const steps = stepsOf(address);
    if (steps.length > MAX_STEPS) throw refuse(`an address may have at most ${MAX_STEPS} steps here`);
    return steps.flatMap((step) => equalUri(context, parameter, step));
  },
};

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

/** What the value is part of, however deep (search.html#recursive). */
export const referenceAbove: Modifier = {
  predicates(context, parameter, value) {
    const targets = isCanonicalValued(parameter.stored)
      ? []
      : allowedTypes(context, { ...parameter, modifier: undefined });
    return hierarchyPredicates(context, { written: parameter, relation: 'above', targets, value });
  },
};
