/**
 * The environment of an operation. Core implements it with storage and cache, tests with the definition files;
 * operations do not depend on either.
 */
import type { SubscriptionEventsRequest, IssuedToken } from '../api/notification-stream';
import type { WriteResult } from '../api/version';
import type { CompartmentAddress, SearchRequest } from '../search/requests/search-request';
import type { StoredVersion } from '../storage/read/stored-version';
import type { DocumentContent } from '../api/operation';
import type { InvalidatedCaches } from '../api/tenant';
import type { SearchPage } from '../api/search';
import { type RequestContext } from '../context';
import { type Definitions } from '../fhir/definitions';
import { type JsonDocument, type JsonObject } from '../fhir/json';
import type { ClosureChange, ClosureTable } from '../fhir/terminology/closure';
import type { ConceptStorage } from '../fhir/terminology/concept-set';
import { type LabelChange } from '../fhir/meta-labels';
import { type Finding, type Validator } from '../fhir/validate';
import type { Notification } from '../api/notification';
import { type ValidationReport, type ValidationTask } from './validation';
import { type CodeSystemCache } from '../cache/code-system-cache';
import { type TerminologySource } from '../fhir/terminology/source';

/** Types that can be found by their canonical url. */
export type CanonicalType =
  'ValueSet' | 'CodeSystem' | 'StructureDefinition' | 'ConceptMap' | 'Questionnaire' | 'Measure';

/** A stored conformance resource. */
export interface CanonicalResource {
  /** Names this version in the whole database, such as `space/type/id/version`; it never names other content. */
  readonly key: string;
  readonly text: string;
}

/** The distinct labels of the current versions in a scope, unordered. */
export interface MetaSummary {
  readonly profile: readonly string[];
  /** Codings, distinct by system and code. */
  readonly tag: readonly JsonObject[];
  readonly security: readonly JsonObject[];
}

/** The record of one resource, of all resources of its type, or of a Group; see interactions/compartment/everything.ts. */
export interface RecordRequest {
  /** The owner of the record; without an id, all resources of the type. */
  readonly owner: { readonly type: CompartmentAddress['type']; readonly id?: string };
  /** The id of a Group: its record is that of its members, which are of the type of the owner, and the Group itself. */
  readonly group?: string;
  /** Only resources with a clinical date in this half-open interval, or without one; milliseconds since 1970. */
  readonly from?: number;
  readonly to?: number;
  /** Only resources that were updated at this instant or later, milliseconds since 1970. */
  readonly since?: number;
  /** Only resources of these types; undefined: all types. */
  readonly types?: readonly string[];
  /** Resources per page, from 1 to MAX_COUNT. */
  readonly count: number;
  readonly cursor?: string;
  /** The parameters of the client: the cursor is bound to all of them except `_count`. */
  readonly parameters: SearchPage['used'];
}

/** A permanent removal of a resource. */
export interface PurgeRequest {
  readonly type: string;
  readonly id: string;
  /** True: also purge its compartment. */
  readonly isCompartment: boolean;
}

/** Rows of a table in the space. */
export interface PurgedTable {
  readonly table: string;
  readonly removed: number;
  /** Rows of purged resources that are left at the end. */
  readonly left: number;
  /** Rows of other resources that contain its type and id. */
  readonly mentions: number;
}

export interface PurgeReport extends InvalidatedCaches {
  /** False: something is left, or was written during the purge. */
  readonly isComplete: boolean;
  /** Purged resources by type. */
  readonly types: readonly (readonly [type: string, resources: number])[];
  readonly tables: readonly PurgedTable[];
  /**
   * Resources that mention it and were not purged, up to a limit. shared: also in the compartment of another patient;
   * elsewhere: not in the compartment, though resources of the type may be; mentions: of a type that is in no
   * compartment of patients.
   */
  readonly remaining: readonly {
    readonly type: string;
    readonly id: string;
    readonly reason: 'shared' | 'elsewhere' | 'mentions';
  }[];
  readonly remainingCount: number;
}

