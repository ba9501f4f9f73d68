import type { Space } from '../context';
import type { SearchParameterDefinition } from '../fhir/definitions';
import type { Release } from '../fhir/release';
import type { Prefix } from '../../../packages/fhir-values/search-prefix';
import type { ResourceKey } from './rows/resource-key';

/**
 * One alternative of a criterion as a condition on one index: plain data from which storage makes SQL. All client input
 * has become a hash, a key, a folded string or a number here.
 */
export type Predicate =
  | {
      readonly index: 'token';
      readonly parameter: number;
      /** Undefined: any code of the system. */
      readonly value: ResourceKey | undefined;
      /** Undefined: any system; 0: none. */
      readonly system: number | undefined;
      /**
       * Hashes of this code and system in the rows of composites that begin with them; only where those rows are
       * ordered (composite-order.ts).
       */
      readonly qualifiers?: readonly ResourceKey[];
    }
  | {
      readonly index: 'reference';
      readonly parameter: number;
      readonly target: ResourceKey;
      /** Undefined: any type. The key alone identifies the target, except for ids of our own format. */
      readonly targetType: number | undefined;
      /** Set when the client wrote an id without a type and several types are possible. */
      readonly bareId?: string;
    }
  /** A reference to a target of this type that is none of these. */
  | {
      readonly index: 'otherReference';
      readonly parameter: number;
      readonly targets: readonly ResourceKey[];
      readonly targetType: number;
    }
  /** A reference to any of several targets. */
  | {
      readonly index: 'references';
      readonly parameter: number;
      readonly targets: readonly ResourceKey[];
      readonly targetType: number;
    }
  | {
      readonly index: 'string';
      readonly parameter: number;
      /** Inclusive. */
      readonly from: string;
      /** Exclusive; undefined: `from` alone. */
      readonly to: string | undefined;
      /** Hash of the unfolded value for :exact. */
      readonly exact: number | undefined;
      /** True: rows of the further words of a family name do not match. */
      readonly isWhole?: boolean;
    }
  /** A whole string ends with the folded text. */
  | { readonly index: 'stringEnd'; readonly parameter: number; readonly text: string }
  | {
      readonly index: 'uri';
      readonly parameter: number;
      /** Inclusive. */
      readonly value: string;
      /** Exclusive; undefined: `value` alone. */
      readonly to?: string;
      /** Inclusive; undefined: any version. */
      readonly version: string | undefined;
      /** Exclusive; undefined: `version` alone. */
      readonly versionTo?: string;
    }
  /** A uri contains the text. */
  | { readonly index: 'uriSubstring'; readonly parameter: number; readonly text: string }
  /**
   * A canonical that refers to the resource with this id, of one of these types; replaced by the url of that resource.
   */
  | {
      readonly index: 'canonical';
      readonly parameter: number;
      readonly types: readonly string[];
      readonly id: string;
    }
  | RangePredicate
  | SpanPredicate
  | PositionPredicate
  /** Any of several codes, from a value set or a subtree of a code system. */
  | { readonly index: 'codes'; readonly parameter: number; readonly codes: readonly HashedCode[] }
  /** A code that is none of these. */
  | {
      readonly index: 'otherCode';
      readonly parameter: number;
      readonly codes: readonly Partial<HashedCode>[];
    }
  /** A string contains the folded text. */
  | { readonly index: 'substring'; readonly parameter: number; readonly text: string }
  /**
   * A chain: a resource that it refers to by one of these parameters meets the criteria. With `urls` it refers to the
   * target by a canonical; they are the parameters of the target's url.
   */
  | {
      readonly index: 'target';
      /** True: some references of the space by these parameters lead to contained resources. */
      readonly hasContainedTargets?: boolean;
      /**
       * Only stored or only contained targets, after the link was split (resolve-chains.ts); `entries`: only resources of
       * the searched Bundle, because the parameter has them as its values (`isEmbedded`). Undefined: stored and contained.
       */
      readonly part?: 'stored' | 'contained' | 'entries';
      readonly parameters: readonly number[];
      readonly urls?: readonly number[];
      readonly target: TypeCriteria;
    }
  /**
   * `_has`: a resource that refers to it by one of these parameters meets the criteria. With `urls` that resource
   * refers to it by a canonical; they are the parameters of its own url.
   */
  | {
      readonly index: 'source';
      /** True: references that open nothing do not count (storage/write/unopened-references.ts). */
      readonly isOpening?: boolean;
      readonly parameters: readonly number[];
      readonly urls?: readonly number[];
      readonly source: TypeCriteria;
    }
  /** All of several criteria, where one alternative has more than one condition; `driver` as in TypeCriteria. */
  | { readonly index: 'all'; readonly criteria: readonly Criterion[]; readonly driver?: number }
  /** The bit in the head for the parameter with this ordinal: whether the resource has a value for it. */
  | {
      readonly index: 'presence';
      readonly ordinal: number;
      readonly isPresent: boolean;
      /** Number of the parameter, for contained resources, which have no head. */
      readonly parameter: number;
    }
  /** `_lastUpdated`: a half-open range in milliseconds since 1970. */
  | { readonly index: 'updated'; readonly low: number; readonly high: number }
  /** `_id`. */
  | {
      readonly index: 'key';
      readonly keys: readonly ResourceKey[];
      /** True: the client wrote the ids, so they may also be those of contained resources. */
      readonly isWritten?: boolean;
      /** At the end of a chain, after texts were read: the contained resources that meet the same criteria. */
      readonly contained?: readonly ContainedKeys[];
    }
  /**
   * Matches containers whose contained resource in this block meets the criteria. Another criterion tests the type of
   * that resource (search/matching/contained.ts).
   */
  | {
      readonly index: 'inside';
      /** The number of the type of the containers. */
      readonly container: number;
      readonly block: number;
      readonly criteria: readonly Criterion[];
    }
  /** Exactly these contained resources, which have no key of their own. */
  | { readonly index: 'block'; readonly containers: readonly ContainedKeys[] }
  | PendingPredicate;

