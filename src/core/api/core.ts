/**
 * What the edges (rest, resolvers, cli) may ask of core, and what they get back. Plain values only: no HTTP, no
 * GraphQL, no SQL. Expected failures are thrown as `FhirError`. What is asked and answered stands in api/, by what it
 * is about; `Core` says who answers it.
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
import type { Capabilities, CapabilityMode, NamedQueries } from './capabilities';
import type { IndexDifference, OutdatedIndex, ReindexProgress, ReindexScope } from './index-work';
import type { Jobs } from './jobs';
import type { OperationInfo } from './operation';
import type { ConnectionUsage, Readiness } from './process';
import type { SignIn, Users } from './sign-in';
import type { Tenants } from './tenant';
import type { LiveQueryCounts } from './change-stream';
import type { StoredVersion } from './version';
import type { Credentials } from './credentials';
import type { RequestContext, Space, TenantSpace } from '../context';
import type { FhirError } from '../errors';
import type { JsonOutline, OutlineLimits } from '../fhir/json/outline';
import type { QueryParameter } from '../fhir/query-text';
import type { LocalReference } from '../fhir/reference';
import type { Release } from '../fhir/release';
import type { Admission } from '../limits/rate-limiter';

export * from './access';
export * from './bundle';
export * from './capabilities';
export * from './change-stream';
export * from './credentials';
export * from './history';
export * from './index-work';
export * from './interactions';
export * from './jobs';
export * from './operation';
export * from './process';
export * from './search';
export * from './sign-in';
export * from './tenant';
export * from './version';

/** The one door to core; made by `createCore` in index.ts. */
export interface Core extends Interactions {
  /** Undefined when the tenant is unknown or disabled. Answers from memory, fresh to 2 s. */
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
  /**
   * A space without rows that stands for any name where access is enforced: answers to callers without rights do not reveal which
   * tenants exist. Undefined in open mode, and for a name that no tenant can have. Cost: a hash.
   */
  decoy(tenant: string, release: Release): TenantSpace | undefined;
  /**
   * Who asks. Throws `unauthorized`, `forbidden` (good, but of another tenant), `tooManyRequests`. Cost: nothing for who
   * sends no credentials, some microseconds for those that were seen before.
   */
  identify(credentials: Credentials): Caller | Promise<Caller>;
  /**
   * The caller of an earlier request that runs only now, with its current permissions. Throws `unauthorized` where the
   * caller has lost access since.
   */
  renewCaller(space: TenantSpace, caller: Caller): Promise<Caller>;
  readonly clients: Clients;
  readonly issuers: Issuers;
  readonly policies: Policies;
  readonly tokens: Tokens;
  readonly users: Users;
  readonly signIn: SignIn;
  readonly tenants: Tenants;

  /**
   * Counts a request where the tenant limits how many may come; undefined: it does not. To be asked once for each, before
   * anything is done for it. Throws storageUnavailable.
   */
  admit(context: RequestContext): Promise<Admission> | undefined;
  /**
   * Counts so many more requests, of which is known only now that they were in one that was let pass: what the limits have
   * no room for is owed. Entries of Bundles are counted by `bundle`. Cost: nothing that anybody waits for.
   */
  charge(context: RequestContext, requests: number): void;
  /**
   * Records that a request was refused before it came to an interaction: nothing where an interaction, `identify` or `admit`
   * has recorded that, or there is no such tenant. Crowds of them are counted. Undefined: it is on its way. Never rejects.
   */
  recordRefusal(refused: RefusedRequest, error: FhirError): Promise<void> | undefined;
  /**
   * Records what an administrator has asked for, and its status as HTTP tells it; to be awaited before that is answered. Throws
   * storageUnavailable: what was done is recorded later.
   */
  recordAdministration(request: AdministrationRequest, status: number): Promise<void>;

  /** Names of the concrete resource types of a release, sorted. */
  resourceTypes(release: Release): readonly string[];
  /** A version that was read, cut to what `_summary` and `_elements` among the parameters ask for. Throws invalidParameterValue. */
  partOf(
    context: RequestContext,
    version: StoredVersion,
    parameters: readonly QueryParameter[],
  ): StoredVersion;
  /** What a reference of this space names; undefined for one that leads elsewhere, or to no resource by type and id. */
  localReference(context: RequestContext, reference: string): LocalReference | undefined;
  /**
   * Lets all that is read by the context that `work` is given be recorded as one access. `query`: what was asked, as an
   * address below `{fhir_root}`; `statusOf`: how it ended, as HTTP tells it.
   */
  recordAsOneAccess<T>(
    context: RequestContext,
    query: string,
    work: (context: RequestContext) => Promise<T>,
    statusOf: (result: T) => number,
  ): Promise<T>;
  /** Changes of the space after a version-sequence, oldest first, at most 1000. */
  changes(context: RequestContext, sinceSequence: number, count: number): Promise<readonly StoredVersion[]>;
  /** The version-sequence of the last change of the space; 0: there was none. Throws `forbidden` for who may read nothing. */
  lastSequence(context: RequestContext): Promise<number>;
  /** Whether the caller may read the whole space, so that query statistics leak nothing to the caller. */
  seesEverything(context: RequestContext): boolean;
  /** Ends all streams of changes, each with the number to go on after: this process is about to stop. */
  endStreams(): void;
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
   * Lets several searches see one moment, as `inSnapshot`, without a snapshot: they are answered by what is remembered of
   * earlier ones, where all of that still stands. `work` may read by the context that it is given and do nothing else; what it
   * gives counts only if it is in the answer. `unknown`: not all that was asked is remembered, or still stands; `unfit`:
   * something else than a search was asked. Cost: a share in one statement.
   */
  fromMemory<T>(
    context: RequestContext,
    work: (context: RequestContext) => Promise<T>,
  ): Promise<{ readonly answer: T } | 'unknown' | 'unfit'>;
  /** Texts that may be lost at any time, of one space, shared by all processes; each lasts a day. */
  readonly sharedTexts: {
    /** Undefined for what is not there, and while Redis is away. */
    get(space: Space, key: string): Promise<string | undefined>;
    put(space: Space, key: string, text: string): void;
  };
  /** Default: full. */
  capabilities(context: RequestContext, mode?: CapabilityMode): Promise<Capabilities>;
  operations(release: Release): readonly OperationInfo[];
  /**
   * The named queries of the tenant, by code and definition; undefined: they are those of the version that is known. Cost:
   * one statement, two more where they have changed.
   */
  namedQueries(context: RequestContext, known?: string): Promise<NamedQueries | undefined>;
  readonly jobs: Jobs;
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
  /** The live queries of this process, of all tenants. */
  liveQueries(): LiveQueryCounts;
  close(): Promise<void>;
}
