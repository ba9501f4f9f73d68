/** The searches that a person has saved in this browser. They stay there until the person removes them. */
import { useSyncExternalStore } from 'react';
import { accountIn } from '../../../api/session';
import type { Space } from '../../../place';

export interface SavedSearch {
  readonly name: string;
  readonly type: string;
  /** A query string without a question mark. */
  readonly query: string;
}

const MOST = 100;
const NONE: readonly SavedSearch[] = [];
const listeners = new Set<() => void>();
const parsed = new Map<string, { readonly text: string; readonly list: readonly SavedSearch[] }>();

/** Another person of the same browser has other ones. */
function keyOf(space: Space): string {
  return `andiron/searches/${space.tenant}/${accountIn(space)}`;
}

function read(space: Space): readonly SavedSearch[] {
  const key = keyOf(space);
  const text = localStorage.getItem(key);
  if (text === null) return NONE;
  const before = parsed.get(key);
  if (before?.text === text) return before.list;
  // Only this module writes these keys.
  const list = JSON.parse(text) as readonly SavedSearch[];
  parsed.set(key, { text, list });
  return list;
}

function write(space: Space, list: readonly SavedSearch[]): void {
  localStorage.setItem(keyOf(space), JSON.stringify(list.slice(0, MOST)));
  for (const notify of listeners) notify();
}

const isSame = (one: SavedSearch, other: SavedSearch): boolean =>
  one.name === other.name && one.type === other.type;

/** Saves a search, in place of one with the same name. */
export function saveOwn(space: Space, search: SavedSearch): void {
  write(space, [search, ...read(space).filter((each) => !isSame(each, search))]);
}

export function removeOwn(space: Space, search: SavedSearch): void {
  write(
    space,
    read(space).filter((each) => !isSame(each, search)),
  );
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify);
  return () => listeners.delete(notify);
}

export function useOwnSearches(space: Space): readonly SavedSearch[] {
  return useSyncExternalStore(subscribe, () => read(space));
}
