/** Reads records through GraphQL, with typed documents. */
import { graphql } from '../__generated__/graphql';
import type { ResourceType } from '../__generated__/graphql/graphql';
import { authorOf } from '../fhir/server-meta';
import type { Space } from '../place';
import { keepAuthorName } from './author-names';
import { runDocument } from './graphql';
import { textOf, type JsonObject } from './json';

const READ = graphql(/* GraphQL */ `
  query Read($type: ResourceType!, $id: ID!, $versionId: ID) {
    read(type: $type, id: $id, versionId: $versionId) {
      json
      meta {
        authorName
      }
    }
  }
`);

const SEARCH = graphql(/* GraphQL */ `
  query Search($type: ResourceType, $query: String!, $first: Int!, $after: String) {
    search(type: $type, query: $query, first: $first, after: $after) {
      edges {
        mode
        node {
          json
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      issues {
        severity
        code
        diagnostics
      }
    }
  }
`);

const COUNT = graphql(/* GraphQL */ `
  query Count($type: ResourceType, $query: String!) {
    search(type: $type, query: $query, first: 0) {
      total
    }
  }
`);

const HISTORY = graphql(/* GraphQL */ `
  query History($type: ResourceType!, $id: ID!, $first: Int!, $after: String) {
    history(type: $type, id: $id, first: $first, after: $after) {
      versions {
        versionId
        versionSequence
        lastUpdated
        change
        author
        authorName
        resource {
          json
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const EVENTS = graphql(/* GraphQL */ `
  query SubscriptionEvents($id: ID!, $since: Int) {
    subscriptionDelivery(id: $id) {
      events(since: $since) {
        number
        timestamp
        change
        focus
      }
    }
  }
`);

/** An event of a Subscription. */
export interface RecordEvent {
  readonly number: number;
  readonly timestamp: string;
  readonly change: 'CREATE' | 'UPDATE' | 'DELETE' | undefined;
  /** `Patient/ana`; undefined: the person may not see it, or the Subscription tells no more than numbers. */
  readonly reference: string | undefined;
}

/** A page of a search: the matches, and what was included with them. */
export interface RecordPage {
  readonly matches: readonly JsonObject[];
  readonly included: readonly JsonObject[];
  /** `after` of the next page; undefined: this is the last. */
  readonly next: string | undefined;
  /** What the server has to say about the search, such as an ignored parameter. */
  readonly notes: readonly string[];
}

/** One version of a record in its history. */
export interface RecordVersion {
  readonly versionId: string;
  readonly versionSequence: number;
  readonly lastUpdated: string;
  readonly change: 'CREATE' | 'UPDATE' | 'DELETE';
  /** Reference to the client that made the version: `ClientApplication/` and its id. */
  readonly author: string;
  /** Undefined for a deletion. */
  readonly resource: JsonObject | undefined;
}

export interface PageOf {
  /** Records per page. */
  readonly first: number;
  readonly after?: string | undefined;
  readonly signal?: AbortSignal;
}

/** The names of types come from addresses; the server refuses those that it does not have. */
const typeOf = (name: string): ResourceType => name as ResourceType;

/** The record as it is now, or one of its versions; undefined: it does not exist or was deleted. */
export async function readRecord(
  space: Space,
  {
    type,
    id,
    versionId,
  }: { readonly type: string; readonly id: string; readonly versionId?: string | undefined },
): Promise<JsonObject | undefined> {
  const { read } = await runDocument(space, READ, { type: typeOf(type), id, versionId: versionId ?? null });
  if (!read) return undefined;
  const record = toObject(read.json);
  keepAuthorName(space.tenant, textOf(authorOf(record)?.['reference']), read.meta?.authorName);
  return record;
}

/** A page of the records of a type that match a query of REST (`name=chalmers&_sort=-birthdate`); no type: of all types. */
export async function searchRecords(
  space: Space,
  { type, query }: { readonly type?: string; readonly query: string },
  { first, after, signal }: PageOf,
): Promise<RecordPage> {
  const variables = { type: type === undefined ? null : typeOf(type), query, first, after: after ?? null };
  const { search } = await runDocument(space, SEARCH, variables, signal);
  const edges = search?.edges ?? [];
  const ofMode = (wanted: string): readonly JsonObject[] =>
    edges.filter(({ mode }) => mode === wanted).map(({ node }) => toObject(node.json));
  return {
    matches: ofMode('MATCH'),
    included: ofMode('INCLUDE'),
    next: search?.pageInfo.hasNextPage === true ? (search.pageInfo.endCursor ?? undefined) : undefined,
    notes: (search?.issues ?? []).map(({ diagnostics }) => diagnostics),
  };
}

/** The number of matches. */
export async function countRecords(
  space: Space,
  { type, query }: { readonly type?: string; readonly query: string },
): Promise<number> {
  const variables = { type: type === undefined ? null : typeOf(type), query };
  const { search } = await runDocument(space, COUNT, variables);
  return search?.total ?? 0;
}

/** The versions of a record, newest first. */
export async function historyOf(
  space: Space,
  { type, id }: { readonly type: string; readonly id: string },
  { first, after }: PageOf,
): Promise<{ readonly versions: readonly RecordVersion[]; readonly next: string | undefined }> {
  const { history } = await runDocument(space, HISTORY, {
    type: typeOf(type),
    id,
    first,
    after: after ?? null,
  });
  return {
    versions: (history?.versions ?? []).map(({ resource, authorName, ...version }) => {
      keepAuthorName(space.tenant, version.author, authorName);
      return { ...version, resource: resource ? toObject(resource.json) : undefined };
    }),
    next: history?.pageInfo.hasNextPage === true ? (history.pageInfo.endCursor ?? undefined) : undefined,
  };
}

/** What the events of a Subscription are about, from a number on, at most 500. */
export async function eventsOf(space: Space, id: string, since: number): Promise<readonly RecordEvent[]> {
  const { subscriptionDelivery } = await runDocument(space, EVENTS, { id, since });
  return (subscriptionDelivery?.events ?? []).map(({ number, timestamp, change, focus }) => ({
    ...{ number, timestamp },
    change: change ?? undefined,
    reference: focus ?? undefined,
  }));
}

/** The scalar JSON of the schema; of a resource it is an object. */
const toObject = (json: unknown): JsonObject => json as JsonObject;
