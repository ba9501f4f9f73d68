import { PathAllowance } from '../path';

export interface PatchLimits {
  readonly maxOperations: number;
  /** Growth of the resource by all added and copied values together, in estimated bytes of JSON. */
  readonly maxGrowthBytes: number;
  /** Maximum nesting of objects and arrays in the result. */
  readonly maxDepth: number;
  /** Budget for the copies of a JSON Patch, which the patch reduces; a new budget if omitted. */
  readonly copies?: CopyBudget;
  /** Budget of a FHIRPath Patch, which the patch reduces; `createPathBudget()` if omitted. */
  readonly paths?: PathBudget;
}

/**
 * Remaining size of the `copy` operations of one or several JSON Patches, beyond what the size of their patch allows.
 */
export interface CopyBudget {
  /** Estimated bytes of JSON. */
  bytes: number;
}

/** Enough for a patch of one operation to copy any usual element. */
export function createCopyBudget(): CopyBudget {
  return { bytes: 1024 * 1024 };
}

/** Bytes that may be copied for each byte of a patch. */
export const COPIES_PER_BYTE = 16;

/** Remaining cost of the paths of one or several FHIRPath Patches. */
export interface PathBudget {
  /** Steps of compilation and evaluation. */
  readonly steps: PathAllowance;
  /** Characters of the distinct paths of each patch: some 0.5 µs of compilation each. */
  characters: number;
}

/** Some 200 ms of evaluation, and as much of compilation; for a worker thread. */
export function createPathBudget(): PathBudget {
  return { steps: new PathAllowance(2_000_000), characters: 500_000 };
}

/** Some 30 ms together, which is about the most that may delay other requests. */
export function createShortPathBudget(): PathBudget {
  return { steps: new PathAllowance(200_000), characters: 50_000 };
}
