/** Value sets that a code system implies without a resource (https://hl7.org/fhir/R4/snomedct.html#implicit). */
import { type JsonObject } from '../json';

/**
 * Returns the value set of `{system}?fhir_vs` (all codes) or `{system}?fhir_vs=isa/{code}` (the code and all below it);
 * undefined for any other url. Reference sets and expressions are not supported.
 */
export function implicitValueSet(url: string): JsonObject | undefined {
  const [, system, , code] = /^([^?]+)\?fhir_vs(=isa\/(.+))?$/.exec(url) ?? [];
  if (system === undefined) return undefined;
  const include: JsonObject = { system };
  if (code !== undefined) include['filter'] = [{ property: 'concept', op: 'is-a', value: code }];
  return { resourceType: 'ValueSet', url, status: 'active', compose: { include: [include] } };
}

/** Returns the value set of all codes of a system. */
export function valueSetOfSystem(
  url: string,
  { system, version }: { readonly system: string; readonly version: string | undefined },
): JsonObject {
  const include = { system, ...(version === undefined ? {} : { version }) };
  return { resourceType: 'ValueSet', url, status: 'active', compose: { include: [include] } };
}
