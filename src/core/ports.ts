import type { RedisCache } from './cache/redis-cache';
import type { Log, Space } from './context';
import type { Definitions } from './fhir/definitions';
import type { JsonObject } from './fhir/json';
import type { ReferenceResolver } from './fhir/reference';
import type { Validator } from './fhir/validate';
import type { Preparer } from './preparation/preparer';
import type { Release } from './fhir/release';
import type { RateLimiter } from './limits/rate-limiter';
import type { CodeSystemCache } from './terminology/code-system-cache';
import type { Extractor } from './search/extract';
import type { IndexRows } from './search/index-rows';
import type { Hasher } from './search/hash';
import type { IdSource, ResourceKey } from './search/resource-key';
import type { SearchTypeContext } from './search/types/search-type';
import type { SearchExplanation } from './search-execution/plan/search-explanation';
import type { Connections } from './storage/connection/connections';
import type { Database } from './storage/connection/database';
import type { Estimator } from './storage/search/estimate';
import type { PageRunner } from './storage/search/search-run';
import type { VersionReader } from './storage/read/version-read';
import type { WriteQueues } from './storage/write/write-queues';
import type { KeyedQueue } from './concurrency/keyed-queue';
import type { Usage } from './storage/connection/usage';
import type { Limits } from './limits/size-limits';

/** Ids and keys of the database that was opened. */
export interface ResourceKeys {
  keyOf(type: string, id: string): ResourceKey;
  /** The id of a key that is an id of ours; throws for one of a client's id, which is stored beside it. */
  idOf(key: ResourceKey): string;
  /** True for a key that stands for an id of our own format. */
  isOwn(key: ResourceKey): boolean;
}

/** What the definitions of a release and the search parameters of a space say. */
export interface DefinitionServices {
  definitions(release: Release): Definitions;
  /** Those of the release, with the search parameters of the space that can be searched by. */
  definitionsOf(space: Space): Definitions;
  /** True for types that the base space of the release holds resources of. */
  isConformanceType(release: Release, type: string): boolean;
  references(space: Space): ReferenceResolver;
  /** What parsing of a search in this space needs. */
  searchContext(space: Space): SearchTypeContext;
  /** Index rows of a resource of that space. Throws tooCostly over `limits.maxIndexRows`. */
  extract(space: Space, type: string, resource: JsonObject): IndexRows;
  /** Index rows as `extract` gives them, with rows that are not stored (`RowSettings.hasSystemKeys`). */
  extractForScan(space: Space, type: string, resource: JsonObject): IndexRows;
  /** Makes the same rows as `extract` under another limit. */
  createExtractor(space: Space, maxRows: number): Extractor;
  readonly extensionBase: string;
}

/** What stored versions are read by. */
export interface ReadServices {
  readonly connections: Connections;
  /** What statements are run by: the connections, or inside a search one snapshot of them (read-scope.ts). */
  readonly database: Database;
  readonly reader: VersionReader;
  readonly keys: ResourceKeys;
  readonly hasher: Hasher;
}

/** What a search is answered by. */
export interface SearchServices extends DefinitionServices, ReadServices {
  readonly searches: PageRunner;
  readonly estimator: Estimator;
  /** Code systems that were parsed before, of all spaces. */
  readonly codeSystems: CodeSystemCache;
  readonly limits: Limits;
  /** Sign and verify cursors: the first signs, all verify. */
  readonly secretKeys: readonly Buffer[];
  /** True where all that is read is read within a transaction that writes, and sees what it wrote (read-scope.ts). */
  readonly isWithinTransaction?: boolean;
  /** True where all that is read is read in one snapshot already, which lasts for several interactions (read-scope.ts). */
  readonly isWithinSnapshot?: boolean;
  /** True where the number of statements is promised (docs/graphql.md, Statements). */
  readonly hasStatementBudget?: boolean;
  /** Among several searches that go together: when all have looked how they are best run (storage/connection/lateral-batch.ts). */
  readonly afterPlanning?: () => Promise<void>;
  /** Counts the statements of one request. */
  readonly usage?: Usage;
  /** Whether clients may ask how a search is answered (`_explain`). */
  readonly explainsSearches: boolean;
  /** Inside a search that is asked so. */
  readonly explanation?: SearchExplanation;
}

/** What a resource is written by. Conditions of a write are searches. */
export interface WriteServices extends SearchServices {
  readonly writes: WriteQueues;
  readonly ids: IdSource;
  /** Lets the writers of one resource wait for each other inside this process. */
  readonly turns: KeyedQueue;
  /** Makes versions of what clients send: checked, validated, with their index rows. */
  readonly preparer: Preparer;
}

/** All of them, made once by `createCore`, which gives each part the few that it asks for. */
export interface Services extends WriteServices {
  /** Names of the concrete resource types. */
  resourceTypes(release: Release): ReadonlySet<string>;
  readonly cache: RedisCache;
  /** Counts what may come so often, over all processes: requests, attempts to sign in. */
  readonly rates: RateLimiter;
  /** AuditEvents are in a space of their own (audit/audit-space.ts). */
  readonly isAuditApart: boolean;
  readonly log: Log;
  /** To be called when a search parameter of a tenant was made, changed or taken away, or is to be indexed again. */
  parametersChanged(tenant: string): void;
  validator(release: Release): Validator;
}
