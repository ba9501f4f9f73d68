/** True for a JSON object; for parsed JSON of unknown shape. */
import type { JsonObject, JsonValue } from '../core';

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the elements of a list; an empty list for any other value. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
