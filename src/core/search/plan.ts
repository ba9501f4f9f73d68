import type { Criterion, Predicate } from './predicate';
import type { ResourceKey } from './resource-key';
import type { SortRows } from './sort-rows';
import { rangesOfOneValue } from './split-range';

/**
 * What the database can order by: columns of a resource's head that index rows carry too, where the ranges of the
 * only criterion begin (`low`), or the values of a parameter. Ties by key, same way.
 */
export type Order = HeadOrder | ValueOrder;

export interface HeadOrder {
  readonly by: 'sort_date' | 'last_updated' | 'key' | 'low';
  readonly descending: boolean;
}

/** By the least value of a parameter ascending, by the greatest descending; without a value last. */
export interface ValueOrder {
  readonly by: 'value';
  readonly descending: boolean;
  readonly rows: SortRows;
}

/** How the matches are found. */
export type Drive =
  /** Walk the index of this criterion in the order wanted; all others are tested row by row. */
  | { readonly kind: 'walk'; readonly criterion: number }
  /** Walk the heads of the type by last_updated; all criteria are tested row by row. */
  | { readonly kind: 'heads' }
  /** Walk all rows of the clinical date's parameter; criteria are tested row by row. */
  | { readonly kind: 'dates'; readonly parameter: number }
  /** Walk the rows that a resource is sorted by, and then the heads of those that have none; criteria are tested. */
  | { readonly kind: 'values' }
  /**
   * Walk, for each code of this criterion, the rows of a composite that lie in the order of the values behind it, and then
   * the heads of those that have none; the other criteria are tested row by row.
   */
  | { readonly kind: 'codes'; readonly criterion: number; readonly ranges: readonly CodeRange[] }
  /**
   * Take all resources that meet this criterion, test the others, sort what is left. By the values of a parameter the
   * database cannot: rows are not found by their resource.
   */
  | { readonly kind: 'gather'; readonly criterion: number }
  /**
   * Take all targets of this chain, and merge who refers to each of them, as they lie in the order of the date; all other
   * criteria are tested row by row.
   */
  | TargetsDrive
  | MeetingDrive;

/**
 * Walk the index of a criterion beside a chain: its first rows are looked up among who refers to the targets of the chain
 * from the same time, and where those do not fill the page, who refers to the targets from there on is tested row by row.
 */
export interface MeetingDrive {
  readonly kind: 'meeting';
  readonly criterion: number;
  /** Which criterion is the chain. */
  readonly chain: number;
  /** The part of the rows walked that is thought to meet all other criteria: more than 0, up to 1. */
  readonly share: number;
}

/** Matches lie in heaps: among so many times the rows that a page should take, it is looked for. */
const ROWS_OF_MEETING = 8;

/** So many rows of the index are looked up together. */
export function rowsOfMeeting({ share }: MeetingDrive, limit: number): number {
  return Math.ceil(Math.min((ROWS_OF_MEETING * limit) / share, MOST_ROWS));
}

export interface TargetsDrive {
  readonly kind: 'targets';
  readonly criterion: number;
  /** About so many targets, one at least. */
  readonly targets: number;
  /** The part of those who refer that is thought to meet the other criteria: more than 0, up to 1. */
  readonly share: number;
}

/** A target is read in steps: one more costs as much as so many rows do. */
const LEAST_PER_TARGET = 4;
const MOST_ROWS = 1_000_000_000;

/** How many of who refers to a target are read at first: twice its part in a page of `limit`. */
export function rowsOfTarget({ targets, share }: TargetsDrive, limit: number): number {
  const rows = Math.min(limit / share, MOST_ROWS);
  return Math.ceil(Math.min(rows, Math.max(LEAST_PER_TARGET, (2 * rows) / targets)));
}

/** Rows of one parameter under one code. */
export interface CodeRange {
  readonly parameter: number;
  readonly qualifier: ResourceKey;
}

