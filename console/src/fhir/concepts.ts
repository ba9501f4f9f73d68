/** The concepts of a code system that has them in the resource, as a hierarchy: a concept may be below several others. */
import { isObject, objectsOf, textOf, type JsonObject } from '../api/json';

/** A term in a language. */
export interface Designation {
  readonly language: string;
  readonly value: string;
}

export interface Concept {
  readonly code: string;
  readonly display: string;
  readonly definition: string;
  readonly designations: readonly Designation[];
  readonly parents: readonly Concept[];
  readonly children: readonly Concept[];
}

interface Node extends Concept {
  readonly parents: Node[];
  readonly children: Node[];
}

/** The identifier that names the tables with the concepts of a CodeSystem (src/core/fhir/terminology/concept-set.ts). */
export const CONCEPT_SET = 'urn:andiron:concept-set';

/** True: the concepts are in tables, so that the resource has none. */
export function isInTables(codeSystem: JsonObject): boolean {
  return objectsOf(codeSystem['identifier']).some(({ system }) => system === CONCEPT_SET);
}

export function readDesignations(of: JsonObject): readonly Designation[] {
  return objectsOf(of['designation']).map(({ language, value }) => ({
    language: textOf(language) ?? '',
    value: textOf(value) ?? '',
  }));
}

function link(parent: Node, child: Node): void {
  if (parent === child || child.parents.includes(parent)) return;
  child.parents.push(parent);
  parent.children.push(child);
}

/** Links that properties state: nesting is one of several ways to say what is below what. */
function linkByProperties(element: JsonObject, node: Node, byCode: ReadonlyMap<string, Node>): void {
  for (const property of objectsOf(element['property'])) {
    const coding = property['valueCoding'];
    const value = textOf(property['valueCode'] ?? (isObject(coding) ? coding['code'] : undefined));
    const other = value === undefined ? undefined : byCode.get(value);
    if (other === undefined) continue;
    const name = textOf(property['code']);
    if (name === 'parent' || name === 'subsumedBy') link(other, node);
    else if (name === 'child') link(node, other);
  }
}

/** The concepts of a CodeSystem that stand below no other one. Of a circle it is the first. */
export function readConcepts(codeSystem: JsonObject): readonly Concept[] {
  const all: (readonly [JsonObject, Node])[] = [];
  const byCode = new Map<string, Node>();
  const visit = (elements: readonly JsonObject[], parent: Node | undefined): void => {
    for (const element of elements) {
      const code = textOf(element['code']) ?? '';
      const node: Node = {
        code,
        display: textOf(element['display']) ?? '',
        definition: textOf(element['definition']) ?? '',
        designations: readDesignations(element),
        parents: [],
        children: [],
      };
      all.push([element, node]);
      if (!byCode.has(code)) byCode.set(code, node);
      if (parent !== undefined) link(parent, node);
      visit(objectsOf(element['concept']), node);
    }
  };
  visit(objectsOf(codeSystem['concept']), undefined);
  for (const [element, node] of all) linkByProperties(element, node, byCode);
  const reached = new Set<Concept>();
  const roots = all.map(([, node]) => node).filter(({ parents }) => parents.length === 0);
  for (const root of roots) eachBelow([root], reached, () => true);
  for (const [, node] of all) {
    if (reached.has(node)) continue;
    roots.push(node);
    eachBelow([node], reached, () => true);
  }
  return roots;
}

/** Visits concepts and what is below them, each once, until `visit` is false. */
function eachBelow(
  concepts: readonly Concept[],
  seen: Set<Concept>,
  visit: (concept: Concept) => boolean,
): boolean {
  return concepts.every((concept) => {
    if (seen.has(concept)) return true;
    seen.add(concept);
    return visit(concept) && eachBelow(concept.children, seen, visit);
  });
}

export function countConcepts(concepts: readonly Concept[]): number {
  const seen = new Set<Concept>();
  eachBelow(concepts, seen, () => true);
  return seen.size;
}

/** The concepts of all levels that have all words in their code, display, definition or designations, at most `limit`. */
export function findConcepts(concepts: readonly Concept[], text: string, limit: number): readonly Concept[] {
  const words = text.trim().toLowerCase().split(/\s+/);
  const found: Concept[] = [];
  eachBelow(concepts, new Set(), (concept) => {
    const { code, display, definition, designations } = concept;
    const all = [code, display, definition, ...designations.map(({ value }) => value)]
      .join('\n')
      .toLowerCase();
    if (words.every((word) => all.includes(word))) found.push(concept);
    return found.length < limit;
  });
  return found;
}

/** The concepts above one, the highest first. Where there are several ways up, it is the first of them. */
export function pathTo(concept: Concept): readonly Concept[] {
  const path: Concept[] = [];
  for (let [above] = concept.parents; above !== undefined && !path.includes(above); [above] = above.parents)
    path.unshift(above);
  return path;
}

/** The designation that has more of the words than the display; undefined: the display has as many. */
export function matchedDesignation(
  { display, designations }: Pick<Concept, 'display' | 'designations'>,
  text: string,
): Designation | undefined {
  const words = fold(text).split(/\s+/);
  const score = (value: string): number => words.filter((word) => fold(value).includes(word)).length;
  let best: Designation | undefined;
  for (const each of designations)
    if (score(each.value) > score(best === undefined ? display : best.value)) best = each;
  return best;
}

/** Without case and accents, as the server compares words. */
function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
}
