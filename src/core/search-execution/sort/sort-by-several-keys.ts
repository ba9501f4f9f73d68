/** `_sort` by several keys: an index scan by the first key; ties are sorted by the other keys in the process. */
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import { beginningOfDouble, nextAbove } from '../../fhir/exact-number';
import { isCounted } from '../../search/requests/parse-search';
import { MAX_SORTED, type Order } from '../../search/sort/order';
import type { SortValue } from '../../search/sort/sort-value';
import type { SearchServices, Services } from '../../ports';
import type { Phase, StoredSortValue } from '../../storage/search/search-order';
import { FIRST_KEY, LAST_KEY, runKeys, type MatchHead } from '../../storage/search/search-run';
import type { Plan } from '../plan/plan';
import { afterOf, phasesOf, toStoredValue, type Position } from '../page/search-position';
import { sortedInDatabase } from './sort-in-database';
import { sortedPage, type SortedMatches, type SortedSearch } from './sorted-matches';
import { countAllOf } from '../aggregates/count-matches';
import type { SearchStrategy } from '../strategies/strategy';
import { followingOf, readSortValues, type Sortable } from './sortables';
import { matchingReason, withReason } from '../search-timeout';

/** Minimum number of heads that one statement reads. */
const CHUNK = 100;

export const sortBySeveralKeys: SearchStrategy = ({ query, typeNumber, cursorScope, plan }) => {
  if (query.sort.length < 2 || plan === undefined) return undefined;
  return {
    isOneStatement: false,
    page(services, context) {
      const search = { query, type: typeNumber, cursorScope };
      const matches = sortedByFirstKey(services, context, search, plan);
      return sortedPage(services, context, search, {
        matches,
        async totalOf(whole) {
          if (whole !== undefined && query.total !== 'none') return whole;
          return isCounted(query) ? countAllOf(services, query, plan) : undefined;
        },
      });
    },
  };
};

/**
 * The matches in the order of all keys; the plan scans in the order of the first. Throws invalidCursor.
 * Cost: a statement for the keys, and one for the texts of the matches that tie with the page by the first key; if more than
 * MAX_SORTED matches are equal by it, that of `sortedInDatabase`.
 */
function sortedByFirstKey(
  services: SearchServices,
  context: RequestContext,
  search: SortedSearch,
  plan: Plan,
): SortedMatches {
  const { query, type } = search;
  return {
    async following(start, { skipped, limit }) {
      const groups = new TiedHeads(services, plan, start.isBackward, start.place?.values[0]);
      const wanted = skipped + limit;
      const following: Sortable[] = [];
      while (following.length < wanted) {
        const heads = await withReason(groups.next(wanted - following.length), () => matchingReason(plan));
        if (heads === undefined)
          return sortedInDatabase(services, context, search).following(start, { skipped, limit });
        if (heads.length === 0) break;
        const tied = await readSortValues(services, context, { query, type, space: plan.space, heads });
        following.push(...followingOf(query, tied, start));
      }
      return following.slice(skipped, wanted);
    },
  };
}

/** The matches in the order of the first key, in complete groups of ties. */
class TiedHeads {
  private readonly phases: Phase[];
  private phase: Phase | undefined;
  private after: Position['after'] | undefined;
  /** True: the phase has no further heads to read. */
  private isRead = true;
  private readonly buffer: MatchHead[] = [];

  /** @param first the value of the first key to begin with; undefined: at the beginning, or backward at the end */
  constructor(
    private readonly services: Pick<Services, 'database'>,
    private readonly plan: Plan,
    private readonly isBackward: boolean,
    first: SortValue | undefined,
  ) {
    this.phases = [...phasesOf(plan)];
    if (isBackward) this.phases.reverse();
    if (first === undefined) return;
    const position = beginningOf(plan.order, first, isBackward);
    this.phases.splice(0, this.phases.indexOf(position.phase));
    this.phase = this.phases.shift();
    this.after = position.after;
    this.isRead = false;
  }

  /**
   * At least `least` heads, fewer at the end of a phase, none at the end of all. Undefined if a group of ties exceeds
   * MAX_SORTED.
   */
  async next(least: number): Promise<MatchHead[] | undefined> {
    for (;;) {
      const whole = this.countWhole();
      if (whole >= least || (this.isRead && whole > 0)) return this.buffer.splice(0, whole);
      if (this.isRead) {
        this.phase = this.phases.shift();
        if (this.phase === undefined) return [];
        this.after = undefined;
        this.isRead = false;
      }
      if (this.countTied() > MAX_SORTED) return undefined;
      await this.readMore(Math.max(CHUNK, least, this.buffer.length));
    }
  }

  /** Number of buffered heads in complete groups; the group of the last value may continue. */
  private countWhole(): number {
    const last = this.buffer.at(-1);
    if (last === undefined || this.isRead) return this.buffer.length;
    return this.firstOf(last);
  }

  private countTied(): number {
    const last = this.buffer.at(-1);
    return last === undefined ? 0 : this.buffer.length - this.firstOf(last);
  }

  /** Position of the first head that ties with the last one. */
  private firstOf(last: MatchHead): number {
    const { order } = this.plan;
    const value = groupOf(order, last.sortValue);
    return this.buffer.findIndex(({ sortValue }) => groupOf(order, sortValue) === value);
  }

  private async readMore(limit: number): Promise<void> {
    const { services, plan, phase = 'all', after, isBackward } = this;
    const heads = await runKeys(services.database, { ...plan, phase, after, limit, isBackward });
    this.buffer.push(...heads);
    this.isRead = heads.length < limit;
    const last = heads.at(-1);
    if (last === undefined) return;
    this.after = afterOf(last);
  }
}

/** A value that is equal for ties by the first key. */
function groupOf(order: Order, sortValue: StoredSortValue): StoredSortValue {
  return isNumber(order, sortValue) ? beginningOfDouble(sortValue) : sortValue;
}

function isNumber(order: Order, value: StoredSortValue | undefined): value is number {
  return order.by === 'value' && order.rows.domain === 'number' && typeof value === 'number';
}

/** The position before all matches with this value, in the direction of reading. Throws invalidCursor. */
function beginningOf(order: Order, first: SortValue, isBackward: boolean): Position {
  const stored = order.by === 'value' ? toStoredValue(order, first) : first;
  const isDescending = order.descending !== isBackward;
  // A range that is open at its beginning lies above the value.
  const sortValue = isNumber(order, stored) && isDescending ? nextAbove(stored) : stored;
  if (sortValue === undefined || (order.by !== 'value' && typeof sortValue !== 'number'))
    throw fhirError('invalidCursor');
  const key = isDescending ? LAST_KEY : FIRST_KEY;
  const phase = order.by !== 'value' ? 'all' : sortValue === null ? 'unvalued' : 'valued';
  return { phase, after: { sortValue, key } };
}
