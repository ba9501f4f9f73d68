/** The values of extensions. */
import { isObject, type JsonObject, type JsonValue } from '../api/json';

/** The name of the member with the value of an extension; undefined: it has extensions of its own, or none. */
export function extensionValueName(extension: JsonObject): string | undefined {
  return Object.keys(extension).find((name) => /^value[A-Z]/.test(name));
}

/** The FHIR type that the name of a value says: `valueDateTime` is a dateTime, `valueCoding` a Coding. */
export function extensionType(name: string, value: JsonValue | undefined): string {
  const end = name.slice('value'.length);
  return isObject(value) ? end : end.charAt(0).toLowerCase() + end.slice(1);
}
