/** Live queries: the server reports changes by server-sent events. */
import { createClient } from 'graphql-sse';
import { useEffect, useEffectEvent, useState } from 'react';
import { execute } from './gateway';
import { graphql } from './gql';
import { address, credentials } from './sign-in';
import type { ChangesSubscription, ChangesSubscriptionVariables, ResourceType } from './gql/graphql';

const SEQUENCE = graphql(`
  query Sequence {
    versionSequence
  }
`);

const CHANGES = graphql(`
  subscription Changes($type: ResourceType!, $query: String, $after: SafeInt) {
    resourceChanged(type: $type, query: $query, after: $after) {
      action
      id
      sequence
    }
  }
`);

const RETRY_MS = 1_000;

const client = createClient({
  url: `${address}/stream`,
  headers: credentials,
  retryAttempts: Infinity,
  // Spreads the pages when the server is back.
  retry: () => new Promise((resolve) => setTimeout(resolve, RETRY_MS * (1 + Math.random()))),
});

/** The number of the last change. Read it before a query and pass it to `useChanges`, so that no change is missed. */
export async function lastSequence(): Promise<number> {
  const { versionSequence } = await execute(SEQUENCE, {});
  return versionSequence ?? 0;
}

export interface FollowedChanges {
  readonly type: ResourceType;
  /** Only resources that match these criteria of a search: `subject=Patient/1`. */
  readonly query?: string;
  /** Changes after this number are reported; without it there is no live query. */
  readonly after: number | undefined;
  onChange(this: void): Promise<unknown>;
}

/**
 * Calls `onChange` after changes while the component is mounted: never twice at the same time, and once for several changes.
 * Returns true while it is connected.
 */
export function useChanges({ type, query, after, onChange }: FollowedChanges): boolean {
  const [isLive, setLive] = useState(false);
  const tell = useEffectEvent(onChange);
  const startFrom = useEffectEvent(() => after);
  const isKnown = after !== undefined;
  useEffect(() => {
    if (!isKnown) return;
    let isBusy = false;
    let isDue = false;
    const refresh = async () => {
      isDue = true;
      if (isBusy) return;
      isBusy = true;
      while (isDue) {
        isDue = false;
        await tell();
      }
      isBusy = false;
    };
    const variables: ChangesSubscriptionVariables = { type, query, after: startFrom() };
    const stop = client.subscribe<ChangesSubscription>(
      { query: CHANGES.toString(), variables },
      {
        next({ data }) {
          if (!data) return;
          // Sent when it reconnects, so that it resumes after the last change.
          variables.after = data.resourceChanged.sequence;
          void refresh();
        },
        error: () => setLive(false),
        complete: () => setLive(false),
      },
      { connecting: () => setLive(false), connected: () => setLive(true) },
    );
    return () => {
      stop();
      setLive(false);
    };
  }, [type, query, isKnown]);
  return isLive;
}
