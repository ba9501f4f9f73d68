import type { IndexDifference, ReindexProgress } from '../api/index-work';

/** The sums of a reindex over all of its tenants and releases. */
export interface ReindexTotals {
  /** Resources of the tenants and releases that it has begun, deleted ones included. */
  readonly resources: number;
  readonly compared: number;
  /** Repaired resources. */
  readonly repaired: number;
  /** Index rows. */
  readonly added: number;
  readonly removed: number;
}

/** Adds up the progress of a reindex, whose numbers begin again with each tenant and release. */
export class ReindexReport {
  #before: ReindexTotals = { resources: 0, compared: 0, repaired: 0, added: 0, removed: 0 };
  #current: ReindexProgress | undefined;

  add(progress: ReindexProgress): void {
    if (this.#current?.space !== progress.space) this.#before = this.totals;
    this.#current = progress;
  }

  get totals(): ReindexTotals {
    const [before, current] = [this.#before, this.#current];
    if (current === undefined) return before;
    return {
      resources: before.resources + current.resources,
      compared: before.compared + current.compared,
      repaired: before.repaired + current.repaired,
      added: before.added + current.added,
      removed: before.removed + current.removed,
    };
  }
}

/** A difference in documents for programs. `tenant` is null for the base resources. */
export interface IndexDifferenceDocument extends Omit<IndexDifference, 'tenant' | 'space'> {
  readonly tenant: string | null;
}

export function describeDifference(difference: IndexDifference): IndexDifferenceDocument {
  const { tenant, release, type, id, table, missing, superfluous } = difference;
  return { tenant: tenant === '' ? null : tenant, release, type, id, table, missing, superfluous };
}
