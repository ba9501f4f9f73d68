import { FhirError, fhirError } from '../../errors';
import type { LocalReference } from '../../fhir/reference';
import type { Zone } from '../../../../packages/fhir-values/date';
import { compareTexts } from '../sort/compare-texts';
import type { Hasher } from './hash';
import { ForeignBudget } from './foreign-budget';
import {
  containedNumber,
  type ExceededBudget,
  type IndexRows,
  type RangeRow,
  type ReferenceRow,
  type StringRow,
  type TokenRow,
  type UriRow,
} from './index-rows';

/** Input for making rows, beside the value. */
export interface RowSettings {
  readonly hasher: Hasher;
  /** Returns the number of a resource type; undefined for any other name. */
  readonly typeNumber: (type: string) => number | undefined;
  /** Returns the resource of this space that a literal reference refers to; undefined for everything else. */
  readonly localReference: (reference: string) => LocalReference | undefined;
  /**
   * Returns the address of the resource that a literal reference refers to; undefined: it has none. Only for resources of a
   * Bundle, where a relative reference may lead to another entry or to another server.
   */
  readonly addressOf?: (reference: string) => string | undefined;
  /** The time zone of dates without one. */
  readonly zone: Zone;
  /** A resource with more rows is rejected. */
  readonly maxRows: number;
  /** True: composites also have rows by the system of a code alone, which are never stored. */
  readonly hasSystemKeys?: boolean;
}

/** A row before the least and the greatest of a parameter are marked. */
type UnmarkedRow<Row> = Omit<Row, 'isLowest' | 'isHighest'>;

/**
 * Collects the rows of one resource: bounded, without duplicates, and with the lowest and highest row of each
 * parameter marked. Ranges compare by their low bound, then their high bound. Rows of composites, further words and
 * ranges without a beginning are never marked, because nothing is sorted by them.
 */
export class RowCollector {
  private readonly tokens: TokenRow[] = [];
  private readonly references: ReferenceRow[] = [];
  private readonly ranges: UnmarkedRow<RangeRow>[] = [];
  private readonly strings: UnmarkedRow<StringRow>[] = [];
  private readonly uris: UriRow[] = [];
  private count = 0;
  private isCounting = true;
  /** True: values of a long list have no rows. */
  private isCut = false;
  private sorted = 0;
  /** First number of the contained resource whose rows are being added (`containedBase`); 0: the resource itself. */
  base = 0;
  /** Budget of tenants' expressions; undefined until the first one runs. */
  private foreignBudget: ForeignBudget | undefined;

  constructor(private readonly maxRows: number) {}

  token(parameter: number, valueHigh: number, valueLow: number, system: number): void {
    this.bound();
    this.tokens.push({ parameter: this.numberOf(parameter), valueHigh, valueLow, system });
  }

  reference(parameter: number, targetType: number, targetHigh: number, targetLow: number): void {
    this.bound();
    this.references.push({ parameter: this.numberOf(parameter), targetType, targetHigh, targetLow });
  }

  range(row: UnmarkedRow<RangeRow>): void {
    this.bound();
    if (isSortedBy(row)) this.sorted++;
    this.ranges.push(this.base === 0 ? row : { ...row, parameter: this.numberOf(row.parameter) });
  }

  string(parameter: number, value: string, exact: number, isWhole: boolean): void {
    this.bound();
    if (isWhole) this.sorted++;
    this.strings.push({ parameter: this.numberOf(parameter), value, exact, isWhole });
  }

  uri(parameter: number, value: string, version: string): void {
    this.bound();
    this.sorted++;
    this.uris.push({ parameter: this.numberOf(parameter), value, version });
  }

  /** Returns a test of whether one of the current reference rows under these numbers refers to a target. */
  leadTo(
    numbers: ReadonlySet<number>,
  ): (targetType: number, targetHigh: number, targetLow: number) => boolean {
    const some = this.references.filter(({ parameter }) => numbers.has(parameter));
    if (some.length <= FEW_ROWS)
      return (type, high, low) =>
        some.some((row) => row.targetLow === low && row.targetHigh === high && row.targetType === type);
    const nameOf = (type: number, high: number, low: number): string => `${type} ${high} ${low}`;
    const names = new Set(
      some.map(({ targetType, targetHigh, targetLow }) => nameOf(targetType, targetHigh, targetLow)),
    );
    return (type, high, low) => names.has(nameOf(type, high, low));
  }

  /**
   * Returns the values of a list that get rows, at most MOST_LISTED. Until `endList` rows do not count towards the
   * limit: the length of such a list is no fault of the resource.
   */
  startList<Value>(values: readonly Value[]): readonly Value[] {
    this.isCounting = false;
    if (values.length <= MOST_LISTED) return values;
    this.isCut = true;
    return values.slice(0, MOST_LISTED);
  }

  endList(): void {
    this.isCounting = true;
  }

