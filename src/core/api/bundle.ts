/** Batches and transactions. */
import type { FhirError } from '../errors';
import type { QueryParameter } from '../fhir/query-text';
import type { BundleType } from '../preparation/bundle';
import type { ResourceInput } from '../preparation/resource-input';
import type { HistoryPage } from './history';
import type { InvocationResult } from './operation';
import type { SearchPage } from './search';
import type { StoredVersion, WriteResult } from './version';

export type { BundleType } from '../preparation/bundle';

/** What came of one entry of a batch or transaction. */
export type EntryAnswer =
  | { readonly kind: 'written'; readonly result: WriteResult }
  /** A conditional create that found what it would have made. */
  | { readonly kind: 'found'; readonly version: StoredVersion }
  | {
      readonly kind: 'deleted';
      readonly type: string;
      /** Undefined where criteria said which. */
      readonly id?: string;
      /** The versions that record the deletions: none where there was nothing to delete. */
      readonly versions: readonly StoredVersion[];
    }
  /** `isKnown`: the client has this version already. `isHead`, here and below: it wants no resource. */
  | {
      readonly kind: 'read';
      readonly version: StoredVersion;
      readonly isHead: boolean;
      readonly isKnown: boolean;
    }
  /** `path`: of its address below `{fhir_root}`. */
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
  /** Of a batch alone: in a transaction the first failure is that of all. */
  | { readonly kind: 'failed'; readonly error: FhirError };

export interface BundleRequest {
  readonly input: ResourceInput;
  /** Those that are taken; both by default. */
  readonly types?: readonly BundleType[];
  /** `Prefer: handling`, of searches in it. */
  readonly handling?: 'strict' | 'lenient';
  /**
   * Of a transaction alone: it is rolled back at its end, and its answers say what would have happened; ids and numbers in
   * them are given to others.
   */
  readonly isDryRun?: boolean;
  /** Of a dry run: it stands for a single write, in which references by criteria are refused. */
  readonly isSingleWrite?: boolean;
}

export interface BundleAnswer {
  readonly type: BundleType;
  /** In the order of the entries of the request. */
  readonly entries: readonly EntryAnswer[];
}
