import type { Criterion } from '../predicate';
import type { AccessPath } from './access-path';
import { NO_TEST, POPULAR_SHARE, shareOf, testCost, type Expectations } from './cost';

/** An access path with what it costs. */
export interface Candidate {
  readonly accessPath: AccessPath;
  /** Rows that it reads and whose resources the other criteria are tested on. */
  readonly rows: number;
  readonly costOfRow: number;
  /** Costs beside its rows and their tests. */
  readonly cost?: number;
  /** The criteria that it tests itself. */
  readonly covers: readonly number[];
}

/** Returns the access paths of one kind that apply to a search. */
export type AccessPathKind = (situation: SearchSituation) => readonly Candidate[];

/** The criteria of a search, and how many resources are expected to meet them. */
export class SearchSituation {
  constructor(
    readonly criteria: readonly Criterion[],
    readonly expected: Expectations,
    readonly sortDateParameter: number | undefined,
  ) {}

  /** Index rows of a criterion; Infinity if they could not be counted. */
  countOf(index: number): number {
    return this.expected.counts[index] ?? Infinity;
  }

  /** Index rows of a criterion, estimated where they could not be counted. */
  rowsOf(index: number): number {
    const count = this.countOf(index);
    return Number.isFinite(count) ? count : this.expected.total * POPULAR_SHARE;
  }

  /** The share of rows that are expected to meet all criteria but these. */
  shareOfOthers(covered: readonly number[], uncounted = POPULAR_SHARE): number {
    let share = 1;
    for (const [index, criterion] of this.criteria.entries())
      if (!covered.includes(index))
        share *= shareOf(criterion, this.countOf(index), this.expected.total, uncounted);
    return share;
  }

  /** The rows that are scanned until enough of them meet the other criteria. */
  scannedRows(among: number, covered: readonly number[]): number {
    return Math.min(among, this.expected.limit / Math.max(this.shareOfOthers(covered), 1e-9));
  }

  /** The expected cost of a candidate, and which criteria are tested against sets of their matches. */
  weigh({ rows, costOfRow, cost = 0, covers }: Candidate): {
    readonly cost: number;
    readonly asSets: readonly boolean[];
  } {
    const tests = this.criteria.map((criterion, index) =>
      covers.includes(index)
        ? NO_TEST
        : testCost(criterion, {
            count: this.countOf(index),
            rows,
            expectations: this.expected,
            sortDateParameter: this.sortDateParameter,
          }),
    );
    return {
      cost: rows * costOfRow + tests.reduce((sum, test) => sum + test.cost, cost),
      asSets: tests.map(({ isSet }) => isSet),
    };
  }
}
