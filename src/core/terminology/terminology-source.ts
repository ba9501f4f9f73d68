import { turns } from '../concurrency/turns';
import { type JsonObject, parseStoredObject } from '../fhir/json';
import { type CodeSystem, hasConcepts } from '../fhir/terminology/code-system';
import { valueSetOfSystem, implicitValueSet } from '../fhir/terminology/implicit';
import { type TerminologySource, toCanonical } from '../fhir/terminology/source';
import { builtInCodeSystem } from '../fhir/terminology/systems';
import type { TerminologyEnvironment } from '../operation-types/environment';

/** Parses a stored definition that is evaluated then: entries of a batch receive theirs in one turn. */
export async function parseInTurn(text: string): Promise<JsonObject> {
  await turns.take();
  return parseStoredObject(text);
}

/** Returns the terminology of the space; each resource is read once in the lifetime of the source. */
export function terminologyOf(environment: TerminologyEnvironment): TerminologySource {
  const codeSystems = new Map<string, Promise<CodeSystem | undefined>>();
  const findStored = async (url: string, version?: string): Promise<CodeSystem | undefined> => {
    const key = await environment.findCanonicalKey('CodeSystem', url, version);
    if (key === undefined) return undefined;
    return environment.codeSystems.get(key, () => environment.findCanonical('CodeSystem', url, version));
  };
  // A resource with concepts wins: it may have displays and properties of its own.
  const findCodeSystem = async (url: string, version?: string): Promise<CodeSystem | undefined> => {
    const stored = await findStored(url, version);
    if (stored !== undefined && hasConcepts(stored)) return stored;
    return builtInCodeSystem(url) ?? stored;
  };
  /** The version of such a value set is that of its code system. */
  const findValueSetOfSystem = async (url: string, version?: string): Promise<JsonObject | undefined> => {
    const system = await environment.findSystemOfValueSet(url);
    if (system === undefined) return undefined;
    const hasVersion = version === undefined || (await findStored(system, version)) !== undefined;
    return hasVersion ? valueSetOfSystem(url, { system, version }) : undefined;
  };
  return {
    findCodeSystem(url, version) {
      const canonical = toCanonical(url, version);
      let found = codeSystems.get(canonical);
      if (found === undefined) codeSystems.set(canonical, (found = findCodeSystem(url, version)));
      return found;
    },
    async findValueSet(url, version) {
      const found = await environment.findCanonical('ValueSet', url, version);
      if (found !== undefined) return parseInTurn(found.text);
      return implicitValueSet(url) ?? findValueSetOfSystem(url, version);
    },
    listVersions: (url) => environment.listCanonicalVersions('CodeSystem', url),
  };
}
