/** Typed looks into parsed JSON of which the shape is not yet checked: what has another type reads as absent. */
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

/** The objects of a list; empty when the member is absent. */
export function objectsMember(object: JsonObject, name: string): readonly JsonObject[] {
  const value = object[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function stringsMember(object: JsonObject, name: string): readonly string[] {
  const value = object[name];
  return Array.isArray(value) ? value.filter((element) => typeof element === 'string') : [];
}

/** Name and value of the one `value[x]` member; undefined when there is none. */
export function choiceMember(object: JsonObject): readonly [name: string, value: JsonValue] | undefined {
  for (const name in object) {
    const value = object[name];
    if (name.startsWith('value') && name.length > 5 && value !== undefined) return [name, value];
  }
  return undefined;
}
