import { fhirError } from '../../errors';
import { isCanonicalValued } from '../parameters/canonical-targets';
import { unescapeValue } from '../../../../packages/fhir-values/search-value';
import { hierarchyPredicates } from '../types/hierarchy';
import { allowedTypes } from '../types/reference-targets';
import type { Modifier } from '../types/search-type';
import { subsumptionPredicates } from '../types/subsumption';
import { addressOf, equalUri, hasVersions } from '../types/uri-rows';

/** No address has more steps; each step is one comparison. */
const MAX_STEPS = 100;

/** Matches the code, and all codes above it in its code system (search.html#token). */
export const tokenAbove: Modifier = {
  predicates: (context, parameter, value) => subsumptionPredicates(context, parameter, 'above', value),
};

/** Matches every address that the path of the value begins with (search.html#uri). */
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

/** Returns the address and every shorter one that its path begins with, with and without a slash at the end. */
function stepsOf(text: string): string[] {
  const steps = new Set([text]);
  const start = text.indexOf('://') + 3;
  for (let at = text.indexOf('/', start); at !== -1; at = text.indexOf('/', at + 1)) {
    steps.add(text.slice(0, at));
    steps.add(text.slice(0, at + 1));
  }
  return [...steps];
}

/** Matches references to the value and to all resources that it is part of, at any depth (search.html#recursive). */
export const referenceAbove: Modifier = {
  predicates(context, parameter, value) {
    const targets = isCanonicalValued(parameter.stored)
      ? []
      : allowedTypes(context, { ...parameter, modifier: undefined });
    return hierarchyPredicates(context, { written: parameter, relation: 'above', targets, value });
  },
};