  /** Adds rows, or none of them if the resource would have too many. Returns false for none. `base` stays. */
  attempt(add: () => void): boolean {
    const { base, count, sorted } = this;
    const all = [this.tokens, this.references, this.ranges, this.strings, this.uris];
    const lengths = all.map(({ length }) => length);
    try {
      add();
      return true;
    } catch (error) {
      if (!(error instanceof FhirError) || error.key !== 'tooCostly') throw error;
      for (const [index, list] of all.entries()) list.length = lengths[index] ?? 0;
      [this.count, this.sorted, this.isCounting] = [count, sorted, true];
      return false;
    } finally {
      this.base = base;
    }
  }

  get foreign(): ForeignBudget {
    return (this.foreignBudget ??= new ForeignBudget());
  }

  /** Number of the tenant's parameter whose expression exceeded the budget. */
  get exceeded(): number | undefined {
    return this.foreignBudget?.exceeded;
  }

  /** Number of added rows, duplicates included. */
  get size(): number {
    return this.count;
  }

  /** Number of added rows that a resource can be sorted by. */
  get sortedSize(): number {
    return this.sorted;
  }

  /**
   * Returns the rows. `sortDate`: the number of the date parameter whose earliest start orders the type. Cost: about
   * 0.1 µs a row.
   */
  finish(
    presence: Uint8Array,
    sortDate: number | undefined,
    exceeded: ExceededBudget | undefined,
  ): IndexRows {
    return {
      tokens: distinct(this.tokens, sameToken, tokenIdentity),
      references: distinct(this.references, sameReference, referenceIdentity),
      ranges: markRanges(distinct(this.ranges, sameRange, rangeIdentity)),
      strings: markStrings(distinct(this.strings, sameString, stringIdentity)),
      uris: distinct(this.uris, sameUri, uriIdentity),
      presence,
      sortDate: this.earliest(sortDate),
      exceeded,
      ...(this.isCut ? { isCut: true } : {}),
    };
  }

  /** Returns the earliest start in whole milliseconds; ranges without a start are ignored. */
  private earliest(parameter: number | undefined): number | undefined {
    let earliest = Infinity;
    for (const row of this.ranges) {
      if (row.parameter === parameter && row.low < earliest && row.low > -Infinity) earliest = row.low;
    }
    return earliest === Infinity ? undefined : Math.floor(earliest);
  }

  private numberOf(parameter: number): number {
    return this.base === 0 ? parameter : containedNumber(this.base, parameter);
  }

  private bound(): void {
    if (this.isCounting && ++this.count > this.maxRows) {
      throw fhirError('tooCostly', {
        reason: `The resource has more than ${this.maxRows} values to index for searches`,
      });
    }
  }
}

/** Maximum number of values of a long list that have rows. */
export const MOST_LISTED = 20_000;

/** Below this many rows, comparing each with each is cheaper than a Set. */
const FEW_ROWS = 24;

function distinct<Row>(
  rows: readonly Row[],
  same: (one: Row, other: Row) => boolean,
  identity: (row: Row) => string,
): Row[] {
  const distinct: Row[] = [];
  if (rows.length <= FEW_ROWS) {
    for (const row of rows) if (!has(distinct, row, same)) distinct.push(row);
    return distinct;
  }
  const seen = new Set<string>();
  for (const row of rows) {
    const key = identity(row);
    if (seen.has(key)) continue;
    seen.add(key);
    distinct.push(row);
  }
  return distinct;
}

function has<Row>(rows: readonly Row[], row: Row, same: (one: Row, other: Row) => boolean): boolean {
  for (const other of rows) if (same(row, other)) return true;
  return false;
}

function sameToken(one: TokenRow, other: TokenRow): boolean {
  return (
    one.valueLow === other.valueLow &&
    one.parameter === other.parameter &&
    one.valueHigh === other.valueHigh &&
    one.system === other.system
  );
}

function tokenIdentity(row: TokenRow): string {
  return `${row.parameter} ${row.valueHigh} ${row.valueLow} ${row.system}`;
}

function sameReference(one: ReferenceRow, other: ReferenceRow): boolean {
  return (
    one.targetLow === other.targetLow &&
    one.parameter === other.parameter &&
    one.targetHigh === other.targetHigh &&
    one.targetType === other.targetType
  );
}

function referenceIdentity(row: ReferenceRow): string {
  return `${row.parameter} ${row.targetType} ${row.targetHigh} ${row.targetLow}`;
}

function sameRange(one: UnmarkedRow<RangeRow>, other: UnmarkedRow<RangeRow>): boolean {
  return (
    one.low === other.low &&
    one.high === other.high &&
    one.parameter === other.parameter &&
    one.qualifierHigh === other.qualifierHigh &&
    one.qualifierLow === other.qualifierLow &&
    one.qualifierSystem === other.qualifierSystem &&
    one.unitSystem === other.unitSystem &&
    one.unitCode === other.unitCode &&
    one.unitName === other.unitName
  );
}

function rangeIdentity(row: UnmarkedRow<RangeRow>): string {
  const qualifier = `${row.parameter} ${row.qualifierHigh} ${row.qualifierLow} ${row.qualifierSystem}`;
  return `${qualifier} ${row.low} ${row.high} ${row.unitSystem} ${row.unitCode} ${row.unitName}`;
}

