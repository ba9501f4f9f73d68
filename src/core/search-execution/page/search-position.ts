/** Where a page of a search begins, and the cursors that say so. */
import type { SearchPage } from '../../api/search';
import { openCursor, sealCursor, type CursorContent } from './cursor';
import { fhirError } from '../../errors';
import { doubleOfSortText, sortTextOfDouble } from '../../fhir/exact-number';
import type { SearchQuery } from '../../search/parse-search';
import type { ValueOrder } from '../../search/order';
import type { SortValue } from '../../search/sort-value';
import type { Services } from '../../ports';
import type { After, Phase, StoredSortValue } from '../../storage/search/search-order';
import type { MatchHead } from '../../storage/search/search-run';
import type { Plan } from '../plan/plan';

/** A place among the matches of one type. */
export interface Position {
  readonly phase: Phase;
  readonly after: After;
}

/** What has no sort value comes last in both directions: a second range, where the first does not end with them. */
export function phasesOf({ order, accessPath }: Plan): readonly Phase[] {
  const separate =
    order.by === 'value' ||
    (order.by === 'sort_date' && (!order.descending || accessPath.kind === 'dateScan'));
  return separate ? ['valued', 'unvalued'] : ['all'];
}

/** The place behind a match. */
export function afterOf({ sortValue, keyText }: Pick<MatchHead, 'sortValue' | 'keyText'>): After {
  return { sortValue, key: keyText };
}

/** All there are, to find that of a cursor. */
export const PHASES: readonly Phase[] = ['all', 'valued', 'unvalued'];

/** The content of a cursor behind a match. By the values of a parameter it is that of `searchSorted`. */
export function contentOf({ order }: Plan, { phase, after }: Position): CursorContent {
  return order.by === 'value'
    ? [toSortValue(order, after.sortValue), after.key]
    : [phase, after.sortValue, after.key];
}

/** Stands first in cursors of pages that end before a place, or at the end of all; no value of a resource has a NUL. */
const BACKWARD = '\0before';

/** The way in which a page is walked, from its first match to its last. */
export interface Walk {
  /** True: from the end of the page to its beginning. */
  readonly isBackward: boolean;
  /** Whether there are matches on the side that it begins at. */
  readonly hasBehind: boolean;
}

/** What was met on a walk, as it lies in the order. */
export function inOrder<T>(met: readonly T[], { isBackward }: Walk): readonly T[] {
  return isBackward ? [...met].reverse() : met;
}

/** Where a page begins that a cursor names; `content` is undefined for one that begins at the end of all. */
export interface OpenedCursor extends Walk {
  readonly content: CursorContent | undefined;
}

/** Throws invalidCursor. */
export function openPage(
  services: Pick<Services, 'secretKeys'>,
  cursorScope: string,
  cursor: string,
): OpenedCursor {
  const content = openCursor(services.secretKeys, cursorScope, cursor);
  if (content[0] !== BACKWARD) return { isBackward: false, hasBehind: true, content };
  const place = content.slice(1);
  const isAtEnd = place.length === 0;
  return { isBackward: true, hasBehind: !isAtEnd, content: isAtEnd ? undefined : place };
}

/** Where a page lies: what stands in cursors behind its matches. */
export interface PagePlaces {
  /** Of the match that was met first; undefined: there is none. */
  readonly first: CursorContent | undefined;
  readonly last: CursorContent | undefined;
  /** Of each, as they were met. */
  each(): readonly CursorContent[];
}

export function sealEach(
  keys: Services['secretKeys'],
  cursorScope: string,
  contents: readonly CursorContent[],
): readonly string[] {
  return contents.map((content) => sealCursor(keys, cursorScope, content));
}

/** The cursors of a page; `first` and `last` say the places of its matches as it was walked, `more`: there are others ahead. */
export function pageLinks(
  { secretKeys }: Pick<Services, 'secretKeys'>,
  {
    cursorScope,
    pick: { bothWays, eachCursor },
    walk,
    places,
    more,
  }: {
    readonly cursorScope: string;
    readonly pick: Pick<SearchQuery, 'bothWays' | 'eachCursor'>;
    readonly walk: Walk;
    readonly places: PagePlaces;
    readonly more: boolean;
  },
): Pick<SearchPage, 'next' | 'previous' | 'last' | 'cursors'> {
  const { isBackward, hasBehind } = walk;
  const ahead = more ? places.last : undefined;
  // What lay there may be gone; the way back is from the end then.
  const behind = hasBehind ? (places.first ?? []) : undefined;
  const [after, before] = isBackward ? [behind, ahead] : [ahead, behind];
  return {
    ...(after !== undefined && after.length > 0 ? { next: sealCursor(secretKeys, cursorScope, after) } : {}),
    ...(bothWays && before !== undefined
      ? { previous: sealCursor(secretKeys, cursorScope, [BACKWARD, ...before]) }
      : {}),
    ...(bothWays ? { last: sealCursor(secretKeys, cursorScope, [BACKWARD]) } : {}),
    ...(eachCursor ? { cursors: sealEach(secretKeys, cursorScope, inOrder(places.each(), walk)) } : {}),
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

/** What the texts of resources give for what a column holds (search/sort-value.ts). */
function toSortValue({ rows }: ValueOrder, stored: StoredSortValue): SortValue {
  return rows.domain === 'number' && typeof stored === 'number' ? sortTextOfDouble(stored) : stored;
}

/** What a column holds of a value of the order; undefined: it is none. */
export function toStoredValue({ rows }: ValueOrder, value: SortValue): StoredSortValue | undefined {
  if (value === null) return null;
  if (rows.domain === 'date') return typeof value === 'number' ? value : undefined;
  if (typeof value !== 'string') return undefined;
  return rows.domain === 'number' ? doubleOfSortText(value) : value;
}
