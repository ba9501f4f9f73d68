import type { Space } from '../context';
import type { SearchParameterDefinition } from '../fhir/definitions';
import type { Release } from '../fhir/release';
import type { RangeTest } from './range-test';
import type { ResourceKey } from './resource-key';

/**
 * One alternative of a criterion as a condition on one index: plain data from which storage makes SQL. Everything
 * a client wrote has become a hash, a key, a folded string or a number here.
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
       * How rows of composites that begin with this code, of this system, name it; only where they lie in an order
       * (composite-order.ts).
       */
      readonly qualifiers?: readonly ResourceKey[];
    }
  | {
      readonly index: 'reference';
      readonly parameter: number;
      readonly target: ResourceKey;
      /** Undefined: any type (the key alone tells, but for ids of our own format). */
      readonly targetType: number | undefined;
      /** Set when the client wrote an id without a type that several types may have. */
      readonly bareId?: string;
    }
  /** A reference to any of many. */
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
      /** True: not by the further words of a family name. */
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
  /** The text stands anywhere in a uri. */
  | { readonly index: 'uriSubstring'; readonly parameter: number; readonly text: string }
  /** A canonical that names what has this id, of one of these types; it stands for the url of that resource. */
  | {
      readonly index: 'canonical';
      readonly parameter: number;
      readonly types: readonly string[];
      readonly id: string;
    }
  | RangePredicate
  | SpanPredicate
  | PositionPredicate
  /** Any of many codes, as a value set or a subtree of a code system names them. */
  | { readonly index: 'codes'; readonly parameter: number; readonly codes: readonly HashedCode[] }
  /** A code that is none of these. */
  | {
      readonly index: 'otherCode';
      readonly parameter: number;
      readonly codes: readonly Partial<HashedCode>[];
    }
  /** The folded text stands anywhere in a string. */
  | { readonly index: 'substring'; readonly parameter: number; readonly text: string }
  /**
   * A chain: one of the resources that it refers to by one of these parameters meets the criteria. With `urls`: that it
   * names by a canonical; they are the parameters of the url of the target.
   */
  | {
      readonly index: 'target';
      /** True: some references of the space by these parameters lead to contained resources. */
      readonly looksInside?: boolean;
      /** Only what is stored, or only what is contained: the link is parted (resolve-chains.ts). Undefined: both. */
      readonly part?: 'stored' | 'contained';
      readonly parameters: readonly number[];
      readonly urls?: readonly number[];
      readonly target: TypeCriteria;
    }
  /**
   * `_has`: one of the resources that refer to it by one of these parameters meets the criteria. With `urls`: that name
   * it by a canonical; they are the parameters of its own url.
   */
  | {
      readonly index: 'source';
      readonly parameters: readonly number[];
      readonly urls?: readonly number[];
      readonly source: TypeCriteria;
    }
  /** All of several criteria, where one alternative asks for more than one thing; `driver` as in TypeCriteria. */
  | { readonly index: 'all'; readonly criteria: readonly Criterion[]; readonly driver?: number }
  /** The head's bit for a parameter of this ordinal: whether the resource has a value for it. */
  | {
      readonly index: 'presence';
      readonly ordinal: number;
      readonly isPresent: boolean;
      /** Its number, for contained resources, which have no head. */
      readonly parameter: number;
    }
  /** `_lastUpdated`: half open, milliseconds since 1970. */
  | { readonly index: 'updated'; readonly low: number; readonly high: number }
  /** `_id`. */
  | {
      readonly index: 'key';
      readonly keys: readonly ResourceKey[];
      /** True: the client wrote the ids, so that contained resources are meant too. */
      readonly isWritten?: boolean;
      /** At the end of a chain, where texts were read: the contained resources that meet the same. */
      readonly contained?: readonly ContainedKeys[];
    }
  /**
   * Of containers: the contained resource that is this block of them meets the criteria. Its type is that of the criteria,
   * which another criterion asks (search/contained.ts).
   */
  | {
      readonly index: 'inside';
      /** The number of the type of the containers. */
      readonly container: number;
      readonly block: number;
      readonly criteria: readonly Criterion[];
    }
  /** Of contained resources only, which have no key: exactly these. */
  | { readonly index: 'block'; readonly containers: readonly ContainedKeys[] }
  | PendingPredicate;

/** Contained resources: the number of the type of their containers, and of each the container's key and its block. */
export interface ContainedKeys {
  readonly type: number;
  readonly keys: readonly ResourceKey[];
  /** One for each key (index-rows.ts). */
  readonly blocks: readonly number[];
}

/**
 * What the terminology of the space or the texts of resources must be asked for. `resolveCriteria` puts predicates on
 * indexes in the place of these before storage makes SQL.
 */
