export interface PatchLimits {
  readonly maxOperations: number;
  /** By how much all added and copied values together may let the resource grow, in bytes of JSON, estimated. */
  readonly maxGrowthBytes: number;
  /** Levels of objects and arrays the result may have. */
  readonly maxDepth: number;
  /** Of a FHIRPath Patch; `PATH_LIMITS` when left out. */
  readonly paths?: PathLimits;
}

/** What all paths of a FHIRPath Patch may cost together. */
export interface PathLimits {
  /** Values that they may go through, in loops and trees. */
  readonly maxValues: number;
  /** Characters that those may have that differ. */
  readonly maxCharacters: number;
}

/** Some 200 ms of evaluation and some 30 ms of compiling: for a thread of its own. */
export const PATH_LIMITS: PathLimits = { maxValues: 2_000_000, maxCharacters: 100_000 };

/** Some 10 ms: what may hold up other requests. */
export const SHORT_PATH_LIMITS: PathLimits = { maxValues: 100_000, maxCharacters: 20_000 };
