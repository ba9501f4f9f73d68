/** The code systems that the program knows without a resource; a further one is a file and a row. */
import { type CodeSystem, type Concept } from '../code-system';
import type { BuiltInSystem } from './built-in-system';
import { COUNTRIES, COUNTRY_PARTS } from './countries';
import { CURRENCIES } from './currencies';
import { LANGUAGE_TAGS } from './language-tags';
import { MEDIA_TYPES } from './media-types';
import { TIME_ZONES } from './time-zones';
import { UCUM } from './ucum';
import { URIS } from './uris';

export { isComparable } from './ucum';

/** By url. */
export const BUILT_IN_SYSTEMS: ReadonlyMap<string, BuiltInSystem> = new Map(
  [UCUM, LANGUAGE_TAGS, MEDIA_TYPES, COUNTRIES, COUNTRY_PARTS, CURRENCIES, TIME_ZONES, URIS].map((system) => [
    system.url,
    system,
  ]),
);

const codeSystems = new Map<string, CodeSystem>();

/** Returns the built-in system of this url in the form of a code system; undefined if there is none. */
export function builtInCodeSystem(url: string): CodeSystem | undefined {
  const system = BUILT_IN_SYSTEMS.get(url);
  if (system === undefined) return undefined;
  let codeSystem = codeSystems.get(url);
  if (codeSystem === undefined) codeSystems.set(url, (codeSystem = toCodeSystem(system)));
  return codeSystem;
}

function toCodeSystem(system: BuiltInSystem): CodeSystem {
  const { url, codes, filter } = system;
  const toConcept = (code: string): Concept => {
    const display = system.display?.(code);
    return {
      code,
      display,
      element: display === undefined ? { code } : { code, display },
      parents: [],
      children: [],
      isAbstract: false,
      isInactive: false,
    };
  };
  const content = system.isPartlyListed === true ? 'fragment' : 'complete';
  const concepts = codes?.call(system).map(toConcept);
  return {
    url,
    version: undefined,
    content,
    head: { resourceType: 'CodeSystem', url, content },
    isBuiltIn: true,
    concepts,
    conceptCount: concepts?.length ?? 0,
    isHierarchical: false,
    propertyCodes: new Set(),
    find: (code) => (system.isCode(code) ? toConcept(code) : undefined),
    ...(filter === undefined
      ? {}
      : {
          filter(property, value) {
            const test = filter.call(system, property, value);
            return test && ((concept) => test(concept.code));
          },
        }),
  };
}
