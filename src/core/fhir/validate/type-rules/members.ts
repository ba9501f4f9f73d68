import { isJsonObject, type JsonObject, type JsonValue } from '../../json';

/** The objects of a list with their indexes; none where it is no list. */
export function* objectsOf(list: JsonValue | undefined): Generator<readonly [number, JsonObject]> {
  if (!Array.isArray(list)) return;
  for (const [index, value] of list.entries()) if (isJsonObject(value)) yield [index, value];
}

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** Whether a uri begins with a scheme (RFC 3986, 3.1). */
export function isAbsolute(uri: string): boolean {
  return SCHEME.test(uri);
}