export type PendingPredicate =
  /** Any code of a value set; `valueSet` is `url`, `url|version` or an address as it was written. */
  | { readonly index: 'valueSet'; readonly rows: CodeRows; readonly valueSet: string }
  /** The code itself, and each that it is subsumed by (`above`) or subsumes (`below`) in its code system. */
  | {
      readonly index: 'subsumption';
      readonly rows: CodeRows;
      readonly relation: 'above' | 'below';
      readonly system: string;
      readonly code: string;
    }
  /** A reference to the root, or to what is above or below it: that refer to each other by the parameters `upwards`. */
  | {
      readonly index: 'hierarchy';
      readonly relation: 'above' | 'below';
      readonly parameters: readonly number[];
      /** The number of the type of the root, and of all that is above and below. */
      readonly type: number;
      readonly root: ResourceKey;
      readonly upwards: readonly number[];
    }
  /** What no index holds: the resources themselves are read. */
  | { readonly index: 'scan'; readonly scan: Scan }
  | CurrentListPredicate;

/** The newest of these lists that is kept up to date for a patient has the resource as its item by these parameters. */
export interface CurrentListPredicate {
  readonly index: 'currentList';
  /** `$current-problems` … */
  readonly function: string;
  readonly parameters: readonly number[];
  /** Without the patient, whom another criterion names. */
  readonly lists: TypeCriteria;
}

/** Where the codes of a parameter lie, and how they are spelt there. */
export interface CodeRows {
  readonly parameters: readonly number[];
  /** Some values are codings, of which the codes lie folded. */
  readonly hasFolded: boolean;
  /** Some values are of type `code`, which lies as written. */
  readonly hasExact: boolean;
  /** All values are of type `code`, and no binding tells their system. */
  readonly isSystemless: boolean;
}

/** A test of the resources of one type by their content. */
export type Scan = (
  | {
      readonly kind: 'words';
      /** The values of a search parameter, one of which must meet the condition; the narrative; or all texts. */
      readonly texts: { readonly parameter: SearchParameterDefinition } | 'narrative' | 'content';
      readonly condition: WordCondition;
    }
  /** A folded text is the beginning of a folded value, or a part of it. */
  | {
      readonly kind: 'beginning' | 'part';
      readonly parameter: SearchParameterDefinition;
      readonly text: string;
    }
  /** Index rows that are made only for this meet all criteria. */
  | {
      readonly kind: 'rows';
      /** Those of one of the elements of this name by itself; undefined: of the whole resource. */
      readonly element?: string;
      /** Position of the bit in the heads of resources that can meet them, where there is one. */
      readonly ordinal?: number;
      readonly criteria: readonly Criterion[];
      /** Whose references are local; set when the criteria are resolved. */
      readonly space?: Space;
    }
  /** A media type is `base` (in lower case), or below it as `image/png` is below `image`, whatever its parameters. */
  | { readonly kind: 'mediaType'; readonly parameter: SearchParameterDefinition; readonly base: string }
) & { readonly release: Release; readonly type: string };

/** Words are folded; each stands for all words of a text that begin with it. */
export type WordCondition =
  | { readonly kind: 'word'; readonly word: string }
  /** The words one after the other. */
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
  /** The parameter of which the low bound is the clinical date of that type. */
  readonly sortDateParameter: number | undefined;
  readonly criteria: readonly Criterion[];
  /** The criterion to begin with, as the planner found; undefined: of none could the matches be counted. */
  readonly driver?: number;
  /** Index rows that the driver has. */
  readonly driverCount?: number;
}

export interface RangePredicate {
  readonly index: 'range';
  readonly parameter: number;
  /** What comes before the last component of a composite; undefined: not a composite. */
  readonly qualifier?: ResourceKey;
  /** Of a code that comes before it: the hash of its system, 0: none; undefined: any. */
  readonly qualifierSystem?: number;
  /** Dates are half open ranges; numbers are points, and ranges that hold both their ends. */
  readonly domain: 'date' | 'number';
  /** `includes`, of dates only: the stored range has all of the search range in it. */
  readonly test: RangeTest | 'includes';
  /** The search range, half open: milliseconds since 1970, or a number with its implicit precision. */
  readonly low: number;
  readonly high: number;
  /** Numbers: what all tests but `eq`, `ne` and `ap` compare with. */
  readonly value?: number;
  /** Quantities: hashes that the row must have. */
  readonly unit?: RangeUnit;
  /** Bounds of where the stored range begins, half open, by which an index is entered (split-range.ts). */
  readonly lowFrom?: number;
  readonly lowTo?: number;
  /** True: what begins within these bounds meets the test. */
  readonly isToldByLow?: boolean;
  /** What the same row must meet besides. */
  readonly and?: readonly RangePredicate[];
}

export interface RangeUnit {
  readonly system?: number;
  readonly code?: number;
  /** The code or the human unit. */
  readonly codeOrName?: number;
}

/** What a number is tested for. */
export type NumberTest = Pick<RangePredicate, 'low' | 'high' | 'value'> & { readonly test: RangeTest };

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

/** A position that is not farther away than so many metres, along the surface of the earth. */
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
  /** True: a resource has one row at most that each alternative looks at. */
  readonly isSingle?: boolean;
  /** True: rows are tested against the set of all matches, not one by one; the planner says so. */
  readonly asSet?: boolean;
}
