import { PathAllowance } from '../path';

export interface PatchLimits {
  readonly maxOperations: number;
  /** By how much all added and copied values together may let the resource grow, in bytes of JSON, estimated. */
  readonly maxGrowthBytes: number;
  /** Levels of objects and arrays the result may have. */
  readonly maxDepth: number;
  /** Of the copies of a JSON Patch; a budget of its own when left out. It is spent. */
  readonly copies?: CopyBudget;
  /** Of a FHIRPath Patch; what `createPathBudget` gives when left out. It is spent. */
  readonly paths?: PathBudget;
}

/** What the operations `copy` of a JSON Patch, or of several together, may still add beyond what their patch allows. */
export interface CopyBudget {
  /** Bytes of JSON, estimated. */
  bytes: number;
}

/** Room for a copy of any usual element by a patch of one operation. */
export function createCopyBudget(): CopyBudget {
  return { bytes: 1024 * 1024 };
}

/** Each byte of a patch lets so many be copied. */
export const COPIES_PER_BYTE = 16;

/** What the paths of a FHIRPath Patch, or of several together, may still cost. */
export interface PathBudget {
  /** Steps of compiling and evaluating them. */
  readonly steps: PathAllowance;
  /** Characters of those that differ within a patch: some 0.5 µs of compiling each. */
  characters: number;
}

/** Some 200 ms of evaluation, and as much of compiling, which is for a thread of its own. */
export function createPathBudget(): PathBudget {
  return { steps: new PathAllowance(2_000_000), characters: 500_000 };
}

/** Some 30 ms together, which is about the most that may hold up other requests. */
export function createShortPathBudget(): PathBudget {
  return { steps: new PathAllowance(200_000), characters: 50_000 };
}
