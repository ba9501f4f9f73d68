/** Searches, and counts of their matches. */
import type { Issue } from '../errors';
import type { CompartmentAddress, StoredVersion } from './version';

/** A tree of search criteria. Names and values are as in a search, including modifiers and escapes. */
export type SearchCondition =
  | { readonly kind: 'parameter'; readonly name: string; readonly value: string }
  | { readonly kind: 'all' | 'not'; readonly of: readonly SearchCondition[] }
  /** At least one of the lists matches entirely. */
  | { readonly kind: 'any'; readonly of: readonly (readonly SearchCondition[])[] }
  /** It refers by a parameter to one resource of the type `target` that meets all conditions. */
  | {
      readonly kind: 'chain';
      readonly parameter: string;
      readonly target: string;
      readonly of: readonly SearchCondition[];
    }
  /** One resource of the type `source` that refers to it by a parameter meets all conditions. */
  | {
      readonly kind: 'has';
      readonly source: string;
      readonly parameter: string;
      readonly of: readonly SearchCondition[];
    };

export interface SearchRequest {
  /** Undefined: several types, those of the parameter `_type` or all. */
  readonly type?: string;
  /** Only resources in the compartment of this resource; undefined: no such limit. */
  readonly compartment?: CompartmentAddress;
  /** Names (modifier and chain included) and raw values, percent-decoded, in the order of the request. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Additional conditions, all required; for searches of one type only. */
  readonly where?: readonly SearchCondition[];
  /** `Prefer: handling`; undefined: the tenant's setting. */
  readonly handling?: 'strict' | 'lenient';
  /** Searches the versions that were current at this moment, milliseconds since 1970; one type only. */
  readonly asOf?: number;
  /** True: return `previous` and `last`; only for stored resources of one type in their current versions. */
  readonly bothWays?: boolean;
  /**
   * True: the page that ends before the match of `_cursor`, or at the end of all without one. Only where `previous` is
   * offered.
   */
  readonly isBackward?: boolean;
  /** True: return `cursors`. */
  readonly eachCursor?: boolean;
}

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

/** A unit as it is written; empty for numbers. */
export interface WrittenUnit {
  readonly system?: string;
  readonly code?: string;
  /** The text for people. */
  readonly unit?: string;
}

/** Statistics in one unit. The numbers are decimal literals, undefined without values. */
export interface NumberStatistics {
  readonly unit: WrittenUnit;
  readonly count: number;
  readonly inexact: number;
  readonly min?: string;
  readonly max?: string;
  readonly avg?: string;
  readonly sum?: string;
}
