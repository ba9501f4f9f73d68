/** Versions of resources, and preconditions and results of writes. */
import type { StoredVersion } from '../storage/read/stored-version';
import type { Issue } from '../errors';

export type { StoredVersion } from '../storage/read/stored-version';

export interface WriteResult {
  readonly version: StoredVersion;
  /** True: the write created a resource (201); false: it changed one (200). */
  readonly created: boolean;
  /** Issues in the resource that did not refuse the write. */
  readonly warnings: readonly Issue[];
  /** True: a patch only tested, and made no version; `version` is the current one. */
  readonly isUnchanged?: true;
}

/**
 * Search parameters that select resources for a write: names with modifiers and chains, and values, percent-decoded.
 */
export type Criteria = readonly (readonly [name: string, value: string])[];

export interface DeleteResult {
  /** The version that records the deletion; undefined: there was nothing to delete. */
  readonly version: StoredVersion | undefined;
}

/** The precondition of a write (`If-Match`, `If-None-Match: *`, GraphQL `ifVersion`). */
export interface VersionGuard {
  /** Version ids, one of which must be the current one. */
  readonly ifMatch?: readonly string[];
  /** True: the resource must not exist. */
  readonly ifNoneMatchAny?: boolean;
}

/** The address of one version of a resource. */
export interface ResourceVersion {
  readonly type: string;
  readonly id: string;
  readonly versionId: string;
}

/** A version, and a signature that is said to be for it. */
export interface SignedRead {
  readonly version: ResourceVersion;
  readonly signature: string;
}
