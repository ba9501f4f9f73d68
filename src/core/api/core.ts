/**
 * The interface of core for the edges (rest, resolvers, cli). Plain values only: no HTTP, no GraphQL, no SQL.
 * Expected failures are thrown as `FhirError`. The types of requests and answers are in api/, by subject; `Core`
 * lists the functions.
 */
import type { Interactions } from './interactions';
import type {
  AdministrationRequest,
  Caller,
  Clients,
  Issuers,
  Policies,
  RefusedRequest,
  Tokens,
} from './access';
import type { AccessExplanations } from './access-explanation';
import type { AdministrationJobs } from './administration-jobs';
import type { AuditTrails } from './audit-trail';
import type { BinaryUpload, OpenedBinary } from './binary';
import type { Capabilities, CapabilityMode, NamedQueries } from './capabilities';
import type { Imports } from './imports';
import type { IndexDifference, OutdatedIndex, ReindexProgress, ReindexScope } from './index-work';
import type { Jobs } from './jobs';
import type { OpenJob, ProcessReport, ServerState, SlowSearch } from './server';
import type { NotificationStream, SocketCounts, StreamRequest } from './notification-stream';
import type { OperationInfo } from './operation';
import type { ConnectionUsage, Readiness, Admission } from './process';
import type { SignIn, Users } from './sign-in';
import type { SubscriptionAdministration, NotificationCounts } from './subscription';
import type { Tenants } from './tenant';
import type {
  CodeSystemFile,
  CodeSystemImport,
  CodeSystemImportOptions,
  FoundDisplay,
  WantedDisplay,
} from './terminology';
import type { LiveQueryCounts } from './change-stream';
import type { WrittenContent } from './resource-input';
import type { Criteria, ResourceVersion, SignedRead } from './version';
import type { StoredVersion } from '../storage/read/stored-version';
import type { Credentials } from './credentials';
import type { RequestContext, Space, TenantSpace } from '../context';
import type { FhirError } from '../errors';
import type { JsonOutline, OutlineLimits } from '../fhir/json/outline';
import type { QueryParameter } from '../fhir/query-text';
import type { LocalReference } from '../fhir/reference';
import type { Release } from '../fhir/release';

export * from './access';
export * from './access-explanation';
export * from './administration-jobs';
export * from './imports';
export * from './local-file';
export * from './audit-trail';
export * from './binary';
export * from './bulk-export';
export * from './bundle';
export * from './capabilities';
export * from './change-stream';
export * from './credentials';
export * from './history';
export * from './index-work';
export * from './interactions';
export * from './jobs';
export * from './mail';
export * from './notification-stream';
export * from './operation';
export * from './policy';
export * from './process';
export * from './search';
export * from './server';
export * from './sign-in';
export * from './subscription';
export * from './tenant';
export * from './version';

/** Reads and writes of stored resources, and what describes them to clients. */
export interface CoreInteractions extends Interactions {
  /** Returns the names of the concrete resource types of a release, sorted. */
  resourceTypes(release: Release): readonly string[];
  operations(release: Release): readonly OperationInfo[];
  /** Default: full. */
  capabilities(context: RequestContext, mode?: CapabilityMode): Promise<Capabilities>;
  /**
   * Returns the named queries of the tenant, by code and definition; undefined: the version is still `cachedVersion`. Cost:
   * one statement, two more after a change.
   */
  namedQueries(context: RequestContext, cachedVersion?: string): Promise<NamedQueries | undefined>;
  /** Applies `_summary` and `_elements` among the parameters to a version. Throws `invalidParameterValue`. */
  applySummary(
    context: RequestContext,
    version: StoredVersion,
    parameters: readonly QueryParameter[],
  ): StoredVersion;
  /**
   * Returns the names of the client applications that made versions which the caller was given, in their order; undefined:
   * it was removed, or the request had no credentials. Cost: a statement.
   */
  authorNames(
    context: RequestContext,
    versions: readonly StoredVersion[],
  ): Promise<readonly (string | undefined)[]>;
  /**
   * Returns the displays of codes in languages, in their order, by the rights of `CodeSystem/$lookup`. Throws `forbidden`. Cost: some
   * statements for each code system, and none for each code.
   */
  findDisplays(context: RequestContext, wanted: readonly WantedDisplay[]): Promise<readonly FoundDisplay[]>;
  /**
   * Returns the resource of this space that a reference names; undefined for other servers, and where type or id are
   * missing.
   */
  localReference(context: RequestContext, reference: string): LocalReference | undefined;
  /** Returns the criteria of If-None-Exist in any of its forms. Throws invalidValue for another type. */
  parseIfNoneExist(context: RequestContext, type: string, text: string): Criteria;
  /**
   * Stores content of a Binary apart, before the create or update whose input names it. Throws forbidden, bodyTooLarge,
   * quotaExceeded, contentUnavailable, and the errors of the source; then it leaves nothing.
   */
  storeContent(context: RequestContext, upload: BinaryUpload): Promise<WrittenContent>;
  /** Opens the content of a version that the caller was given. Throws forbidden, contentUnavailable. */
  openBinary(context: RequestContext, version: StoredVersion): Promise<OpenedBinary>;
  /**
   * Parses and checks the JSON of a body that may contain resources. Large bodies are parsed in a worker thread, and
   * most of the result stays text. Throws the errors of the parser.
   */
  outline(text: string, limits: OutlineLimits): Promise<JsonOutline>;
  /**
   * Lets reads, searches and histories through the context that `work` receives share one snapshot. They run on one
   * connection, combined into statements one after the other; `work` must await nothing else of core. Reads that
   * start more than `milliseconds` after the connection was taken fail with `timeout`.
   */
  inSnapshot<T>(
    context: RequestContext,
    milliseconds: number,
    work: (context: RequestContext) => Promise<T>,
  ): Promise<T>;
  /**
   * Answers several searches from the search result cache, consistent as in `inSnapshot` but without a snapshot.
   * Every cached result must still be valid. `work` may only search through the context that it receives; its result
   * counts only as `answer`. `unknown`: a search is not cached or no longer valid; `unfit`: `work` did something
   * other than a search. Cost: a share of one statement.
   */
  fromCache<T>(
    context: RequestContext,
    work: (context: RequestContext) => Promise<T>,
  ): Promise<{ readonly answer: T } | 'unknown' | 'unfit'>;
  /** True: the caller may read the whole space, so that query statistics leak nothing to the caller. */
  seesEverything(context: RequestContext): boolean;
  /** Cached texts of a space, shared by all processes; each lasts for a day and may be lost at any time. */
  readonly sharedTexts: {
    /** Undefined where there is no such text, and while Redis is unavailable. */
    get(space: Space, key: string): Promise<string | undefined>;
    put(space: Space, key: string, text: string): void;
  };
}

