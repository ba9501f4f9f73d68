/** Changes of one record while a person looks at it, by the subscription `resourceChanged` as server-sent events. */
import { graphql } from '../__generated__/graphql';
import type { ResourceType } from '../__generated__/graphql/graphql';
import { authorOf } from '../fhir/server-meta';
import { graphqlPath, type Space } from '../place';
import { keepAuthorName } from './author-names';
import { isObject, parseLongJson, textOf, type JsonObject } from './json';
import { request } from './send';
import { eventsOf } from './server-events';

const CHANGED = graphql(/* GraphQL */ `
  subscription Changed($type: ResourceType!, $id: ID!, $after: SafeInt) {
    resourceChanged(type: $type, id: $id, after: $after) {
      action
      versionId
      sequence
      json
      resource {
        meta {
          authorName
        }
      }
    }
  }
`);

export interface RecordChange {
  readonly isDeletion: boolean;
  readonly versionId: string;
  /** Undefined after a deletion. */
  readonly record: JsonObject | undefined;
}

const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 60_000];

/**
 * Calls `tell` for each change until `signal` ends it. A connection that breaks is made again, and continues after the last
 * change. Ends by itself where the server refuses it: then the person learns of changes by a save.
 */
export async function watchRecord(
  space: Space,
  { type, id }: { readonly type: string; readonly id: string },
  tell: (change: RecordChange) => void,
  signal: AbortSignal,
): Promise<void> {
  let after: number | undefined;
  let pause = SHORTEST_PAUSE_MS;
  while (!signal.aborted) {
    try {
      const variables = { type: type as ResourceType, id, after: after ?? null };
      const response = await request(`${graphqlPath(space)}/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify({ query: CHANGED.toString(), variables }),
        signal,
      });
      if (response.body === null || (response.status >= 400 && response.status < 500)) return;
      for await (const event of eventsOf(response.body)) {
        pause = SHORTEST_PAUSE_MS;
        if (event.id !== undefined) after = event.id;
        if (event.data === '') continue;
        const answer = await parseLongJson(event.data, signal);
        if (!isObject(answer) || answer['errors'] !== undefined) return;
        const change = changeIn(space, answer);
        if (change !== undefined) tell(change);
      }
    } catch {
      // The connection broke, or the screen was left, which ends the loop.
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
}

function changeIn({ tenant }: Space, { data }: JsonObject): RecordChange | undefined {
  const change = isObject(data) ? data['resourceChanged'] : undefined;
  if (!isObject(change)) return undefined;
  const { json, resource } = change;
  const record = isObject(json) ? json : undefined;
  const meta = isObject(resource) ? resource['meta'] : undefined;
  if (record !== undefined && isObject(meta))
    keepAuthorName(tenant, textOf(authorOf(record)?.['reference']), textOf(meta['authorName']));
  return {
    isDeletion: textOf(change['action']) === 'DELETE',
    versionId: textOf(change['versionId']) ?? '',
    record,
  };
}