/** Contained resources: the type number of their containers, and for each the container's key and its block. */
export interface ContainedKeys {
  readonly type: number;
  readonly keys: readonly ResourceKey[];
  /** The block of each key (index-rows.ts). */
  readonly blocks: readonly number[];
}

/**
 * Predicates that need the terminology of the space or the texts of resources. `resolveCriteria` replaces them by
 * predicates on indexes before storage makes SQL.
 */
export type PendingPredicate =
  /** Any code of a value set; `valueSet` is `url`, `url|version` or an address as the client wrote it. */
  | { readonly index: 'valueSet'; readonly rows: CodeRows; readonly valueSet: string }
  /** The code itself, and each code that subsumes it (`above`) or that it subsumes (`below`) in its code system. */
  | {
      readonly index: 'subsumption';
      readonly rows: CodeRows;
      readonly relation: 'above' | 'below';
      readonly system: string;
      readonly code: string;
    }
  /**
   * A reference to the root, or to a resource above or below it in a hierarchy. `upwards`: the parameters by which the
   * resources of the hierarchy refer to their parents.
   */
  | {
      readonly index: 'hierarchy';
      readonly relation: 'above' | 'below';
      readonly parameters: readonly number[];
      /** Type number of the root and of all resources above and below it. */
      readonly type: number;
      readonly root: ResourceKey;
      readonly upwards: readonly number[];
    }
  /** A condition without an index: the resources themselves are read. */
  | { readonly index: 'scan'; readonly scan: Scan }
  | CurrentListPredicate;

/** The newest of these lists that is current for a patient has the resource as its item by these parameters. */
export interface CurrentListPredicate {
  readonly index: 'currentList';
  /** `$current-problems` … */
  readonly function: string;
  readonly parameters: readonly number[];
  /** The criteria without the patient, which is in another criterion. */
  readonly lists: TypeCriteria;
}

/** The rows with the codes of a parameter, and the form of the codes in them. */
export interface CodeRows {
  readonly parameters: readonly number[];
  /** True: some values are codings, whose codes are folded in the rows. */
  readonly hasFolded: boolean;
  /** True: some values are of type `code`, whose rows are not folded. */
  readonly hasExact: boolean;
  /** True: all values are of type `code`, and no binding gives their system. */
  readonly isSystemless: boolean;
}

