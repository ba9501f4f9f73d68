/**
 * The requests that a person has sent from the REST console, in the storage of the tab: paths and bodies may name patients,
 * so they end with the tab and with the sign-out, and nobody else gets them.
 */
import { useSyncExternalStore } from 'react';
import { accountIn } from '../api/session';
import type { Space } from '../place';
import type { Header } from './headers';

export interface RestRequest {
  readonly method: string;
  /** Below the FHIR root, as it was typed. */
  readonly path: string;
  readonly headers: readonly Header[];
  readonly body: string;
}

export interface SentBefore extends RestRequest {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  /** 0: the server was not reached. */
  readonly status: number;
  readonly ms: number;
  /** True: the body was too long to be kept. */
  readonly isCut: boolean;
  /** The account (`accountIn`). */
  readonly by: string;
}

const PREFIX = 'andiron/requests/';
const MOST = 50;
const MOST_BODY = 20_000;
const NONE: readonly SentBefore[] = [];

const keyOf = ({ tenant, release }: Space): string => `${PREFIX}${tenant}/${release}`;
const listeners = new Set<() => void>();
/** What was read last, so that the same text is the same list to the same person. */
const parsed = new Map<
  string,
  { readonly text: string; readonly reader: string; readonly list: readonly SentBefore[] }
>();

function readAll(space: Space): readonly SentBefore[] {
  const key = keyOf(space);
  const text = sessionStorage.getItem(key);
  if (text === null) return NONE;
  const reader = accountIn(space);
  const before = parsed.get(key);
  if (before?.text === text && before.reader === reader) return before.list;
  // Only this module writes these keys.
  const list = (JSON.parse(text) as readonly SentBefore[]).filter(({ by }) => by === reader);
  parsed.set(key, { text, reader, list });
  return list;
}

function write(space: Space, list: readonly SentBefore[]): void {
  try {
    sessionStorage.setItem(keyOf(space), JSON.stringify(list));
  } catch {
    // The storage is full: the newest alone may still fit, and the request was sent in any case.
    sessionStorage.removeItem(keyOf(space));
  }
  for (const notify of listeners) notify();
}

/** Keeps a request, as the newest of at most 50. */
export function keepRequest(
  space: Space,
  request: RestRequest,
  answer: { readonly status: number; readonly ms: number },
): void {
  const isCut = request.body.length > MOST_BODY;
  const kept: SentBefore = {
    ...request,
    ...answer,
    id: crypto.randomUUID(),
    at: new Date().toISOString(),
    body: isCut ? '' : request.body,
    isCut,
    by: accountIn(space),
  };
  write(space, [kept, ...readAll(space)].slice(0, MOST));
}

/** Drops all requests to a space. */
export function dropRequests(space: Space): void {
  sessionStorage.removeItem(keyOf(space));
  for (const notify of listeners) notify();
}

/** Drops all requests to a tenant, when the person signs out. */
export function dropRequestsTo(tenant: string): void {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(`${PREFIX}${tenant}/`)) sessionStorage.removeItem(key);
  for (const notify of listeners) notify();
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify);
  return () => listeners.delete(notify);
}

/** The requests of the person, newest first. */
export function useRequests(space: Space): readonly SentBefore[] {
  return useSyncExternalStore(subscribe, () => readAll(space));
}
