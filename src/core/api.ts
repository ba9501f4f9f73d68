/**
 * What the edges (rest, resolvers, cli) may ask of core, and what they get back. Plain values only: no HTTP, no
 * GraphQL, no SQL. Expected failures are thrown as `FhirError`.
 */
import type { Access } from './access/access';
import type { PolicyDefinition } from './access/policy';
import type { Credentials } from './access/authentication';
import type { JobExecutor } from './async-jobs';
import type { RequestContext, Space, TenantSpace } from './context';
import type { FhirError, Issue } from './errors';
import type { QueryParameter } from './fhir/query-text';
import type { JsonOutline, OutlineLimits } from './fhir/json/outline';
import type { LocalReference } from './fhir/reference';
import type { Admission } from './limits/rate-limiter';
import type { BundleType } from './preparation/bundle';
import type { ResourceInput } from './preparation/preparer';
import type { Release } from './fhir/release';
import type { JobRequest, JobState } from './storage/async-jobs';
import type { ClientDetails } from './storage/client-applications';
import type { TenantStatus } from './storage/tenants';
import type { TokenIssuer } from './storage/token-issuers';
import type { ExportLine } from './tenant-export';

/** One stored version, ready to be sent. */
export interface StoredVersion {
  readonly type: string;
  readonly id: string;
  readonly versionId: number;
  /** Milliseconds since 1970, from the database's clock; equal to `meta.lastUpdated` in `text`. */
  readonly lastUpdated: number;
  /** Tenant-wide number of the change (extension version-sequence). */
  readonly sequence: number;
  readonly change: 'create' | 'update' | 'delete';
  /** The whole resource as JSON text with the server's part of meta; '' for a deletion. */
  readonly text: string;
  /** Of a match that is contained in this version: what it is; `text` is its own (search.html#contained). */
  readonly contained?: { readonly type: string; readonly id: string };
  /** Of a match that was weighed: from 0 to 1, and in words (valueset-match-grade.html). */
  readonly match?: { readonly score: number; readonly grade: string };
}

export interface WriteResult {
  readonly version: StoredVersion;
  /** True when the write made a resource (201), false when it changed one (200). */
  readonly created: boolean;
  /** What was found in the resource and did not refuse it. */
  readonly warnings: readonly Issue[];
}

/** Search parameters that select or guard a write: names, modifier and chain included, and values, percent-decoded. */
export type Criteria = readonly (readonly [name: string, value: string])[];

export interface DeleteResult {
  /** The version that records the deletion; undefined when there was nothing to delete. */
  readonly version: StoredVersion | undefined;
}

/** What a write demands of the present version (`If-Match`, `If-None-Match: *`, GraphQL `ifVersion`). */
export interface VersionGuard {
  /** Version ids of which one must be the current one. */
  readonly ifMatch?: readonly string[];
  /** True: the resource must not exist. */
  readonly ifNoneMatchAny?: boolean;
}

/** The resource that a compartment belongs to; it need not exist. */
export interface CompartmentAddress {
  readonly type: string;
  readonly id: string;
}

export type { BundleType } from './preparation/bundle';

/** What came of one entry of a batch or transaction. */
export type EntryAnswer =
  | { readonly kind: 'written'; readonly result: WriteResult }
  /** A conditional create that found what it would have made. */
  | { readonly kind: 'found'; readonly version: StoredVersion }
  | {
      readonly kind: 'deleted';
      readonly type: string;
      /** Undefined where criteria said which. */
      readonly id?: string;
      /** The versions that record the deletions: none where there was nothing to delete. */
      readonly versions: readonly StoredVersion[];
    }
  /** `isKnown`: the client has this version already. `isHead`, here and below: it wants no resource. */
  | {
      readonly kind: 'read';
      readonly version: StoredVersion;
      readonly isHead: boolean;
      readonly isKnown: boolean;
    }
  /** `path`: of its address below `{fhir_root}`. */
  | {
      readonly kind: 'search';
      readonly page: SearchPage;
      readonly path: string;
      readonly isHead: boolean;
    }
  | {
      readonly kind: 'history';
      readonly page: HistoryPage;
      readonly path: string;
      readonly query: readonly QueryParameter[];
      readonly isHead: boolean;
    }
  | {
      readonly kind: 'invoked';
      readonly result: InvocationResult;
      readonly path: string;
      readonly isHead: boolean;
    }
  /** The CapabilityStatement. */
  | { readonly kind: 'resource'; readonly text: string; readonly isHead: boolean }
  /** Of a batch alone: in a transaction the first failure is that of all. */
  | { readonly kind: 'failed'; readonly error: FhirError };