/** A test of the resources of one type by their content. */
export type Scan = (
  | {
      readonly kind: 'words';
      /** The values of a search parameter, one of which must meet the condition; or the narrative; or all texts. */
      readonly texts: { readonly parameter: SearchParameterDefinition } | 'narrative' | 'content';
      /** Paths of elements that the whole text leaves out, with the narrative of their resources. */
      readonly secrets?: readonly string[];
      readonly condition: WordCondition;
    }
  /** A folded value begins with the folded text, or contains it. */
  | {
      readonly kind: 'beginning' | 'part';
      readonly parameter: SearchParameterDefinition;
      readonly text: string;
    }
  /** Index rows that are made only for this scan meet all criteria. */
  | {
      readonly kind: 'rows';
      /** Rows of each element of this name by itself; undefined: of the whole resource. */
      readonly element?: string;
      /** Position of the bit in the heads of resources that can meet the criteria, where there is one. */
      readonly ordinal?: number;
      readonly criteria: readonly Criterion[];
      /** The space whose references are local; set when the criteria are resolved. */
      readonly space?: Space;
    }
  /**
   * A media type is `base` (in lower case), or below it as `image/png` is below `image`; its parameters are ignored.
   */
  | { readonly kind: 'mediaType'; readonly parameter: SearchParameterDefinition; readonly base: string }
) & { readonly release: Release; readonly type: string };

/**
 * A condition on folded words. A word matches all words of a text that begin with it; in a phrase only the last one
 * does.
 */
export type WordCondition =
  | { readonly kind: 'word'; readonly word: string }
  /** The words in this order, without others between them. */
  | { readonly kind: 'phrase'; readonly words: readonly string[] }
  | { readonly kind: 'all' | 'any'; readonly of: readonly WordCondition[] };

export interface HashedCode {
  readonly value: ResourceKey;
  /** Undefined: any system; 0: none. */
  readonly system: number | undefined;
}

/** Criteria on the resources of one type; a resource must meet all of them. */
export interface TypeCriteria {
  /** The number of the type. */
  readonly type: number;
  /** The parameter whose low bound is the clinical date of that type. */
  readonly sortDateParameter: number | undefined;
  readonly criteria: readonly Criterion[];
  /** The criterion to begin with, chosen by the planner; undefined: the matches of none could be counted. */
  readonly driver?: number;
  /** Number of index rows of the driver. */
  readonly driverCount?: number;
}

export interface RangePredicate {
  readonly index: 'range';
  readonly parameter: number;
  /** Hash of the components before the last one of a composite; undefined: not a composite. */
  readonly qualifier?: ResourceKey;
  /** For a code in the qualifier: the hash of its system, 0: none; undefined: any. */
  readonly qualifierSystem?: number;
  /** Dates are half-open ranges; numbers are points, or ranges that include both ends. */
  readonly domain: 'date' | 'number';
  /** `includes`, for dates only: the stored range contains the search range. */
  readonly test: Prefix | 'includes';
  /** The search range, half open: milliseconds since 1970, or a number with its implicit precision. */
  readonly low: number;
  readonly high: number;
  /** For numbers: the value for all tests except `eq`, `ne` and `ap`. */
  readonly value?: number;
  /** For quantities: hashes that the row must have. */
  readonly unit?: RangeUnit;
  /** Half-open bounds of the stored range's beginning, for an index range scan (split-range.ts). */
  readonly lowFrom?: number;
  readonly lowTo?: number;
  /** True: every row that begins within these bounds meets the test. */
  readonly isDecidedByLow?: boolean;
  /** Further conditions on the same row. */
  readonly and?: readonly RangePredicate[];
}

export interface RangeUnit {
  readonly system?: number;
  readonly code?: number;
  /** Hash of the code or of the human unit. */
  readonly codeOrName?: number;
}

/** The test of a number. */
export type NumberTest = Pick<RangePredicate, 'low' | 'high' | 'value'> & { readonly test: Prefix };

/** A composite that ends in two numbers: `low` and `high` of one row, each a point. */
export interface SpanPredicate {
  readonly index: 'span';
  readonly parameter: number;
  readonly qualifier: ResourceKey;
  /** As in a range. */
  readonly qualifierSystem?: number;
  readonly start: NumberTest;
  readonly end: NumberTest;
}

/** A position within this distance in metres, along the surface of the earth. */
export interface PositionPredicate {
  readonly index: 'position';
  readonly parameter: number;
  /** Degrees, WGS84. */
  readonly latitude: number;
  readonly longitude: number;
  readonly metres: number;
}

/** All alternatives of one search parameter of a request; a resource must meet one of them. */
export interface Criterion {
  readonly name: string;
  /** Empty: nothing can match. */
  readonly anyOf: readonly Predicate[];
  /** True: a resource must meet none of them. */
  readonly isNegated?: boolean;
  /** True: a resource has at most one row that each alternative tests. */
  readonly isSingle?: boolean;
  /** True: rows are tested against the set of all matches, not one by one; the planner decides. */
  readonly asSet?: boolean;
}
