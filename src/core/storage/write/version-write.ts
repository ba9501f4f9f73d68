import type { AccessRecord } from '../audit/access-line';
import type {
  IndexRows,
  RangeRow,
  ReferenceRow,
  StringRow,
  TokenRow,
  UriRow,
} from '../../search/rows/index-rows';
import { BinaryArray } from '../connection/binary-array';
import type { Registration } from '../indexing/search-parameters';
import type { SubscriptionChange } from '../notifications/subscription-change';
import type { Bound } from '../connection/statement';
import type { Target } from './required-references';
import type { KeyHalves } from '../key-halves';

/** Kinds of changes; the values stored in `resource_version.change`. */
export const CHANGE = { create: 1, update: 2, delete: 3 } as const;
export type Change = keyof typeof CHANGE;
export const CHANGES: readonly (Change | undefined)[] = [undefined, 'create', 'update', 'delete'];

/** A resource that a version refers to without opening it to apps of patients (unopened-references.ts). */
export interface UnopenedReference {
  readonly targetType: number;
  /** Decimal form of the 64-bit key. */
  readonly targetKey: string;
}

/** A version to write. */
export interface VersionWrite {
  readonly type: number;
  readonly key: KeyHalves;
  /** Null for an id in the server's format, which the key stands for. */
  readonly id: string | null;
  /** 0: the resource must not exist yet; n: its version must be n. */
  readonly expected: number;
  readonly change: Change;
  /** Null for a deletion. */
  readonly body: string | null;
  readonly metaOffset: number;
  /** Null stands for `anonymous`. */
  readonly author: string | null;
  readonly rows: IndexRows;
  /** The rows of the version that is replaced; undefined for a create. Only the difference is written. */
  readonly replaced?: IndexRows;
  /** Change of the tenant's search parameters by which both were made (`SpaceParameters.change`); undefined: 0. */
  readonly parameterChange?: number;
  /** Targets that must exist; otherwise nothing is written (`isBrokenWrite`). */
  readonly targets?: readonly Target[];
  /** For a SearchParameter in a tenant's space: the parameters to index from now on. */
  readonly registration?: Registration;
  /** For a Subscription: what the version changes in its state. */
  readonly subscription?: SubscriptionChange;
  /** The id of a content that is stored apart; the transaction gives it to the version, or fails. */
  readonly content?: string | undefined;
  /** References of the version that open nothing to apps of patients. */
  readonly unopened?: readonly UnopenedReference[] | undefined;
  /** A new resource to write in the same transaction; both are written, or neither. */
  readonly companion?: VersionWrite;
  /** Record of the access, written together with the version. */
  readonly record?: AccessRecord;
}

export interface WriteStamp {
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly lastUpdated: number;
  readonly sequence: number;
}

/** Stored for "no clinical date": the least 64-bit integer, so that it is last in descending order. */
const NO_DATE_HIGH = -0x80000000;

/** Rows of a resource without index rows: a deleted one. */
export const NO_ROWS: IndexRows = {
  tokens: [],
  references: [],
  ranges: [],
  strings: [],
  uris: [],
  presence: new Uint8Array(0),
  sortDate: undefined,
  exceeded: undefined,
};

/** Bits of `extremes`. */
export const EXTREMES = { lowest: 1, highest: 2, whole: 4 } as const;

/** Returns the stored flags of a range or string row among the rows of its resource and parameter. */
export function extremesOf(row: { isLowest: boolean; isHighest: boolean; isWhole?: boolean }): number {
  return (
    (row.isLowest ? EXTREMES.lowest : 0) |
    (row.isHighest ? EXTREMES.highest : 0) |
    (row.isWhole ? EXTREMES.whole : 0)
  );
}

/** Returns the bound values of `store_versions` for some writes of one space, by its parameters' names without `p_`. */
export function encodeWrites(space: number, writes: readonly VersionWrite[]): Record<string, Bound> {
  const encoder = new Encoder();
  writes.forEach((write, index) => encoder.add(write, index + 1));
  return encoder.finish(space);
}

