/**
 * Reads a CodeSystem resource (https://hl7.org/fhir/R4/codesystem.html). Any hierarchy counts as is-a, regardless of
 * `hierarchyMeaning`, because that element is nearly always absent.
 */
import { type JsonObject } from '../json';
import { type CodeSystem, type Concept } from './code-system';
import { booleanMember, choiceMember, objectsMember, stringMember } from './members';

interface MutableConcept extends Concept {
  readonly parents: MutableConcept[];
  readonly children: MutableConcept[];
}

/** The uris of properties with a meaning that FHIR defines begin so. */
export const CONCEPT_PROPERTIES = 'http://hl7.org/fhir/concept-properties#';

/** Returns the function that gives codes of a system the same key if the system does not tell them apart. */
export function codeKey(head: JsonObject): (code: string) => string {
  return booleanMember(head, 'caseSensitive') === false ? (code) => code.toLowerCase() : (code) => code;
}

/** Indexes a CodeSystem resource. Cost: linear in its concepts, about 1 ms per 1,000. */
export function readCodeSystem(resource: JsonObject): CodeSystem {
  const keyOf = codeKey(resource);
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
    head: resource,
    isBuiltIn: false,
    concepts,
    conceptCount: concepts.length,
    isHierarchical: concepts.some((concept) => concept.parents.length > 0),
    propertyCodes,
    find: (code) => byCode.get(keyOf(code)),
  };
}

/**
 * Returns the meaning of each property of the system by its code: `parent`, `child`, `notSelectable`, `inactive`,
 * `status`.
 */
export function declareProperties(resource: JsonObject, codes: Set<string>): Map<string, string> {
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
  const display = stringMember(element, 'display');
  const { isAbstract, isInactive } = readStatus(element, aliases, propertyCodes);
  return { code, display, element, parents: [], children: [], isAbstract, isInactive };
}

/** Says if a concept is abstract or inactive, and adds the codes of its properties. */
export function readStatus(
  element: JsonObject,
  aliases: ReadonlyMap<string, string>,
  propertyCodes: Set<string>,
): { readonly isAbstract: boolean; readonly isInactive: boolean } {
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
  return { isAbstract, isInactive };
}

function connect(parent: MutableConcept, child: MutableConcept): void {
  if (parent === child || child.parents.includes(parent)) return;
  child.parents.push(parent);
  parent.children.push(child);
}