/** One Subscription, or those of the tenant with one of the ids and one of the statuses; empty: all. */
export type SubscriptionStatusRequest =
  { readonly id: string } | { readonly ids: readonly string[]; readonly statuses: readonly string[] };

/** The location of a resource: the tenant's own space, the base space, or none. */
export type Location = 'own' | 'base' | 'none';

export interface OperationLimits {
  /** Nesting depth of objects and arrays in an input. */
  readonly maxDepth: number;
  /** Limit on the codes in one expansion. */
  readonly maxExpansionCodes: number;
}

/** The part of the storage that terminology reads. */
export type TerminologyStorage = Pick<
  OperationStorage,
  | 'findCanonical'
  | 'findCanonicalKey'
  | 'listCanonicalVersions'
  | 'findSystemOfValueSet'
  | 'terminologyVersion'
  | keyof ConceptStorage
>;

/**
 * Storage and cache of a space: functions, whose arguments and results are plain values, so that an operation may run in
 * a worker thread and send its calls to the main thread.
 */
export interface OperationStorage extends ConceptStorage {
  /**
   * Returns the resource of this `url`, from the tenant's own space before the base space. Returns the given version,
   * or the newest without one; undefined when there is none.
   */
  findCanonical(type: CanonicalType, url: string, version?: string): Promise<CanonicalResource | undefined>;
  /** Returns the key of the resource that `findCanonical` returns, without reading a long text. */
  findCanonicalKey(type: CanonicalType, url: string, version?: string): Promise<string | undefined>;
  /** Returns the business versions of this `url` where `findCanonical` reads it, the oldest first. */
  listCanonicalVersions(type: CanonicalType, url: string): Promise<readonly string[]>;
  /** Returns the url of the code system that names this value set as that of all its codes. */
  findSystemOfValueSet(url: string): Promise<string | undefined>;
  /**
   * Returns a text that changes with every change of a ValueSet or CodeSystem that this space can read, at the latest
   * when `findCanonical` returns that change.
   */
  terminologyVersion(): Promise<string>;
  /** Throws `notFound` and `gone`. */
  read(type: string, id: string): Promise<StoredVersion>;
  /** Cost: one batched read, two for conformance resources. */
  locate(type: string, id: string): Promise<Location>;
  /** Returns the labels of one type, or of all. Throws `tooCostly` where it would read too much. */
  summarizeMeta(type?: string): Promise<MetaSummary>;
  /**
   * Changes the labels and returns the version. Throws `notFound`, `gone`, `baseResourceReadOnly`, and as a patch
   * does.
   */
  changeLabels(type: string, id: string, change: LabelChange): Promise<StoredVersion>;
  /**
   * Returns a Composition and the resources that it refers to. Throws `notFound`, `gone`, `ruleViolated`,
   * `tooCostly`.
   */
  makeDocument(id: string): Promise<Pick<DocumentContent, 'versions'>>;
  /**
   * Stores a document as a new Bundle, whose entries have their addresses below the address of the server. Throws as a
   * create does, and `notSupported` inside a transaction.
   */
  storeDocument(document: DocumentContent): Promise<WriteResult>;
  /** Throws as a search does. */
  search(request: SearchRequest): Promise<SearchPage>;
  /** Returns the texts of the concept maps from codes of a system, or to them. Throws `tooCostly`. */
  findConceptMaps(system: string, isTarget: boolean): Promise<readonly string[]>;
  /**
   * Makes an empty closure table, or empties that of this name, and returns its version. Undefined: there are `most` others, all in
   * use.
   */
  startClosure(name: string, most: number): Promise<string | undefined>;
  /** Returns the closure table of this name, which has at most `most` concepts. */
  readClosure(name: string, most: number): Promise<ClosureTable | undefined>;
  /** Adds concepts and returns the new version. Undefined: the closure table has another version by now. */
  addToClosure(change: ClosureChange): Promise<string | undefined>;
  /** Returns one page of a record. Throws `notFound`, `gone`, `invalidCursor`, `searchTimeout`. */
  readRecord(request: RecordRequest): Promise<SearchPage>;
  /** Returns the progress of all search parameters of the space, or of one SearchParameter. */
  searchParameterProgress(id?: string): Promise<readonly SearchParameterProgress[]>;
  /**
   * Rebuilds the index of search parameters in the background. Throws `notFound`, `gone`, `baseResourceReadOnly` and
   * the errors of the SearchParameter check, because one may have been stored before that check existed.
   */
  restartSearchParameters(id?: string): Promise<void>;
  /** Purges a resource. Throws `forbidden`, `notSupported`, `tooCostly`, `purgeUnfinished`. */
  purge(request: PurgeRequest): Promise<PurgeReport>;
  /** Returns the status of Subscriptions. Throws `notFound`, `gone`, `forbidden`, `tooCostly`, and as a search does. */
  subscriptionStatuses(request: SubscriptionStatusRequest): Promise<readonly Notification[]>;
  /**
   * Returns events of a Subscription, at most 500; a client continues with the next number. Throws `notFound`, `gone`,
   * `forbidden` for others than its author and administrators, `ruleViolated` for numbers that are no longer kept.
   */
  subscriptionEvents(request: SubscriptionEventsRequest): Promise<Notification>;
  /**
   * Returns a token that binds Subscriptions of the caller to a WebSocket. Throws `notFound`, `gone`, `forbidden` for others
   * than their author, `ruleViolated` for one without the channel websocket or that does not run, `requiredMissing`.
   */
  issueBindingToken(ids: readonly string[]): Promise<IssuedToken>;
  /**
   * Returns the text of a costly answer from the cache of this space: the implementation puts space and database into its
   * keys. It may lose any entry at any time, but never returns a wrong one.
   */
  cachedAnswer(key: string): Promise<string | undefined>;
  /** Returns at once; never fails. */
  cacheAnswer(key: string, text: string): void;
}