/** The new rows of one table, and how they are compared and added. */
interface RowChanges<R> {
  readonly after: readonly R[];
  readonly all: boolean;
  readonly identity: (row: R) => string;
  readonly member: number;
  readonly push: (row: R, member: number) => void;
}

class Encoder {
  private readonly type = new BinaryArray('int2');
  private readonly key = new BinaryArray('int8');
  private readonly expected = new BinaryArray('int4');
  private readonly change = new BinaryArray('int2');
  private readonly id = new BinaryArray('text');
  private readonly oldSortDate = new BinaryArray('int8');
  private readonly sortDate = new BinaryArray('int8');
  private readonly presence = new BinaryArray('bytea');
  private readonly metaOffset = new BinaryArray('int4');
  private readonly author = new BinaryArray('text');
  private readonly body = new BinaryArray('text', 8192);
  private readonly targetKey = new BinaryArray('int8');
  private readonly targetEnd = new BinaryArray('int4');
  private readonly tokenMember = new BinaryArray('int4', 2048);
  private readonly tokenParameter = new BinaryArray('int4', 2048);
  private readonly tokenValue = new BinaryArray('int8', 2048);
  private readonly tokenSystem = new BinaryArray('int4', 2048);
  private readonly referenceMember = new BinaryArray('int4');
  private readonly referenceParameter = new BinaryArray('int4');
  private readonly referenceKey = new BinaryArray('int8');
  private readonly referenceType = new BinaryArray('int2');
  private readonly rangeMember = new BinaryArray('int4');
  private readonly rangeParameter = new BinaryArray('int4');
  private readonly rangeQualifier = new BinaryArray('int8');
  private readonly rangeQualifierSystem = new BinaryArray('int4');
  private readonly rangeLow = new BinaryArray('float8');
  private readonly rangeHigh = new BinaryArray('float8');
  private readonly rangeUnitSystem = new BinaryArray('int4');
  private readonly rangeUnitCode = new BinaryArray('int4');
  private readonly rangeUnitName = new BinaryArray('int4');
  private readonly rangeExtremes = new BinaryArray('int2');
  private readonly stringMember = new BinaryArray('int4', 1024);
  private readonly stringParameter = new BinaryArray('int4', 1024);
  private readonly stringValue = new BinaryArray('text', 2048);
  private readonly stringExact = new BinaryArray('int4', 1024);
  private readonly stringExtremes = new BinaryArray('int2', 1024);
  private readonly uriMember = new BinaryArray('int4', 64);
  private readonly uriParameter = new BinaryArray('int4', 64);
  private readonly uriValue = new BinaryArray('text', 64);
  private readonly uriVersion = new BinaryArray('text', 64);
  private hasRemovals = false;

  add(write: VersionWrite, member: number): void {
    const { rows, replaced } = write;
    this.type.pushInt2(write.type);
    this.key.pushInt8(write.key.high, write.key.low);
    this.expected.pushInt4(write.expected);
    this.change.pushInt2(CHANGE[write.change]);
    this.id.pushText(write.id);
    pushSortDate(this.oldSortDate, (replaced ?? rows).sortDate);
    pushSortDate(this.sortDate, rows.sortDate);
    this.presence.pushBytes(rows.presence);
    this.metaOffset.pushInt4(write.metaOffset);
    this.author.pushText(write.author);
    this.body.pushText(write.body);
    for (const { high, low } of targetKeysOf(rows.references)) this.targetKey.pushInt8(high, low);
    this.targetEnd.pushInt4(this.targetKey.length);
    if (replaced === undefined) {
      for (const row of rows.tokens) this.token(row, member);
      for (const row of rows.references) this.reference(row, member);
      for (const row of rows.ranges) this.range(row, member);
      for (const row of rows.strings) this.string(row, member);
      for (const row of rows.uris) this.uri(row, member);
      return;
    }
    // Token and reference rows carry the sort date: when it changes, all of them move.
    const moved = replaced.sortDate !== rows.sortDate;
    this.difference(replaced.tokens, {
      after: rows.tokens,
      all: moved,
      identity: tokenIdentity,
      member,
      push: this.token,
    });
    this.difference(replaced.references, {
      after: rows.references,
      all: moved,
      identity: referenceIdentity,
      member,
      push: this.reference,
    });
    this.difference(replaced.ranges, {
      after: rows.ranges,
      all: false,
      identity: rangeIdentity,
      member,
      push: this.range,
    });
    this.difference(replaced.strings, {
      after: rows.strings,
      all: false,
      identity: stringIdentity,
      member,
      push: this.string,
    });
    this.difference(replaced.uris, {
      after: rows.uris,
      all: false,
      identity: uriIdentity,
      member,
      push: this.uri,
    });
  }

