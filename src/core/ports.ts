import type { RedisCache } from './cache/redis-cache';
import type { Contents } from './content/contents';
import type { Log, RequestContext, Space } from './context';
import type { Definitions } from './fhir/definitions';
import type { JsonObject } from './fhir/json';
import type { ReferenceResolver } from './fhir/reference';
import type { Validator } from './fhir/validate';
import type { Preparer } from './preparation/preparer';
import type { Release } from './fhir/release';
import type { Destinations } from './outbound/destinations';
import type { RateLimiter } from './limits/rate-limiter';
import type { CodeSystemCache } from './cache/code-system-cache';
import type { Extractor } from './search/rows/extract';
import type { IndexRows } from './search/rows/index-rows';
import type { Hasher } from './search/rows/hash';
import type { Criterion } from './search/predicate';
import type { IdSource, ResourceKey } from './search/rows/resource-key';
import type { SearchTypeContext } from './search/types/search-type';
import type { SearchExplanation } from './search-execution/plan/search-explanation';
import type { PrimaryConnections } from './storage/connection/connections';
import type { Database, ReadConnections } from './storage/connection/database';
import type { Estimator } from './storage/search/estimate';
import type { MatchHead, PageRunner } from './storage/search/search-run';
import type { VersionReader } from './storage/read/version-read';
import type { WriteQueues } from './storage/write/write-queues';
import type { KeyedQueue } from './concurrency/keyed-queue';
import type { Usage } from './storage/connection/usage';
import type { Limits } from './limits/size-limits';

/** Conversion between ids and keys of this database. */
export interface ResourceKeys {
  keyOf(type: string, id: string): ResourceKey;
  /** The server-assigned id that the key encodes. Throws for the key of a client's id, which is stored beside it. */
  idOf(key: ResourceKey): string;
  /** True for the key of an id in the server's own format. */
  isOwn(key: ResourceKey): boolean;
}

/** Definitions of a release and search parameters of a space. */
export interface DefinitionServices {
  definitions(release: Release): Definitions;
  /** The definitions of the release with the active search parameters of the space. */
  definitionsOf(space: Space): Definitions;
  /** True for types that have resources in the base space of the release. */
  isConformanceType(release: Release, type: string): boolean;
  references(space: Space): ReferenceResolver;
  /** The context for parsing a search in this space. */
  searchContext(space: Space): SearchTypeContext;
  /** Index rows of a resource of that space. Throws tooCostly over `limits.maxIndexRows`. */
  extract(space: Space, type: string, resource: JsonObject): IndexRows;
  /** The rows of `extract`, plus rows that are not stored (`RowSettings.hasSystemKeys`). */
  extractForScan(space: Space, type: string, resource: JsonObject): IndexRows;
  /** An extractor of the same rows as `extract` with another limit. */
  createExtractor(space: Space, maxRows: number): Extractor;
  readonly extensionBase: string;
}

/** Services for reading stored versions. */
export interface ReadServices {
  readonly connections: PrimaryConnections;
  /** Runs the statements of reads: the connections, or for requests their replicas too (storage/replicas/). */
  readonly reads: ReadConnections;
  /** Runs statements: the connections, or a snapshot of them inside a search (read-scope.ts). */
  readonly database: Database;
  readonly reader: VersionReader;
  readonly keys: ResourceKeys;
  readonly hasher: Hasher;
}

/** Executes the statements of reads (search-execution/read-scope.ts has all scopes). */
export interface ReadScope {
  /** False inside a transaction that writes: nothing that is read there may be cached, because it may be rolled back. */
  readonly isCommitted: boolean;
  /** True if the number of SQL statements is guaranteed (docs/use/graphql-reference.md, Statements). */
  readonly hasStatementBudget: boolean;
  /** Resolves when all searches that run together have finished planning (storage/connection/statement-batch.ts). */
  afterPlanning(): Promise<void>;
  /**
   * Returns services whose statements each see the data of their own moment, where the scope allows that. Running
   * statements are cancelled when the client disconnects.
   */
  perStatement<S extends SearchServices>(services: S, context: RequestContext): S;
  /**
   * Runs `work` with services whose statements share one snapshot: a page, its total and its included resources are of
   * one moment. Cost: it holds one connection of the search lane, shares no statement with other requests, and runs one
   * statement at a time; no further round trip.
   */
  inSnapshot<S extends SearchServices, T>(
    services: S,
    context: RequestContext,
    work: (services: S) => Promise<T>,
  ): Promise<T>;
}

/** The searches by which authorization tests conditions on other resources than the one that is read. */
export interface GrantSearches {
  /** Reads what criteria depend on: the resources of chains, codes of value sets, lists. */
  resolve(
    services: SearchServices,
    context: RequestContext,
    criteria: readonly Criterion[],
  ): Promise<readonly Criterion[]>;
  /** Returns the heads of all matches of a type by its number. Throws tooCostly, searchTimeout. */
  matches(
    services: SearchServices,
    space: number,
    type: number,
    criteria: readonly Criterion[],
  ): Promise<readonly MatchHead[]>;
}

/** Services for searches. */
export interface SearchServices extends DefinitionServices, ReadServices {
  readonly searches: PageRunner;
  readonly estimator: Estimator;
  /** Cache of parsed code systems of all spaces. */
  readonly codeSystems: CodeSystemCache;
  readonly limits: Limits;
  /** Keys that sign cursors: the first signs, all verify. */
  readonly secretKeys: readonly Buffer[];
  readonly scope: ReadScope;
  readonly grantSearches: GrantSearches;
  /** Counts the statements of one request. */
  readonly usage?: Usage;
  /** True if clients may use `_explain`. */
  readonly explainsSearches: boolean;
  /** Set inside a search with `_explain=true`. */
  readonly explanation?: SearchExplanation;
}

/** Services for writes; the conditions of a write are searches. */
export interface WriteServices extends SearchServices {
  readonly writes: WriteQueues;
  readonly ids: IdSource;
  /** Content that is stored apart from the texts of versions. */
  readonly contents: Contents;
  /** Serializes the writers of one resource inside this process. */
  readonly turns: KeyedQueue;
  /** Parses and validates resources of clients and makes versions with their index rows. */
  readonly preparer: Preparer;
  /** The hosts to which notifications of Subscriptions may go. */
  readonly destinations: Destinations;
  /**
   * Throws ruleViolated where the server cannot do what a Subscription requests, and forbidden where its author may not read
   * what it would send.
   */
  requireSubscribable(services: WriteServices, context: RequestContext, resource: JsonObject): Promise<void>;
}

/** All services. `createCore` makes them once and gives each module the few that it uses. */
export interface Services extends WriteServices {
  /** Names of the concrete resource types. */
  resourceTypes(release: Release): ReadonlySet<string>;
  readonly cache: RedisCache;
  /** Rate limits over all processes: requests, attempts to sign in. */
  readonly rates: RateLimiter;
  /** AuditEvents are in a space of their own (authorization/audit-space.ts). */
  readonly isAuditApart: boolean;
  readonly log: Log;
  /** Call after a search parameter of a tenant was created, changed or removed, or is to be indexed again. */
  parametersChanged(tenant: string): void;
  validator(release: Release): Validator;
}
