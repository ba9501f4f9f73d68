import { hasAccessPath, canList, liesByDate } from './indexed-access';
import type { Criterion, Predicate } from './predicate';

/** What the choice of an access path goes by. */
export interface Expectations {
  /** Index rows of resources that meet each criterion; Infinity: more than were counted, or it has no access path. */
  readonly counts: readonly number[];
  /** Resources of the type. */
  readonly total: number;
  /** Matches that are wanted; Infinity: all of them. */
  readonly limit: number;
}

/** Of an unknown number of matches: this share of the resources. */
export const POPULAR_SHARE = 0.3;
/** The same beside a chain: to have thought of too many means that all who refer are tested, one by one. */
export const CAUTIOUS_SHARE = 0.05;
/** Of a criterion that cannot be counted: this share of the resources is thought to meet it. */
const UNKNOWN_SHARE = 0.5;

/** The least share of who refers that is thought to meet the other criteria of a chain. */
export const LEAST_SHARE = 1e-4;

/** Microseconds that PostgreSQL takes, measured on 1.2 million resources (docs/search-internals.md). */
export const COST = {
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
export function listingCost({ anyOf }: Criterion): number {
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

/** Of what the access path itself meets. */
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
  // A set is made of what can be listed; of a negated criterion, what it excludes.
  const canBeSet = criterion.anyOf.every(canList) && (Number.isFinite(count) || probe === undefined);
  // Without a probe each alternative is a set by itself, beside those that can only be probed.
  if (probe === undefined) return { cost: set, isSet: canBeSet };
  const single = rows * probe;
  return canBeSet && set < single ? { cost: set, isSet: true } : { cost: single, isSet: false };
}

export function shareOf(criterion: Criterion, count: number, total: number, uncounted: number): number {
  if (!hasAccessPath(criterion)) return UNKNOWN_SHARE;
  if (!Number.isFinite(count)) return uncounted;
  return Math.min(1, Math.max(count, 1) / Math.max(total, 1));
}