  /**
   * Adds the difference of the rows of one table: removes rows only in `before`, adds rows only in `after`; with `all`,
   * every row.
   */
  private difference<R extends object>(
    before: readonly R[],
    { after, all, identity, member, push }: RowChanges<R>,
  ): void {
    // Both sides were extracted in the same order, so most equal rows have equal positions from the start or the end.
    let start = 0;
    let beforeEnd = before.length;
    let afterEnd = after.length;
    if (!all) {
      while (start < beforeEnd && start < afterEnd && areAlike(before[start], after[start])) start++;
      while (beforeEnd > start && afterEnd > start && areAlike(before[beforeEnd - 1], after[afterEnd - 1])) {
        beforeEnd--;
        afterEnd--;
      }
    }
    if (start === beforeEnd && start === afterEnd) return;
    const removed = before.slice(start, beforeEnd);
    const added = after.slice(start, afterEnd);
    const unchanged = all ? new Set<string>() : intersection(removed.map(identity), added.map(identity));
    for (const row of removed) {
      if (unchanged.has(identity(row))) continue;
      push.call(this, row, -member);
      this.hasRemovals = true;
    }
    for (const row of added) if (!unchanged.has(identity(row))) push.call(this, row, member);
  }

  private token(row: TokenRow, member: number): void {
    this.tokenMember.pushInt4(member);
    this.tokenParameter.pushInt4(row.parameter);
    this.tokenValue.pushInt8(row.valueHigh, row.valueLow);
    this.tokenSystem.pushInt4(row.system);
  }

  private reference(row: ReferenceRow, member: number): void {
    this.referenceMember.pushInt4(member);
    this.referenceParameter.pushInt4(row.parameter);
    this.referenceKey.pushInt8(row.targetHigh, row.targetLow);
    this.referenceType.pushInt2(row.targetType);
  }

  private range(row: RangeRow, member: number): void {
    this.rangeMember.pushInt4(member);
    this.rangeParameter.pushInt4(row.parameter);
    this.rangeQualifier.pushInt8(row.qualifierHigh, row.qualifierLow);
    this.rangeQualifierSystem.pushInt4(row.qualifierSystem);
    this.rangeLow.pushFloat8(row.low);
    this.rangeHigh.pushFloat8(row.high);
    this.rangeUnitSystem.pushInt4(row.unitSystem);
    this.rangeUnitCode.pushInt4(row.unitCode);
    this.rangeUnitName.pushInt4(row.unitName);
    this.rangeExtremes.pushInt2(extremesOf(row));
  }

  private string(row: StringRow, member: number): void {
    this.stringMember.pushInt4(member);
    this.stringParameter.pushInt4(row.parameter);
    this.stringValue.pushText(row.value);
    this.stringExact.pushInt4(row.exact);
    this.stringExtremes.pushInt2(extremesOf(row));
  }

  private uri(row: UriRow, member: number): void {
    this.uriMember.pushInt4(member);
    this.uriParameter.pushInt4(row.parameter);
    this.uriValue.pushText(row.value);
    this.uriVersion.pushText(row.version);
  }

