import { parseJson, type JsonDocument, type JsonLimits } from '../fhir/json';

/** JSON text that nobody has parsed yet. */
export interface UnparsedJson {
  readonly text: string;
}

/** A resource or a patch as an edge hands it over: parsed, or as text where parsing is worth a thread of its own. */
export type ResourceInput = JsonDocument | UnparsedJson;

/** Characters from which on a text is worth a thread of its own. */
export const LONG_TEXT = 256 * 1024;

/** What is parsed already has kept others waiting: nothing is gained by sending it away. */
export function isLong(input: ResourceInput): boolean {
  return 'text' in input && input.text.length > LONG_TEXT;
}

/** Throws what the parser finds. */
export function toDocument(input: ResourceInput, limits: JsonLimits): JsonDocument {
  return 'text' in input ? parseJson(input.text, limits) : input;
}