function sameString(one: UnmarkedRow<StringRow>, other: UnmarkedRow<StringRow>): boolean {
  return (
    one.exact === other.exact &&
    one.parameter === other.parameter &&
    one.isWhole === other.isWhole &&
    one.value === other.value
  );
}

function stringIdentity(row: UnmarkedRow<StringRow>): string {
  return `${row.parameter} ${row.exact} ${row.isWhole ? 1 : 0}${row.value}`;
}

function sameUri(one: UriRow, other: UriRow): boolean {
  return one.parameter === other.parameter && one.value === other.value && one.version === other.version;
}

function uriIdentity(row: UriRow): string {
  return `${row.parameter} ${row.value.length} ${row.value}${row.version}`;
}

function isSortedBy({ qualifierHigh, qualifierLow, low }: UnmarkedRow<RangeRow>): boolean {
  return qualifierHigh === 0 && qualifierLow === 0 && low !== -Infinity;
}

function markRanges(rows: readonly UnmarkedRow<RangeRow>[]): RangeRow[] {
  if (rows.length === 0) return [];
  const extremes = extremesOf(rows, isSortedBy, compareRanges);
  // Each member is named, because spreading the row took a twentieth of a create.
  return rows.map((row) => ({
    parameter: row.parameter,
    qualifierHigh: row.qualifierHigh,
    qualifierLow: row.qualifierLow,
    qualifierSystem: row.qualifierSystem,
    low: row.low,
    high: row.high,
    unitSystem: row.unitSystem,
    unitCode: row.unitCode,
    unitName: row.unitName,
    isLowest: extremes.isLowest(row),
    isHighest: extremes.isHighest(row),
  }));
}

function compareRanges(one: UnmarkedRow<RangeRow>, other: UnmarkedRow<RangeRow>): number {
  return one.low - other.low || one.high - other.high;
}

function markStrings(rows: readonly UnmarkedRow<StringRow>[]): StringRow[] {
  if (rows.length === 0) return [];
  const extremes = extremesOf(rows, isWholeString, compareStrings);
  return rows.map((row) => ({
    parameter: row.parameter,
    value: row.value,
    exact: row.exact,
    isWhole: row.isWhole,
    isLowest: extremes.isLowest(row),
    isHighest: extremes.isHighest(row),
  }));
}

function isWholeString({ isWhole }: UnmarkedRow<StringRow>): boolean {
  return isWhole;
}

function compareStrings(one: UnmarkedRow<StringRow>, other: UnmarkedRow<StringRow>): number {
  return compareTexts(one.value, other.value) || one.exact - other.exact;
}

interface Parametric {
  readonly parameter: number;
}

/** Tells which rows are the least and the greatest of their parameter among those that are `isSorted`. */
interface ExtremeMarks<Row> {
  isLowest(row: Row): boolean;
  isHighest(row: Row): boolean;
}

function extremesOf<Row extends Parametric>(
  rows: readonly Row[],
  isSorted: (row: Row) => boolean,
  compare: (one: Row, other: Row) => number,
): ExtremeMarks<Row> {
  const extremes = rows.length <= FEW_ROWS ? new FewExtremes(compare) : new Extremes(compare);
  for (const row of rows) if (isSorted(row)) extremes.add(row.parameter, row);
  return extremes;
}

/** `Extremes` for a few rows, without a Map. */
class FewExtremes<Row extends Parametric> {
  private readonly lowest: Row[] = [];
  private readonly highest: Row[] = [];

  constructor(private readonly compare: (one: Row, other: Row) => number) {}

  add(parameter: number, row: Row): void {
    const { lowest, highest } = this;
    for (const [place, low] of lowest.entries()) {
      if (low.parameter !== parameter) continue;
      if (this.compare(row, low) < 0) lowest[place] = row;
      const high = highest[place];
      if (high !== undefined && this.compare(row, high) > 0) highest[place] = row;
      return;
    }
    lowest.push(row);
    highest.push(row);
  }

  isLowest(row: Row): boolean {
    return this.lowest.includes(row);
  }

  isHighest(row: Row): boolean {
    return this.highest.includes(row);
  }
}

/** Finds the least and the greatest row of each parameter. One of equal rows wins, whatever the order of adding. */
class Extremes<Row extends Parametric> {
  private readonly lowest = new Map<number, Row>();
  private readonly highest = new Map<number, Row>();

  constructor(private readonly compare: (one: Row, other: Row) => number) {}

  add(parameter: number, row: Row): void {
    const low = this.lowest.get(parameter);
    if (low === undefined || this.compare(row, low) < 0) this.lowest.set(parameter, row);
    const high = this.highest.get(parameter);
    if (high === undefined || this.compare(row, high) > 0) this.highest.set(parameter, row);
  }

  isLowest(row: Row): boolean {
    return this.lowest.get(row.parameter) === row;
  }

  isHighest(row: Row): boolean {
    return this.highest.get(row.parameter) === row;
  }
}
