/**
 * Data types for batches and transactions between the parser and storage. open-bundle.ts reads the entries and their
 * requests; entry-versions.ts then makes the versions of a transaction's entries. The same code runs in the main
 * thread and, for large Bundles, in the worker thread, which holds the parsed Bundle between the two steps. All are
 * plain values, because they are sent between threads.
 */
import { type BundleType } from '../api/bundle';
import type { TenantSpace } from '../context';
import type { ErrorKey, Issue } from '../errors';
import type { BundleEntry } from '../fhir/bundle/entry';
import type { ConditionalReference } from '../fhir/bundle/links';
import type { IdMode } from '../fhir/resource';
import type { Limits } from '../limits/size-limits';
import type { Bound } from '../storage/connection/statement';
import type { VersionWrite } from '../storage/write/version-write';
import type { KeyHalves } from '../storage/key-halves';
import type { PreparedVersion } from './prepare';
import type { ResourceInput } from '../api/resource-input';

/** A submitted batch or transaction; plain values, so that it can be sent to another thread. */
export interface BundleTask {
  readonly space: TenantSpace;
  readonly input: ResourceInput;
  /** The accepted types; both have the same url. */
  readonly types: readonly BundleType[];
}

/** The data of an entry without its resource. */
export interface OutlinedEntry extends Omit<BundleEntry, 'resource'> {
  /** For writes: the id in the resource; '' without one. */
  readonly resourceId: string;
  /** See `LinkTarget`. */
  readonly isCanonical: boolean;
  /** True: it has conditional references. */
  readonly refersByCriteria: boolean;
  /**
   * The resource of an operation, and in a batch that of every entry: parsed, or as text where it comes from another
   * thread.
   */
  readonly input: ResourceInput | undefined;
}

/** An error as a plain value. */
export interface Refusal {
  readonly key: ErrorKey;
  readonly issues: readonly Issue[];
}

export interface RefusedEntry {
  readonly index: number;
  readonly refusal: Refusal;
}

export interface BundleOutline {
  readonly type: BundleType;
  /** In the order of the Bundle. A transaction has no refused entries, because it is refused as a whole. */
  readonly entries: readonly (OutlinedEntry | RefusedEntry)[];
  /** For transactions: the conditional references by text, each with its first occurrence. */
  readonly conditionalReferences: ReadonlyMap<string, ConditionalReference>;
}

/** The write of a transaction's entry. */
export interface EntryVersion {
  readonly index: number;
  /** Identifies the version within the transaction, because an entry may delete several resources. */
  readonly member: number;
  readonly type: string;
  readonly id: string;
  readonly idMode: IdMode;
  readonly change: VersionWrite['change'];
  readonly typeNumber: number;
  readonly key: KeyHalves;
  /** As `VersionWrite.id`. */
  readonly storedId: string | null;
  readonly expected: number;
  /** True: the write depends on a search. */
  readonly isUnderCondition: boolean;
  /** The stored text that is replaced; undefined for a new resource or after a deletion. */
  readonly replaced?: string;
  /** For patches: the resource as a read returns it. */
  readonly current?: string;
}

/** A request to make the versions of some entries of a transaction. */
export interface VersionsTask {
  readonly space: TenantSpace;
  /** In the order of the writes. */
  readonly versions: readonly EntryVersion[];
  /** By entry index, the new reference for its fullUrl, such as `Patient/123`. */
  readonly targets: ReadonlyMap<number, string>;
  /** By entry index, the new version id of its resource. */
  readonly versionIds: ReadonlyMap<number, number>;
  /** Resolved conditional references by text. */
  readonly conditional: readonly (readonly [text: string, reference: string])[];
  /** As `VersionWrite.author`. */
  readonly author: string | null;
}

/** The stored form of an entry's version; deletions have none. */
export interface PreparedEntry extends Pick<
  PreparedVersion,
  'text' | 'metaOffset' | 'warnings' | 'pairs' | 'subscription' | 'targets' | 'changesNothing'
> {
  readonly index: number;
  /** As `EntryVersion.member`. */
  readonly member: number;
  /** For writes that depend on a search: the values by which others may search for it (`identifyingValues`). */
  readonly identifying?: readonly string[];
}

/** Some versions as the values of one `store_versions` statement. */
export interface EncodedWrites {
  /** As `EntryVersion.member`, in the order of the members of the statement. */
  readonly members: readonly number[];
  readonly bound: Readonly<Record<string, Bound>>;
}

export interface PreparedVersions {
  readonly entries: readonly PreparedEntry[];
  readonly writes: readonly EncodedWrites[];
}

/** A parsed Bundle that stays in memory until it is closed. */
export interface OpenBundle {
  readonly outline: BundleOutline;
  /**
   * Throws one `FhirError` with the errors of the first entries that have any; their expressions begin with
   * `Bundle.entry[n]`.
   */
  prepare(task: VersionsTask): Promise<PreparedVersions>;
  /** Frees the parsed Bundle; another `prepare` parses it again. */
  close(): void;
}

/** Limits on a Bundle and its entries. */
export type BundleLimits = Pick<Limits, 'maxBundleEntries' | 'maxBodyBytes' | 'maxDepth'>;
