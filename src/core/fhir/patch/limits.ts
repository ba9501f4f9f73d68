import type { PathAllowance } from '../path';

export interface PatchLimits {
  readonly maxOperations: number;
  /** By how much all added and copied values together may let the resource grow, in bytes of JSON, estimated. */
  readonly maxGrowthBytes: number;
  /** Levels of objects and arrays the result may have. */
  readonly maxDepth: number;
  /** Of a FHIRPath Patch; what `createPathBudget` gives when left out. It is spent. */
  readonly paths?: PathBudget;
}

/** What the paths of a FHIRPath Patch, or of several together, may still cost. */
export interface PathBudget {
  /** Values that they may go through, in loops and trees: some 100 ns each. */
  readonly values: PathAllowance;
  /** Characters of those that differ within a patch: some 0.5 µs of compiling each. */
  characters: number;
}

/** Some 200 ms of evaluation and as much of compiling, which is for a thread of its own. */
export function createPathBudget(): PathBudget {
  return { values: { left: 2_000_000 }, characters: 500_000 };
}

/** Some 30 ms together, which is about the most that may hold up other requests. */
export function createShortPathBudget(): PathBudget {
  return { values: { left: 200_000 }, characters: 50_000 };
}
