/**
 * The index rows of one version of one resource, as flat arrays that are ready to be bound. They are a function of
 * the version's content, the definitions, the database's hash key and the configured public addresses; nothing else
 * (`andiron reindex --verify` recomputes them).
 *
 * 64-bit hashes are kept as two signed 32-bit halves (high, low) so that no BigInt is made on the write path.
 */
export interface TokenRow {
  readonly parameter: number;
  readonly valueHigh: number;
  readonly valueLow: number;
  /** 32-bit hash of the system; 0 when there is none. */
  readonly system: number;
}

export interface ReferenceRow {
  readonly parameter: number;
  readonly targetType: number;
  readonly targetHigh: number;
  readonly targetLow: number;
}

/** A date, number or quantity, or a composite whose last component is one of these. */
export interface RangeRow {
  readonly parameter: number;
  /** Hash of the first component(s) of a composite; 0, 0 otherwise. */
  readonly qualifierHigh: number;
  readonly qualifierLow: number;
  /** Composite that begins with a code, 0 otherwise: hash of its system, 0 for none. */
  readonly qualifierSystem: number;
  /** Inclusive lower bound: milliseconds since 1970 of a date, or the place of the number; -Infinity when open. */
  readonly low: number;
  /** Exclusive upper bound of a date, inclusive bound of a number (a stored decimal is a point: high = low); +Infinity when open. */
  readonly high: number;
  /** Quantity only, 0 otherwise: hashes of system, code and human unit. `unit` is 0 when it equals the code. */
  readonly unitSystem: number;
  readonly unitCode: number;
  readonly unitName: number;
  /** Of the rows of a parameter that begin anywhere, this one begins first, or last: by it the resource is sorted. */
  readonly isLowest: boolean;
  readonly isHighest: boolean;
}

export interface StringRow {
  readonly parameter: number;
  /** Folded, at most MAX_STRING_LENGTH characters. */
  readonly value: string;
  /** 32-bit hash of the unfolded whole value, for :exact. */
  readonly exact: number;
  /** False for the rows of further words of a family name, which take no part in sorting. */
  readonly isWhole: boolean;
  /** Of the whole texts of a parameter the least, or the greatest, by code points. */
  readonly isLowest: boolean;
  readonly isHighest: boolean;
}

/** A uri, or a canonical reference split into url and version. */
export interface UriRow {
  readonly parameter: number;
  readonly value: string;
  /** '' when there is none. */
  readonly version: string;
}

export interface IndexRows {
  readonly tokens: readonly TokenRow[];
  readonly references: readonly ReferenceRow[];
  readonly ranges: readonly RangeRow[];
  readonly strings: readonly StringRow[];
  readonly uris: readonly UriRow[];
  /** One bit per parameter ordinal of the type: whether the resource has a value for it (for :missing). */
  readonly presence: Uint8Array;
  /** The clinical sort date, milliseconds since 1970; undefined when the resource has none. */
  readonly sortDate: number | undefined;
  /** Set where they are not complete. */
  readonly exceeded: ExceededBudget | undefined;
}

/** The expression of a parameter of a tenant went through more values than it may: the resource has no rows of it. */
export interface ExceededBudget {
  /** Number of the parameter. */
  readonly parameter: number;
  /** True: the resource has so many values that the parameter is not to blame. */
  readonly isLargeResource: boolean;
}

/**
 * Rows that are not of the parameter's own kind stand under a parameter number of their own: the number of the
 * parameter plus one of these. Built-in and tenant-made parameters have numbers below the first.
 */
export const ROW_SCHEME = {
  /** Token rows of Identifier for `:of-type`: hash of (type system, type code, value). */
  ofType: 1_000_000,
  /** Range rows of quantities in canonical UCUM: `unitCode` is the hash of the base units, no system and name. */
  canonicalUnit: 2_000_000,
  /** Token rows of Reference.identifier for `:identifier`. */
  identifier: 3_000_000,
  /** Token rows of references by the type that they are to, where neither a reference row nor the url itself tells it. */
  typedReference: 4_000_000,
  /**
   * Range rows of numbers with more digits than a double tells: the qualifier is a hash of the double, `low` and `high`
   * are what the number differs from it by (fhir/exact-number.ts). Of canonical UCUM: this and the number above.
   */
  rest: 5_000_000,
  /** String rows, empty, of resources that have a text of which a row holds the beginning only. */
  longText: 6_000_000,
  /**
   * A second row of each range that is long (`isLong`), under its number and this: a search that asks how far ranges
   * reach looks among the rows that begin shortly before, and among these.
   */
  long: 10_000_000,
  /**
   * Token rows of references to contained resources: once the number of the type with the block as its system, once both
   * as the value.
   */
  contained: 7_000_000,
  /** Token rows of contained resources: the key of the id, whatever the parameter (its number is 0). */
  containedId: 8_000_000,
  /** Token rows of contained resources: the resource has a value for the parameter. */
  present: 9_000_000,
  /** Token rows, with 0 as value, of resources that have a value for the parameter but none to be sorted by. */
  unsorted: 11_000_000,
  /**
   * Range rows under a code as those of a composite, of values that the composite leaves out and its second parameter has:
   * the order of that under one code is whole (composite-order.ts).
   */
  ordered: 12_000_000,
} as const;

/**
 * The rows of a contained resource stand under the key of its container. The number of each says all of: the type of the
 * container (the same key may be that of resources of several types), which contained resource it is (its block, counted
 * from 1 in the order in which the container refers to them), the scheme and the parameter. Parameters of tenants, which
 * have numbers beyond `scheme`, have no such rows.
 */
export const CONTAINED = { first: 20_000_000, type: 4_000_000, block: 200_000, scheme: 10_000 } as const;
/** Further contained resources have no rows. */
export const MAX_CONTAINED = 19;

/**
 * Where the numbers of the rows of one contained resource begin. At that of block 0, which is none, stands a token row for
 * each contained resource: its type and its block.
 */
export function containedBase(containerType: number, block: number): number {
  return CONTAINED.first + containerType * CONTAINED.type + block * CONTAINED.block;
}

/** The number of a row of a contained resource, of which it would be `number` if that stood by itself. */
export function containedNumber(base: number, number: number): number {
  return base + Math.floor(number / ROW_SCHEME.ofType) * CONTAINED.scheme + (number % ROW_SCHEME.ofType);
}

/** The number of the parameter that a row belongs to; undefined: to one of a contained resource. */
export function parameterOfRow(number: number): number | undefined {
  return number < CONTAINED.first ? number % ROW_SCHEME.ofType : undefined;
}

/** The type of the container; undefined: the row is none of a contained resource. */
export function containerTypeOf(number: number): number | undefined {
  return number < CONTAINED.first ? undefined : Math.floor((number - CONTAINED.first) / CONTAINED.type);
}

/** Dates that last longer have a second row: a month is none, so that most have one. Milliseconds. */
export const LONG_DATE = 31 * 86_400_000;

/** Of numbers every range that is no point is long. */
export function isLong(domain: 'date' | 'number', low: number, high: number): boolean {
  return domain === 'date' ? high - low > LONG_DATE : low !== high;
}

/** Longer uris keep their beginning and a hash of the whole (rows/uri.ts); versions of canonicals are cut at the second. */
export const MAX_URI_LENGTH = 500;
export const MAX_VERSION_LENGTH = 100;