/** The rows that lie in the order wanted under the codes of the criterion; undefined: there are none of some of them. */
function rangesUnderCodes({ anyOf, isNegated }: Criterion, { rows }: ValueOrder): CodeRange[] | undefined {
  if (isNegated === true || rows.underCodes.length === 0) return undefined;
  const ranges = new Map<string, CodeRange>();
  for (const predicate of anyOf) {
    if (predicate.index !== 'token' || predicate.value === undefined) return undefined;
    const under = rows.underCodes.find(({ code }) => code === predicate.parameter);
    if (under === undefined || predicate.qualifiers === undefined) return undefined;
    for (const qualifier of predicate.qualifiers)
      for (const parameter of under.parameters)
        ranges.set(`${parameter} ${qualifier.high} ${qualifier.low}`, { parameter, qualifier });
  }
  return ranges.size > 0 && ranges.size <= MAX_MERGED * 2 ? [...ranges.values()] : undefined;
}

/** True when the index rows of the predicate lie in the order of the clinical date. */
function liesByDate(predicate: Predicate, sortDateParameter: number | undefined): boolean {
  return (
    (predicate.index === 'token' && predicate.value !== undefined) ||
    predicate.index === 'reference' ||
    (predicate.index === 'range' && predicate.parameter === sortDateParameter)
  );
}

/** True when the resources that meet the criterion can be listed from an index; others can only be tested. */
export function canDrive({ anyOf, isNegated }: Criterion): boolean {
  return isNegated !== true && anyOf.every(canList);
}

function canList(predicate: Predicate): boolean {
  switch (predicate.index) {
    case 'presence':
    case 'inside':
      return false;
    case 'target':
      return predicate.urls !== undefined || predicate.target.driver !== undefined;
    case 'source':
      return predicate.urls !== undefined || predicate.source.driver !== undefined;
    case 'all':
      return predicate.driver !== undefined;
    default:
      return true;
  }
}

/** More matches are not gathered only to be sorted in the process. */
export const MAX_SORTED = 10_000;

/** More alternatives are not merged in order but gathered. */
const MAX_MERGED = 8;

/** True when the matches of the criterion can be met in the order of the clinical date. */
export function canWalk(criterion: Criterion, sortDateParameter: number | undefined): boolean {
  return (
    canDrive(criterion) &&
    criterion.anyOf.length > 0 &&
    criterion.anyOf.length <= MAX_MERGED &&
    criterion.anyOf.every((predicate) => liesByDate(predicate, sortDateParameter))
  );
}

/** True when the rows of the criterion carry the clinical date as those of references do, and lie in its order. */
function canMeet(criterion: Criterion): boolean {
  return canWalk(criterion, undefined);
}

/** True for a chain of which the index holds, for each target, who refers to it in the order of the clinical date. */
function liesByTarget({ anyOf, isNegated }: Criterion): boolean {
  const [only] = anyOf;
  return (
    isNegated !== true &&
    anyOf.length === 1 &&
    only?.index === 'target' &&
    only.urls === undefined &&
    only.parameters.length === 1
  );
}

/** Of more targets those who refer are not merged: each is a range of its own. */
const MAX_MERGED_TARGETS = 2_000;

/** About how many targets such a chain has, where they are few and none is contained in who refers; else undefined. */
export function mergedTargets({ anyOf, isNegated }: Criterion): number | undefined {
  if (isNegated === true || anyOf.length === 0 || anyOf.length > MAX_MERGED) return undefined;
  let targets = 0;
  for (const predicate of anyOf) {
    if (predicate.index !== 'target' || predicate.urls !== undefined) return undefined;
    if (predicate.parameters.length !== 1 || predicate.looksInside === true) return undefined;
    targets += predicate.target.driverCount ?? Infinity;
  }
  return targets <= MAX_MERGED_TARGETS ? Math.max(1, targets) : undefined;
}

/**
 * The order of a search that asks for none: it depends on the criteria alone, never on how many match, so that every
 * page has the same. Clinical date where an index gives it for nothing, newest first.
 */
