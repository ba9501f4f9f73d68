import { type UnparsedJson, type UndecodedJson, type ResourceInput } from '../api/resource-input';
import { parseJson, type JsonDocument, type JsonLimits } from '../fhir/json';
import { decodeUtf8 } from './utf8';

/** Length in characters from which a text is parsed in the worker thread. */
export const LONG_TEXT = 256 * 1024;

/** Parsed input is never long, because its parsing has already blocked the main thread. */
export function isLong(input: ResourceInput): boolean {
  return 'blocks' in input || ('text' in input && input.text.length > LONG_TEXT);
}

/** Throws the errors of the parser, and `invalidJson` for bytes that are not UTF-8. */
export function toDocument(input: ResourceInput, limits: JsonLimits): JsonDocument {
  return 'value' in input ? input : parseJson(textOf(input), limits);
}

/** Throws `invalidJson` for bytes that are not UTF-8. */
export function textOf(input: UnparsedJson | UndecodedJson): string {
  return 'text' in input ? input.text : decodeUtf8(Buffer.concat(input.blocks));
}

/** Returns the length in characters, or in bytes for undecoded input; 0 for parsed input. */
export function lengthOf(input: ResourceInput): number {
  if ('text' in input) return input.text.length;
  return 'blocks' in input ? input.blocks.reduce((sum, { length }) => sum + length, 0) : 0;
}
