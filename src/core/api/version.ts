/** Versions of resources, and preconditions and results of writes. */
import type { Issue } from '../errors';

/** A stored version, ready to be sent. */
export interface StoredVersion {
  readonly type: string;
  readonly id: string;
  readonly versionId: number;
  /** Milliseconds since 1970, from the database's clock; equal to `meta.lastUpdated` in `text`. */
  readonly lastUpdated: number;
  /** Tenant-wide number of the change (extension version-sequence). */
  readonly sequence: number;
  readonly change: 'create' | 'update' | 'delete';
  /** Id of the ClientApplication that made the version. */
  readonly author: string;
  /** The whole resource as JSON text with the server's part of meta; '' for a deletion. */
  readonly text: string;
  /** For a contained match: its type and id; `text` is its own (search.html#contained). */
  readonly contained?: { readonly type: string; readonly id: string };
  /** For a scored match: a score from 0 to 1, and a grade (valueset-match-grade.html). */
  readonly match?: { readonly score: number; readonly grade: string };
}

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

/** The resource that defines a compartment; it need not exist. */
export interface CompartmentAddress {
  readonly type: string;
  readonly id: string;
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
