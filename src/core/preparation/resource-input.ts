import { parseJson, type JsonDocument, type JsonLimits } from '../fhir/json';
import { decodeUtf8 } from './utf8';

/** JSON text that nobody has parsed yet. */
export interface UnparsedJson {
  readonly text: string;
}

/** The same as bytes in UTF-8, in blocks of memory that threads share: nobody copies or decodes it where others wait. */
export interface UndecodedJson {
  readonly blocks: readonly Uint8Array[];
}

/** A resource or a patch as an edge hands it over: parsed, or as text or bytes where parsing is worth a thread of its own. */
export type ResourceInput = JsonDocument | UnparsedJson | UndecodedJson;

/** Characters from which on a text is worth a thread of its own. */
export const LONG_TEXT = 256 * 1024;

/** What is parsed already has kept others waiting: nothing is gained by sending it away. */
export function isLong(input: ResourceInput): boolean {
  return 'blocks' in input || ('text' in input && input.text.length > LONG_TEXT);
}

/** Throws what the parser finds, and `invalidJson` for bytes that are not UTF-8. */
export function toDocument(input: ResourceInput, limits: JsonLimits): JsonDocument {
  return 'value' in input ? input : parseJson(textOf(input), limits);
}

/** Throws `invalidJson` for bytes that are not UTF-8. */
export function textOf(input: UnparsedJson | UndecodedJson): string {
  return 'text' in input ? input.text : decodeUtf8(Buffer.concat(input.blocks));
}

/** Characters, or bytes where it is not decoded; 0 for what is parsed. */
export function lengthOf(input: ResourceInput): number {
  if ('text' in input) return input.text.length;
  return 'blocks' in input ? input.blocks.reduce((sum, { length }) => sum + length, 0) : 0;
}
