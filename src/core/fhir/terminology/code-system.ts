/**
 * A code system in memory: its concepts by code, their hierarchy, and which of them are abstract or inactive
 * (https://hl7.org/fhir/R4/codesystem.html). Concepts are made on demand, so they are compared by their codes.
 */
import { type JsonObject } from '../json';
import type { ConceptRow, ConceptSet } from './concept-set';
import { choiceMember, objectMember, objectsMember, stringMember } from './members';

export interface Concept {
  readonly code: string;
  readonly display: string | undefined;
  /** The element of `CodeSystem.concept`; it may have its children. */
  readonly element: JsonObject;
  /** From nesting first, then from the properties parent, child and subsumedBy. */
  readonly parents: readonly Concept[];
  readonly children: readonly Concept[];
  /** True for a grouper that must not be used as a value (property notSelectable). */
  readonly isAbstract: boolean;
  /** True if retired (properties inactive and status). */
  readonly isInactive: boolean;
  /** How many are below it, where that is known. */
  readonly descendants?: number;
  /** Present where that is known without its parents. */
  isSelfOrBelow?(ancestor: Concept): boolean;
}

export interface CodeSystem {
  readonly url: string;
  readonly version: string | undefined;
  /** `complete`, `fragment`, `example`, `supplement` or `not-present`. */
  readonly content: string;
  /** The resource; it may lack its concepts. */
  readonly head: JsonObject;
  /** True for a system of `systems/`: other displays than its own are right too, and other listed codes. */
  readonly isBuiltIn: boolean;
  /** Where its concepts are in tables (stored-code-system.ts); `find` and the hierarchy are then for `withConcepts`. */
  readonly stored?: {
    readonly set: ConceptSet;
    conceptOf(row: ConceptRow): Concept;
    /** Returns the code as rows have it. */
    fold(code: string): string;
  };
  /**
   * In the order of the resource, children after their parent; undefined if a grammar allows too many to list, and where they are
   * `stored`.
   */
  readonly concepts: Iterable<Concept> | undefined;
  readonly conceptCount: number;
  /** True if any concept has a parent. */
  readonly isHierarchical: boolean;
  /** The supplements that are used with it, as canonicals. */
  readonly supplements?: readonly string[];
  /** Codes of the properties and filters that are declared or used. */
  readonly propertyCodes: ReadonlySet<string>;
  /** Ignores case if `caseSensitive` is false. */
  find(code: string): Concept | undefined;
  /** The filter `property = value` where the system has a rule of its own for it. */
  filter?(property: string, value: string): ((concept: Concept) => boolean) | undefined;
}

/** True if the concepts of a code system are stored, all or some of them. */
export function hasConcepts({ content }: CodeSystem): boolean {
  return content !== 'not-present' && content !== 'supplement';
}

/** True if a code that is not found may exist, because only some of the concepts are stored. */
export function isFragment({ content, isBuiltIn }: CodeSystem): boolean {
  return (content === 'fragment' || content === 'example') && !isBuiltIn;
}

/** True if `ancestor` is the concept itself or above it. Cost: linear in the concepts above it. */
export function isSelfOrBelow(concept: Concept, ancestor: Concept): boolean {
  return (
    concept.isSelfOrBelow?.(ancestor) ??
    findAbove(concept, ({ code }) => code === ancestor.code) !== undefined
  );
}

/** Returns the first of a concept and its ancestors, breadth first, that fits. Tolerates cycles. */
export function findAbove(concept: Concept, fits: (candidate: Concept) => boolean): Concept | undefined {
  if (fits(concept)) return concept;
  if (concept.parents.length === 0) return undefined;
  const seen = new Set<string>([concept.code]);
  let level: readonly Concept[] = [concept];
  while (level.length > 0) {
    const next: Concept[] = [];
    for (const each of level) {
      for (const parent of each.parents) {
        if (seen.has(parent.code)) continue;
        if (fits(parent)) return parent;
        seen.add(parent.code);
        next.push(parent);
      }
    }
    level = next;
  }
  return undefined;
}

/** Returns the values of a property of the element of a concept as texts; a Coding as its code. */
export function propertyValues(element: JsonObject, code: string): readonly string[] {
  const values: string[] = [];
  for (const property of objectsMember(element, 'property')) {
    if (stringMember(property, 'code') !== code) continue;
    const coding = objectMember(property, 'valueCoding');
    const value = coding === undefined ? choiceMember(property)?.[1] : stringMember(coding, 'code');
    if (value !== undefined && value !== null && typeof value !== 'object') {
      values.push(typeof value === 'string' ? value.replace('\u0001', '') : String(value));
    }
  }
  return values;
}
