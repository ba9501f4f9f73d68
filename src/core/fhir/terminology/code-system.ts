/**
 * An indexed CodeSystem resource: its concepts by code, their hierarchy, and which of them are abstract or inactive
 * (https://hl7.org/fhir/R4/codesystem.html). Any hierarchy counts as is-a, regardless of `hierarchyMeaning`, because
 * that element is nearly always absent.
 */
import { type JsonObject } from '../json';
import { booleanMember, choiceMember, objectMember, objectsMember, stringMember } from './members';

export interface Concept {
  readonly code: string;
  readonly display: string | undefined;
  /** The element of `CodeSystem.concept`, its children included. */
  readonly element: JsonObject;
  /** From nesting first, then from the properties parent, child and subsumedBy. */
  readonly parents: readonly Concept[];
  readonly children: readonly Concept[];
  /** True for a grouper that must not be used as a value (property notSelectable). */
  readonly isAbstract: boolean;
  /** True if retired (properties inactive and status). */
  readonly isInactive: boolean;
}

export interface CodeSystem {
  readonly url: string;
  readonly version: string | undefined;
  /** `complete`, `fragment`, `example`, `supplement` or `not-present`. */
  readonly content: string;
  readonly resource: JsonObject;
  /** In the order of the resource, children after their parent. */
  readonly concepts: readonly Concept[];
  /** True if any concept has a parent. */
  readonly isHierarchical: boolean;
  /** Codes of the properties and filters that are declared or used. */
  readonly propertyCodes: ReadonlySet<string>;
  /** Ignores case if `caseSensitive` is false. */
  find(code: string): Concept | undefined;
}

interface MutableConcept extends Concept {
  readonly parents: MutableConcept[];
  readonly children: MutableConcept[];
}

const CONCEPT_PROPERTIES = 'http://hl7.org/fhir/concept-properties#';

/** Indexes a CodeSystem resource. Cost: linear in its concepts, about 1 ms per 1,000. */
export function readCodeSystem(resource: JsonObject): CodeSystem {
  const foldCase = booleanMember(resource, 'caseSensitive') === false;
  const keyOf = (code: string): string => (foldCase ? code.toLowerCase() : code);
  const propertyCodes = new Set<string>();
  const aliases = declareProperties(resource, propertyCodes);
  const byCode = new Map<string, MutableConcept>();

  const addAll = (elements: readonly JsonObject[], parent: MutableConcept | undefined): void => {
    for (const element of elements) {
      const code = stringMember(element, 'code');
      if (code === undefined) continue;
      let concept = byCode.get(keyOf(code));
      if (concept === undefined) {
        concept = makeConcept(code, element, aliases, propertyCodes);
        byCode.set(keyOf(code), concept);
      }
      if (parent !== undefined) connect(parent, concept);
      addAll(objectsMember(element, 'concept'), concept);
    }
  };
  addAll(objectsMember(resource, 'concept'), undefined);

  const concepts = [...byCode.values()];
  for (const concept of concepts) {
    for (const property of objectsMember(concept.element, 'property')) {
      const relation = aliases.get(stringMember(property, 'code') ?? '');
      if (relation !== 'parent' && relation !== 'child') continue;
      const value = choiceMember(property)?.[1];
      const other = typeof value === 'string' ? byCode.get(keyOf(value)) : undefined;
      if (other === undefined) continue;
      if (relation === 'parent') connect(other, concept);
      else connect(concept, other);
    }
  }
  return {
    url: stringMember(resource, 'url') ?? '',
    version: stringMember(resource, 'version'),
    content: stringMember(resource, 'content') ?? 'complete',
    resource,
    concepts,
    isHierarchical: concepts.some((concept) => concept.parents.length > 0),
    propertyCodes,
    find: (code) => byCode.get(keyOf(code)),
  };
}

/** True if `ancestor` is the concept itself or above it. Cost: linear in the concepts above it. */
export function isSelfOrBelow(concept: Concept, ancestor: Concept): boolean {
  return findAbove(concept, (candidate) => candidate === ancestor) !== undefined;
}

/** Returns the first of a concept and its ancestors, breadth first, that fits. Tolerates cycles. */
export function findAbove(concept: Concept, fits: (candidate: Concept) => boolean): Concept | undefined {
  if (fits(concept)) return concept;
  if (concept.parents.length === 0) return undefined;
  const seen = new Set<Concept>([concept]);
  const queue: Concept[] = [concept];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const parent of next.parents) {
      if (seen.has(parent)) continue;
      if (fits(parent)) return parent;
      seen.add(parent);
      queue.push(parent);
    }
  }
  return undefined;
}

/** Returns the values of a property of a concept as texts; a Coding as its code. */
export function propertyValues(concept: Concept, code: string): readonly string[] {
  const values: string[] = [];
  for (const property of objectsMember(concept.element, 'property')) {
    if (stringMember(property, 'code') !== code) continue;
    const coding = objectMember(property, 'valueCoding');
    const value = coding === undefined ? choiceMember(property)?.[1] : stringMember(coding, 'code');
    if (value !== undefined && value !== null && typeof value !== 'object') {
      values.push(typeof value === 'string' ? value.replace('\u0001', '') : String(value));
    }
  }
  return values;
}

/**
 * Returns the meaning of each property of the system by its code: `parent`, `child`, `notSelectable`, `inactive`,
 * `status`.
 */
function declareProperties(resource: JsonObject, codes: Set<string>): Map<string, string> {
  const aliases = new Map<string, string>([
    ['parent', 'parent'],
    ['subsumedBy', 'parent'],
    ['child', 'child'],
    ['notSelectable', 'notSelectable'],
    ['abstract', 'notSelectable'],
    ['inactive', 'inactive'],
    ['status', 'status'],
  ]);
  for (const property of objectsMember(resource, 'property')) {
    const code = stringMember(property, 'code');
    if (code === undefined) continue;
    codes.add(code);
    const uri = stringMember(property, 'uri');
    if (uri?.startsWith(CONCEPT_PROPERTIES) === true) aliases.set(code, uri.slice(CONCEPT_PROPERTIES.length));
  }
  for (const filter of objectsMember(resource, 'filter')) {
    const code = stringMember(filter, 'code');
    if (code !== undefined) codes.add(code);
  }
  return aliases;
}

function makeConcept(
  code: string,
  element: JsonObject,
  aliases: ReadonlyMap<string, string>,
  propertyCodes: Set<string>,
): MutableConcept {
  let isAbstract = false;
  let isInactive = false;
  for (const property of objectsMember(element, 'property')) {
    const name = stringMember(property, 'code') ?? '';
    propertyCodes.add(name);
    const value = choiceMember(property)?.[1];
    const meaning = aliases.get(name);
    if (meaning === 'notSelectable') isAbstract ||= value === true || value === 'true';
    else if (meaning === 'inactive') isInactive ||= value === true || value === 'true';
    else if (meaning === 'status') isInactive ||= value === 'retired' || value === 'inactive';
  }
  const display = stringMember(element, 'display');
  return { code, display, element, parents: [], children: [], isAbstract, isInactive };
}

function connect(parent: MutableConcept, child: MutableConcept): void {
  if (parent === child || child.parents.includes(parent)) return;
  child.parents.push(parent);
  parent.children.push(child);
}
