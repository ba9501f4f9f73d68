/** The resource of a request. */
import type { JsonDocument } from '../fhir/json';

/** Unparsed JSON text. */
export interface UnparsedJson {
  readonly text: string;
}

/** Unparsed UTF-8 bytes in shared memory, so that the main thread neither copies nor decodes them. */
export interface UndecodedJson {
  readonly blocks: readonly Uint8Array[];
}

/** A resource or a patch from an edge: parsed, or as text or bytes if it is large enough for the worker thread. */
export type ResourceInput = JsonDocument | UnparsedJson | UndecodedJson;
