import type { RedisCache } from './cache/redis-cache';
import type { Log, Space } from './context';
import type { Definitions } from './fhir/definitions';
import type { JsonObject } from './fhir/json';
import type { ReferenceResolver } from './fhir/reference';
import type { Validator } from './fhir/validate';
import type { Preparer } from './preparation/preparer';
import type { Release } from './fhir/release';
import type { RateLimiter } from './limits/rate-limiter';
import type { CodeSystemMemory } from './operations/code-system-memory';
import type { Extractor } from './search/extract';
import type { IndexRows } from './search/index-rows';
import type { Hasher } from './search/hash';
import type { IdSource, ResourceKey } from './search/resource-key';
import type { SearchTypeContext } from './search/types/search-type';
import type { SearchExplanation } from './interactions/search-explanation';
import type { Connections } from './storage/connections';
import type { Database } from './storage/database';
import type { Estimator } from './storage/estimate';
import type { PageRunner } from './storage/search-run';
import type { VersionReader } from './storage/version-read';
import type { WriteQueues } from './storage/write-queues';
import type { KeyedQueue } from './keyed-queue';
import type { Usage } from './usage';

/** Bounds of what a client can make large (contract.md, default limits). */
export interface Limits {
  readonly maxDepth: number;
  readonly maxBodyBytes: number;
  readonly maxPatchOperations: number;
  /** Entries of a batch or transaction. */
  readonly maxBundleEntries: number;
  readonly maxIndexRows: number;
  readonly maxExpansionCodes: number;
  /** Matches of one criterion that are gathered rather than walked to. */
  readonly searchGather: number;
  readonly maxWriteQueue: number;
  /** Bytes of versions that are remembered, about. */
  readonly versionMemoryBytes: number;
  /** Bytes of answers of searches that are remembered, about. */
  readonly searchMemoryBytes: number;
}

/** Ids and keys of the database that was opened. */
export interface ResourceKeys {
  keyOf(type: string, id: string): ResourceKey;
  /** The id of a key that is an id of ours; throws for one of a client's id, which is stored beside it. */
  idOf(key: ResourceKey): string;
  /** True for a key that stands for an id of our own format. */
  isOwn(key: ResourceKey): boolean;
}

/** What interactions and operations are given to work with; made once by `createCore`. */
export interface Services {
  definitions(release: Release): Definitions;
  /** Those of the release, with the search parameters of the space that can be searched by. */
  definitionsOf(space: Space): Definitions;
  /** Names of the concrete resource types. */
  resourceTypes(release: Release): ReadonlySet<string>;
  readonly connections: Connections;
  /** What statements are run by: the connections, or inside a search one snapshot of them (reading.ts). */
  readonly database: Database;
  readonly reader: VersionReader;
  readonly searches: PageRunner;
  /** True where all that is read is read within a transaction that writes, and sees what it wrote (reading.ts). */
  readonly isWithinTransaction?: boolean;
  /** True where all that is read is read in one snapshot already, which lasts for several interactions (reading.ts). */
  readonly isWithinSnapshot?: boolean;
  /** True where the number of statements is promised (docs/graphql.md, Statements). */
  readonly isBounded?: boolean;
  /** Among several searches that go together: when all have looked how they are best run (storage/merged-statements.ts). */
  readonly whenLooked?: () => Promise<void>;
  /** Counts the statements of one request. */
  readonly usage?: Usage;
  readonly estimator: Estimator;
  readonly writes: WriteQueues;
  readonly keys: ResourceKeys;
  readonly ids: IdSource;
  readonly hasher: Hasher;
  /** Code systems that were parsed before, of all spaces. */
  readonly codeSystems: CodeSystemMemory;
  /** Lets the writers of one resource wait for each other inside this process. */
  readonly turns: KeyedQueue;
  readonly cache: RedisCache;
  /** Counts what may come so often, over all processes: requests, attempts to sign in. */
  readonly rates: RateLimiter;
  readonly limits: Limits;
  /** Whether clients may ask how a search is answered (`_explain`). */
  /** AuditEvents are in a space of their own (access/audit-space.ts). */
  readonly isAuditApart: boolean;
  readonly explainsSearches: boolean;
  /** Inside a search that is asked so. */
  readonly explanation?: SearchExplanation;
  readonly extensionBase: string;
  /** Sign and verify cursors: the first signs, all verify. */
  readonly secretKeys: readonly Buffer[];
  readonly log: Log;
  /** Makes versions of what clients send: checked, validated, with their index rows. */
  readonly preparer: Preparer;
  /** To be called when a search parameter of a tenant was made, changed or taken away, or is to be indexed again. */
  parametersChanged(tenant: string): void;
  validator(release: Release): Validator;
  /** Index rows of a resource of that space. Throws tooCostly over `limits.maxIndexRows`. */
  extract(space: Space, type: string, resource: JsonObject): IndexRows;
  /** The same, with rows that are not stored (`RowSettings.hasSystemKeys`). */
  extractForScan(space: Space, type: string, resource: JsonObject): IndexRows;
  /** Makes the same rows under another limit. */
  createExtractor(space: Space, maxRows: number): Extractor;
  references(space: Space): ReferenceResolver;
  /** What parsing of a search in this space needs. */
  searchContext(space: Space): SearchTypeContext;
  /** True for types that the base space of the release holds resources of. */
  isConformanceType(release: Release, type: string): boolean;
}
