import { isCounted } from '../../search/requests/parse-search';
import type { Services } from '../../ports';
import { runCountedPage } from '../../storage/search/counted-page';
import type { Match } from '../../storage/search/match';
import type { Phase } from '../../storage/search/search-order';
import { runKeys } from '../../storage/search/search-run';
import { MAX_TOTAL } from '../aggregates/count-matches';
import type { Plan } from '../plan/plan';
import type { PlannedSearch } from './strategy';
import {
  afterOf,
  openPage,
  openPosition,
  phasesOf,
  type Position,
  type ReadDirection,
} from '../page/search-position';

/** A match, and the phase of the order in which it was found. */
export interface PhasedMatch {
  readonly phase: Phase;
  readonly match: Match;
}

export interface FoundPage extends ReadDirection {
  /** In the order in which they were found. */
  readonly matches: readonly PhasedMatch[];
  /** Set if it costs nothing or came with the matches. */
  readonly total?: number | undefined;
}

/** A search with a plan. */
type Planned = Pick<PlannedSearch, 'query' | 'cursorScope'> & { readonly plan: Plan };

/** The part of a search to read, from its cursor or offset. */
interface Part extends ReadDirection {
  /** Matches to skip from the beginning. */
  readonly skipped: number;
  /** Undefined: from the beginning, or backward from the end. */
  readonly position: Position | undefined;
  /** The phases to read, in the direction of reading. */
  readonly phases: readonly Phase[];
}

/**
 * The matches of the page and one more, with the total if one statement gives both.
 * Cost: a statement for each phase that is read; one in all with a statement budget. Throws invalidCursor.
 */
export async function findInOrder(
  services: Pick<Services, 'database' | 'scope' | 'searches' | 'secretKeys'>,
  { plan, query, cursorScope }: Planned,
): Promise<FoundPage> {
  const part = toPart(services, { plan, query, cursorScope });
  const limit = query.count + 1;
  const isInParts = phasesOf(plan).length > 1 || part.skipped > 0;
  if (services.scope.hasStatementBudget && isInParts) return findInRanges(services, plan, part, limit);
  if (part.skipped === 0) return findFrom(services, { plan, query }, part);
  const position = await skipTo(services, plan, part.skipped);
  if (position === 'end') return { ...directionOf(part), matches: [] };
  return findFrom(services, { plan, query }, { ...part, ...startingAt(part.phases, position) });
}

/**
 * The same by one statement; undefined if it does not suffice, because there may be matches in another phase or because
 * the total was not counted.
 */
export async function findInOneStatement(
  services: Pick<Services, 'database' | 'searches' | 'secretKeys'>,
  { plan, query, cursorScope }: Planned,
): Promise<FoundPage | undefined> {
  const part = toPart(services, { plan, query, cursorScope });
  const [phase, ...others] = part.phases;
  const found = await findFrom(
    services,
    { plan, query },
    { ...part, phases: phase === undefined ? [] : [phase] },
  );
  if (isCounted(query)) return found.total === undefined ? undefined : found;
  return found.matches.length > query.count || others.length === 0 ? found : undefined;
}

async function findFrom(
  services: Pick<Services, 'database' | 'searches'>,
  { plan, query }: Pick<Planned, 'plan' | 'query'>,
  part: Part,
): Promise<FoundPage> {
  const limit = query.count + 1;
  const [only, ...others] = phasesOf(plan);
  const isWholeOrder = isFromBeginning(part);
  if (isCounted(query) && only !== undefined && others.length === 0) {
    const all = { ...plan, phase: only, after: undefined, limit: MAX_TOTAL };
    const page = { ...all, after: part.position?.after, limit, isBackward: part.isBackward };
    const { matches, total } = await runCountedPage(services.database, page, all, isWholeOrder ? limit : 1);
    const isWhole = isWholeOrder && matches.length < limit;
    return {
      ...directionOf(part),
      matches: matches.map((match) => ({ phase: only, match })),
      total: isWhole ? matches.length : total,
    };
  }
  const matches = await readPhases(services, plan, part, limit);
  return {
    ...directionOf(part),
    matches,
    ...(isWholeOrder && matches.length < limit ? { total: matches.length } : {}),
  };
}

/** Reads one phase after the other until there are enough matches. */
async function readPhases(
  { searches }: Pick<Services, 'searches'>,
  plan: Plan,
  { position, phases, isBackward }: Part,
  limit: number,
): Promise<PhasedMatch[]> {
  const found: PhasedMatch[] = [];
  for (const phase of phases) {
    const after = position?.phase === phase ? position.after : undefined;
    const matches = await searches.page({ ...plan, phase, after, limit: limit - found.length, isBackward });
    found.push(...matches.map((match) => ({ phase, match })));
    if (found.length >= limit) break;
  }
  return found;
}

async function findInRanges(
  { searches }: Pick<Services, 'searches'>,
  plan: Plan,
  part: Part,
  limit: number,
): Promise<FoundPage> {
  const { position, phases, isBackward, skipped } = part;
  const met = await searches.ranges(
    phases.map((phase, index) => ({
      ...plan,
      phase,
      after: index === 0 ? position?.after : undefined,
      limit: skipped + limit,
      isBackward,
    })),
    skipped,
  );
  const matches = met.flatMap(({ place, match }) => {
    const phase = phases[place];
    return phase === undefined ? [] : [{ phase, match }];
  });
  const isWhole = isFromBeginning(part) && skipped === 0 && matches.length < limit;
  return { ...directionOf(part), matches, ...(isWhole ? { total: matches.length } : {}) };
}

/** Throws invalidCursor. */
function toPart(services: Pick<Services, 'secretKeys'>, { plan, query, cursorScope }: Planned): Part {
  const opened = openPage(services, cursorScope, query);
  if (opened === undefined)
    return {
      isBackward: false,
      hasBehind: query.offset > 0,
      skipped: query.offset,
      position: undefined,
      phases: phasesOf(plan),
    };
  const { isBackward, hasBehind, content } = opened;
  const phases = isBackward ? [...phasesOf(plan)].reverse() : phasesOf(plan);
  return {
    ...{ isBackward, hasBehind, skipped: 0 },
    ...startingAt(phases, content && openPosition(plan, content)),
  };
}

/** The phases from that of the position on. */
function startingAt(
  phases: readonly Phase[],
  position: Position | undefined,
): Pick<Part, 'position' | 'phases'> {
  const start = position === undefined ? 0 : Math.max(0, phases.indexOf(position.phase));
  return { position, phases: phases.slice(start) };
}

function isFromBeginning({ position, isBackward }: Part): boolean {
  return position === undefined && !isBackward;
}

function directionOf({ isBackward, hasBehind }: Part): ReadDirection {
  return { isBackward, hasBehind };
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
