import { isJsonObject, type JsonObject, type JsonValue } from '../../json';

/** Yields the objects of a list with their indexes; nothing if it is no list. */
export function* objectsOf(list: JsonValue | undefined): Generator<readonly [number, JsonObject]> {
  if (!Array.isArray(list)) return;
  for (const [index, value] of list.entries()) if (isJsonObject(value)) yield [index, value];
}

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** True if a uri begins with a scheme (RFC 3986, 3.1). */
export function isAbsolute(uri: string): boolean {
  return SCHEME.test(uri);
}
