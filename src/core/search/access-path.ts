import type { ResourceKey } from './resource-key';

/** How the matches are found. */
export type AccessPath =
  /** Walk the index of this criterion in the order wanted; all others are tested row by row. */
  | { readonly kind: 'indexScan'; readonly criterion: number }
  /** Walk the heads of the type by last_updated; all criteria are tested row by row. */
  | { readonly kind: 'headScan' }
  /** Walk all rows of the clinical date's parameter; criteria are tested row by row. */
  | { readonly kind: 'dateScan'; readonly parameter: number }
  /** Walk the rows that a resource is sorted by, and then the heads of those that have none; criteria are tested. */
  | { readonly kind: 'sortIndexScan' }
  /**
   * Walk, for each code of this criterion, the rows of a composite that lie in the order of the values behind it, and then
   * the heads of those that have none; the other criteria are tested row by row.
   */
  | { readonly kind: 'compositeScan'; readonly criterion: number; readonly ranges: readonly CodeRange[] }
  /**
   * Take all resources that meet this criterion, test the others, sort what is left. By the values of a parameter the
   * database cannot: rows are not found by their resource.
   */
  | { readonly kind: 'fetchAndSort'; readonly criterion: number }
  /**
   * Take all targets of this chain, and merge who refers to each of them, as they lie in the order of the date; all other
   * criteria are tested row by row.
   */
  | TargetsMerge
  | SemiJoin;

/**
 * Walk the index of a criterion beside a chain: its first rows are looked up among who refers to the targets of the chain
 * from the same time, and where those do not fill the page, who refers to the targets from there on is tested row by row.
 */
export interface SemiJoin {
  readonly kind: 'semiJoin';
  readonly criterion: number;
  /** Which criterion is the chain. */
  readonly chain: number;
  /** The part of the rows walked that is thought to meet all other criteria: more than 0, up to 1. */
  readonly share: number;
}

/** Matches lie in heaps: among so many times the rows that a page should take, it is looked for. */
const ROWS_OF_MEETING = 8;

/** So many rows of the index are looked up together. */
export function rowsOfMeeting({ share }: SemiJoin, limit: number): number {
  return Math.ceil(Math.min((ROWS_OF_MEETING * limit) / share, MOST_ROWS));
}

export interface TargetsMerge {
  readonly kind: 'targetMerge';
  readonly criterion: number;
  /** About so many targets, one at least. */
  readonly targets: number;
  /** The part of those who refer that is thought to meet the other criteria: more than 0, up to 1. */
  readonly share: number;
}

/** A target is read in steps: one more costs as much as so many rows do. */
const LEAST_PER_TARGET = 4;
const MOST_ROWS = 1_000_000_000;

/** How many of who refers to a target are read at first: twice its part in a page of `limit`. */
export function rowsOfTarget({ targets, share }: TargetsMerge, limit: number): number {
  const rows = Math.min(limit / share, MOST_ROWS);
  return Math.ceil(Math.min(rows, Math.max(LEAST_PER_TARGET, (2 * rows) / targets)));
}

/** Rows of one parameter under one code; of a system, 0: none, undefined: of any. */
export interface CodeRange {
  readonly parameter: number;
  readonly qualifier: ResourceKey;
  readonly system: number | undefined;
}
