import { useSyncExternalStore } from 'react';
import { onSessionChange, personOf, type Person } from '../api/session';
import type { Space } from '../place';

/** The person who has signed in to a space; undefined: nobody. */
export function usePerson(space: Space): Person | undefined {
  const text = useSyncExternalStore(onSessionChange, () => JSON.stringify(personOf(space) ?? null));
  return (JSON.parse(text) as Person | null) ?? undefined;
}
