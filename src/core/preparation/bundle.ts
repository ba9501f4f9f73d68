/**
 * Batches and transactions between the parser and the storage: which entries there are and what each asks for
 * (open-bundle.ts), and then the versions that the entries of a transaction become (entry-versions.ts). The same runs in the
 * server's own thread and, for long Bundles, in the worker, which keeps the parsed Bundle from the first step to the
 * second. Plain values, because they are sent from one thread to the other.
 */
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
import type { ResourceInput } from './resource-input';

/** A batch or transaction as it came; plain values, so that it can be sent to another thread. */
export interface BundleTask {
  readonly space: TenantSpace;
  readonly input: ResourceInput;
  /** Another one is refused: by its url a transaction is not told from a batch. */
  readonly types: readonly BundleType[];
}

export type BundleType = 'batch' | 'transaction';

/** An entry as far as it must be known before its resource is looked at. */
export interface OutlinedEntry extends Omit<BundleEntry, 'resource'> {
  /** Of a write, what stands in the resource; '' where it says nothing. */
  readonly resourceId: string;
  /** See `LinkTarget`. */
  readonly isCanonical: boolean;
  /** Whether it has references that are searches. */
  readonly refersByCriteria: boolean;
  /**
   * The resource of an operation, and in a batch every one: parsed, or as text where it comes from another thread.
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
  /** In the order of the Bundle. Those of a transaction are all good: else it was refused as a whole. */
  readonly entries: readonly (OutlinedEntry | RefusedEntry)[];
  /** Of a transaction, the references that are searches, by their texts; each where it stands first. */
  readonly conditionalReferences: ReadonlyMap<string, ConditionalReference>;
}

/** What an entry of a transaction writes. */
export interface EntryVersion {
  readonly index: number;
  /** Tells the versions of one transaction apart: an entry may delete several resources. */
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
  /** Whether it is written on condition of what a search finds. */
  readonly isUnderCondition: boolean;
  /** The stored text that is replaced; undefined where there is none or it was a deletion. */
  readonly replaced?: string;
  /** What a patch is applied to: the resource as a read gives it. */
  readonly current?: string;
}

/** What is to be made of some entries of a transaction. */
export interface VersionsTask {
  readonly space: TenantSpace;
  /** In the order in which they are written. */
  readonly versions: readonly EntryVersion[];
  /** By the indexes of entries, what their fullUrls mean from now on: `Patient/123`. */
  readonly targets: ReadonlyMap<number, string>;
  /** By the indexes of entries, the versions that their resources have from now on. */
  readonly versionIds: ReadonlyMap<number, number>;
  /** What conditional references mean, by their texts. */
  readonly conditional: readonly (readonly [text: string, reference: string])[];
  /** As `VersionWrite.author`. */
  readonly author: string | null;
}

/** What is stored for an entry; deletions have none. */
export interface PreparedEntry extends Pick<
  PreparedVersion,
  'text' | 'metaOffset' | 'warnings' | 'pairs' | 'targets'
> {
  readonly index: number;
  /** As `EntryVersion.member`. */
  readonly member: number;
  /** Of one that is written under a condition, by what others may look for it (`identifyingValues`). */
  readonly identifying?: readonly string[];
}

/** Some versions as the values of one `write_versions`. */
export interface EncodedWrites {
  /** As `EntryVersion.member`, in the order of the members of the statement. */
  readonly members: readonly number[];
  readonly bound: Readonly<Record<string, Bound>>;
}

export interface PreparedVersions {
  readonly entries: readonly PreparedEntry[];
  readonly writes: readonly EncodedWrites[];
}

/** A Bundle that was parsed and is kept until it is closed. */
export interface OpenBundle {
  readonly outline: BundleOutline;
  /**
   * Throws one `FhirError` with the faults of the first entries that have any, their expressions beginning with
   * `Bundle.entry[n]`.
   */
  prepare(task: VersionsTask): Promise<PreparedVersions>;
  /** Nothing of it is kept any more; preparing again means parsing again. */
  close(): void;
}

/** Bounds of a Bundle and of its entries. */
export type BundleLimits = Pick<Limits, 'maxBundleEntries' | 'maxBodyBytes' | 'maxDepth'>;
