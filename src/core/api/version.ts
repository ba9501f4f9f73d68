/** Versions of resources, and what their writes demand and give. */
import type { Issue } from '../errors';

/** One stored version, ready to be sent. */
export interface StoredVersion {
  readonly type: string;
  readonly id: string;
  readonly versionId: number;
  /** Milliseconds since 1970, from the database's clock; equal to `meta.lastUpdated` in `text`. */
  readonly lastUpdated: number;
  /** Tenant-wide number of the change (extension version-sequence). */
  readonly sequence: number;
  readonly change: 'create' | 'update' | 'delete';
  /** The whole resource as JSON text with the server's part of meta; '' for a deletion. */
  readonly text: string;
  /** Of a match that is contained in this version: what it is; `text` is its own (search.html#contained). */
  readonly contained?: { readonly type: string; readonly id: string };
  /** Of a match that was weighed: from 0 to 1, and in words (valueset-match-grade.html). */
  readonly match?: { readonly score: number; readonly grade: string };
}

export interface WriteResult {
  readonly version: StoredVersion;
  /** True when the write made a resource (201), false when it changed one (200). */
  readonly created: boolean;
  /** What was found in the resource and did not refuse it. */
  readonly warnings: readonly Issue[];
}

/** Search parameters that select or guard a write: names, modifier and chain included, and values, percent-decoded. */
export type Criteria = readonly (readonly [name: string, value: string])[];

export interface DeleteResult {
  /** The version that records the deletion; undefined when there was nothing to delete. */
  readonly version: StoredVersion | undefined;
}

/** What a write demands of the present version (`If-Match`, `If-None-Match: *`, GraphQL `ifVersion`). */
export interface VersionGuard {
  /** Version ids of which one must be the current one. */
  readonly ifMatch?: readonly string[];
  /** True: the resource must not exist. */
  readonly ifNoneMatchAny?: boolean;
}

/** The resource that a compartment belongs to; it need not exist. */
export interface CompartmentAddress {
  readonly type: string;
  readonly id: string;
}
