import { turns } from '../concurrency/turns';
import { type JsonObject, parseStoredObject } from '../fhir/json';
import { type CodeSystem, hasConcepts } from '../fhir/terminology/code-system';
import { type ConceptStorage, conceptSetOf } from '../fhir/terminology/concept-set';
import { valueSetOfSystem, implicitValueSet } from '../fhir/terminology/implicit';
import { type TerminologySource, toCanonical } from '../fhir/terminology/source';
import { storedCodeSystem } from '../fhir/terminology/stored-code-system';
import { builtInCodeSystem } from '../fhir/terminology/systems';
import type { TerminologyEnvironment } from '../operation-types/environment';

/** Parses a stored definition that is evaluated then: entries of a batch receive theirs in one turn. */
export async function parseInTurn(text: string): Promise<JsonObject> {
  await turns.take();
  return parseStoredObject(text);
}

/**
 * Returns a code system whose concepts are in tables with these, and any other as it is. Without its set it has no concepts here: that
 * of an exported tenant stays behind, and the number may be of another's.
 */
export async function withItsConcepts(storage: ConceptStorage, codeSystem: CodeSystem): Promise<CodeSystem> {
  const number = codeSystem.conceptCount === 0 ? conceptSetOf(codeSystem.head) : undefined;
  if (number === undefined) return codeSystem;
  const set = await storage.findConceptSet(number);
  const isOwn = set?.url === codeSystem.url && set.version === codeSystem.version;
  return set === undefined || !isOwn
    ? { ...codeSystem, content: 'not-present' }
    : storedCodeSystem(codeSystem.head, set);
}

/** Returns the terminology of the space, or that of the environment; each code system is read once in the lifetime of the source. */
export function terminologyOf(environment: TerminologyEnvironment): TerminologySource {
  if (environment.terminology !== undefined) return environment.terminology;
  const codeSystems = new Map<string, Promise<CodeSystem | undefined>>();
  const findStored = async (url: string, version?: string): Promise<CodeSystem | undefined> => {
    const key = await environment.findCanonicalKey('CodeSystem', url, version);
    if (key === undefined) return undefined;
    const found = await environment.codeSystems.get(key, () =>
      environment.findCanonical('CodeSystem', url, version),
    );
    return found && withItsConcepts(environment, found);
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
    concepts: environment,
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

/** Returns a source that reads each value set once too. For many evaluations by the same ones; it holds them all. */
export function readingOnce(source: TerminologySource): TerminologySource {
  const valueSets = new Map<string, Promise<JsonObject | undefined>>();
  return {
    ...(source.concepts === undefined ? {} : { concepts: source.concepts }),
    findCodeSystem: (url, version) => source.findCodeSystem(url, version),
    listVersions: (url) => source.listVersions(url),
    findValueSet(url, version) {
      const canonical = toCanonical(url, version);
      let found = valueSets.get(canonical);
      if (found === undefined) valueSets.set(canonical, (found = source.findValueSet(url, version)));
      return found;
    },
  };
}