export interface BundleRequest {
  readonly input: ResourceInput;
  /** Those that are taken; both by default. */
  readonly types?: readonly BundleType[];
  /** `Prefer: handling`, of searches in it. */
  readonly handling?: 'strict' | 'lenient';
  /**
   * Of a transaction alone: it is rolled back at its end, and its answers say what would have happened; ids and numbers in
   * them are given to others.
   */
  readonly isDryRun?: boolean;
}

export interface BundleAnswer {
  readonly type: BundleType;
  /** In the order of the entries of the request. */
  readonly entries: readonly EntryAnswer[];
}

/** A tree of what a resource must meet. Names and values are those of a search, modifiers and escapes included. */
export type SearchCondition =
  | { readonly kind: 'parameter'; readonly name: string; readonly value: string }
  | { readonly kind: 'all' | 'not'; readonly of: readonly SearchCondition[] }
  /** One of the lists, of which all are met. */
  | { readonly kind: 'any'; readonly of: readonly (readonly SearchCondition[])[] }
  /** One resource of the type `target` that it refers to by a parameter meets all. */
  | {
      readonly kind: 'chain';
      readonly parameter: string;
      readonly target: string;
      readonly of: readonly SearchCondition[];
    }
  /** One resource of the type `source` that refers to it by a parameter of its own meets all. */
  | {
      readonly kind: 'has';
      readonly source: string;
      readonly parameter: string;
      readonly of: readonly SearchCondition[];
    };

export interface SearchRequest {
  /** Undefined: several types, those of the parameter `_type` or all. */
  readonly type?: string;
  /** Only what is in the compartment of this resource; undefined: no such limit. */
  readonly compartment?: CompartmentAddress;
  /** Names (modifier and chain included) and raw values, percent-decoded, in the order of the request. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** All of it is to be met besides; of a search of one type alone. */
  readonly where?: readonly SearchCondition[];
  /** `Prefer: handling`; undefined: the tenant's setting. */
  readonly handling?: 'strict' | 'lenient';
  /** The matches of this moment, milliseconds since 1970, each in its version of then; of one type only. */
  readonly asOf?: number;
  /** True: `previous` and `last` are wanted; of stored resources of one type, as they are now. */
  readonly bothWays?: boolean;
}

export interface SearchPage {
  readonly matches: readonly StoredVersion[];
  readonly included: readonly StoredVersion[];
  /** For an `outcome` entry: what was ignored or cut short. */
  readonly issues: readonly Issue[];
  /** Distinct matches; undefined when not asked for and not free. */
  readonly total?: number;
  /** The parameters that were used, for `link[self]`. */
  readonly used: readonly (readonly [name: string, value: string])[];
  /** Opaque and signed: value of the parameter `_cursor` of the next page; undefined on the last one. */
  readonly next?: string;
  /** Numbers of the types that decide the answer: it is the same while none of their resources changes. Undefined: any. */
  readonly decidedBy?: readonly number[];
  /** The same of the page that ends before this one; undefined on the first, and where it is not asked for or offered. */
  readonly previous?: string;
  /** The same of the page at the end; undefined where it is not asked for or offered. */
  readonly last?: string;
}

