/** Size limits of requests (docs/reference/behaviour.md, Limits). */
export interface Limits {
  readonly maxDepth: number;
  readonly maxBodyBytes: number;
  readonly maxPatchOperations: number;
  /** Entries of a batch or transaction. */
  readonly maxBundleEntries: number;
  readonly maxIndexRows: number;
  /** Limit on one evaluation of a client's expression; the same for the whole process. */
  readonly pathTimeoutMs: number;
  /** Processor time of the worker thread for one long body or operation. */
  readonly contentProcessorMs: number;
  readonly maxExpansionCodes: number;
  /** Matches of one criterion up to which a search fetches and sorts them instead of an index scan. */
  readonly searchSortLimit: number;
  readonly maxWriteQueue: number;
  /** Running Subscriptions of one tenant in one release. */
  readonly maxTenantSubscriptions: number;
  /** Approximate size of the version cache in bytes. */
  readonly versionCacheBytes: number;
  /** Approximate size of the search result cache in bytes. */
  readonly searchCacheBytes: number;
}
