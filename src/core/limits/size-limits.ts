/** Limits on the size of what a client sends or asks for (docs/behaviour.md, Limits). */
export interface Limits {
  readonly maxDepth: number;
  readonly maxBodyBytes: number;
  readonly maxPatchOperations: number;
  /** Entries of a batch or transaction. */
  readonly maxBundleEntries: number;
  readonly maxIndexRows: number;
  /** Of one evaluation of an expression of a client; the same for the whole process. */
  readonly pathTimeoutMs: number;
  readonly maxExpansionCodes: number;
  /** Matches of one criterion that are gathered rather than walked to. */
  readonly searchSortLimit: number;
  readonly maxWriteQueue: number;
  /** Bytes of versions that are remembered, about. */
  readonly versionCacheBytes: number;
  /** Bytes of answers of searches that are remembered, about. */
  readonly searchCacheBytes: number;
}