/** Resources of a type that meet criteria, to be counted and not to be found. */
export interface AggregateRequest extends Pick<
  SearchRequest,
  'compartment' | 'parameters' | 'where' | 'handling'
> {
  readonly type: string;
  /** Undefined: all of them together. */
  readonly by?: AggregateGrouping;
}

/** A token, reference or date parameter of the type, by whose values resources are counted. */
export interface AggregateGrouping {
  readonly parameter: string;
  /** Of dates, and of those alone: what of time is one value. */
  readonly bucket?: 'year' | 'month' | 'day';
  /** Only so many of the largest groups, at most 1,000; of dates all there are. Undefined: all, of which there are no more. */
  readonly most?: number;
}

/** A value and how many of the resources have it; one that has several values is in several groups. */
export interface AggregateGroup {
  /**
   * As a search takes it, with its escapes: `system|code`, `Patient/1`, a url. Of dates the bucket in which they begin in the
   * time zone of the space (`2020-03`), or a year or month that is more than a bucket and is all that is known.
   */
  readonly value: string;
  readonly count: number;
  /** Of a token: as one of the resources has it. */
  readonly coding?: { readonly system?: string; readonly code: string; readonly display?: string };
}

export interface AggregateResult {
  /** Without a grouping. */
  readonly total?: number;
  /** The largest first, dates in their order; empty without a grouping. */
  readonly groups: readonly AggregateGroup[];
}

export interface HistoryRequest {
  /** Undefined: all types. */
  readonly type?: string;
  /** Undefined: all resources of the type, or of the space. */
  readonly id?: string;
  /** At most 1000; undefined: 50; 0: the total alone. */
  readonly count?: number;
  /** Only versions from this instant on, milliseconds since 1970. */
  readonly since?: number;
  /** Only versions that were current at some moment of this time, half open, milliseconds since 1970. */
  readonly at?: { readonly low: number; readonly high: number };
  /** Only versions of which the version-sequence is larger. */
  readonly sinceSequence?: number;
  /** Only versions that this List refers to: its id. */
  readonly list?: string;
  readonly cursor?: string;
}

export interface HistoryPage {
  /** Newest first. Fewer than were asked for, or none, do not mean that there is no next page. */
  readonly versions: readonly StoredVersion[];
  /** Of all pages; undefined where it is not free. */
  readonly total?: number;
  readonly next?: string;
}

/** Which changes somebody wants to hear of. */
export interface ChangeRequest {
  /** Undefined: all types; then there is neither an id nor a parameter. */
  readonly type?: string;
  readonly id?: string;
  /** Criteria of a search, percent-decoded. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Changes with a larger version-sequence; undefined: those from now on. */
  readonly after?: number;
}

/** `leave`: an update after which the resource does not meet the criteria any more, as it did or may have done before. */
export interface FollowedChange {
  readonly kind: StoredVersion['change'] | 'leave';
  readonly version: StoredVersion;
}

/** Changes in the order of their version-sequence, each at least once, as they come. */
export interface ChangeStream {
  /** A follower that begins after this number misses nothing that it has not been given. */
  readonly resumeAfter: number;
  /**
   * The next change, when there is one; undefined: the stream was closed here. Rejects with the FhirError by which the
   * server ends it. Not to be called while a call is under way.
   */
  next(): Promise<FollowedChange | undefined>;
  /** Called once, when the server ends it. */
  onEnd(listener: () => void): void;
  close(): void;
}

export type OperationLevel = 'system' | 'type' | 'instance';

export interface Invocation {
  readonly level: OperationLevel;
  readonly type?: string;
  readonly id?: string;
  /** Without the leading `$`. */
  readonly code: string;
  /** The body of a POST: Parameters, or a bare resource where the definition allows it. */
  readonly input?: ResourceInput;
  /** The query parameters of a GET (or POST) invocation. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** True when asked by GET: refused for operations that change state. */
  readonly safe: boolean;
}

