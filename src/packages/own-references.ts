import type { JsonObject, JsonValue } from '../core';

/** The resource with those of its references replaced that are keys of `renamed`; as it is where there is none. */
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
