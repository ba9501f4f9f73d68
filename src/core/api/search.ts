/** Searches, and counts of their matches. */
import type { Issue } from '../errors';
import type { NumberStatistics, SearchRequest } from '../search/requests/search-request';
import type { StoredVersion } from '../storage/read/stored-version';

export type { NumberStatistics, SearchCondition, SearchRequest } from '../search/requests/search-request';

export interface SearchPage {
  readonly matches: readonly StoredVersion[];
  readonly included: readonly StoredVersion[];
  /** Issues of an `outcome` entry: parameters that were ignored, or results that were cut short. */
  readonly issues: readonly Issue[];
  /** Distinct matches; undefined when not requested and counting would cost extra. */
  readonly total?: number;
  /** The parameters that were applied, for `link[self]`. */
  readonly used: readonly (readonly [name: string, value: string])[];
  /** The `_cursor` value of the next page, opaque and signed; undefined on the last page. */
  readonly next?: string;
  /** If requested: for each match, the `_cursor` value of the page that starts after it. */
  readonly cursors?: readonly string[];
  /**
   * Numbers of the types on which the result depends: it stays the same while none of their resources changes.
   * Undefined: it may depend on any type.
   */
  readonly decidedBy?: readonly number[];
  /** The `_cursor` value of the previous page; undefined on the first page, and where not requested or not offered. */
  readonly previous?: string;
  /** The `_cursor` value of the last page; undefined where not requested or not offered. */
  readonly last?: string;
}

/** A request to count resources of a type that meet criteria. */
export interface AggregateRequest extends Pick<
  SearchRequest,
  'compartment' | 'parameters' | 'where' | 'handling'
> {
  readonly type: string;
  /** Undefined: one total. */
  readonly by?: AggregateGrouping;
  /** In place of counts: statistics of numbers. */
  readonly numbers?: NumberRequest;
}

/** A number or quantity parameter of the type. */
export interface NumberRequest {
  readonly parameter: string;
  /** The code of the only unit of the result, or the text of a unit without a code; undefined: all units. */
  readonly unit?: string;
}

/** A token, reference or date parameter of the type whose values form the groups. */
export interface AggregateGrouping {
  readonly parameter: string;
  /** For dates only: the length of one group. */
  readonly bucket?: 'year' | 'month' | 'day';
  /**
   * Returns only this many of the largest groups, from 1 to 1,000; not allowed for dates. Undefined: all; fails where
   * there are too many.
   */
  readonly most?: number;
}

/** A value and the number of resources that have it; a resource with several values is in several groups. */
export interface AggregateGroup {
  /**
   * A value as in a search, with escapes: `system|code`, `Patient/1`, a url. For dates, the bucket of the start in
   * the time zone of the space (`2020-03`), or a less precise year or month where the date has no more.
   */
  readonly value: string;
  readonly count: number;
  /** Tokens only: the coding as in one of the resources. */
  readonly coding?: { readonly system?: string; readonly code: string; readonly display?: string };
}

export interface AggregateResult {
  /** Only without a grouping. */
  readonly total?: number;
  /** Largest first, dates in chronological order; empty without a grouping. */
  readonly groups: readonly AggregateGroup[];
  /** Only of numbers: for each unit, that with the most values first. */
  readonly statistics?: readonly NumberStatistics[];
}