export function defaultOrder(
  criteria: readonly Criterion[],
  sortDateParameter: number | undefined,
): HeadOrder {
  const onlyUpdated = criteria.every(({ anyOf }) => anyOf.every(({ index }) => index === 'updated'));
  if (onlyUpdated) return { by: 'last_updated', descending: true };
  const [range] = (criteria.length === 1 ? rangesOfOneValue(criteria[0]) : undefined) ?? [];
  if (range !== undefined && (range.parameter !== sortDateParameter || range.qualifier !== undefined))
    return { by: 'low', descending: true };
  const [only, ...others] = criteria;
  const isChain =
    sortDateParameter !== undefined && only !== undefined && others.length === 0 && liesByTarget(only);
  const walks = isChain || criteria.some((criterion) => canWalk(criterion, sortDateParameter));
  return { by: walks ? 'sort_date' : 'key', descending: true };
}

/** `_lastUpdated` alone: the heads lie in its order. */
function isOneUpdatedRange([only, ...others]: readonly Criterion[]): boolean {
  return (
    only !== undefined && others.length === 0 && only.anyOf.length === 1 && only.anyOf[0]?.index === 'updated'
  );
}

/** True when the choice of the drive depends on how many resources meet each criterion. */
export function needsCounts(criteria: readonly Criterion[], order: Order): boolean {
  if (order.by === 'low' || (order.by === 'last_updated' && isOneUpdatedRange(criteria))) return false;
  if (order.by === 'value') return criteria.length > 0;
  const [only] = criteria;
  if (
    criteria.length === 1 &&
    order.by === 'sort_date' &&
    only !== undefined &&
    mergedTargets(only) !== undefined
  )
    return false;
  const drivable = criteria.filter(canDrive).length;
  if (drivable !== 1) return drivable > 1;
  const isChain = criteria.some(({ anyOf }) => anyOf.some(isNested));
  return criteria.length > 1 || order.by === 'last_updated' || isChain;
}

/** What the choice of a drive goes by. */
export interface Expectations {
  /** Index rows of resources that meet each criterion; Infinity: more than were counted, or it cannot drive. */
  readonly counts: readonly number[];
  /** Resources of the type. */
  readonly total: number;
  /** Matches that are wanted; Infinity: all of them. */
  readonly limit: number;
}

/** A drive, and which of the criteria are tested against a set of all their matches rather than row by row. */
export interface Choice {
  readonly drive: Drive;
  readonly asSets: readonly boolean[];
}

/** Of an unknown number of matches: this share of the resources. */
const POPULAR_SHARE = 0.3;
/** The same beside a chain: to have thought of too many means that all who refer are tested, one by one. */
const CAUTIOUS_SHARE = 0.05;
/** Of a criterion that cannot be counted: this share of the resources is thought to meet it. */
const UNKNOWN_SHARE = 0.5;

/** The least share of who refers that is thought to meet the other criteria of a chain. */
const LEAST_SHARE = 1e-4;

/** Microseconds that PostgreSQL takes, measured on 1.2 million resources (docs/architecture.md, What happens to a request). */
const COST = {
  /** One row of an index range in order. */
  walkedRow: 1,
  /** One head, found by its key and sorted. */
  gatheredHead: 8,
  /** One probe of an index that carries the clinical date. */
  probe: 5,
  /** A look at a column of the head. */
  head: 0.3,
  /** A look into a set of keys. */
  setProbe: 0.5,
  /** One target after the other, or one referring resource after the other. */
  nestedProbe: 100,
  /** One row of a parameter's values: some resources have several, and only one of them counts. */
  valueRow: 3,
  /** A head that a row without the clinical date must be looked up by before it is tested. */
  headOfRow: 4,
  /** One target: the index is entered for who refers to it, and once more where those do not reach far enough. */
  target: 10,
  /** One of who refers to a target, sorted among those of the others. */
  mergedRow: 2,
  /** A row of an index that is passed over on the way to the last of those that are looked up together. */
  passedRow: 0.2,
  /** A look of a row into a set of keys, the row read; or a key put into one. */
  lookedUpRow: 0.5,
  /** One of all who refer to the targets of a chain, by the chance that the rows looked up together do not fill a page. */
  furtherRow: 0.1,
  /** The text of a resource read and parsed for what it is sorted by. */
  text: 40,
} as const;

