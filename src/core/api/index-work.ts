/** The search index: what is wrong in it, and how it is put right. */
import type { Release } from '../fhir/release';

/** One resource of which a table holds something else than its stored version gives. */
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
  /** What should stand there and does not, in words: for rows, their parameter and their other columns. */
  readonly missing: readonly string[];
  /** What stands there and should not. */
  readonly superfluous: readonly string[];
}

/** What a reindex goes through; without a tenant all of them, and the base resources. */
export interface ReindexScope {
  readonly tenant?: string;
  readonly release?: Release;
}

/** How far a reindex has come in one tenant and release. All numbers grow until the next one begins. */
export interface ReindexProgress {
  /** '' for the base conformance resources. */
  readonly tenant: string;
  readonly release: Release;
  /** A tenant's data of a release are one, its AuditEvents another. */
  readonly space: number;
  /** All resources, deleted ones included. */
  readonly resources: number;
  readonly compared: number;
  /** Resources that something was put right of. */
  readonly repaired: number;
  /** Index rows. */
  readonly added: number;
  readonly removed: number;
  /** What was met since the last time and no reindex can put right: versions or heads that are missing. */
  readonly losses: readonly IndexDifference[];
}

/** What index rows were made with that are not made as this process makes them. */
export interface OutdatedIndex {
  /** Tenants and releases that have such rows. */
  readonly spaces: number;
  /** In words for an operator: some of what they were made with. */
  readonly madeWith: readonly string[];
  /** What this process makes them with, by release. */
  readonly now: Readonly<Record<Release, string>>;
}
