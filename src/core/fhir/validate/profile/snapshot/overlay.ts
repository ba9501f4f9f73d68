/**
 * Applies an element of a differential to the element that it constrains.
 * Source: https://hl7.org/fhir/R4/elementdefinition.html#interpretation
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../json';
import { objectMember, objectsMember, stringMember } from '../../../terminology/members';

/** Texts that a differential continues if its own text begins with `...`. */
const CONTINUED: ReadonlySet<string> = new Set(['definition', 'comment', 'requirements']);
/** Lists that a differential adds to. */
const ADDED: ReadonlySet<string> = new Set(['alias', 'condition', 'example', 'mapping', 'code']);

/**
 * Returns the constrained definition. Members that accumulate (constraints, conditions, mappings …) are joined, slicing
 * and binding are merged member by member, and all others are replaced.
 *
 * @param source canonical url of the structure that has the constraint, for `constraint.source`
 */
export function overlay(base: JsonObject, constraint: JsonObject, source: string): JsonObject {
  const result: JsonObject = { ...base };
  for (const name in constraint) {
    const value = constraint[name];
    if (value === undefined || name === 'id' || name === 'path') continue;
    result[name] = joined(name, base[name], value, source);
    if (isValueRule(name)) dropOtherValueRules(result, name);
  }
  return result;
}

function joined(name: string, base: JsonValue | undefined, value: JsonValue, source: string): JsonValue {
  if (name === 'constraint') return joinConstraints(base, value, source);
  if (base === undefined) return value;
  if (name === 'extension') return joinExtensions(base, value);
  if (name === 'binding' || name === 'slicing') {
    return isJsonObject(base) && isJsonObject(value) ? { ...base, ...value } : value;
  }
  if (ADDED.has(name)) return joinLists(base, value);
  if (CONTINUED.has(name) && typeof base === 'string' && typeof value === 'string') {
    return value.startsWith('...') ? `${base}\n${value.slice(3)}` : value;
  }
  return value;
}

/** Joins constraints by key: those of the base stay, and a new one replaces one with the same key. */
export function joinConstraints(base: JsonValue | undefined, added: JsonValue, source: string): JsonValue {
  const joinedByKey = new Map<string, JsonValue>();
  for (const constraint of Array.isArray(base) ? base : []) {
    joinedByKey.set(keyOf(constraint), constraint);
  }
  for (const constraint of Array.isArray(added) ? added : []) {
    const complete =
      isJsonObject(constraint) && stringMember(constraint, 'source') === undefined
        ? { ...constraint, source }
        : constraint;
    joinedByKey.set(keyOf(constraint), complete);
  }
  return [...joinedByKey.values()];
}

function keyOf(constraint: JsonValue): string {
  const key = isJsonObject(constraint) ? stringMember(constraint, 'key') : undefined;
  return key ?? JSON.stringify(constraint);
}

function joinExtensions(base: JsonValue, added: JsonValue): JsonValue {
  if (!Array.isArray(base) || !Array.isArray(added)) return added;
  const urls = new Set(added.flatMap((extension) => (isJsonObject(extension) ? [extension['url']] : [])));
  return [...base.filter((extension) => !isJsonObject(extension) || !urls.has(extension['url'])), ...added];
}

function joinLists(base: JsonValue, added: JsonValue): JsonValue {
  if (!Array.isArray(base) || !Array.isArray(added)) return added;
  const present = new Set(base.map((value) => JSON.stringify(value)));
  return [...base, ...added.filter((value) => !present.has(JSON.stringify(value)))];
}

/** `fixedCode`, `patternCodeableConcept`. */
function isValueRule(name: string): boolean {
  return /^(?:fixed|pattern)[A-Z]/.test(name);
}

/** An element has one fixed value or one pattern (eld-8). */
function dropOtherValueRules(definition: JsonObject, except: string): void {
  for (const name of Object.keys(definition)) {
    if (name !== except && isValueRule(name)) delete definition[name];
  }
}

/** Members that an element takes from the root of its extension. */
const OF_EXTENSION = [
  'short',
  'definition',
  'comment',
  'requirements',
  'isModifier',
  'isModifierReason',
] as const;

/**
 * Returns the element for an extension, before the profile constrains it. The texts and `isModifier` of the extension's
 * root replace the general ones of `Extension`, a smaller maximum applies, and its constraints are added. The minimum
 * depends on the profile alone.
 */
export function overlayExtension(element: JsonObject, extensionRoot: JsonObject, source: string): JsonObject {
  const result: JsonObject = { ...element };
  for (const name of OF_EXTENSION) {
    const value = extensionRoot[name];
    if (value !== undefined) result[name] = value;
  }
  const max = extensionRoot['max'];
  if (max !== undefined && toNumber(max) < toNumber(element['max'])) result['max'] = max;
  const constraints = extensionRoot['constraint'];
  if (constraints !== undefined)
    result['constraint'] = joinConstraints(result['constraint'], constraints, source);
  return result;
}

function toNumber(max: JsonValue | undefined): number {
  return max === undefined || max === '*' ? Infinity : Number(max);
}

/** The distinct type codes of an element, in order. */
export function typeCodes(definition: JsonObject): readonly string[] {
  const codes = objectsMember(definition, 'type').flatMap((type) => toTypeName(type) ?? []);
  return [...new Set(codes)];
}

const FHIRPATH_TYPES = 'http://hl7.org/fhirpath/';
const FHIR_TYPE = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type';

/** Returns the FHIR type. For `id` and primitive values the code is a type of FHIRPath, and an extension has it. */
function toTypeName(type: JsonObject): string | undefined {
  const code = stringMember(type, 'code');
  if (code === undefined || !code.startsWith(FHIRPATH_TYPES)) return code;
  const typeExtension = objectsMember(type, 'extension').find((extension) => extension['url'] === FHIR_TYPE);
  return typeExtension === undefined
    ? undefined
    : (stringMember(typeExtension, 'valueUrl') ?? stringMember(typeExtension, 'valueUri'));
}

/** Returns the profile of an element that has exactly one type with exactly one profile; otherwise undefined. */
export function singleProfile(definition: JsonObject): string | undefined {
  const types = objectsMember(definition, 'type');
  const profiles = types.length === 1 ? types[0]?.['profile'] : undefined;
  const [profile, ...more] = Array.isArray(profiles) ? profiles : [];
  return typeof profile === 'string' && more.length === 0 ? profile : undefined;
}

export function isSliced(definition: JsonObject): boolean {
  return objectMember(definition, 'slicing') !== undefined;
}
