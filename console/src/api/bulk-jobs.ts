/**
 * The exports and imports that a person has begun, in this browser: the server tells a job to those who know its id. They
 * belong to the account, and end with the sign-out.
 */
import { useSyncExternalStore } from 'react';
import type { Space } from '../place';
import { accountIn } from './session';

export interface BegunJob {
  readonly id: string;
  readonly kind: 'export' | 'import';
  /** What was asked for, in words. */
  readonly title: string;
  /** ISO 8601. */
  readonly at: string;
  /** The account (`accountIn`). */
  readonly by: string;
}

const PREFIX = 'andiron/bulk/';
const MOST = 30;
const NONE: readonly BegunJob[] = [];
const keyOf = ({ tenant, release }: Space): string => `${PREFIX}${tenant}/${release}`;
const listeners = new Set<() => void>();
/** What was read last, so that the same text is the same list. */
const parsed = new Map<
  string,
  { readonly text: string; readonly by: string; readonly list: readonly BegunJob[] }
>();

function readAll(space: Space): readonly BegunJob[] {
  const key = keyOf(space);
  const text = localStorage.getItem(key);
  if (text === null) return NONE;
  const by = accountIn(space);
  const before = parsed.get(key);
  if (before?.text === text && before.by === by) return before.list;
  // Only this module writes these keys.
  const list = (JSON.parse(text) as readonly BegunJob[]).filter((job) => job.by === by);
  parsed.set(key, { text, by, list });
  return list;
}

function write(space: Space, list: readonly BegunJob[]): void {
  localStorage.setItem(keyOf(space), JSON.stringify(list.slice(0, MOST)));
  for (const notify of listeners) notify();
}

/** Keeps a job, as the newest of at most 30. */
export function keepBulkJob(space: Space, job: Pick<BegunJob, 'id' | 'kind' | 'title'>): void {
  const kept = { ...job, at: new Date().toISOString(), by: accountIn(space) };
  write(space, [kept, ...readAll(space)]);
}

export function dropBulkJob(space: Space, id: string): void {
  write(
    space,
    readAll(space).filter((job) => job.id !== id),
  );
}

/** Drops all jobs of a tenant, when the person signs out. */
export function dropBulkJobsOf(tenant: string): void {
  for (const key of Object.keys(localStorage))
    if (key.startsWith(`${PREFIX}${tenant}/`)) localStorage.removeItem(key);
  for (const notify of listeners) notify();
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify);
  return () => listeners.delete(notify);
}

/** The jobs of the person, newest first. */
export function useBulkJobs(space: Space): readonly BegunJob[] {
  return useSyncExternalStore(subscribe, () => readAll(space));
}
