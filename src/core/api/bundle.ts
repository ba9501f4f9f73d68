/** Batches and transactions. */
import type { FhirError } from '../errors';
import type { QueryParameter } from '../fhir/query-text';

import type { ImportPart } from '../storage/jobs/import-part';
import type { ResourceInput } from './resource-input';
import type { HistoryPage } from './history';
import type { InvocationResult } from './operation';
import type { SearchPage } from './search';
import type { WriteResult } from './version';
import type { StoredVersion } from '../storage/read/stored-version';

/** The result of one entry of a batch or transaction. */
export type EntryAnswer =
  | { readonly kind: 'written'; readonly result: WriteResult }
  /** A conditional create that found an existing resource. */
  | { readonly kind: 'found'; readonly version: StoredVersion }
  | {
      readonly kind: 'deleted';
      readonly type: string;
      /** Undefined where criteria selected the resource. */
      readonly id?: string;
      /** The versions that record the deletions; empty where there was nothing to delete. */
      readonly versions: readonly StoredVersion[];
    }
  /** `isUnchanged`: the client has this version already. `isHead`, here and below: the client wants no resource. */
  | {
      readonly kind: 'read';
      readonly version: StoredVersion;
      readonly isHead: boolean;
      readonly isUnchanged: boolean;
    }
  /** `path`: the path of the entry's address below `{fhir_root}`. */
  | {
      readonly kind: 'search';
      readonly page: SearchPage;
      readonly path: string;
      readonly isHead: boolean;
    }
  | {
      readonly kind: 'history';
      readonly page: HistoryPage;
      readonly path: string;
      readonly query: readonly QueryParameter[];
      readonly isHead: boolean;
    }
  | {
      readonly kind: 'invoked';
      readonly result: InvocationResult;
      readonly path: string;
      readonly isHead: boolean;
    }
  /** The CapabilityStatement. */
  | { readonly kind: 'resource'; readonly text: string; readonly isHead: boolean }
  /** Batches only: in a transaction, the first failure fails all. */
  | { readonly kind: 'failed'; readonly error: FhirError };

export interface BundleRequest {
  readonly input: ResourceInput;
  /** The accepted types; default: both. */
  readonly types?: readonly BundleType[];
  /** `Prefer: handling` for its searches. */
  readonly handling?: 'strict' | 'lenient';
  /**
   * Transactions only: the transaction is rolled back at its end, and the answers say what would have happened. Their
   * ids and numbers will be assigned to other resources.
   */
  readonly isDryRun?: boolean;
  /** Dry runs only: the Bundle stands for a single write, in which conditional references are refused. */
  readonly isSingleWrite?: boolean;
  /** Of the server's own: the parts of an import that the transaction writes, which are stored with it. Its entries are not counted. */
  readonly importParts?: readonly ImportPart[];
}

export interface BundleAnswer {
  readonly type: BundleType;
  /** In the order of the entries of the request. */
  readonly entries: readonly EntryAnswer[];
}

export type BundleType = 'batch' | 'transaction';
