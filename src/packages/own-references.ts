import type { JsonObject, JsonValue } from '../core';

/**
 * Returns the resource with the references replaced that are keys of `renamed`. Returns the same object where there are
 * none.
 */
export function renameReferences(resource: JsonObject, renamed: ReadonlyMap<string, string>): JsonObject {
  let changes = 0;
  const rename = (name: string, value: JsonValue): JsonValue => {
    if (typeof value === 'string') {
      const other = name === 'reference' ? renamed.get(value) : undefined;
      if (other === undefined) return value;
      changes += 1;
      return other;
    }
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? value.map((element) => rename(name, element)) : renameMembers(value);
  };
  const renameMembers = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, rename(name, value)]));
  const copy = renameMembers(resource);
  return changes > 0 ? copy : resource;
}
