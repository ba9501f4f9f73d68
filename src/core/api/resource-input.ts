/** The resource of a request. */
import type { JsonDocument } from '../fhir/json';

/** Unparsed JSON text. */
export interface UnparsedJson {
  readonly text: string;
  /** For a Binary whose content is stored apart (`CoreInteractions.storeContent`): the content. */
  readonly content?: Pick<WrittenContent, 'id' | 'size'>;
}

/** A content that is stored and belongs to nothing yet. */
export interface WrittenContent {
  readonly id: string;
  /** Number of bytes. */
  readonly size: number;
  /** Says that it belongs to something now: nothing keeps it alive any more. */
  claimed(): void;
  /** Gives it up, unless it belongs to something. Never rejects. */
  drop(): Promise<void>;
}

/** Unparsed UTF-8 bytes in shared memory, so that the main thread neither copies nor decodes them. */
export interface UndecodedJson {
  readonly blocks: readonly Uint8Array[];
}

/** A resource or a patch from an edge: parsed, or as text or bytes if it is large enough for the worker thread. */
export type ResourceInput = JsonDocument | UnparsedJson | UndecodedJson;
