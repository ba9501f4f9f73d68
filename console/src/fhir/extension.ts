/** The values of extensions. */
import { isObject, type JsonValue } from '../api/json';

/** The FHIR type that the name of a value says: `valueDateTime` is a dateTime, `valueCoding` a Coding. */
export function extensionType(name: string, value: JsonValue | undefined): string {
  const end = name.slice('value'.length);
  return isObject(value) ? end : end.charAt(0).toLowerCase() + end.slice(1);
}
