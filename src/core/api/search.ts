/** Searches, and counts of what they find. */
import type { Issue } from '../errors';
import type { CompartmentAddress, StoredVersion } from './version';

/** A tree of what a resource must meet. Names and values are those of a search, modifiers and escapes included. */
export type SearchCondition =
  | { readonly kind: 'parameter'; readonly name: string; readonly value: string }
  | { readonly kind: 'all' | 'not'; readonly of: readonly SearchCondition[] }
  /** One of the lists, of which all are met. */
  | { readonly kind: 'any'; readonly of: readonly (readonly SearchCondition[])[] }
  /** One resource of the type `target` that it refers to by a parameter meets all. */
  | {
      readonly kind: 'chain';
      readonly parameter: string;
      readonly target: string;
      readonly of: readonly SearchCondition[];
    }
  /** One resource of the type `source` that refers to it by a parameter of its own meets all. */
  | {
      readonly kind: 'has';
      readonly source: string;
      readonly parameter: string;
      readonly of: readonly SearchCondition[];
    };

export interface SearchRequest {
  /** Undefined: several types, those of the parameter `_type` or all. */
  readonly type?: string;
  /** Only what is in the compartment of this resource; undefined: no such limit. */
  readonly compartment?: CompartmentAddress;
  /** Names (modifier and chain included) and raw values, percent-decoded, in the order of the request. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** All of it is to be met besides; of a search of one type alone. */
  readonly where?: readonly SearchCondition[];
  /** `Prefer: handling`; undefined: the tenant's setting. */
  readonly handling?: 'strict' | 'lenient';
  /** The matches of this moment, milliseconds since 1970, each in its version of then; of one type only. */
  readonly asOf?: number;
  /** True: `previous` and `last` are wanted; of stored resources of one type, as they are now. */
  readonly bothWays?: boolean;
  /** True: `cursors` are wanted. */
  readonly eachCursor?: boolean;
}

export interface SearchPage {
  readonly matches: readonly StoredVersion[];
  readonly included: readonly StoredVersion[];
  /** For an `outcome` entry: what was ignored or cut short. */
  readonly issues: readonly Issue[];
  /** Distinct matches; undefined when not asked for and not free. */
  readonly total?: number;
  /** The parameters that were used, for `link[self]`. */
  readonly used: readonly (readonly [name: string, value: string])[];
  /** Opaque and signed: value of the parameter `_cursor` of the next page; undefined on the last one. */
  readonly next?: string;
  /** Where they are asked for: of each match, the value of `_cursor` of the page that begins behind it. */
  readonly cursors?: readonly string[];
  /** Numbers of the types that decide the answer: it is the same while none of their resources changes. Undefined: any. */
  readonly decidedBy?: readonly number[];
  /** The same of the page that ends before this one; undefined on the first, and where it is not asked for or offered. */
  readonly previous?: string;
  /** The same of the page at the end; undefined where it is not asked for or offered. */
  readonly last?: string;
}

/** Resources of a type that meet criteria, to be counted and not to be found. */
export interface AggregateRequest extends Pick<
  SearchRequest,
  'compartment' | 'parameters' | 'where' | 'handling'
> {
  readonly type: string;
  /** Undefined: all of them together. */
  readonly by?: AggregateGrouping;
}

/** A token, reference or date parameter of the type, by whose values resources are counted. */
export interface AggregateGrouping {
  readonly parameter: string;
  /** Of dates, and of those alone: what of time is one value. */
  readonly bucket?: 'year' | 'month' | 'day';
  /** Only so many of the largest groups, at most 1,000; of dates all there are. Undefined: all, of which there are no more. */
  readonly most?: number;
}

/** A value and how many of the resources have it; one that has several values is in several groups. */
export interface AggregateGroup {
  /**
   * As a search takes it, with its escapes: `system|code`, `Patient/1`, a url. Of dates the bucket in which they begin in the
   * time zone of the space (`2020-03`), or a year or month that is more than a bucket and is all that is known.
   */
  readonly value: string;
  readonly count: number;
  /** Of a token: as one of the resources has it. */
  readonly coding?: { readonly system?: string; readonly code: string; readonly display?: string };
}

export interface AggregateResult {
  /** Without a grouping. */
  readonly total?: number;
  /** The largest first, dates in their order; empty without a grouping. */
  readonly groups: readonly AggregateGroup[];
}