/** Callers, their requests, and the record of them. */
export interface CoreAccess {
  /** Undefined: the tenant does not exist or is disabled. The answer is cached for at most 2 s. */
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
  /**
   * Returns an empty space that stands for any tenant name where access is enforced, so that answers to callers
   * without rights do not reveal which tenants exist. Undefined in open mode, and for a name that no tenant can have.
   * Cost: a hash.
   */
  decoy(tenant: string, release: Release): TenantSpace | undefined;
  /** The error for a tenant that does not exist: in open mode it says so, else it is that of an unknown address. */
  unknownTenant(tenant: string): FhirError;
  /**
   * Identifies the caller. Throws `unauthorized`, `forbidden` (valid credentials of another tenant),
   * `tooManyRequests`. Cost: nothing without credentials, some microseconds for cached ones.
   */
  identify(credentials: Credentials): Caller | Promise<Caller>;
  /**
   * Returns the caller of an earlier request that runs only now, with its current permissions. Throws `unauthorized`
   * where the caller has lost access since.
   */
  renewCaller(space: TenantSpace, caller: Caller): Promise<Caller>;
  /** Returns a signature with which anyone can read one version for a minute, with the rights that the caller has then. */
  signRead(context: RequestContext, version: ResourceVersion): string;
  /**
   * Returns the caller that `signRead` made a signature for, with its current permissions. Throws `forbidden` for one that
   * is not valid or no longer, and where the space does not exist; `unauthorized` where the caller has lost access since.
   */
  openSignedRead(space: TenantSpace | undefined, signed: SignedRead): Promise<Caller>;
  readonly tokens: Tokens;
  readonly signIn: SignIn;
  /**
   * Counts a request against the limits on requests; undefined: there are none. Must be called once for each request,
   * before any work for it. Throws `storageUnavailable`.
   */
  admit(context: RequestContext): Promise<Admission> | undefined;
  /**
   * Counts more requests, found inside an admitted request. Those that exceed the limits are charged to later requests.
   * `bundle` counts the entries of Bundles. Cost: nothing that a request waits for.
   */
  charge(context: RequestContext, requests: number): void;
  /**
   * Records a request that was refused before it reached an interaction. Does nothing where an interaction,
   * `identify` or `admit` has recorded the refusal, or where the tenant does not exist. Floods of refusals are
   * counted. Undefined: there is nothing to record. Never rejects.
   */
  recordRefusal(refused: RefusedRequest, error: FhirError): Promise<void> | undefined;
  /**
   * Records the request of an administrator and its HTTP status; must be awaited before the answer. Throws
   * `storageUnavailable`: the record is written later.
   */
  recordAdministration(request: AdministrationRequest, status: number): Promise<void>;
  /**
   * Records all reads through the context that `work` receives as one access. `query`: the request as an address
   * below `{fhir_root}`; `statusOf`: its HTTP status.
   */
  recordAsOneAccess<T>(
    context: RequestContext,
    query: string,
    work: (context: RequestContext) => Promise<T>,
    statusOf: (result: T) => number,
  ): Promise<T>;
}