/** What one match of the criterion costs to list. */
function listingCost({ anyOf }: Criterion): number {
  return Math.max(1, ...anyOf.map(({ index }) => LISTING_COST[index] ?? 1));
}
const LISTING_COST: Readonly<Partial<Record<Predicate['index'], number>>> = {
  target: 10,
  all: 12,
  substring: 2,
  source: 40,
};

/** What it costs to test one row by itself; undefined: it can only be tested against a set. */
function probeCost({ anyOf }: Criterion, sortDateParameter: number | undefined): number | undefined {
  let cost = 0;
  for (const predicate of anyOf) {
    switch (predicate.index) {
      case 'presence':
      case 'updated':
      case 'key':
        cost += COST.head;
        break;
      case 'target':
      case 'source':
      case 'all':
      case 'inside':
        cost += COST.nestedProbe;
        break;
      default:
        if (!liesByDate(predicate, sortDateParameter)) return undefined;
        cost += COST.probe;
    }
  }
  return cost;
}

/**
 * Chooses the drive of least expected cost. The choice is made here and written into the SQL: a planner that knows only
 * averages chooses wrongly for popular values (measured 850 ms against 1.2 ms). Values are thought to be independent of
 * each other.
 */
export function chooseDrive(
  criteria: readonly Criterion[],
  order: Order,
  expected: Expectations,
  sortDateParameter: number | undefined,
): Choice {
  if (order.by === 'low') return { drive: { kind: 'walk', criterion: 0 }, asSets: [] };
  const plain = (drive: Drive): Choice => ({ drive, asSets: criteria.map(() => false) });
  if (order.by === 'last_updated' && isOneUpdatedRange(criteria)) return plain({ kind: 'heads' });
  const walkable = criteria.map(
    (criterion) => order.by === 'sort_date' && canWalk(criterion, sortDateParameter),
  );
  const [only, ...others] = criteria;
  if (only !== undefined && others.length === 0 && canDrive(only)) {
    if (walkable[0] === true) return plain({ kind: 'walk', criterion: 0 });
    const targets = order.by === 'sort_date' ? mergedTargets(only) : undefined;
    if (targets !== undefined) return plain({ kind: 'targets', criterion: 0, targets, share: 1 });
    if (order.by === 'key' && !only.anyOf.some(isNested)) return plain({ kind: 'gather', criterion: 0 });
  }
  let best: (Choice & { readonly cost: number }) | undefined;
  const consider = (
    drive: Drive,
    driver: number,
    rows: number,
    costOfRow: number,
    further = 0,
    beside = -1,
  ): void => {
    const tests = criteria.map((criterion, index) =>
      index === driver || index === beside
        ? NO_TEST
        : testCost(criterion, expected.counts[index] ?? Infinity, rows, expected, sortDateParameter),
    );
    const cost = rows * costOfRow + tests.reduce((sum, test) => sum + test.cost, further);
    if (best === undefined || cost < best.cost)
      best = { drive, cost, asSets: tests.map(({ isSet }) => isSet) };
  };
  const shareOfOthers = (driver: number, beside = -1, uncounted = POPULAR_SHARE): number => {
    let share = 1;
    for (const [index, criterion] of criteria.entries())
      if (index !== driver && index !== beside)
        share *= shareOf(criterion, expected.counts[index] ?? Infinity, expected.total, uncounted);
    return share;
  };
  /** Rows that are walked over until enough of them meet the other criteria. */
  const walked = (among: number, driver: number): number =>
    Math.min(among, expected.limit / Math.max(shareOfOthers(driver), 1e-9));
  for (const [index, criterion] of criteria.entries()) {
    if (!canDrive(criterion)) continue;
    const count = expected.counts[index] ?? Infinity;
    const rows = Number.isFinite(count) ? count : expected.total * POPULAR_SHARE;
    if (order.by === 'value') {
      // The texts of all matches are read. Counts are some seconds old: there may be twice as many by now.
      const matches = rows * shareOfOthers(index);
      if (Number.isFinite(count) && rows <= MAX_SORTED / 2)
        consider({ kind: 'gather', criterion: index }, index, rows, COST.gatheredHead, matches * COST.text);
      const ranges = rangesUnderCodes(criterion, order);
      if (ranges !== undefined)
        consider(
          { kind: 'codes', criterion: index, ranges },
          index,
          walked(rows, index),
          criteria.length === 1 ? COST.walkedRow : COST.valueRow + COST.headOfRow,
        );
      continue;
    }
    // What could not be counted to its end is gathered only where there is no other way.
    const penalty = Number.isFinite(count) ? 1 : 1000;
    consider(
      { kind: 'gather', criterion: index },
      index,
      rows,
      (listingCost(criterion) + COST.gatheredHead) * penalty,
    );
    if (walkable[index] === true)
      consider({ kind: 'walk', criterion: index }, index, walked(rows, index), COST.walkedRow);
    const targets = order.by === 'sort_date' ? mergedTargets(criterion) : undefined;
    if (targets !== undefined) {
      const share = Math.max(shareOfOthers(index, -1, CAUTIOUS_SHARE), LEAST_SHARE);
      const drive: TargetsDrive = { kind: 'targets', criterion: index, targets, share };
      const read = Math.min(rows, targets * rowsOfTarget(drive, expected.limit) + expected.limit / share);
      consider(drive, index, read, COST.mergedRow, targets * COST.target);
      for (const [walked, beside] of criteria.entries()) {
        if (walked === index || !canMeet(beside)) continue;
        const counted = expected.counts[walked] ?? Infinity;
        const all = Math.max(1, Number.isFinite(counted) ? counted : expected.total * POPULAR_SHARE);
        const share = Math.max(shareOfOthers(walked), LEAST_SHARE);
        const drive: MeetingDrive = { kind: 'meeting', criterion: walked, chain: index, share };
        const together = Math.min(all, rowsOfMeeting(drive, expected.limit));
        const found = Math.min(all, expected.limit / share);
        const further =
          together * COST.passedRow +
          (found + (rows * together) / all) * COST.lookedUpRow +
          targets * COST.target +
          rows * COST.furtherRow;
        const tested = Math.min(found, expected.limit / Math.max(shareOfOthers(walked, index), LEAST_SHARE));
        consider(drive, walked, tested, 0, further, index);
      }
    }
  }
  const rows = walked(expected.total, -1);
  if (order.by === 'value')
    consider({ kind: 'values' }, -1, rows, COST.valueRow + (criteria.length === 0 ? 0 : COST.headOfRow));
  else if (order.by !== 'sort_date') consider({ kind: 'heads' }, -1, rows, COST.walkedRow * 2);
  else if (sortDateParameter !== undefined)
    consider({ kind: 'dates', parameter: sortDateParameter }, -1, rows, COST.walkedRow);
  return best ?? plain({ kind: 'heads' });
}