export interface TextResult {
  /** The bare resource or the Parameters resource, as JSON text. */
  readonly text: string;
}

/** One page of a searchset Bundle; the edge writes the Bundle and its links. */
export interface PageResult {
  /** `used` are the parameters that, in a query with the `_cursor` of `next`, ask for the next page. */
  readonly page: SearchPage;
}

/** A document (https://hl7.org/fhir/R4/documents.html), without the addresses of its entries. */
export interface DocumentContent {
  /** `urn:uuid:…` */
  readonly identifier: string;
  /** An instant. */
  readonly timestamp: string;
  /** The Composition first. */
  readonly versions: readonly StoredVersion[];
}

/** The edge writes the Bundle. */
export interface DocumentResult {
  readonly document: DocumentContent;
}

export type InvocationResult = TextResult | PageResult | DocumentResult;

/** An operation that has an executor in this release. */
export interface OperationInfo {
  readonly code: string;
  /** Canonical url of the OperationDefinition. */
  readonly definition: string;
  readonly levels: readonly OperationLevel[];
  readonly types: readonly string[];
  readonly affectsState: boolean;
}

/** What a statement tells: all, what of it is normative, or the terminology (http.html#capabilities). */
export type CapabilityMode = 'full' | 'normative' | 'terminology';

/** The CapabilityStatement without anything that depends on the request. */
export interface Capabilities {
  readonly text: string;
  /** Strong hash of `text`, without quotes. */
  readonly etag: string;
}

export interface Tenant {
  /** In all addresses; it never changes. */
  readonly name: string;
  /** What people call it. */
  readonly display: string;
  /** Only an active one is answered. */
  readonly status: TenantStatus;
  /** Milliseconds since 1970. */
  readonly created: number;
}

/** Rows of one table. */
export interface RemovedRows {
  readonly table: string;
  /** By this call. */
  readonly removed: number;
  /** Counted at the end; 0 where nothing is left. */
  readonly left: number;
}

/** How far a removal is. */
export interface Forgotten {
  /** Server processes that have forgotten what they remembered. */
  readonly processes: number;
  /** Those that gave no sign of life for 20 seconds, and were not waited for. */
  readonly silentProcesses: number;
  /** Texts that were removed from Redis; undefined: it could not be reached, and holds them for a day at most. */
  readonly cachedTexts: number | undefined;
}

/** What a tenant was made of. */
export interface TenantImport {
  readonly name: string;
  readonly versions: number;
  /** Deleted ones included. */
  readonly resources: number;
}

/** What became of a tenant that is removed. */
export interface TenantRemoval extends Forgotten {
  readonly name: string;
  /** False: the time was over; there is more to remove. */
  readonly isComplete: boolean;
  /** Every table that keeps something of tenants. */
  readonly tables: readonly RemovedRows[];
}

/** A tenant with its settings. */
export interface DescribedTenant extends Tenant {
  /** Those in force, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Names of those that the tenant has set itself; the others are the server's defaults. */
  readonly own: readonly string[];
  readonly usage: TenantUsage;
}

/** What a tenant keeps, in both releases, its AuditEvents aside: exact. */
export interface TenantUsage {
  /** That are not deleted. */
  readonly resources: number;
  /** Of the texts of all versions. */
  readonly bytes: number;
}

