/** Which element of FHIR stands at a place of a record, by the definitions of the server. */
import { isObject, objectsOf, textOf, type JsonObject, type JsonValue } from '../api/json';
import type { JsonPath } from '../fhir/compare/diff';
import type { Frame } from './scan';
import { choiceName } from '../../../packages/fhir-values/choice-name';

/** Reads the StructureDefinition of a type; undefined: there is none, or the caller may not read it. */
export type LoadDefinition = (type: string) => Promise<JsonObject | undefined>;

/** An object of a record: an element of a definition whose children it has. */
export interface Location {
  readonly definition: JsonObject;
  /** `Patient`, `Patient.contact`. */
  readonly path: string;
  /** The binding of the CodeableConcept or Coding around it. */
  readonly binding: Binding | undefined;
}

export interface Binding {
  readonly strength: string;
  readonly valueSet: string;
}

/** A member that an object may have. */
export interface Member {
  /** Its name in JSON: `valueQuantity`. */
  readonly name: string;
  /** Its step in FHIRPath: `value.ofType(Quantity)`. */
  readonly step: string;
  readonly type: string;
  readonly isArray: boolean;
  readonly isRequired: boolean;
  readonly isPrimitive: boolean;
  /** What the element is, in a few words of the definition. */
  readonly short: string;
  readonly binding: Binding | undefined;
  readonly element: JsonObject;
}

const CODED = ['CodeableConcept', 'Coding'];
/** Members of coded values that have the binding of the whole. */
const CODED_MEMBERS = ['coding', 'code', 'system'];
const TYPE_URL = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type';

function elementsOf({ snapshot }: JsonObject): readonly JsonObject[] {
  return isObject(snapshot) ? objectsOf(snapshot['element']) : [];
}

/** The code of a type; those of ids and urls are given as a system type, with the FHIR type in an extension. */
function codeOf(type: JsonObject): string {
  const named = objectsOf(type['extension']).find(({ url }) => url === TYPE_URL);
  return textOf(named?.['valueUrl']) ?? textOf(type['code']) ?? '';
}

function bindingOf({ binding }: JsonObject): Binding | undefined {
  if (!isObject(binding)) return undefined;
  const valueSet = textOf(binding['valueSet']);
  return valueSet === undefined ? undefined : { strength: textOf(binding['strength']) ?? '', valueSet };
}

/** The members of an object, in the order of the definition; each type of a choice is one. */
export function membersOf({ definition, path, binding }: Location): readonly Member[] {
  return elementsOf(definition).flatMap((element) => {
    const name = textOf(element['path']) ?? '';
    const isChild = name.startsWith(`${path}.`) && !name.slice(path.length + 1).includes('.');
    // A slice is the same element again.
    if (!isChild || textOf(element['id'])?.includes(':') === true || element['max'] === '0') return [];
    return namesOf(element, name.slice(path.length + 1), binding);
  });
}

function namesOf(element: JsonObject, last: string, outer: Binding | undefined): readonly Member[] {
  const isChoice = last.endsWith('[x]');
  const base = last.replace('[x]', '');
  const codes = [...new Set(objectsOf(element['type']).map(codeOf))];
  return (codes.length === 0 ? ['BackboneElement'] : codes).map((type) => ({
    name: isChoice ? choiceName(base, type) : base,
    step: isChoice ? `${base}.ofType(${type})` : base,
    type,
    isArray: element['max'] !== '1',
    isRequired: element['min'] !== 0 && !isChoice,
    isPrimitive: /^[a-z]/.test(type),
    short: textOf(element['short']) ?? '',
    binding: bindingOf(element) ?? (CODED_MEMBERS.includes(base) ? outer : undefined),
    element,
  }));
}

/** The location of the value of a member; undefined for a primitive, and where the definition cannot be read. */
export async function enter(
  load: LoadDefinition,
  { definition, binding }: Location,
  member: Member,
): Promise<Location | undefined> {
  const content = textOf(member.element['contentReference']);
  if (content !== undefined) return { definition, path: content.replace(/^.*#/, ''), binding: undefined };
  const inner = textOf(member.element['path']) ?? '';
  // The children of a BackboneElement stand in the same definition.
  if (elementsOf(definition).some(({ path: other }) => textOf(other)?.startsWith(`${inner}.`) === true))
    return { definition, path: inner, binding: undefined };
  const found = await load(member.type);
  if (found === undefined) return undefined;
  const isCoded = CODED.includes(member.type);
  const inherited = isCoded ? (member.binding ?? binding) : undefined;
  return { definition: found, path: member.type, binding: inherited };
}

/** The location of a whole resource. */
export async function locationOf(load: LoadDefinition, type: string): Promise<Location | undefined> {
  const definition = await load(type);
  return definition === undefined ? undefined : { definition, path: type, binding: undefined };
}

/** The location of the innermost object around a cursor. `type` is that of a record which does not name its own. */
export async function locationAt(
  load: LoadDefinition,
  frames: readonly Frame[],
  type: string,
): Promise<Location | undefined> {
  let location: Location | undefined;
  for (const [depth, { kind, step, resourceType }] of frames.entries()) {
    if (kind === 'array' && typeof step !== 'string') continue;
    if (depth === 0) location = await locationOf(load, resourceType ?? type);
    else if (typeof step === 'string' && location !== undefined) {
      const member = membersOf(location).find(({ name }) => name === step.replace(/^_/, ''));
      location = member === undefined ? undefined : await enterAny(load, location, member);
    }
    // A resource inside of a resource names its type.
    if (depth > 0 && resourceType !== undefined) location = await locationOf(load, resourceType);
  }
  return location;
}

/** Also that of the second member of a primitive, `_birthDate`: it is an Element. */
async function enterAny(
  load: LoadDefinition,
  location: Location,
  member: Member,
): Promise<Location | undefined> {
  return member.isPrimitive ? locationOf(load, 'Element') : enter(load, location, member);
}

/** An element of a record as people and programs name it. */
export interface NamedElement {
  /** FHIRPath: `Observation.value.ofType(Quantity).code`. */
  readonly expression: string;
  /** What it is, in a few words of its definition; '' where that is unknown. */
  readonly short: string;
  /** Its FHIR type, where the definition is known. */
  readonly type: string | undefined;
}

/** Names the element at a path. Where definitions are missing, the names of members are the steps. */
export async function nameElement(
  load: LoadDefinition,
  record: JsonObject,
  path: JsonPath,
): Promise<NamedElement> {
  let expression = textOf(record['resourceType']) ?? '';
  let location = await locationOf(load, expression);
  let value: JsonValue | undefined = record;
  let [short, type]: [string, string | undefined] = ['', undefined];
  for (const step of path) {
    value = stepInto(value, step);
    if (typeof step === 'number') {
      expression += `[${step}]`;
    } else {
      const name = step.replace(/^_/, '');
      const member: Member | undefined = location && membersOf(location).find((each) => each.name === name);
      expression += `.${member?.step ?? name}`;
      [short, type] = [member?.short ?? '', member?.type];
      location = location && member && (await enterAny(load, location, member));
    }
    const inner = isObject(value) ? textOf(value['resourceType']) : undefined;
    if (inner !== undefined) location = await locationOf(load, inner);
  }
  return { expression, short, type };
}

function stepInto(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (typeof step === 'string') return isObject(value) ? value[step] : undefined;
  return Array.isArray(value) ? (value as readonly JsonValue[])[step] : undefined;
}
