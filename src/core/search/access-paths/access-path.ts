import type { ResourceKey } from '../rows/resource-key';

/** The access path to the matches of a search. */
export type AccessPath =
  /** Scans the index of this criterion in the order wanted; all other criteria are tested row by row. */
  | { readonly kind: 'indexScan'; readonly criterion: number }
  /** Scans the heads of the type by last_updated; all criteria are tested row by row. */
  | { readonly kind: 'headScan' }
  /** Scans all rows of the clinical date's parameter; criteria are tested row by row. */
  | { readonly kind: 'dateScan'; readonly parameter: number }
  /** Scans the rows of the sort parameter, then the heads of resources without such a row; criteria are tested. */
  | { readonly kind: 'sortIndexScan' }
  /**
   * Scans, for each code of this criterion, the rows of a composite that are ordered by the values after the code. Then
   * it scans the heads of resources without such a row. The other criteria are tested row by row.
   */
  | { readonly kind: 'compositeScan'; readonly criterion: number; readonly ranges: readonly CodeRange[] }
  /**
   * Fetches all resources that meet this criterion, tests the other criteria and sorts the rest. The database cannot
   * sort by the values of a parameter in this way, because rows are not found by their resource.
   */
  | { readonly kind: 'fetchAndSort'; readonly criterion: number }
  /**
   * Fetches all targets of this chain and merges the resources that refer to each of them, which the index holds in the
   * order of the date. All other criteria are tested row by row.
   */
  | TargetsMerge;

export interface TargetsMerge {
  readonly kind: 'targetMerge';
  readonly criterion: number;
  /** Approximate number of targets, at least 1. */
  readonly targets: number;
  /** Expected share of the referring resources that meet the other criteria: more than 0, up to 1. */
  readonly share: number;
}

/** A target is read in steps; one more step costs as much as this many rows. */
const MIN_PER_TARGET = 4;
const MAX_ROWS = 1_000_000_000;

/** Returns how many referring resources are read at first for each target: twice its part in a page of `limit`. */
export function rowsOfTarget({ targets, share }: TargetsMerge, limit: number): number {
  const rows = Math.min(limit / share, MAX_ROWS);
  return Math.ceil(Math.min(rows, Math.max(MIN_PER_TARGET, (2 * rows) / targets)));
}

/** Rows of one parameter under one code. `system`: 0: no system; undefined: any. */
export interface CodeRange {
  readonly parameter: number;
  readonly qualifier: ResourceKey;
  readonly system: number | undefined;
}
