/** Imports of NDJSON (docs/use/import.md): jobs that create or update a resource for each line; and of code systems. */
import type { RequestContext } from '../context';
import type { Release } from '../fhir/release';
import type { LocalFile } from './local-file';
import type { CodeSystemReader, CodeSystemRequest } from './terminology';

/** A file of an import: at an address, or among the bytes of the request. */
export interface ImportSource {
  /** For messages and the result: its address, or its name. */
  readonly name: string;
  /** The type of all its resources; undefined: any types. */
  readonly type?: string | undefined;
  /** Where the server gets it; undefined: it was sent with the request. */
  readonly url?: string | undefined;
  /** Length in the bytes of the request. */
  readonly bytes?: number | undefined;
}

export interface NewImport {
  readonly files: readonly ImportSource[];
  /** The bytes of the files that were sent, one after the other; gzipped ones are recognized. */
  readonly content?: Buffer | undefined;
  /** The address of the request, for the result. */
  readonly request: string;
  /** As `LocalImport.source`. */
  readonly source?: string | undefined;
  /** The one file is a code system, whose concepts are imported (`CodeSystem/$import`). */
  readonly codeSystem?: CodeSystemRequest | undefined;
}

/** What became of a file. */
export interface ImportFileState {
  readonly file: number;
  readonly name: string;
  readonly type: string | undefined;
  readonly url: string | undefined;
  readonly isReceived: boolean;
  readonly lines: number;
  readonly written: number;
  /** Lines that were refused, and one for a file that could not be read. */
  readonly failed: number;
}

export interface ImportState {
  readonly id: string;
  readonly state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  /** Why it failed: the status and an OperationOutcome. */
  readonly failure: { readonly status: number; readonly outcome: Buffer } | undefined;
  readonly request: string;
  /** Milliseconds since 1970, as the following ones. */
  readonly created: number;
  readonly ended: number | undefined;
  readonly expires: number | undefined;
  readonly files: readonly ImportFileState[];
  /** Of an import of a code system: its concepts, and once it is done its answer, a Parameters resource. */
  readonly codeSystem?: {
    readonly read: number;
    readonly stored: number;
    readonly answer: Buffer | undefined;
  };
}

/** An import that a command begins, or goes on with. */
export interface LocalImport {
  readonly tenant: string;
  readonly release: Release;
  readonly files: readonly LocalFile[];
  /** Distinguishes the files from others of the same names. */
  readonly fingerprint: string;
  /** Base of the FHIR server that the lines come from: addresses of resources below it become relative. */
  readonly source?: string | undefined;
  /** Called with the id before the files are stored. */
  readonly begun?: (id: string) => void;
  /** Called while the files are stored. */
  readonly stored?: (file: number, bytes: number) => void;
}

/** Imports; those of a context are the caller's own, or for administrators all of the space. */
export interface Imports {
  /** Queues an import and returns its id. Throws forbidden, invalidValue for an address that may not be called, tooManyJobs. */
  submit(context: RequestContext, of: NewImport): Promise<string>;
  /** Undefined: there is none, or it has expired. */
  find(context: RequestContext, id: string): Promise<ImportState | undefined>;
  /** Yields the OperationOutcomes of the refused lines of a file. Undefined: there is no such file. */
  errors(context: RequestContext, id: string, file: number): Promise<AsyncIterable<string> | undefined>;
  /** Stops an import, and forgets it; what is written stays. False: there is none. */
  cancel(context: RequestContext, id: string): Promise<boolean>;
  /** Sets the reader of code systems; without one, this process imports none. */
  serve(reader: CodeSystemReader): void;
  /** For the commands of the operator. */
  readonly local: {
    /**
     * Stores the files of an import, those that an earlier call has not stored, and returns its context and id. An import of
     * the same files that has not ended, or whose result no command has reported, is continued.
     */
    begin(of: LocalImport): Promise<{ readonly context: RequestContext; readonly id: string }>;
    /** Notes that the result of an ended import is reported: the next import of the same files is a new one. */
    reported(context: RequestContext, id: string): Promise<void>;
    /** Executes imports, and no other jobs, in this process beside the servers; may be called again, as long as one is awaited. */
    work(): void;
  };
}
