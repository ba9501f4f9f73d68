/** Verification and repair of the search index. */
import type { Release } from '../fhir/release';

/** A resource whose rows in a table differ from what its stored version gives. */
export interface IndexDifference {
  /** '' for the base conformance resources. */
  readonly tenant: string;
  readonly release: Release;
  readonly space: number;
  readonly type: string;
  readonly id: string;
  readonly table:
    | 'resource'
    | 'resource_version'
    | 'token_index'
    | 'reference_index'
    | 'range_index'
    | 'string_index'
    | 'uri_index';
  /** Missing rows or columns as text; rows with their parameter and their other columns. */
  readonly missing: readonly string[];
  /** Rows or columns that should not exist, as text. */
  readonly superfluous: readonly string[];
}

/** The scope of a reindex; without a tenant, all tenants and the base resources. */
export interface ReindexScope {
  readonly tenant?: string;
  readonly release?: Release;
}

/** The progress of a reindex in one tenant and release. All numbers grow until the next tenant and release begins. */
export interface ReindexProgress {
  /** '' for the base conformance resources. */
  readonly tenant: string;
  readonly release: Release;
  /** The data of a tenant and release are one space, the AuditEvents another. */
  readonly space: number;
  /** All resources, deleted ones included. */
  readonly resources: number;
  readonly compared: number;
  /** Repaired resources. */
  readonly repaired: number;
  /** Index rows. */
  readonly added: number;
  readonly removed: number;
  /** Differences since the last report that no reindex can repair: missing versions or heads. */
  readonly losses: readonly IndexDifference[];
}

/** Index rows whose indexing rules differ from those of this process. */
export interface OutdatedIndex {
  /** Number of tenants and releases with such rows. */
  readonly spaces: number;
  /** Some of their indexing rules, in words for an operator. */
  readonly madeWith: readonly string[];
  /** The indexing rules of this process, by release. */
  readonly now: Readonly<Record<Release, string>>;
  /** The differences, in words that name the settings. */
  readonly different: readonly string[];
}
