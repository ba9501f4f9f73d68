import { isCounted, type SearchQuery } from '../../search/parse-search';
import type { Services } from '../../ports';
import { runCountedPage } from '../../storage/search/counted-page';
import type { Match } from '../../storage/search/match';
import type { Phase } from '../../storage/search/search-order';
import { runKeys } from '../../storage/search/search-run';
import { MAX_TOTAL } from '../aggregates/count-matches';
import type { Plan } from '../plan/plan';
import {
  afterOf,
  openPage,
  openPosition,
  phasesOf,
  type Position,
  type ReadDirection,
} from './search-position';

/** A match, and the phase of the order in which it was found. */
export interface Positioned {
  readonly phase: Phase;
  readonly match: Match;
}

export interface Found extends ReadDirection {
  /** In the order in which they were found. */
  readonly matches: readonly Positioned[];
  /** Set if it costs nothing or came with the matches. */
  readonly total?: number | undefined;
}

/**
 * The matches of the page and one more, with the total if one statement gives both. `singleStatement`: one statement
 * at most; undefined if that does not suffice.
 */
export async function findMatches(
  services: Pick<Services, 'database' | 'hasStatementBudget' | 'searches' | 'secretKeys'>,
  {
    plan,
    query,
    cursorScope,
    singleStatement,
  }: {
    readonly plan: Plan;
    readonly query: SearchQuery;
    readonly cursorScope: string;
    readonly singleStatement: boolean;
  },
): Promise<Found | undefined> {
  const { cursor, offset, count } = query;
  const opened = cursor === undefined ? undefined : openPage(services, cursorScope, cursor);
  const { isBackward, hasBehind } = opened ?? { isBackward: false, hasBehind: offset > 0 };
  const direction = { isBackward, hasBehind };
  const isInParts = phasesOf(plan).length > 1 || (opened === undefined && offset > 0);
  if (services.hasStatementBudget === true && isInParts) return findInOneStatement();
  const position =
    opened === undefined
      ? await skipTo(services, plan, offset)
      : opened.content && openPosition(plan, opened.content);
  if (position === 'end') return { ...direction, matches: [] };
  const isWholeOrder = position === undefined && !isBackward;
  const limit = count + 1;
  const found: Positioned[] = [];
  const phases = phasesOf(plan);
  const [only] = phases;
  if (isCounted(query) && only !== undefined && phases.length === 1) {
    const all = { ...plan, phase: only, after: undefined, limit: MAX_TOTAL };
    const page = { ...all, after: position?.after, limit, isBackward };
    const { matches, total } = await runCountedPage(services.database, page, all, isWholeOrder ? limit : 1);
    const isWhole = isWholeOrder && matches.length < limit;
    return {
      ...direction,
      matches: matches.map((match) => ({ phase: only, match })),
      total: isWhole ? matches.length : total,
    };
  }
  if (singleStatement && isCounted(query)) return undefined;
  const phasesInOrder = isBackward ? [...phases].reverse() : phases;
  const start = position === undefined ? 0 : Math.max(0, phasesInOrder.indexOf(position.phase));
  for (const [index, phase] of phasesInOrder.slice(start).entries()) {
    if (singleStatement && index > 0) return undefined;
    const after = position?.phase === phase ? position.after : undefined;
    const request = { ...plan, phase, after, limit: limit - found.length, isBackward };
    const matches = await services.searches.page(request);
    found.push(...matches.map((match) => ({ phase, match })));
    if (found.length >= limit) break;
  }
  return {
    ...direction,
    matches: found,
    ...(isWholeOrder && found.length < limit ? { total: found.length } : {}),
  };

  async function findInOneStatement(): Promise<Found> {
    const skipped = opened === undefined ? offset : 0;
    const position = opened?.content && openPosition(plan, opened.content);
    const phases = isBackward ? [...phasesOf(plan)].reverse() : phasesOf(plan);
    const limit = count + 1;
    const ranges = phases.slice(position === undefined ? 0 : Math.max(0, phases.indexOf(position.phase)));
    const matched = await services.searches.ranges(
      ranges.map((phase, index) => ({
        ...plan,
        phase,
        after: index === 0 ? position?.after : undefined,
        limit: skipped + limit,
        isBackward,
      })),
      skipped,
    );
    const matches = matched.flatMap(({ place, match }) => {
      const phase = ranges[place];
      return phase === undefined ? [] : [{ phase, match }];
    });
    const isWhole = position === undefined && !isBackward && skipped === 0 && matches.length < limit;
    return { ...direction, matches, ...(isWhole ? { total: matches.length } : {}) };
  }
}

/** The position behind the first `offset` matches; undefined: before all matches, 'end': behind all. */
async function skipTo(
  services: Pick<Services, 'database'>,
  plan: Plan,
  offset: number,
): Promise<Position | 'end' | undefined> {
  let left = offset;
  if (left === 0) return undefined;
  for (const phase of phasesOf(plan)) {
    const heads = await runKeys(services.database, { ...plan, phase, after: undefined, limit: left });
    const last = heads.at(-1);
    if (last !== undefined && heads.length === left) {
      return { phase, after: afterOf(last) };
    }
    left -= heads.length;
  }
  return 'end';
}