const NO_TEST = { cost: 0, isSet: false } as const;

function testCost(
  criterion: Criterion,
  count: number,
  rows: number,
  { total }: Expectations,
  sortDateParameter: number | undefined,
): { readonly cost: number; readonly isSet: boolean } {
  const probe = probeCost(criterion, sortDateParameter);
  const matches = Number.isFinite(count) ? count : total * POPULAR_SHARE;
  const set = matches * listingCost(criterion) + rows * COST.setProbe;
  // A set is made of what can be listed; of a negated criterion, what it excludes.
  const canBeSet = criterion.anyOf.every(canList) && (Number.isFinite(count) || probe === undefined);
  // Without a probe each alternative is a set by itself, beside those that can only be probed.
  if (probe === undefined) return { cost: set, isSet: canBeSet };
  const single = rows * probe;
  return canBeSet && set < single ? { cost: set, isSet: true } : { cost: single, isSet: false };
}

function shareOf(criterion: Criterion, count: number, total: number, uncounted: number): number {
  if (!canDrive(criterion)) return UNKNOWN_SHARE;
  if (!Number.isFinite(count)) return uncounted;
  return Math.min(1, Math.max(count, 1) / Math.max(total, 1));
}

export function isNested({ index }: Predicate): boolean {
  return index === 'target' || index === 'source' || index === 'all';
}
