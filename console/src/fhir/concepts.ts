/** The concepts of a code system as a tree. */
import { objectsOf, textOf, type JsonObject } from '../api/json';

export interface Concept {
  readonly code: string;
  readonly display: string;
  readonly definition: string;
  readonly children: readonly Concept[];
}

function toConcept(concept: JsonObject): Concept {
  return {
    code: textOf(concept['code']) ?? '',
    display: textOf(concept['display']) ?? '',
    definition: textOf(concept['definition']) ?? '',
    children: objectsOf(concept['concept']).map(toConcept),
  };
}

/** The concepts of a CodeSystem that stand below no other one. */
export function readConcepts(codeSystem: JsonObject): readonly Concept[] {
  return objectsOf(codeSystem['concept']).map(toConcept);
}

export function countConcepts(concepts: readonly Concept[]): number {
  return concepts.reduce((sum, { children }) => sum + 1 + countConcepts(children), 0);
}

/** The concepts of all levels whose code, display or definition has this text, at most `limit`. */
export function findConcepts(concepts: readonly Concept[], text: string, limit: number): readonly Concept[] {
  const wanted = text.trim().toLowerCase();
  const found: Concept[] = [];
  const visit = (list: readonly Concept[]): void => {
    for (const concept of list) {
      if (found.length >= limit) return;
      const { code, display, definition } = concept;
      if (`${code}\n${display}\n${definition}`.toLowerCase().includes(wanted)) found.push(concept);
      visit(concept.children);
    }
  };
  visit(concepts);
  return found;
}
