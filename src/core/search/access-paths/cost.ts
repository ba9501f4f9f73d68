import { hasAccessPath, canList, isOrderedByDate } from './indexed-access';
import type { Criterion, Predicate } from '../predicate';

/** Input of the choice of an access path. */
export interface Expectations {
  /**
   * Index rows of resources that meet each criterion; Infinity: the count stopped early, or there is no access path.
   */
  readonly counts: readonly number[];
  /** Number of resources of the type. */
  readonly total: number;
  /** Number of matches wanted; Infinity: all of them. */
  readonly limit: number;
}

/** Assumed share of matching resources when a criterion could not be counted to its end. */
export const POPULAR_SHARE = 0.3;
/** The same beside a chain. It is smaller, because an overestimate means testing all referring resources one by one. */
export const CAUTIOUS_SHARE = 0.05;
/** Assumed share of matching resources for a criterion without an access path. */
const UNKNOWN_SHARE = 0.5;

/** Lower bound of the share of referring resources that are assumed to meet the other criteria of a chain. */
export const MIN_SHARE = 1e-4;

/** Costs in microseconds of PostgreSQL, measured on 1.2 million resources (docs/understand/search-internals.md). */
export const COST = {
  /** One row of an ordered index range. */
  scannedRow: 1,
  /** One head, found by its key and sorted. */
  fetchedHead: 8,
  /** One probe of an index that carries the clinical date. */
  probe: 5,
  /** One test of a column of the head. */
  head: 0.3,
  /** One probe of a set of keys. */
  setProbe: 0.5,
  /** One nested probe: a target, or a referring resource. */
  nestedProbe: 100,
  /** One row of a parameter's values. Some resources have several rows, and only one of them counts. */
  valueRow: 3,
  /** One head fetched for a row without the clinical date, before the row is tested. */
  headOfRow: 4,
  /** One target: an index entry for the resources that refer to it, and a second one where those do not suffice. */
  target: 10,
  /** One referring resource, merged with those of the other targets. */
  mergedRow: 2,
  /** The text of one resource, read and parsed for its sort value. */
  text: 40,
} as const;

/** Returns the cost of listing one match of the criterion. */
export function listingCost({ anyOf }: Criterion): number {
  return Math.max(1, ...anyOf.map(({ index }) => LISTING_COST[index] ?? 1));
}
const LISTING_COST: Readonly<Partial<Record<Predicate['index'], number>>> = {
  target: 10,
  all: 12,
  substring: 2,
  source: 40,
};

/** Returns the cost of testing one row by itself; undefined: the row can only be tested against a set. */
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
        if (!isOrderedByDate(predicate, sortDateParameter)) return undefined;
        cost += COST.probe;
    }
  }
  return cost;
}

/** The test of a criterion that the access path itself meets. */
export const NO_TEST = { cost: 0, isSet: false } as const;

export function testCost(
  criterion: Criterion,
  {
    count,
    rows,
    expectations: { total },
    sortDateParameter,
  }: {
    readonly count: number;
    readonly rows: number;
    readonly expectations: Expectations;
    readonly sortDateParameter: number | undefined;
  },
): { readonly cost: number; readonly isSet: boolean } {
  const probe = probeCost(criterion, sortDateParameter);
  const matches = Number.isFinite(count) ? count : total * POPULAR_SHARE;
  const set = matches * listingCost(criterion) + rows * COST.setProbe;
  // A set consists of listable matches; for a negated criterion, of the matches that it excludes.
  const canBeSet = criterion.anyOf.every(canList) && (Number.isFinite(count) || probe === undefined);
  // Without a probe each alternative becomes a set of its own, beside those that can only be probed.
  if (probe === undefined) return { cost: set, isSet: canBeSet };
  const single = rows * probe;
  return canBeSet && set < single ? { cost: set, isSet: true } : { cost: single, isSet: false };
}

export function shareOf(criterion: Criterion, count: number, total: number, uncounted: number): number {
  if (!hasAccessPath(criterion)) return UNKNOWN_SHARE;
  if (!Number.isFinite(count)) return uncounted;
  return Math.min(1, Math.max(count, 1) / Math.max(total, 1));
}
