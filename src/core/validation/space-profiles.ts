import type { Space } from '../context';
import { loadDefinitions } from '../fhir/definitions';
import { isJsonObject, type JsonObject, parseStoredObject } from '../fhir/json';
import { shorten } from '../fhir/json/fault';
import type { Finding } from '../fhir/validate';
import { dependenciesOf } from '../fhir/validate/profile/dependencies';
import { discriminatingValueSets } from '../fhir/validate/profile/discriminating-codes';
import { ProfileSet } from '../fhir/validate/profile/profile-set';
import type { CodesOfValueSet } from '../fhir/validate/profile/compiled-profile';
import { generateSnapshot } from '../fhir/validate/profile/snapshot';
import type { ListedCodes, StructureSource } from './structure-source';

/** A StructureDefinition of a space, or the reason why it cannot be used. */
type LoadedStructure = { readonly structure: JsonObject; readonly size: number } | { readonly fault: string };

/** A cache of parsed StructureDefinitions by the key of their version; all tenants share those of the base space. */
export interface ParsedStructures {
  get(key: string): JsonObject | undefined;
  put(key: string, structure: JsonObject, size: number): void;
}

/** Limits on the cached StructureDefinitions of one space: their number and their total length in characters. */
const MAX_STRUCTURES = 2_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** StructureDefinitions that are read concurrently. */
const CONCURRENT = 4;

const NOT_FOUND = 'it does not exist';

/**
 * The StructureDefinitions of one space at one version, loaded on demand with their dependencies, and the compiled
 * profiles.
 */
export class SpaceProfiles {
  readonly set: ProfileSet;
  /** Total length of the loaded texts in characters. */
  size = 0;
  /** Version of the space's terminology, if its codes distinguish slices. */
  terminology: string | undefined;
  private readonly pending = new Map<string, Promise<LoadedStructure>>();
  private readonly found = new Map<string, LoadedStructure>();
  /** Canonicals that are loaded with all dependencies. */
  private readonly complete = new Set<string>();
  private readonly codes = new Map<string, CodesOfValueSet | undefined>();

  constructor(
    private readonly space: Space,
    private readonly source: StructureSource,
    private readonly parsed: ParsedStructures,
  ) {
    this.set = new ProfileSet({
      definitions: loadDefinitions(space.release),
      structureDefinition: (canonical) => {
        const loaded = this.found.get(canonical);
        return loaded && 'structure' in loaded ? loaded.structure : undefined;
      },
      codes: (valueSet) => this.codes.get(valueSet),
    });
  }

  get isFull(): boolean {
    return this.found.size >= MAX_STRUCTURES || this.size >= MAX_CHARACTERS;
  }

  /** Loads profiles and everything that they name. Cost: a statement or two for each new one. */
  async load(canonicals: readonly string[]): Promise<void> {
    let wanted = canonicals.filter((canonical) => !this.complete.has(canonical));
    const met = new Set<string>();
    while (wanted.length > 0) {
      for (const canonical of wanted) met.add(canonical);
      const named = await this.loadEach(wanted);
      wanted = [...new Set(named)].filter(
        (canonical) => !met.has(canonical) && !this.complete.has(canonical),
      );
    }
    await this.loadCodes([...met]);
    for (const canonical of met) this.complete.add(canonical);
  }

  /** Returns the errors of a differential that does not fit its base; a missing base is none. */
  async faultsOfDifferential(structure: JsonObject): Promise<readonly Finding[]> {
    const { snapshot: _replaced, ...withoutSnapshot } = structure;
    const { findings } = await generateSnapshot(
      withoutSnapshot,
      async (url) => (await this.read(url))?.structure,
    );
    return findings.filter(({ rule, severity }) => rule === 'profile' && severity === 'error');
  }

  /** Returns why a loaded profile cannot be checked; undefined when it can. */
  faultOf(canonical: string): string | undefined {
    if (this.set.profile(canonical)) return undefined;
    const loaded = this.found.get(canonical);
    if (loaded && 'fault' in loaded) return loaded.fault;
    return this.set.faultOf(canonical) ?? NOT_FOUND;
  }

  /** Loads StructureDefinitions and returns their dependencies. */
  private async loadEach(canonicals: readonly string[]): Promise<string[]> {
    const named: string[] = [];
    for (let start = 0; start < canonicals.length; start += CONCURRENT) {
      const loaded = await Promise.all(
        canonicals.slice(start, start + CONCURRENT).map((canonical) => this.resolveOnce(canonical)),
      );
      for (const each of loaded) {
        if (!('structure' in each)) continue;
        // Base types need no dependencies that the validator does not have.
        named.push(...dependenciesOf(each.structure).filter((one) => this.set.baseType(one) === undefined));
      }
    }
    return named;
  }

  private resolveOnce(canonical: string): Promise<LoadedStructure> {
    let pending = this.pending.get(canonical);
    if (!pending) {
      pending = this.find(canonical).then((loaded) => {
        if (!this.found.has(canonical) && 'structure' in loaded) this.size += loaded.size;
        this.found.set(canonical, loaded);
        return loaded;
      });
      this.pending.set(canonical, pending);
      // A failed read is repeated by the next call.
      pending.catch(() => this.pending.delete(canonical));
    }
    return pending;
  }

  private async find(canonical: string): Promise<LoadedStructure> {
    if (this.isFull) return { fault: 'there are too many profiles to load' };
    const read = await this.read(canonical);
    if (read === undefined) return { fault: NOT_FOUND };
    const { structure, size } = read;
    if (isJsonObject(structure['snapshot'])) return read;
    const { elements, findings } = await generateSnapshot(
      structure,
      async (url) => (await this.read(url))?.structure,
    );
    const error = findings.find(({ severity }) => severity === 'error');
    if (elements === undefined || error !== undefined)
      return { fault: `its snapshot cannot be made: ${error?.diagnostics ?? 'there is no differential'}` };
    const snapshot = { element: [...elements] };
    return { structure: { ...structure, snapshot }, size: size + JSON.stringify(snapshot).length };
  }

  /** Reads the stored StructureDefinition. */
  private async read(canonical: string): Promise<{ structure: JsonObject; size: number } | undefined> {
    const stored = await this.source.find(this.space, canonical);
    if (stored === undefined) return undefined;
    const { key, text } = stored;
    let structure = this.parsed.get(key);
    if (!structure) this.parsed.put(key, (structure = parseStoredObject(text)), text.length);
    return { structure, size: text.length };
  }

  private async loadCodes(canonicals: readonly string[]): Promise<void> {
    for (const canonical of canonicals) {
      for (const valueSet of discriminatingValueSets(canonical, this.set)) {
        if (this.codes.has(valueSet)) continue;
        // Read first, so that the codes are at least as new as this version.
        this.terminology ??= await this.source.version(this.space, 'terminology');
        const listed = await this.source.listCodes(this.space, valueSet);
        this.codes.set(valueSet, listed && toCodesOfSystem(listed));
      }
    }
  }
}

function toCodesOfSystem(listed: ListedCodes): CodesOfValueSet {
  const bySystem = new Map(listed.map(([system, codes]) => [system, new Set(codes)]));
  const all = new Set(listed.flatMap(([, codes]) => codes));
  return {
    hasCode: (code) => all.has(code),
    hasCoding: (system, code) => bySystem.get(system)?.has(code) === true,
  };
}

/** Returns the message for a profile that cannot be checked. */
export function unresolvedSentence(canonical: string, fault: string): string {
  return `The profile ${shorten(canonical)} was not checked: ${fault}`;
}
