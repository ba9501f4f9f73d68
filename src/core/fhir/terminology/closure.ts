/** Closure tables: which of some concepts are below which others (https://hl7.org/fhir/R4/terminology-service.html#closure). */
import { type CodeSystem, type Concept } from './code-system';
import type { ConceptStorage } from './concept-set';
import type { TurnTaking } from './membership';
import { withConcepts } from './stored-code-system';

export interface ClosureConcept {
  readonly system: string;
  readonly code: string;
}

/** By which version of a code system the pairs of its concepts were found. */
export interface ClosureSystem {
  /** Names the stored version, as `CanonicalResource.key`. */
  readonly key: string;
  /** The business version that the client named. */
  readonly version?: string;
}

/** A closure table; a plain value. Versions are whole numbers as texts. */
export interface ClosureTable {
  readonly version: string;
  /** The version by which it was last emptied. */
  readonly started: string;
  /** By the url of the code system. */
  readonly systems: Readonly<Record<string, ClosureSystem>>;
  /** Each with the version by which it was added. */
  readonly concepts: readonly (ClosureConcept & { readonly version: string })[];
}

/** Concepts to add to the closure table of a name, if it still has this version. */
export interface ClosureChange extends Pick<ClosureTable, 'version' | 'systems'> {
  readonly name: string;
  readonly concepts: readonly ClosureConcept[];
}

/** A code and one that subsumes it, or has the same meaning. */
export interface ClosurePair {
  readonly code: string;
  readonly other: string;
  readonly isEqual: boolean;
}

/** Codes of one code system: those whose pairs are wanted, and those that were there before. */
export interface ClosureCodes {
  readonly added: readonly string[];
  readonly known: readonly string[];
}

/** How the pairs are found. */
export interface ClosureSearch {
  readonly storage: ConceptStorage;
  readonly turns: TurnTaking;
  /** The most pairs that are returned. */
  readonly limit: number;
}

/** Returns the codes that the code system does not have. Cost: one statement for a stored code system. */
export async function unknownCodes(
  codeSystem: CodeSystem,
  codes: readonly string[],
  storage: ConceptStorage,
): Promise<readonly string[]> {
  return withConcepts(storage, () => codes.filter((code) => codeSystem.find(code) === undefined));
}

/**
 * Returns the pairs of codes of which at least one is added. Different codes of one concept, as where case does not count, are
 * equal. Cost: one statement for a stored code system, else linear in the concepts above the codes, in turns.
 */
export async function closurePairs(
  codeSystem: CodeSystem,
  { added, known }: ClosureCodes,
  search: ClosureSearch,
): Promise<readonly ClosurePair[]> {
  const { stored } = codeSystem;
  const nameOf = (code: string): string => stored?.fold(code) ?? codeSystem.find(code)?.code ?? code;
  const codesOf = new Map<string, string[]>();
  for (const code of [...added, ...known]) {
    const name = nameOf(code);
    const codes = codesOf.get(name);
    if (codes === undefined) codesOf.set(name, [code]);
    else codes.push(code);
  }
  const isAdded = new Set(added);
  const pairs: ClosurePair[] = [];
  const add = (codes: readonly string[], others: readonly string[], isEqual: boolean): void => {
    for (const code of codes)
      for (const other of others)
        if (code !== other && (isAdded.has(code) || isAdded.has(other)) && pairs.length < search.limit)
          pairs.push({ code, other, isEqual });
  };
  for (const codes of codesOf.values())
    codes.forEach((code, index) => {
      add([code], codes.slice(index + 1), true);
    });
  const names = { added: [...new Set(added.map(nameOf))], known: [...new Set(known.map(nameOf))] };
  const below = !codeSystem.isHierarchical
    ? []
    : stored === undefined
      ? await pairsInMemory(codeSystem, names, search)
      : await search.storage.findSubsumed(stored.set.number, names, search.limit);
  for (const [name, above] of below) add(codesOf.get(name) ?? [], codesOf.get(above) ?? [], false);
  return pairs;
}

/** Returns each code with those that are above it, of which one is added. */
async function pairsInMemory(
  codeSystem: CodeSystem,
  { added, known }: ClosureCodes,
  { turns, limit }: ClosureSearch,
): Promise<readonly (readonly [code: string, above: string])[]> {
  const isAdded = new Set(added);
  const isMember = new Set([...added, ...known]);
  const parentsOf = new Map<string, readonly Concept[]>();
  const pairs: [string, string][] = [];
  for (const code of isMember) {
    const later = turns.next();
    if (later !== undefined) await later;
    const concept = codeSystem.find(code);
    const above = new Set([code]);
    for (let level = concept === undefined ? [] : [concept]; level.length > 0;) {
      const next: Concept[] = [];
      for (const each of level) {
        let parents = parentsOf.get(each.code);
        if (parents === undefined) parentsOf.set(each.code, (parents = each.parents));
        for (const parent of parents) {
          if (above.has(parent.code)) continue;
          above.add(parent.code);
          next.push(parent);
          if (isMember.has(parent.code) && (isAdded.has(code) || isAdded.has(parent.code)))
            pairs.push([code, parent.code]);
        }
      }
      level = next;
    }
    if (pairs.length >= limit) break;
  }
  return pairs;
}
