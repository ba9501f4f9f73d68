/** Texts that people have changed and not saved. They stay in the memory of the page while other screens are shown. */
import { useSyncExternalStore } from 'react';
import type { JsonObject } from '../api/json';
import type { Space } from '../place';

export interface Draft {
  readonly text: string;
  /** The version that the text began with; undefined: a new record. */
  readonly base: JsonObject | undefined;
}

const drafts = new Map<string, Draft>();
const listeners = new Set<() => void>();

/** `address`: `Patient/example`, or `Patient` for a new one. */
const keyOf = ({ tenant, release }: Space, address: string): string => `${tenant}/${release}/${address}`;

function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** Keeps or, with undefined, drops a draft. While there is one, the browser asks before it leaves the page. */
export function keepDraft(space: Space, address: string, draft: Draft | undefined): void {
  const key = keyOf(space, address);
  if (draft === undefined) drafts.delete(key);
  else drafts.set(key, draft);
  if (drafts.size > 0) addEventListener('beforeunload', warn);
  else removeEventListener('beforeunload', warn);
  for (const notify of listeners) notify();
}

export function draftOf(space: Space, address: string): Draft | undefined {
  return drafts.get(keyOf(space, address));
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify);
  return () => listeners.delete(notify);
}

/** The draft, and each later one. */
export function useDraft(space: Space, address: string): Draft | undefined {
  return useSyncExternalStore(subscribe, () => draftOf(space, address));
}
