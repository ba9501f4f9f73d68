import { fhirError } from '../../errors';
import { unescapeValue } from '../parameter-value';
import type { Predicate } from '../predicate';
import type { SearchType } from './search-type';
import { LAST_CHARACTER } from './string';

/** More steps than any address has; each is one comparison. */
const MAX_STEPS = 100;

/**
 * The whole uri, unfolded; `:below` everything whose path begins with it, `:above` everything whose path it begins
 * with (search.html#uri). A urn has no path: it is compared as it stands.
 */
export const uriType: SearchType = {
  modifiers: ['below', 'above'],
  predicates(_context, { stored, name, modifier }, value): Predicate[] {
    const text = unescapeValue(value);
    const isPath = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
    const equal = (uri: string): Predicate[] =>
      stored.rowsOf.map(({ number }) => ({
        index: 'uri',
        parameter: number,
        value: uri,
        version: undefined,
      }));
    if (modifier === undefined || !isPath) return equal(text);
    if (modifier === 'below') {
      const folder = text.endsWith('/') ? text : `${text}/`;
      return [
        ...equal(text),
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
    if (steps.length > MAX_STEPS) {
      const reason = `an address may have at most ${MAX_STEPS} steps here`;
      throw fhirError('invalidParameterValue', { parameter: name, value: text.slice(0, 80), reason });
    }
    return steps.flatMap(equal);
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
