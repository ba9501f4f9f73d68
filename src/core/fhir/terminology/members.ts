/** Typed access to parsed JSON whose shape is not yet checked: a member of another type counts as absent. */
import { isJsonObject, type JsonObject, type JsonValue } from '../json';

export function stringMember(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function booleanMember(object: JsonObject, name: string): boolean | undefined {
  const value = object[name];
  return typeof value === 'boolean' ? value : undefined;
}

export function objectMember(object: JsonObject, name: string): JsonObject | undefined {
  const value = object[name];
  return isJsonObject(value) ? value : undefined;
}

/** Returns the objects of a list; empty if the member is absent. */
export function objectsMember(object: JsonObject, name: string): readonly JsonObject[] {
  const value = object[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function stringsMember(object: JsonObject, name: string): readonly string[] {
  const value = object[name];
  return Array.isArray(value) ? value.filter((element) => typeof element === 'string') : [];
}

/** Returns name and value of the one `value[x]` member; undefined if there is none. */
export function choiceMember(object: JsonObject): readonly [name: string, value: JsonValue] | undefined {
  for (const name in object) {
    const value = object[name];
    if (name.startsWith('value') && name.length > 5 && value !== undefined) return [name, value];
  }
  return undefined;
}

const STANDARDS_STATUS = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status';

/** The standards status of an element or a resource, such as `deprecated`. */
export function standardsStatus(element: JsonObject): string | undefined {
  const found = objectsMember(element, 'extension').find(({ url }) => url === STANDARDS_STATUS);
  return found && stringMember(found, 'valueCode');
}
