import { hasConcepts, type CodeSystem } from './code-system';
import { stringMember } from './members';
import { PREDEFINED_SYSTEMS } from './predefined-systems';
import { toCanonical } from './source';

/** One text for all answers; the console has the same page of the docs as a link. */
const HOW =
  'load it from its publisher by npx --no-install andiron import-terminology, load a package that has it, or store it as a CodeSystem (/docs/use/import-guide#load-a-code-system)';

/** The sentence on a value set that is not here. Packages of terminology have it together with its code systems. */
export function describeNoValueSet(canonical: string): string {
  return `The included value set ${canonical} does not exist: load a package that has it, or store it as a ValueSet (/docs/use/import-guide)`;
}

/** `LOINC (http://loinc.org)`: with the name that the definitions have for the system, if there is one. */
function nameOf(url: string, version: string | undefined, title: string | undefined): string {
  const [variable] = Object.entries(PREDEFINED_SYSTEMS).find(([, system]) => system === url) ?? [];
  const name = title ?? variable?.toUpperCase();
  const canonical = toCanonical(url, version);
  return name === undefined ? `The code system ${canonical}` : `${name} (${canonical})`;
}

/**
 * Returns a sentence which says that the codes of a system are not here, so that nothing is known of them, and how to load it;
 * undefined: they are here. `found`: the code system of this url and version that is stored.
 */
export function describeNotLoaded(
  url: string,
  version: string | undefined,
  found: CodeSystem | undefined,
): string | undefined {
  if (found === undefined) return `${nameOf(url, version, undefined)} is not loaded here: ${HOW}`;
  if (hasConcepts(found)) return undefined;
  const name = nameOf(url, version, stringMember(found.head, 'title'));
  return `${name} is not loaded here: it is stored without its codes (content: ${found.content}); ${HOW}`;
}
