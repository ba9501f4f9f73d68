import {
  type JsonDocument,
  type JsonValue,
  parseJson,
  type ResourceInput,
  stringifyJson,
  toResourceInput,
} from '../core/index';

/**
 * A value that came through a JSON scalar, as core takes it from any client: written as text and read by its parser,
 * which refuses what no resource may hold. In variables most of that was refused with the body, in literals it was not.
 * Throws what the parser finds. Cost: twice that of parsing.
 */
export function toDocument(value: JsonValue, maxDepth: number): JsonDocument {
  return parseJson(stringifyJson(value, true), { maxDepth });
}

/** The same for a write, which has long texts parsed in a thread of its own. */
export function toInput(value: JsonValue, maxDepth: number): ResourceInput {
  return toResourceInput(stringifyJson(value, true), { maxDepth });
}
