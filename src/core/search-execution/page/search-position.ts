/** Positions in search results, and the cursors that encode them. */
import type { SearchPage } from '../../api/search';
import type { SearchRequest } from '../../search/requests/search-request';
import { openCursor, sealCursor, type CursorContent } from './cursor';
import { fhirError } from '../../errors';
import { doubleOfSortText, sortTextOfDouble } from '../../fhir/exact-number';
import type { SearchQuery } from '../../search/requests/parse-search';
import type { ValueOrder } from '../../search/sort/order';
import type { SortValue } from '../../search/sort/sort-value';
import type { Services } from '../../ports';
import type { After, Phase, StoredSortValue } from '../../storage/search/search-order';
import type { MatchHead } from '../../storage/search/search-run';
import type { Plan } from '../plan/plan';

/** A position among the matches of one type. */
export interface Position {
  readonly phase: Phase;
  readonly after: After;
}

/** Phases of an order. Matches without a sort value come last in both directions, in a second range if necessary. */
export function phasesOf({ order, accessPath }: Plan): readonly Phase[] {
  const separate =
    order.by === 'value' ||
    (order.by === 'sort_date' && (!order.descending || accessPath.kind === 'dateScan'));
  return separate ? ['valued', 'unvalued'] : ['all'];
}

/** The position behind a match. */
export function afterOf({ sortValue, keyText }: Pick<MatchHead, 'sortValue' | 'keyText'>): After {
  return { sortValue, key: keyText };
}

/** All phases, to find the one of a cursor. */
export const PHASES: readonly Phase[] = ['all', 'valued', 'unvalued'];

/** The content of a cursor behind a match. For an order by values it equals that of `sortedPage`. */
export function contentOf({ order }: Plan, { phase, after }: Position): CursorContent {
  return order.by === 'value'
    ? [toSortValue(order, after.sortValue), after.key]
    : [phase, after.sortValue, after.key];
}

/** First element of cursors of pages before a position, or at the end of all; no value of a resource has a NUL. */
const BACKWARD = '\0before';

/** The direction in which a page is read, from its first match to its last. */
export interface ReadDirection {
  /** True: from the end of the page to its beginning. */
  readonly isBackward: boolean;
  /** True: there are matches before the first one that is read. */
  readonly hasBehind: boolean;
}

/** The matches in the search order. */
export function inOrder<T>(matches: readonly T[], { isBackward }: ReadDirection): readonly T[] {
  return isBackward ? [...matches].reverse() : matches;
}

/** The position of a cursor; `content` is undefined for a page at the end of all matches. */
export interface OpenedCursor extends ReadDirection {
  readonly content: CursorContent | undefined;
}

/** The position of a search's cursor; undefined at the beginning of all matches. Throws invalidCursor. */
export function openPage(
  services: Pick<Services, 'secretKeys'>,
  cursorScope: string,
  { cursor, isBackward }: Pick<SearchQuery, 'cursor' | 'isBackward'>,
): OpenedCursor | undefined {
  if (cursor === undefined)
    return isBackward ? { isBackward, hasBehind: false, content: undefined } : undefined;
  const content = openCursor(services.secretKeys, cursorScope, cursor);
  if (content[0] !== BACKWARD) return { isBackward, hasBehind: true, content };
  const place = content.slice(1);
  const isAtEnd = place.length === 0;
  return { isBackward: true, hasBehind: !isAtEnd, content: isAtEnd ? undefined : place };
}

/** Cursor contents for the matches of a page. */
export interface PageCursors {
  /** The cursor of the match that was read first; undefined: there is none. */
  readonly first: CursorContent | undefined;
  readonly last: CursorContent | undefined;
  /** The cursors of all matches, in the order of reading. */
  each(): readonly CursorContent[];
}

export function sealEach(
  keys: Services['secretKeys'],
  cursorScope: string,
  contents: readonly CursorContent[],
): readonly string[] {
  return contents.map((content) => sealCursor(keys, cursorScope, content));
}

/** A page whose cursors are made. */
export interface LinkedPage {
  readonly cursorScope: string;
  readonly pick: Pick<SearchQuery, 'bothWays' | 'eachCursor'>;
  readonly direction: ReadDirection;
  readonly places: PageCursors;
  readonly more: boolean;
}

/** The cursors of a page. `places` are in the order of reading; `more`: there are further matches in that direction. */
export function pageLinks(
  { secretKeys }: Pick<Services, 'secretKeys'>,
  { cursorScope, pick: { bothWays, eachCursor }, direction, places, more }: LinkedPage,
): Pick<SearchPage, 'next' | 'previous' | 'last' | 'cursors'> {
  const { isBackward, hasBehind } = direction;
  const ahead = more ? places.last : undefined;
  // The matches behind may have been deleted; the cursor back is then the end of all matches.
  const behind = hasBehind ? (places.first ?? []) : undefined;
  const [after, before] = isBackward ? [behind, ahead] : [ahead, behind];
  return {
    ...(after !== undefined && after.length > 0 ? { next: sealCursor(secretKeys, cursorScope, after) } : {}),
    ...(bothWays && before !== undefined
      ? { previous: sealCursor(secretKeys, cursorScope, [BACKWARD, ...before]) }
      : {}),
    ...(bothWays ? { last: sealCursor(secretKeys, cursorScope, [BACKWARD]) } : {}),
    ...(eachCursor ? { cursors: sealEach(secretKeys, cursorScope, inOrder(places.each(), direction)) } : {}),
  };
}

/** Throws invalidCursor. */
export function openPosition(plan: Plan, content: CursorContent): Position {
  return plan.order.by === 'value' ? openValue(plan.order, content) : openPhase(content);
}

function openPhase([name, sortValue, key]: CursorContent): Position {
  const phase = PHASES.find((candidate) => candidate === name);
  if (
    phase === undefined ||
    typeof key !== 'string' ||
    typeof sortValue === 'string' ||
    sortValue === undefined
  ) {
    throw fhirError('invalidCursor');
  }
  return { phase, after: { sortValue, key } };
}

function openValue(order: ValueOrder, [value, key, ...further]: CursorContent): Position {
  const sortValue = value === undefined ? undefined : toStoredValue(order, value);
  if (sortValue === undefined || typeof key !== 'string' || further.length > 0)
    throw fhirError('invalidCursor');
  return { phase: sortValue === null ? 'unvalued' : 'valued', after: { sortValue, key } };
}

/** The sort value in cursors and from resource texts (search/sort/sort-value.ts) for a value of a column. */
function toSortValue({ rows }: ValueOrder, stored: StoredSortValue): SortValue {
  return rows.domain === 'number' && typeof stored === 'number' ? sortTextOfDouble(stored) : stored;
}

/** The value of a column for a sort value; undefined: it is no value of this order. */
export function toStoredValue({ rows }: ValueOrder, value: SortValue): StoredSortValue | undefined {
  if (value === null) return null;
  if (rows.domain === 'date') return typeof value === 'number' ? value : undefined;
  if (typeof value !== 'string') return undefined;
  return rows.domain === 'number' ? doubleOfSortText(value) : value;
}

/** Throws `notSupported` for a page before a position. */
export function refuseBackward({ isBackward }: Pick<SearchRequest, 'isBackward'>): void {
  if (isBackward === true)
    throw fhirError('notSupported', {
      reason: 'Pages of this search go forward only: use first and after',
    });
}
