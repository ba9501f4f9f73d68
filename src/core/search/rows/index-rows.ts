/**
 * The index rows of one version of one resource, as flat arrays that are ready to be bound. They are a function of the
 * version's content, the definitions, the database's hash key and the configured public addresses alone
 * (`andiron reindex --verify` recomputes them).
 *
 * 64-bit hashes are stored as two signed 32-bit halves (high, low), so that the write path creates no BigInt.
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
  /** For a composite that begins with a code: hash of its system, 0 for none; 0 otherwise. */
  readonly qualifierSystem: number;
  /**
   * Inclusive lower bound: milliseconds since 1970 for a date, or the sort position of a number; -Infinity when open.
   */
  readonly low: number;
  /**
   * Exclusive upper bound of a date, inclusive bound of a number (a stored decimal is a point: high = low); +Infinity
   * when open.
   */
  readonly high: number;
  /** Quantity only, 0 otherwise: hashes of system, code and human unit. `unit` is 0 when it equals the code. */
  readonly unitSystem: number;
  readonly unitCode: number;
  readonly unitName: number;
  /** Marks the first and the last of a parameter's rows by their beginning; the resource is sorted by them. */
  readonly isLowest: boolean;
  readonly isHighest: boolean;
}

export interface StringRow {
  readonly parameter: number;
  /** Folded, at most MAX_STRING_LENGTH characters. */
  readonly value: string;
  /** 32-bit hash of the whole unfolded value, for :exact. */
  readonly exact: number;
  /** False for the rows of further words of a family name, which are not used for sorting. */
  readonly isWhole: boolean;
  /** Marks the least and the greatest of a parameter's whole texts, by code points. */
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
  /** Set where the rows are incomplete. */
  readonly exceeded: ExceededBudget | undefined;
  /** True: values of a long list beyond a limit have no rows. */
  readonly isCut?: true;
}

/** A tenant's parameter whose expression exceeded its budget of values; the resource has no rows of it. */
export interface ExceededBudget {
  /** Number of the parameter. */
  readonly parameter: number;
  /** True: the resource is so large that the parameter is not the cause. */
  readonly isLargeResource: boolean;
}

/**
 * Offsets of parameter numbers for rows that are not of the parameter's own kind: such a row has the number of the
 * parameter plus one of these. Built-in and tenants' parameters have numbers below the first.
 */
export const ROW_SCHEME = {
  /** Token rows of Identifier for `:of-type`: hash of (type system, type code, value). */
  ofType: 1_000_000,
  /** Range rows of quantities in canonical UCUM: `unitCode` is the hash of the base units, no system and name. */
  canonicalUnit: 2_000_000,
  /** Token rows of Reference.identifier for `:identifier`. */
  identifier: 3_000_000,
  /** Token rows of references by target type, where neither a reference row nor the url itself has the type. */
  typedReference: 4_000_000,
  /**
   * Range rows of numbers with more digits than a double holds: the qualifier is a hash of the double; `low` and `high`
   * are the difference between it and the number (fhir/exact-number.ts). For canonical UCUM: this and the number above.
   */
  rest: 5_000_000,
  /** Empty string rows of resources with a text that is longer than its row. */
  longText: 6_000_000,
  /**
   * A second row of each long range (`isLong`). A search by the end of ranges reads the rows that begin shortly before,
   * and these rows.
   */
  long: 10_000_000,
  /**
   * Token rows of references to contained resources: once with the number of the type as value and the block as system,
   * once with both as the value.
   */
  contained: 7_000_000,
  /** Token rows of contained resources: the key of the id, for all parameters together (the number is 0). */
  containedId: 8_000_000,
  /** Token rows of contained resources: the resource has a value for the parameter. */
  present: 9_000_000,
  /** Token rows, with 0 as value, of resources that have a value for the parameter but no sortable one. */
  unsorted: 11_000_000,
  /**
   * Range rows under a code, as a composite has, of values that the composite omits but its second parameter has. They
   * complete the order of that parameter under one code (composite-order.ts).
   */
  ordered: 12_000_000,
} as const;

/**
 * Layout of the numbers of contained resources' rows, which have the key of the container. Each number encodes the type
 * of the container (resources of several types may have the same key), the block, the scheme and the parameter. Blocks
 * count contained resources from 1 in the order in which the container refers to them. Parameters of tenants, whose
 * numbers are beyond `scheme`, have no such rows.
 */
export const CONTAINED = { first: 20_000_000, type: 4_000_000, block: 200_000, scheme: 10_000 } as const;
/** Contained resources beyond this number have no rows. */
export const MAX_CONTAINED = 19;

/**
 * Returns the first number of the rows of one contained resource. Block 0 is no resource; it has a token row for each
 * contained resource, with its type and its block.
 */
export function containedBase(containerType: number, block: number): number {
  return CONTAINED.first + containerType * CONTAINED.type + block * CONTAINED.block;
}

/** Returns the number of a contained resource's row; `number` is the number that it would have in a stored resource. */
export function containedNumber(base: number, number: number): number {
  return base + Math.floor(number / ROW_SCHEME.ofType) * CONTAINED.scheme + (number % ROW_SCHEME.ofType);
}

/** Returns the parameter number of a row; undefined for a row of a contained resource. */
export function parameterOfRow(number: number): number | undefined {
  return number < CONTAINED.first ? number % ROW_SCHEME.ofType : undefined;
}

/** Returns the type of the container; undefined for a row that is not of a contained resource. */
export function containerTypeOf(number: number): number | undefined {
  return number < CONTAINED.first ? undefined : Math.floor((number - CONTAINED.first) / CONTAINED.type);
}

/** Longer dates have a second row. Months do not, so that most dates have one row. Milliseconds. */
export const LONG_DATE = 31 * 86_400_000;

/** Every range of numbers that is not a point is long. */
export function isLong(domain: 'date' | 'number', low: number, high: number): boolean {
  return domain === 'date' ? high - low > LONG_DATE : low !== high;
}

/**
 * Longer uris are stored as their beginning and a hash of the whole (rows/uri.ts). Versions of canonicals are cut at
 * the second.
 */
export const MAX_URI_LENGTH = 500;
export const MAX_VERSION_LENGTH = 100;
