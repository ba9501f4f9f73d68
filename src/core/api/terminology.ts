import type { JsonObject } from '../fhir/json';

/** A code whose display is wanted. */
export interface WantedDisplay {
  readonly system: string;
  /** Undefined: the newest. */
  readonly version: string | undefined;
  readonly code: string;
  /** A list such as `de-AT, en;q=0.5`. */
  readonly languages: string;
}

export interface FoundDisplay {
  /** In the first of the languages that the code system has; undefined: in none of them. */
  readonly inLanguage: string | undefined;
  /** In whatever language; undefined: the code system, the code or its display does not exist. */
  readonly display: string | undefined;
}

/** A code system whose concepts are too many for one resource, as a reader of a publisher's files gives it. */
export interface CodeSystemFile {
  /** The CodeSystem without concepts. */
  readonly head: JsonObject;
  /** SHA-256 of all that the file says: an equal import changes nothing. */
  readonly digest: Buffer;
  /**
   * Returns the elements of `CodeSystem.concept`, none within another: properties (`parent`) say their hierarchy. It is called twice.
   */
  concepts(): AsyncIterable<JsonObject>;
}

export interface CodeSystemImport {
  /** unchanged: the same content is stored already. */
  readonly outcome: 'stored' | 'unchanged';
  readonly id: string;
  readonly concepts: number;
}

export interface CodeSystemImportOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for which requests that have begun may still read what is replaced; default 15,000. */
  readonly lastReadersMs?: number;
  /** Called for each portion: concepts that are read, and then stored. */
  readonly report?: ((progress: { readonly read: number; readonly stored: number }) => void) | undefined;
}
