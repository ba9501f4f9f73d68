/** Exports of bulk data (https://hl7.org/fhir/uv/bulkdata/export.html, docs/use/bulk-data.md). */
import type { StoredVersion } from '../storage/read/stored-version';
import type { ResourceInput } from './resource-input';

/** The level of the address at which an export is asked for. */
export type ExportLevel = 'system' | 'patient' | 'group';

export interface ExportKickOff {
  readonly level: ExportLevel;
  /** Id of the Group at its level. */
  readonly group?: string | undefined;
  /** The absolute address of the request, which the manifest repeats. */
  readonly url: string;
  /** The absolute address of the FHIR root, without a slash at the end: addresses in files are below it. */
  readonly root: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** The Parameters of a POST. */
  readonly input?: ResourceInput | undefined;
  /** True: parameters that are not supported are ignored, and named in a file of the export. */
  readonly isLenient: boolean;
  /** True: the state stands in a header, and the status of the answer is 200 (`separate-export-status`). */
  readonly hasSeparateStatus: boolean;
}

/** A file of an export. */
export interface ExportFileInfo {
  /** Its name in addresses. */
  readonly name: string;
  /** The type of its resources. */
  readonly type: string;
  /** Lines when the export was made. */
  readonly count: number;
  /** Bytes; undefined: the file is not stored. */
  readonly size?: number;
  /** A signed address from which anybody may load the file. */
  readonly address?: string;
}

export interface ExportManifest {
  /** Milliseconds since 1970. */
  readonly transactionTime: number;
  /** The version-sequence up to which the export has changes. */
  readonly sequence: number;
  readonly extensionBase: string;
  readonly request: string;
  /** True: all files have signed addresses. */
  readonly isSigned: boolean;
  readonly output: readonly ExportFileInfo[];
  readonly deleted: readonly ExportFileInfo[];
  readonly error: readonly ExportFileInfo[];
}

export type ExportState = { readonly hasSeparateStatus: boolean } & (
  | {
      readonly state: 'waiting' | 'running';
      /** At most 99 characters. */
      readonly progress: string;
    }
  | { readonly state: 'done'; readonly expires: number; readonly manifest: ExportManifest }
  | {
      readonly state: 'failed';
      readonly expires: number;
      readonly status: number;
      /** An OperationOutcome. */
      readonly body: string;
    }
);

/** A stored file. */
export interface KeptFile {
  readonly kind: 'stored';
  /** Unique; another content has another id. */
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  /** Throws contentUnavailable, also after some pieces: the file was erased. */
  readonly pieces: AsyncIterable<Buffer>;
}

/** The content of a file. Pages and pieces must be read, or the iterator ended. */
export type ExportedFile = ReadFile | KeptFile;

/** The content of a file that is read from the versions, page by page. */
export type ReadFile =
  | { readonly kind: 'resources'; readonly pages: AsyncIterable<readonly StoredVersion[]> }
  /** Relative references of deleted resources. */
  | { readonly kind: 'deleted'; readonly pages: AsyncIterable<readonly string[]> }
  /** OperationOutcomes as texts. */
  | { readonly kind: 'outcomes'; readonly lines: readonly string[] };
