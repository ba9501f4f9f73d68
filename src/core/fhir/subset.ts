/**
 * Subsets of resources: `_summary` and `_elements`. The tag SUBSETTED marks them.
 * Source: https://hl7.org/fhir/R4/search.html#summary and #elements
 */
import type { Definitions, ElementDefinition, TypeStructure } from './definitions';
import { isJsonObject, parseJson, stringifyJson, type JsonObject, type JsonValue } from './json';

export type Subset =
  /** The elements that the specification marks as summary. */
  | { readonly kind: 'true' }
  /** Narrative, id, meta and mandatory elements. */
  | { readonly kind: 'text' }
  /** Everything but the narrative. */
  | { readonly kind: 'data' }
  /** The named elements, by type (`*` for any), and those that are mandatory or modifiers. */
  | { readonly kind: 'elements'; readonly names: ReadonlyMap<string, ReadonlySet<string>> };

const SUBSETTED = {
  system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue',
  code: 'SUBSETTED',
  display: 'Resource encoded in summary mode',
};

/** Members of every subset. */
const ALWAYS: ReadonlySet<string> = new Set(['resourceType', 'id', 'meta', 'implicitRules']);

/** Returns the subset of a resource as JSON text; the same text if the subset is everything. Cost: parses the text. */
export function toSubset(definitions: Definitions, type: string, text: string, subset: Subset): string {
  const structure = definitions.structure(type);
  if (structure === undefined) return text;
  const isInSubset = elementTest(structure, subset);
  if (isInSubset === undefined) return text;
  const { value, marked } = parseJson(text, { maxDepth: Number.MAX_SAFE_INTEGER });
  if (!isJsonObject(value)) return text;
  const result: JsonObject = {};
  for (const name in value) {
    const member = value[name];
    if (member === undefined) continue;
    if (name === 'meta') result[name] = withTag(member);
    else if (ALWAYS.has(name)) result[name] = member;
    else {
      const element = elementOf(structure, '', name);
      if (element !== undefined && isInSubset(element))
        result[name] = subset.kind === 'true' ? summaryOf(structure, element, member) : member;
    }
  }
  return stringifyJson(result, marked);
}

/** Undefined if all elements stay. */
function elementTest(
  { name }: TypeStructure,
  subset: Subset,
): ((element: ElementDefinition) => boolean) | undefined {
  switch (subset.kind) {
    case 'true':
      return ({ isSummary, min, isModifier }) => isSummary || min > 0 || isModifier;
    case 'text':
      return (element) => element.name === 'text' || element.min > 0;
    case 'data':
      return (element) => element.name !== 'text';
    case 'elements': {
      const named = [subset.names.get(name), subset.names.get('*')];
      if (named.every((names) => names === undefined)) return undefined;
      return (element) =>
        element.min > 0 || element.isModifier || named.some((names) => names?.has(element.name) === true);
    }
  }
}

/** Returns only the summary of an element that has nested elements in the same type; data types stay whole. */
function summaryOf(structure: TypeStructure, element: ElementDefinition, value: JsonValue): JsonValue {
  if (structure.children(element.path).length === 0) return value;
  if (Array.isArray(value)) return value.map((item) => summaryOf(structure, element, item));
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const name in value) {
    const member = value[name];
    const inner = elementOf(structure, element.path, name);
    if (member === undefined || inner === undefined) continue;
    if (inner.isSummary || inner.min > 0 || inner.isModifier || inner.name === 'id')
      result[name] = summaryOf(structure, inner, member);
  }
  return result;
}

/** Returns the element of a member, of its companion (`_name`), or of a choice (`valueQuantity`). */
function elementOf(structure: TypeStructure, path: string, member: string): ElementDefinition | undefined {
  const name = member.startsWith('_') ? member.slice(1) : member;
  const full = path === '' ? name : `${path}.${name}`;
  return (
    structure.element(full) ??
    structure.children(path).find(({ isChoice, name: stem }) => isChoice && name.startsWith(stem))
  );
}

/** Adds the tag SUBSETTED to a resource. */
export function markSubsetted(resource: JsonObject): JsonObject {
  const { meta } = resource;
  return { ...resource, meta: withTag(meta ?? {}) };
}

/** True if a resource has the tag that `markSubsetted` adds. */
export function isSubsetted(resource: JsonValue): boolean {
  const meta = isJsonObject(resource) ? resource['meta'] : undefined;
  const tags = isJsonObject(meta) && Array.isArray(meta['tag']) ? meta['tag'] : [];
  return tags.some(
    (tag) => isJsonObject(tag) && tag['code'] === SUBSETTED.code && tag['system'] === SUBSETTED.system,
  );
}

/** Removes the tag that `markSubsetted` adds, and what of `meta` is empty without it. */
export function withoutSubsetted(resource: JsonObject): JsonObject {
  const { meta, ...others } = resource;
  if (!isJsonObject(meta) || !Array.isArray(meta['tag'])) return resource;
  const { tag: _tag, ...rest } = meta;
  const tags = meta['tag'].filter(
    (tag) => !isJsonObject(tag) || tag['code'] !== SUBSETTED.code || tag['system'] !== SUBSETTED.system,
  );
  return { ...others, meta: tags.length === 0 ? rest : { ...rest, tag: tags } };
}

function withTag(meta: JsonValue): JsonValue {
  if (!isJsonObject(meta)) return meta;
  const tags = Array.isArray(meta['tag']) ? meta['tag'] : [];
  return isSubsetted({ meta }) ? meta : { ...meta, tag: [...tags, SUBSETTED] };
}