/** The indexing progress of one resource type and search parameter of the space. */
export interface SearchParameterProgress {
  /** Id of the SearchParameter. */
  readonly owner: string;
  readonly url: string;
  readonly type: string;
  readonly code: string;
  readonly status: 'in-progress' | 'completed' | 'failed';
  readonly isSearchable: boolean;
  /**
   * Resources of the type when indexing began, and those indexed so far; undefined: the caller may not read all of
   * them.
   */
  readonly resources: number | undefined;
  readonly indexed: number | undefined;
  readonly failure: string | undefined;
}

/** The value sets and code systems that a space can read. */
export interface TerminologyEnvironment extends TerminologyStorage {
  /** The cache of this thread. */
  readonly codeSystems: CodeSystemCache;
  /** Replaces the terminology of the space for a request. */
  readonly terminology?: TerminologySource;
}

/** Concept maps that a request hands along. */
export interface RequestMaps {
  find(url: string, version: string | undefined): JsonObject | undefined;
  /** Returns those from codes of a system, or to them. */
  between(system: string, isTarget: boolean): readonly JsonObject[];
}

export interface OperationEnvironment extends OperationStorage, TerminologyEnvironment {
  readonly context: RequestContext;
  readonly definitions: Definitions;
  /** Validates the structure of answers. */
  readonly validator: Validator;
  /** Validates an input as fully as the tenant's setting requires for writes. */
  findInInput(input: JsonDocument): Promise<readonly Finding[]>;
  /** Runs $validate for a resource; see `Preparer.validateOperation`. */
  validateOperation(task: ValidationTask): Promise<ValidationReport>;
  readonly limits: OperationLimits;
  /** These go before the stored ones. */
  readonly requestMaps?: RequestMaps;
}