  finish(space: number): Record<string, Bound> {
    return {
      space,
      type: this.type.finish(),
      key: this.key.finish(),
      expected: this.expected.finish(),
      change: this.change.finish(),
      id: this.id.finish(),
      old_sort_date: this.oldSortDate.finish(),
      sort_date: this.sortDate.finish(),
      presence: this.presence.finish(),
      meta_offset: this.metaOffset.finish(),
      author: this.author.finish(),
      body: this.body.finish(),
      target_key: this.targetKey.finish(),
      target_end: this.targetEnd.finish(),
      token_member: this.tokenMember.finish(),
      token_parameter: this.tokenParameter.finish(),
      token_value: this.tokenValue.finish(),
      token_system: this.tokenSystem.finish(),
      reference_member: this.referenceMember.finish(),
      reference_parameter: this.referenceParameter.finish(),
      reference_key: this.referenceKey.finish(),
      reference_type: this.referenceType.finish(),
      range_member: this.rangeMember.finish(),
      range_parameter: this.rangeParameter.finish(),
      range_qualifier: this.rangeQualifier.finish(),
      range_qualifier_system: this.rangeQualifierSystem.finish(),
      range_low: this.rangeLow.finish(),
      range_high: this.rangeHigh.finish(),
      range_unit_system: this.rangeUnitSystem.finish(),
      range_unit_code: this.rangeUnitCode.finish(),
      range_unit_name: this.rangeUnitName.finish(),
      range_extremes: this.rangeExtremes.finish(),
      string_member: this.stringMember.finish(),
      string_parameter: this.stringParameter.finish(),
      string_value: this.stringValue.finish(),
      string_exact: this.stringExact.finish(),
      string_extremes: this.stringExtremes.finish(),
      uri_member: this.uriMember.finish(),
      uri_parameter: this.uriParameter.finish(),
      uri_value: this.uriValue.finish(),
      uri_version: this.uriVersion.finish(),
      has_removals: this.hasRemovals,
    };
  }
}

/** Returns the value of `resource.target_keys`: the key of each target once, in the order of the rows. */
export function targetKeysOf(references: readonly ReferenceRow[]): readonly KeyHalves[] {
  const keys: KeyHalves[] = [];
  const seen = references.length > FEW_TARGETS ? new Set<string>() : undefined;
  for (const { targetHigh: high, targetLow: low } of references) {
    const isListed =
      seen === undefined
        ? keys.some((key) => key.high === high && key.low === low)
        : isIn(seen, `${high} ${low}`);
    if (!isListed) keys.push({ high, low });
  }
  return keys;
}

/** Adds the text; true if it was there already. */
function isIn(seen: Set<string>, text: string): boolean {
  const { size } = seen;
  return seen.add(text).size === size;
}

/** Below this many, comparing each with each is cheaper than a Set. */
const FEW_TARGETS = 16;

/** True if two rows of one table are equal in every column. */
function areAlike<R extends object>(one: R | undefined, other: R | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  for (const column in one) if (one[column] !== other[column]) return false;
  return true;
}

function intersection(some: readonly string[], others: readonly string[]): Set<string> {
  const otherTexts = new Set(others);
  return new Set(some.filter((text) => otherTexts.has(text)));
}

function pushSortDate(array: BinaryArray, date: number | undefined): void {
  if (date === undefined) array.pushInt8(NO_DATE_HIGH, 0);
  else array.pushWhole(date);
}

/** Decimal form of a stored sort date. */
export function sortDateText(date: number | undefined): string {
  return date === undefined ? NO_DATE_TEXT : String(date);
}
const NO_DATE_TEXT = '-9223372036854775808';

const tokenIdentity = (row: TokenRow): string =>
  `${row.parameter} ${row.valueHigh} ${row.valueLow} ${row.system}`;
const referenceIdentity = (row: ReferenceRow): string =>
  `${row.parameter} ${row.targetHigh} ${row.targetLow} ${row.targetType}`;
const rangeIdentity = (row: RangeRow): string =>
  `${row.parameter} ${row.qualifierHigh} ${row.qualifierLow} ${row.qualifierSystem} ${row.low} ${row.high} ${row.unitSystem} ${row.unitCode} ${row.unitName} ${extremesOf(row)}`;
const stringIdentity = (row: StringRow): string =>
  `${row.parameter} ${row.exact} ${extremesOf(row)} ${row.value}`;
const uriIdentity = (row: UriRow): string => `${row.parameter} ${row.version} ${row.value}`;