export interface ConnectionUsage {
  readonly total: number;
  readonly idle: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

export interface Readiness {
  readonly ready: boolean;
  /** What is degraded or missing, in words for an operator. */
  readonly notices: readonly string[];
}

/** One resource of which a table holds something else than its stored version gives. */
export interface IndexDifference {
  /** '' for the base conformance resources. */
  readonly tenant: string;
  readonly release: Release;
  readonly space: number;
  readonly type: string;
  readonly id: string;
  readonly table:
    | 'resource'
    | 'resource_version'
    | 'token_index'
    | 'reference_index'
    | 'range_index'
    | 'string_index'
    | 'uri_index';
  /** What should stand there and does not, in words: for rows, their parameter and their other columns. */
  readonly missing: readonly string[];
  /** What stands there and should not. */
  readonly superfluous: readonly string[];
}

/** What a reindex goes through; without a tenant all of them, and the base resources. */
export interface ReindexScope {
  readonly tenant?: string;
  readonly release?: Release;
}

/** How far a reindex has come in one tenant and release. All numbers grow until the next one begins. */
export interface ReindexProgress {
  /** '' for the base conformance resources. */
  readonly tenant: string;
  readonly release: Release;
  /** A tenant's data of a release are one, its AuditEvents another. */
  readonly space: number;
  /** All resources, deleted ones included. */
  readonly resources: number;
  readonly compared: number;
  /** Resources that something was put right of. */
  readonly repaired: number;
  /** Index rows. */
  readonly added: number;
  readonly removed: number;
  /** What was met since the last time and no reindex can put right: versions or heads that are missing. */
  readonly losses: readonly IndexDifference[];
}

/** What index rows were made with that are not made as this process makes them. */
export interface OutdatedIndex {
  /** Tenants and releases that have such rows. */
  readonly spaces: number;
  /** In words for an operator: some of what they were made with. */
  readonly madeWith: readonly string[];
  /** What this process makes them with, by release. */
  readonly now: Readonly<Record<Release, string>>;
}

/** Who asks: what a request's context has of it. */
export interface Caller {
  /** As `RequestContext.actor`. */
  readonly actor: string;
  /** As `RequestContext.access`. */
  readonly access?: Access;
}

/** A program that may ask for a tenant's data, as administrators see it. */
export interface ClientApplication extends ClientDetails {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** None of them is ever shown again. */
  readonly secrets: readonly { readonly id: string; readonly created: number; readonly expires?: number }[];
}

/** Undefined: as it is. */
export type ClientChanges = Partial<ClientDetails>;

/** A secret on the one occasion that it is told. */
export interface NewSecret {
  readonly id: string;
  readonly secret: string;
  /** Milliseconds since 1970; undefined: it does not. */
  readonly expires?: number;
}

/** The ClientApplications of tenants. All throw `unknownTenant`; what they change is in force in every process within 2 s. */
export interface Clients {
  list(tenant: string): Promise<readonly ClientApplication[]>;
  find(tenant: string, id: string): Promise<ClientApplication | undefined>;
  /** A client without a secret. Throws `invalidValue`. */
  create(tenant: string, details: ClientChanges): Promise<ClientApplication>;
  /** Undefined when there is no such client. Throws `invalidValue`. */
  change(tenant: string, id: string, changes: ClientChanges): Promise<ClientApplication | undefined>;
  /** `expires`: milliseconds since 1970. Undefined when there is no such client. Throws `invalidValue`. */
  addSecret(tenant: string, id: string, expires?: number): Promise<NewSecret | undefined>;
  /** `secret`: its id. False when there is no such secret. */
  removeSecret(tenant: string, id: string, secret: string): Promise<boolean>;
}

/** What is not said of an issuer elsewhere has a default: the claims `scope`, `fhirUser` and `patient`, and no map. */
export type NewIssuer = Pick<TokenIssuer, 'issuer' | 'client' | 'audience' | 'jwksUrl'> & {
  readonly [Name in 'scopeClaim' | 'scopeMap' | 'userClaim' | 'patientClaim']?: TokenIssuer[Name] | undefined;
};

/** Issuers elsewhere whose tokens a tenant takes. All throw `unknownTenant`; in force in every process within 2 s. */
export interface Issuers {
  list(tenant: string): Promise<readonly TokenIssuer[]>;
  /** Makes one, or changes the one of this name. Throws `invalidValue`. */
  put(tenant: string, issuer: NewIssuer): Promise<void>;
  /** False when there is none of this name. */
  remove(tenant: string, issuer: string): Promise<boolean>;
}

/** The policies of tenants by their names. All throw `unknownTenant`; what they change is in force in every process within 2 s. */
export interface Policies {
  list(tenant: string): Promise<Readonly<Record<string, PolicyDefinition>>>;
  /** Throws `invalidValue` for what is no policy of the tenant's releases, tooCostly. */
  put(tenant: string, name: string, definition: unknown): Promise<void>;
  /** False when there is no such policy. */
  delete(tenant: string, name: string): Promise<boolean>;
}

/** What a client sends to get a token. */
export interface TokenRequest {
  readonly space: TenantSpace;
  /** `{base_url}`, under which the client came. */
  readonly base: string;
  /** Of the form, each once. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly authorization: string | undefined;
  /** As `Credentials.address`. */
  readonly address: string;
}

/** The members are those of RFC 6749, section 5.1. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly scope: string;
}

/** Tokens of tenants and what they are signed with. */
export interface Tokens {
  /** Throws OAuthError, `tooManyRequests`. */
  grant(request: TokenRequest): Promise<TokenAnswer>;
  /** JSON Web Keys; the first one of a tenant is made by this. Throws `unknownTenant`. */
  publicKeys(tenant: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /**
   * A new key signs from now on; its id. `revokes`: what the others have signed is good no more. Throws `unknownTenant`.
   */
  rotateKeys(tenant: string, revokes: boolean): Promise<string>;
}

/** The one door to core; made by `createCore` in index.ts. */
export interface Core {
  /** Undefined when the tenant is unknown or disabled. Answers from memory, fresh to 2 s. */
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
  /**
   * Who asks. Throws `unauthorized`, `forbidden` (good, but of another tenant), `tooManyRequests`. Cost: nothing for who
   * sends no credentials, some microseconds for those that were seen before.
   */
  identify(credentials: Credentials): Caller | Promise<Caller>;
  readonly clients: Clients;
  readonly issuers: Issuers;
  readonly policies: Policies;
  readonly tokens: Tokens;
  readonly tenants: {
    list(): Promise<readonly Tenant[]>;
    /** `settings`: by their names; `time-zone` can be set here only. Throws invalidTenantName, invalidValue, tenantExists. */
    create(name: string, settings?: Readonly<Record<string, string>>, display?: string): Promise<Tenant>;
    /** False when there is no such tenant. Throws forbidden for `system`, tenantBusy. */
    disable(name: string): Promise<boolean>;
    /** False when there is no such tenant. Throws tenantBusy. */
    enable(name: string): Promise<boolean>;
    /** Changes what people call it; null: its name. False when there is no such tenant. Throws invalidValue. */
    rename(name: string, display: string | null): Promise<boolean>;
    /**
     * Removes a tenant and everything in it, for as long as `milliseconds` allow (undefined: to the end); called again, it goes
     * on. Nothing of the tenant is answered from the beginning on. Undefined when there is no such tenant. Throws forbidden for
     * `system`, tenantBusy while another process is at it.
     */
    remove(name: string, milliseconds?: number): Promise<TenantRemoval | undefined>;
    /**
     * All versions of a tenant, or its current resources, as it is now, line by line. Undefined when there is no such tenant, or it
     * is being imported or deleted.
     */
    export(name: string, which?: 'all' | 'current'): Promise<AsyncGenerator<ExportLine> | undefined>;
    /**
     * Makes a new tenant of the lines of an export of all versions; called again after an interruption, it goes on. Throws
     * invalidTenantName, tenantExists, tenantBusy, invalidValue.
     */
    import(name: string, lines: AsyncIterable<string>): Promise<TenantImport>;
    /** Undefined when there is no such tenant. */
    describe(name: string): Promise<DescribedTenant | undefined>;
    /** By name; null: the server's default again. False when there is no such tenant. Throws `invalidValue`. */
    changeSettings(name: string, changes: Readonly<Record<string, string | null>>): Promise<boolean>;
  };

