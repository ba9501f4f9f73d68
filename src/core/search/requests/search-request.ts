/** The request of a search. */

/** The resource that defines a compartment; it need not exist. */
export interface CompartmentAddress {
  readonly type: string;
  readonly id: string;
}

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
