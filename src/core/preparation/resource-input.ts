import { parseJson, type JsonDocument, type JsonLimits } from '../fhir/json';

/** JSON text that nobody has parsed yet. */
export interface UnparsedJson {
  readonly text: string;
}

/** A resource or a patch as an edge hands it over: parsed, or as text where parsing is worth a thread of its own. */
export type ResourceInput = JsonDocument | UnparsedJson;

/** Throws what the parser finds. */
export function toDocument(input: ResourceInput, limits: JsonLimits): JsonDocument {
  return 'text' in input ? parseJson(input.text, limits) : input;
}
