/**
 * Large code systems, whose concepts are in tables and not in the resource (docs/understand/storage.md, Concepts). An identifier of
 * the CodeSystem names their set.
 */
import { type JsonObject } from '../json';
import { objectsMember, stringMember } from './members';

/** The system of the identifier. */
const CONCEPT_SET = 'urn:andiron:concept-set';

/** What one import has stored of a code system. */
export interface ConceptSet {
  readonly number: number;
  /** The code system that it was imported for. */
  readonly url: string;
  readonly version: string | undefined;
  readonly concepts: number;
  /** True if any concept has a parent. */
  readonly isHierarchical: boolean;
}

/** A stored concept; a plain value. */
export interface ConceptRow {
  /** Its place in the set. */
  readonly number: number;
  /** The code, without its case where the code system ignores that. */
  readonly folded: string;
  readonly isAbstract: boolean;
  readonly isInactive: boolean;
  /** How many concepts are below it. */
  readonly descendants: number;
  /** Codes of its parents, folded as well. */
  readonly parents: readonly string[];
  /** Hashes of the concept itself, which comes first, and of all that it is found by: its ancestors and properties. */
  readonly keys: readonly string[];
  /** The element of `CodeSystem.concept` without its children, as JSON text. */
  readonly element: string;
}

/** A property with this value; `below`: the concept of this folded code itself, and those below it. */
export type ConceptKey = { readonly below: string } | { readonly property: string; readonly value: string };

export interface ConceptCriteria {
  readonly keys: readonly ConceptKey[];
  /** Beginnings of words of the display, the designations or the code; all must be there. */
  readonly words: readonly string[];
  /** True: no inactive concepts. */
  readonly isActive?: boolean;
  /** True: no abstract concepts. */
  readonly isSelectable?: boolean;
  /** True: no concepts with a parent. For `scanConcepts`. */
  readonly isTop?: boolean;
}

/** A part of those that meet criteria. */
export interface ConceptRange {
  /** They follow this number. */
  readonly after: number;
  /** Number of them that are left out. */
  readonly offset?: number;
  readonly limit: number;
}

/** Reads stored concepts; the arguments and results are plain values. */
export interface ConceptStorage {
  /** Returns the set of this number, once it is whole. */
  findConceptSet(number: number): Promise<ConceptSet | undefined>;
  /** Returns the concepts with these folded codes, as far as they exist. Cost: one statement. */
  readConcepts(set: number, folded: readonly string[]): Promise<readonly ConceptRow[]>;
  /** Returns the concepts with these numbers, in ascending order. Cost: one statement. */
  listConcepts(set: number, numbers: readonly number[]): Promise<readonly ConceptRow[]>;
  /**
   * Returns concepts that meet the criteria and follow a number, ascending. Cost: one statement that reads the set in order until it
   * has found `limit`.
   */
  scanConcepts(set: number, criteria: ConceptCriteria, range: ConceptRange): Promise<readonly ConceptRow[]>;
  /** Returns the numbers of concepts that meet the criteria, ascending. Cost: one statement on an index. */
  findConcepts(set: number, criteria: ConceptCriteria, limit: number): Promise<readonly number[]>;
  /** Returns pairs of a folded code and one above it, of which one is added. Cost: one statement, linear in the codes. */
  findSubsumed(
    set: number,
    codes: { readonly added: readonly string[]; readonly known: readonly string[] },
    limit: number,
  ): Promise<readonly (readonly [folded: string, above: string])[]>;
}

/** Returns the number of the set with the concepts of a CodeSystem; undefined: they are in the resource. */
export function conceptSetOf(codeSystem: JsonObject): number | undefined {
  const named = objectsMember(codeSystem, 'identifier').find(({ system }) => system === CONCEPT_SET);
  const number = Number(named === undefined ? undefined : stringMember(named, 'value'));
  return Number.isInteger(number) ? number : undefined;
}

/** Returns the CodeSystem without concepts and with the identifier of their set. */
export function nameConceptSet(codeSystem: JsonObject, set: ConceptSet): JsonObject {
  const { concept: _concepts, ...head } = codeSystem;
  const others = objectsMember(codeSystem, 'identifier').filter(({ system }) => system !== CONCEPT_SET);
  return {
    ...head,
    identifier: [...others, { system: CONCEPT_SET, value: String(set.number) }],
    count: set.concepts,
  };
}

const WORD = /[\p{L}\p{N}]+/gu;

/** Returns the words of texts as concepts are found by them: folded, without marks, each once. */
export function wordsOf(texts: Iterable<string>): ReadonlySet<string> {
  const words = new Set<string>();
  for (const text of texts) {
    const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
    for (const [word] of folded.matchAll(WORD)) words.add(word);
  }
  return words;
}
