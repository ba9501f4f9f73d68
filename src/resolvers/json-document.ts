import { type JsonDocument, type JsonValue } from '../core/index';
import { DECIMAL_MARK } from '../schema/json';

function isMarked(value: JsonValue): boolean {
  if (typeof value === 'string') return value.startsWith(DECIMAL_MARK);
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) ? value.some(isMarked) : Object.values(value).some(isMarked);
}

/** The document of a value that came through a JSON scalar, where decimals are marked as `parseJson` marks them. */
export function toDocument(value: JsonValue): JsonDocument {
  return { value, marked: isMarked(value) };
}
