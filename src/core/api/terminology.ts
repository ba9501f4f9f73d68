import type { RequestContext } from '../context';
import type { JsonObject } from '../fhir/json';
import type { LocalFile } from './local-file';

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
  /** Returns the number of the line in which the last concept of `concepts` ends, for messages; without it they name none. */
  line?(): number;
}

/** Reads code systems from single files; core knows no format. */
export interface CodeSystemReader {
  /** Throws FhirErrors for a format that cannot be read from one file, and for what is named though the file says it, or lacks. */
  check(given: CodeSystemRequest): void;
  /** Returns what a file says; its readers throw FhirErrors for what cannot be read. */
  open(file: LocalFile, given: CodeSystemRequest): Promise<CodeSystemFile>;
}

/** What a client says about a code system to import, beside the file. */
export interface CodeSystemRequest {
  readonly format: string;
  readonly url: string | undefined;
  readonly version: string | undefined;
  readonly name: string | undefined;
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
  /** Returns the context of the next interaction, with the rights of this moment; default: the one that is given. */
  readonly renew?: () => Promise<RequestContext>;
  /** Called when all is stored, before anybody sees it; what it throws leaves the version before. */
  readonly beforeShown?: () => Promise<void>;
  /** True: each concept is checked as one of a CodeSystem that a client writes. */
  readonly isChecked?: boolean;
  /** Bytes that the codes and their hierarchy may take in memory; default: without a limit. */
  readonly mostBytes?: number;
}
