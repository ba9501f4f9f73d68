/**
 * Texts that people have changed and not saved. They stay while other screens are shown, and when the page is loaded again,
 * in the storage of the tab, which ends with it. Only the person who wrote a text gets it back.
 */
import { useSyncExternalStore } from 'react';
import { parseJson, startOfJson, type JsonObject } from '../api/json';
import { accountIn } from '../api/session';
import type { Space } from '../place';

export interface Draft {
  readonly text: string;
  /** The version that the text began with; undefined: a new record. */
  readonly base: JsonObject | undefined;
}

interface KeptDraft extends Draft {
  /** The account (`accountIn`). */
  readonly by: string;
}

const PREFIX = 'andiron/draft/';
/** Characters; longer texts stay in memory only, because to store them at each key would take too long. */
const LONGEST_STORED = 500_000;
/** The JSON of versions that drafts began with, as far as it is stored. */
const bases = new WeakMap<JsonObject, ReturnType<typeof startOfJson>>();
const drafts = new Map<string, KeptDraft>(readStored());
const listeners = new Set<() => void>();
updateWarning();

/** `address`: `Patient/example`, or `Patient` for a new one. */
const keyOf = ({ tenant, release }: Space, address: string): string => `${tenant}/${release}/${address}`;

function readStored(): readonly (readonly [string, KeptDraft])[] {
  return Object.keys(sessionStorage)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => {
      // Only this module writes these keys.
      const stored = JSON.parse(sessionStorage.getItem(name) ?? '{}') as {
        by: string;
        text: string;
        base: string | null;
      };
      const base = stored.base === null ? undefined : (parseJson(stored.base) as JsonObject);
      return [name.slice(PREFIX.length), { ...stored, base }];
    });
}

/** JSON of the base as a text, so that its decimals keep their digits. */
function printBase(base: JsonObject): ReturnType<typeof startOfJson> {
  const printed = bases.get(base) ?? startOfJson(base, LONGEST_STORED);
  bases.set(base, printed);
  return printed;
}

function store(key: string, { by, text, base }: KeptDraft): void {
  const printed = base === undefined ? undefined : printBase(base);
  if (text.length > LONGEST_STORED || printed?.isWhole === false) {
    sessionStorage.removeItem(PREFIX + key);
    return;
  }
  try {
    const value = { by, text, base: printed?.text ?? null };
    sessionStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // A text above the size of the storage stays in memory; the browser asks before it leaves the page.
    sessionStorage.removeItem(PREFIX + key);
  }
}

function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** While there is a draft, the browser asks before it leaves the page: the tab may be closed. */
function updateWarning(): void {
  if (drafts.size > 0) window.addEventListener('beforeunload', warn);
  else window.removeEventListener('beforeunload', warn);
}

function drop(key: string): void {
  drafts.delete(key);
  sessionStorage.removeItem(PREFIX + key);
}

function tell(): void {
  updateWarning();
  for (const notify of listeners) notify();
}

/** Keeps or, with undefined, drops a draft. */
export function keepDraft(space: Space, address: string, draft: Draft | undefined): void {
  const key = keyOf(space, address);
  if (draft === undefined) drop(key);
  else {
    const kept = { ...draft, by: accountIn(space) };
    drafts.set(key, kept);
    store(key, kept);
  }
  tell();
}

/** Drops all drafts of a tenant, when the person signs out. */
export function dropDrafts(tenant: string): void {
  for (const key of [...drafts.keys()]) if (key.startsWith(`${tenant}/`)) drop(key);
  tell();
}

/** True: texts of the tenant are not saved. */
export function useHasDrafts(tenant: string): boolean {
  return useSyncExternalStore(subscribe, () =>
    [...drafts.keys()].some((key) => key.startsWith(`${tenant}/`)),
  );
}

export function draftOf(space: Space, address: string): Draft | undefined {
  const draft = drafts.get(keyOf(space, address));
  return draft?.by === accountIn(space) ? draft : undefined;
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify);
  return () => listeners.delete(notify);
}

/** The draft, and each later one. */
export function useDraft(space: Space, address: string): Draft | undefined {
  return useSyncExternalStore(subscribe, () => draftOf(space, address));
}