/** The administration of one tenant: by the operator of any, and by the administrators of a tenant of their own. */
export interface TenantAdministration extends Pick<Tenants, 'describe' | 'settings' | 'change' | 'export'> {
  readonly access: AccessExplanations;
  readonly audit: AuditTrails;
  readonly clients: Clients;
  readonly issuers: Issuers;
  readonly policies: Policies;
  readonly users: Users;
}

/** Administration: tenants, and who has access to them. */
export interface CoreTenants extends Tenants, TenantAdministration {
  readonly subscriptions: SubscriptionAdministration;
  /**
   * The same for the administrators of a tenant, who may do less than the operator: `change` throws `forbidden` for the
   * status and for settings of the operator, and what would leave the tenant without an administrator throws
   * `lastAdministrator`. The caller checks whose administrator sends the request.
   */
  readonly own: TenantAdministration;
}

/** Work that goes on after a request. */
export interface CoreJobs {
  readonly requests: Jobs;
  readonly administration: AdministrationJobs;
  readonly imports: Imports;
  /** Stores a code system whose concepts are too many for one resource. Throws as an update does. */
  importCodeSystem(
    context: RequestContext,
    file: CodeSystemFile,
    options?: CodeSystemImportOptions,
  ): Promise<CodeSystemImport>;
  /** The jobs of all tenants that have not ended. */
  readonly open: {
    /** The oldest first, at most 200. Cost: a connection. */
    list(): Promise<readonly OpenJob[]>;
    /** Cancels one; of an asynchronous request nothing is left. False: there is none, or it has ended. */
    stop(id: string): Promise<boolean>;
  };
  /**
   * Makes the search index match the stored versions, while writes may go on; ends when the whole scope is done.
   * Throws an Error while another reindex is running there.
   */
  reindex(scope?: ReindexScope): AsyncIterable<ReindexProgress>;
  /**
   * Yields every difference between the search index and the stored versions; ends when the whole scope was compared.
   */
  verifyIndex(scope?: ReindexScope): AsyncIterable<IndexDifference>;
  /** Starts the background work of this process, such as the indexing of tenants' search parameters. */
  startWork(): void;
}

/** Changes as they happen. Live queries are an interaction (`follow`). */
export interface CoreStreams {
  /** Returns the changes of the space after a version-sequence, oldest first, at most 1000. */
  changes(context: RequestContext, sinceSequence: number, count: number): Promise<readonly StoredVersion[]>;
  /**
   * Returns the version-sequence of the last change of the space; 0: none. Throws `forbidden` for callers that may
   * read nothing.
   */
  lastSequence(context: RequestContext): Promise<number>;
  /** Opens the stream of a connection to which a client binds its Subscriptions. Cost: nothing until then. */
  openNotifications(request: StreamRequest): NotificationStream;
  /** Ends all streams, those of changes with the number to resume after, because this process is about to stop. */
  end(): void;
}

/** The state of this process. */
export interface CoreHealth {
  /** Tells which parts of the index need a reindex because settings or definitions have changed. */
  outdatedIndex(): Promise<OutdatedIndex>;
  readiness(): Promise<Readiness>;
  /** Adds a notice to `readiness`, until the returned function is called. */
  announce(notice: string): () => void;
  /** Returns the database connections of this process by purpose. */
  connections(): Readonly<Record<string, ConnectionUsage>>;
  /** Returns the connections of this process to each read replica, in the order of the setting. */
  replicaConnections(): readonly ConnectionUsage[];
  /** True: cached texts and shared counts are in Redis at this moment. Cost: two comparisons. */
  isRedisReachable(): boolean;
  /** Counts the live queries of this process, of all tenants. */
  liveQueries(): LiveQueryCounts;
  /** The slowest searches of this process, of all tenants, without values. */
  slowSearches(): readonly SlowSearch[];
  /** From now on the other processes, too, know what this one says of itself. */
  report(describe: () => ProcessReport): void;
  /** The state of all processes, of PostgreSQL and Redis, at most 2 s old. Never rejects. Cost: a connection. */
  server(): Promise<ServerState>;
  /** Counts the work on Subscriptions of this process, of all tenants. */
  notifications(): NotificationCounts & SocketCounts;
}

/** The only entry point to core. Each part has its own authorization rule (authorization/core-rules.ts). */
export interface Core {
  readonly interactions: CoreInteractions;
  readonly access: CoreAccess;
  readonly tenants: CoreTenants;
  readonly jobs: CoreJobs;
  readonly streams: CoreStreams;
  readonly health: CoreHealth;
}

/** Core with the end of its work; `createCore` creates it. */
export interface RunningCore extends Core {
  close(): Promise<void>;
}
