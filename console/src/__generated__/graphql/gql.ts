/* eslint-disable */
import * as types from './graphql';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query BinaryContent($key: ID!) {\n    node(_key: $key) {\n      ... on Binary {\n        content {\n          address\n        }\n      }\n    }\n  }\n": typeof types.BinaryContentDocument,
    "\n  subscription Changed($type: ResourceType!, $id: ID!, $after: SafeInt) {\n    resourceChanged(type: $type, id: $id, after: $after) {\n      action\n      versionId\n      sequence\n      json\n      resource {\n        meta {\n          authorName\n        }\n      }\n    }\n  }\n": typeof types.ChangedDocument,
    "\n  query Read($type: ResourceType!, $id: ID!, $versionId: ID) {\n    read(type: $type, id: $id, versionId: $versionId) {\n      json\n      meta {\n        authorName\n      }\n    }\n  }\n": typeof types.ReadDocument,
    "\n  query Search($type: ResourceType, $query: String!, $first: Int!, $after: String) {\n    search(type: $type, query: $query, first: $first, after: $after) {\n      edges {\n        mode\n        node {\n          json\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      issues {\n        severity\n        code\n        diagnostics\n      }\n    }\n  }\n": typeof types.SearchDocument,
    "\n  query Count($type: ResourceType, $query: String!) {\n    search(type: $type, query: $query, first: 0) {\n      total\n    }\n  }\n": typeof types.CountDocument,
    "\n  query History($type: ResourceType!, $id: ID!, $first: Int!, $after: String) {\n    history(type: $type, id: $id, first: $first, after: $after) {\n      versions {\n        versionId\n        versionSequence\n        lastUpdated\n        change\n        author\n        authorName\n        resource {\n          json\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.HistoryDocument,
    "\n  query SubscriptionEvents($id: ID!, $since: Int) {\n    subscriptionDelivery(id: $id) {\n      events(since: $since) {\n        number\n        timestamp\n        change\n        focus\n      }\n    }\n  }\n": typeof types.SubscriptionEventsDocument,
    "\n  query Definitions($type: ResourceType!, $first: Int!, $after: String) {\n    search(type: $type, first: $first, after: $after) {\n      edges {\n        node {\n          id\n          meta {\n            extension {\n              url\n              valueInteger\n            }\n          }\n          ... on CodeSystem {\n            url\n            name\n            title\n            version\n            status\n            content\n            count\n            identifier {\n              system\n            }\n          }\n          ... on ValueSet {\n            url\n            name\n            title\n            version\n            status\n          }\n          ... on ConceptMap {\n            url\n            name\n            title\n            version\n            status\n          }\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.DefinitionsDocument,
    "\n  query ResourceTypes {\n    metadata {\n      resourceTypes\n    }\n  }\n": typeof types.ResourceTypesDocument,
    "\n  query Names($keys: [ID!]!) {\n    nodes(_keys: $keys) {\n      _key\n      ... on Resource {\n        json\n      }\n    }\n  }\n": typeof types.NamesDocument,
};
const documents: Documents = {
    "\n  query BinaryContent($key: ID!) {\n    node(_key: $key) {\n      ... on Binary {\n        content {\n          address\n        }\n      }\n    }\n  }\n": types.BinaryContentDocument,
    "\n  subscription Changed($type: ResourceType!, $id: ID!, $after: SafeInt) {\n    resourceChanged(type: $type, id: $id, after: $after) {\n      action\n      versionId\n      sequence\n      json\n      resource {\n        meta {\n          authorName\n        }\n      }\n    }\n  }\n": types.ChangedDocument,
    "\n  query Read($type: ResourceType!, $id: ID!, $versionId: ID) {\n    read(type: $type, id: $id, versionId: $versionId) {\n      json\n      meta {\n        authorName\n      }\n    }\n  }\n": types.ReadDocument,
    "\n  query Search($type: ResourceType, $query: String!, $first: Int!, $after: String) {\n    search(type: $type, query: $query, first: $first, after: $after) {\n      edges {\n        mode\n        node {\n          json\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      issues {\n        severity\n        code\n        diagnostics\n      }\n    }\n  }\n": types.SearchDocument,
    "\n  query Count($type: ResourceType, $query: String!) {\n    search(type: $type, query: $query, first: 0) {\n      total\n    }\n  }\n": types.CountDocument,
    "\n  query History($type: ResourceType!, $id: ID!, $first: Int!, $after: String) {\n    history(type: $type, id: $id, first: $first, after: $after) {\n      versions {\n        versionId\n        versionSequence\n        lastUpdated\n        change\n        author\n        authorName\n        resource {\n          json\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.HistoryDocument,
    "\n  query SubscriptionEvents($id: ID!, $since: Int) {\n    subscriptionDelivery(id: $id) {\n      events(since: $since) {\n        number\n        timestamp\n        change\n        focus\n      }\n    }\n  }\n": types.SubscriptionEventsDocument,
    "\n  query Definitions($type: ResourceType!, $first: Int!, $after: String) {\n    search(type: $type, first: $first, after: $after) {\n      edges {\n        node {\n          id\n          meta {\n            extension {\n              url\n              valueInteger\n            }\n          }\n          ... on CodeSystem {\n            url\n            name\n            title\n            version\n            status\n            content\n            count\n            identifier {\n              system\n            }\n          }\n          ... on ValueSet {\n            url\n            name\n            title\n            version\n            status\n          }\n          ... on ConceptMap {\n            url\n            name\n            title\n            version\n            status\n          }\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.DefinitionsDocument,
    "\n  query ResourceTypes {\n    metadata {\n      resourceTypes\n    }\n  }\n": types.ResourceTypesDocument,
    "\n  query Names($keys: [ID!]!) {\n    nodes(_keys: $keys) {\n      _key\n      ... on Resource {\n        json\n      }\n    }\n  }\n": types.NamesDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query BinaryContent($key: ID!) {\n    node(_key: $key) {\n      ... on Binary {\n        content {\n          address\n        }\n      }\n    }\n  }\n"): typeof import('./graphql').BinaryContentDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription Changed($type: ResourceType!, $id: ID!, $after: SafeInt) {\n    resourceChanged(type: $type, id: $id, after: $after) {\n      action\n      versionId\n      sequence\n      json\n      resource {\n        meta {\n          authorName\n        }\n      }\n    }\n  }\n"): typeof import('./graphql').ChangedDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Read($type: ResourceType!, $id: ID!, $versionId: ID) {\n    read(type: $type, id: $id, versionId: $versionId) {\n      json\n      meta {\n        authorName\n      }\n    }\n  }\n"): typeof import('./graphql').ReadDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Search($type: ResourceType, $query: String!, $first: Int!, $after: String) {\n    search(type: $type, query: $query, first: $first, after: $after) {\n      edges {\n        mode\n        node {\n          json\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      issues {\n        severity\n        code\n        diagnostics\n      }\n    }\n  }\n"): typeof import('./graphql').SearchDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Count($type: ResourceType, $query: String!) {\n    search(type: $type, query: $query, first: 0) {\n      total\n    }\n  }\n"): typeof import('./graphql').CountDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query History($type: ResourceType!, $id: ID!, $first: Int!, $after: String) {\n    history(type: $type, id: $id, first: $first, after: $after) {\n      versions {\n        versionId\n        versionSequence\n        lastUpdated\n        change\n        author\n        authorName\n        resource {\n          json\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): typeof import('./graphql').HistoryDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query SubscriptionEvents($id: ID!, $since: Int) {\n    subscriptionDelivery(id: $id) {\n      events(since: $since) {\n        number\n        timestamp\n        change\n        focus\n      }\n    }\n  }\n"): typeof import('./graphql').SubscriptionEventsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Definitions($type: ResourceType!, $first: Int!, $after: String) {\n    search(type: $type, first: $first, after: $after) {\n      edges {\n        node {\n          id\n          meta {\n            extension {\n              url\n              valueInteger\n            }\n          }\n          ... on CodeSystem {\n            url\n            name\n            title\n            version\n            status\n            content\n            count\n            identifier {\n              system\n            }\n          }\n          ... on ValueSet {\n            url\n            name\n            title\n            version\n            status\n          }\n          ... on ConceptMap {\n            url\n            name\n            title\n            version\n            status\n          }\n        }\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): typeof import('./graphql').DefinitionsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ResourceTypes {\n    metadata {\n      resourceTypes\n    }\n  }\n"): typeof import('./graphql').ResourceTypesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Names($keys: [ID!]!) {\n    nodes(_keys: $keys) {\n      _key\n      ... on Resource {\n        json\n      }\n    }\n  }\n"): typeof import('./graphql').NamesDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}