  /**
   * Counts a request where the tenant limits how many may come; undefined: it does not. To be asked once for each, before
   * anything is done for it. Throws storageUnavailable.
   */
  admit(context: RequestContext): Promise<Admission> | undefined;

  /** Names of the concrete resource types of a release, sorted. */
  resourceTypes(release: Release): readonly string[];
  read(context: RequestContext, type: string, id: string): Promise<StoredVersion>;
  /** Like read, but absent and deleted are undefined. All reads of one turn of the event loop are one statement. */
  find(context: RequestContext, type: string, id: string): Promise<StoredVersion | undefined>;
  /** What a reference of this space names; undefined for one that leads elsewhere, or to no resource by type and id. */
  localReference(context: RequestContext, reference: string): LocalReference | undefined;
  vread(context: RequestContext, type: string, id: string, versionId: string): Promise<StoredVersion>;
  /** The version that was current at a moment, milliseconds since 1970. */
  readAsOf(context: RequestContext, type: string, id: string, moment: number): Promise<StoredVersion>;
  /** The JSON Patch, as JSON text, that makes one version of another; what the server says of them aside. */
  difference(context: RequestContext, type: string, id: string, from: string, to: string): Promise<string>;
  create(context: RequestContext, type: string, input: ResourceInput): Promise<WriteResult>;
  update(
    context: RequestContext,
    type: string,
    id: string,
    input: ResourceInput,
    guard?: VersionGuard,
  ): Promise<WriteResult>;
  /** `patch` is a JSON Patch, an array of operations, or a FHIRPath Patch, a Parameters resource; not yet checked. */
  patch(
    context: RequestContext,
    type: string,
    id: string,
    patch: ResourceInput,
    guard?: VersionGuard,
  ): Promise<WriteResult>;
  delete(context: RequestContext, type: string, id: string, guard?: VersionGuard): Promise<DeleteResult>;
  /** As `create`, unless a resource meets the criteria: then that one, as it is (`created` is false). */
  createIfNoneExist(
    context: RequestContext,
    type: string,
    input: ResourceInput,
    criteria: Criteria,
  ): Promise<WriteResult>;
  /** As `update`, of the one resource that meets the criteria; a new one if none does. */
  updateWhere(
    context: RequestContext,
    type: string,
    criteria: Criteria,
    input: ResourceInput,
    guard?: VersionGuard,
  ): Promise<WriteResult>;
  /** As `patch`, of the one resource that meets the criteria. */
  patchWhere(
    context: RequestContext,
    type: string,
    criteria: Criteria,
    patch: ResourceInput,
    guard?: VersionGuard,
  ): Promise<WriteResult>;
  /** The deletions of what met the criteria: one at most, but in tenants that let one request delete several. */
  deleteWhere(
    context: RequestContext,
    type: string,
    criteria: Criteria,
    guard?: VersionGuard,
  ): Promise<readonly StoredVersion[]>;
  /**
   * Lets all that is read by the context that `work` is given be recorded as one access. `query`: what was asked, as an
   * address below `{fhir_root}`; `statusOf`: how it ended, as HTTP tells it.
   */
  oneAccess<T>(
    context: RequestContext,
    query: string,
    work: (context: RequestContext) => Promise<T>,
    statusOf: (result: T) => number,
  ): Promise<T>;
  /** A transaction, all of it or nothing, or a batch, each entry by itself (http.html#transaction). */
  bundle(context: RequestContext, request: BundleRequest): Promise<BundleAnswer>;
  history(context: RequestContext, request: HistoryRequest): Promise<HistoryPage>;
  /** Changes of the space after a version-sequence, oldest first, at most 1000. */
  changes(context: RequestContext, sinceSequence: number, count: number): Promise<readonly StoredVersion[]>;
  /** The version-sequence of the last change of the space; 0: there was none. */
  lastSequence(context: RequestContext): Promise<number>;
  /**
   * Follows the changes of the space, until the stream is closed. Throws what is wrong with the criteria, invalidValue
   * for an `after` that has not been, tooManySubscriptions.
   */
  follow(context: RequestContext, request: ChangeRequest): Promise<ChangeStream>;
  /** Ends all streams of changes, each with the number to go on after: this process is about to stop. */
  endStreams(): void;
  search(context: RequestContext, request: SearchRequest): Promise<SearchPage>;
  /**
   * Counts what a search of the same criteria finds, exactly. Throws as that, and tooCostly where more would have to be
   * looked at than one request may: by a grouping 1,000,000 index rows of the parameter or as many matches, where those are
   * more than 10,000. Cost: a search; by a grouping up to a second of the database.
   */
  aggregate(context: RequestContext, request: AggregateRequest): Promise<AggregateResult>;
  /**
   * Lets several reads, searches and histories see one moment: those of the context that `work` is given. They go together
   * in statements of one connection, one after the other; nothing else of core may be waited for in `work`. What is asked
   * after `milliseconds` with the connection is refused with `timeout`.
   */
  inSnapshot<T>(
    context: RequestContext,
    milliseconds: number,
    work: (context: RequestContext) => Promise<T>,
  ): Promise<T>;
  /**
   * Several searches of one type each, of one moment: what they do alike goes together in one statement. In the order of
   * the requests; one that fails fails for itself.
   */
  searchEach(
    context: RequestContext,
    requests: readonly (SearchRequest & { readonly type: string })[],
  ): Promise<readonly (SearchPage | Error)[]>;
  /** Texts that may be lost at any time, of one space, shared by all processes; each lasts a day. */
  readonly sharedTexts: {
    /** Undefined for what is not there, and while Redis is away. */
    get(space: Space, key: string): Promise<string | undefined>;
    put(space: Space, key: string, text: string): void;
  };
  /** Default: full. */
  capabilities(context: RequestContext, mode?: CapabilityMode): Promise<Capabilities>;
  operations(release: Release): readonly OperationInfo[];
  invoke(context: RequestContext, invocation: Invocation): Promise<InvocationResult>;
  /** Requests that are answered later. */
  readonly jobs: {
    /** Takes a request for later; its id. Throws tooManyJobs. */
    submit(context: RequestContext, request: JobRequest): Promise<string>;
    /** Undefined: there is none of this id in the space, or it has expired. */
    find(context: RequestContext, id: string): Promise<JobState | undefined>;
    /** Stops it and forgets it, done or not. False: there was none. */
    cancel(context: RequestContext, id: string): Promise<boolean>;
    /** Who carries requests out in this process. */
    serve(execute: JobExecutor): void;
    /** Takes no more; resolves when nothing is under way in this process. */
    stop(): Promise<void>;
  };
  /**
   * The JSON of a body that may hold resources somewhere, checked like a resource. A long one is parsed in a thread of
   * its own, and most of it stays text. Throws what the parser finds.
   */
  outline(text: string, limits: OutlineLimits): Promise<JsonOutline>;

  /**
   * Every place where the search index is not what the stored versions give; ends when all of the scope was compared.
   */
  verifyIndex(scope?: ReindexScope): AsyncIterable<IndexDifference>;
  /**
   * Makes the search index what the stored versions give, while writes may go on; ends when all of the scope is done.
   * Throws an Error when another reindex is at work there.
   */
  reindex(scope?: ReindexScope): AsyncIterable<ReindexProgress>;
  /** Whether the index waits for a reindex, because settings or definitions have changed. */
  outdatedIndex(): Promise<OutdatedIndex>;
  readiness(): Promise<Readiness>;
  /** From now on this process does the background work that writes leave: the indexing of tenants' search parameters. */
  startWork(): void;
  /** Database connections of this process, by what they are for. */
  connections(): Readonly<Record<string, ConnectionUsage>>;
  close(): Promise<void>;
}
