/** The interactions of FHIR, and all other reads and writes of stored resources. This is the only list of them. */
import type { BundleAnswer, BundleRequest } from './bundle';
import type { ExportedFile, ExportKickOff, ExportState } from './bulk-export';
import type { ChangeRequest, ChangeStream } from './change-stream';
import type { HistoryPage, HistoryRequest } from './history';
import type { Invocation, InvocationResult } from './operation';
import type { AggregateRequest, AggregateResult, SearchPage } from './search';
import type { SearchRequest } from '../search/requests/search-request';
import type { Criteria, DeleteResult, VersionGuard, WriteResult } from './version';
import type { StoredVersion } from '../storage/read/stored-version';
import type { RequestContext } from '../context';
import type { CopyBudget } from '../fhir/patch';
import type { Notification, NotifiedEvent } from './notification';
import type { SubscriptionEventsRequest } from './notification-stream';
import type { ResourceInput } from './resource-input';

export interface UpdateRequest {
  readonly type: string;
  readonly id: string;
  readonly input: ResourceInput;
  readonly guard?: VersionGuard;
}

export interface PatchRequest {
  readonly type: string;
  readonly id: string;
  /** A JSON Patch (an array of operations) or a FHIRPath Patch (a Parameters resource), not yet validated. */
  readonly patch: ResourceInput;
  readonly guard?: VersionGuard;
  /** The budget of copies that the patches of a batch share; default one of its own. */
  readonly copies?: CopyBudget;
}

export interface ConditionalUpdateRequest extends Omit<UpdateRequest, 'id'> {
  readonly criteria: Criteria;
}

export interface ConditionalPatchRequest extends Omit<PatchRequest, 'id'> {
  readonly criteria: Criteria;
}

export interface DifferenceRequest {
  readonly type: string;
  readonly id: string;
  /** Version ids. */
  readonly from: string;
  readonly to: string;
}

/** A search of one type. */
export type TypeSearchRequest = SearchRequest & { readonly type: string };

/** Writes of one resource, or of those that meet criteria: requests by themselves, or entries of a batch. */
export interface SingleWrites {
  create(context: RequestContext, type: string, input: ResourceInput): Promise<WriteResult>;
  update(context: RequestContext, request: UpdateRequest): Promise<WriteResult>;
  patch(context: RequestContext, request: PatchRequest): Promise<WriteResult>;
  delete(context: RequestContext, type: string, id: string, guard?: VersionGuard): Promise<DeleteResult>;
  /** As `create`, unless a resource meets the criteria: then returns that resource unchanged, with `created` false. */
  createIfNoneExist(
    context: RequestContext,
    type: string,
    input: ResourceInput,
    criteria: Criteria,
  ): Promise<WriteResult>;
  /** As `update` for the one resource that meets the criteria; creates one if there is no match. */
  updateWhere(context: RequestContext, request: ConditionalUpdateRequest): Promise<WriteResult>;
  /** As `patch` for the one resource that meets the criteria. */
  patchWhere(context: RequestContext, request: ConditionalPatchRequest): Promise<WriteResult>;
  /** Returns the deletions of the matches: at most one, unless the tenant lets one request delete several. */
  deleteWhere(
    context: RequestContext,
    type: string,
    criteria: Criteria,
    guard?: VersionGuard,
  ): Promise<readonly StoredVersion[]>;
}

/** The functions of core that access stored resources. Each call is one access for authorization and audit. */
export interface Interactions extends SingleWrites {
  read(context: RequestContext, type: string, id: string): Promise<StoredVersion>;
  /**
   * As `read`, but undefined for missing and deleted resources. All calls of one event loop turn share one statement.
   */
  find(context: RequestContext, type: string, id: string): Promise<StoredVersion | undefined>;
  vread(context: RequestContext, type: string, id: string, versionId: string): Promise<StoredVersion>;
  /** Returns the version that was current at a moment, milliseconds since 1970. */
  readAsOf(context: RequestContext, type: string, id: string, moment: number): Promise<StoredVersion>;
  /**
   * Returns a JSON Patch, as text, that turns one version into the other; elements that the server sets are left out.
   */
  difference(context: RequestContext, request: DifferenceRequest): Promise<string>;
  /** Executes a transaction, all or nothing, or a batch, each entry by itself (http.html#transaction). */
  bundle(context: RequestContext, request: BundleRequest): Promise<BundleAnswer>;
  history(context: RequestContext, request: HistoryRequest): Promise<HistoryPage>;
  search(context: RequestContext, request: SearchRequest): Promise<SearchPage>;
  /**
   * Runs several searches of one type each, all at one moment, with shared statements. Results are in the order of
   * the requests; a failed search does not fail the others.
   */
  searchBatch(
    context: RequestContext,
    requests: readonly TypeSearchRequest[],
  ): Promise<readonly (SearchPage | Error)[]>;
  /**
   * Returns the exact number of matches of a search. Throws as a search does, and `tooCostly` where it would read
   * more than one request may. The limit of a grouping: 1,000,000 index rows of the parameter, or as many matches
   * where there are more than 10,000. Cost: a search; with a grouping, up to a second of database time.
   */
  aggregate(context: RequestContext, request: AggregateRequest): Promise<AggregateResult>;
  /**
   * Subscribes to changes of the space until the stream is closed. Throws errors in the criteria, `invalidValue` for
   * an `after` in the future, and `tooManySubscriptions`.
   */
  follow(context: RequestContext, request: ChangeRequest): Promise<ChangeStream>;
  invoke(context: RequestContext, invocation: Invocation): Promise<InvocationResult>;
  /**
   * Queues an export of bulk data and returns its id. Throws `operationInputInvalid`, `parameterUnsupported`, the errors of searches
   * in its filters, `tooManyExports`, `forbidden`, notFound or gone for the Group, and with Patients of a Group `tooCostly` for its size.
   */
  exportData(context: RequestContext, kickOff: ExportKickOff): Promise<string>;
  /** Undefined: the caller has no such export. Throws `tooManyRequests` for too many calls. Cost: two statements. */
  exportStatus(context: RequestContext, id: string): Promise<ExportState | undefined>;
  /** Stops an export if it runs, and removes it. False: the caller has no such export. */
  cancelExport(context: RequestContext, id: string): Promise<boolean>;
  /**
   * Opens a file of an export by its name. It has what was in the export and still exists, as far as the caller may read it now.
   * Undefined: the caller has no such export, or it has no such file. Throws `forbidden`.
   */
  exportedFile(context: RequestContext, id: string, name: string): Promise<ExportedFile | undefined>;
  /** Returns what `$status` answers for one Subscription. Throws `notFound`, `gone`, `forbidden`. */
  subscriptionStatus(context: RequestContext, id: string): Promise<Notification>;
  /**
   * Returns the events that `$events` answers: at most 500, and 1,000,000 characters of resources; a caller continues with
   * the number after the last one. Throws `notFound`, `gone`, `forbidden` for others than the author and administrators,
   * `ruleViolated` for numbers that are no longer kept. Cost: two statements, and a read for each event unless `empty`.
   */
  subscriptionEvents(
    context: RequestContext,
    request: SubscriptionEventsRequest,
  ): Promise<readonly NotifiedEvent[]>;
}

/** The arguments of an interaction without its context. */
export type ArgumentsOf<Name extends keyof Interactions> = Interactions[Name] extends (
  context: RequestContext,
  ...of: infer Arguments
) => unknown
  ? Arguments
  : never;

export type ResultOf<Name extends keyof Interactions> = Awaited<ReturnType<Interactions[Name]>>;

/** An interaction as a function of its context and arguments. */
export type Run<Name extends keyof Interactions> = (
  context: RequestContext,
  ...of: ArgumentsOf<Name>
) => Promise<ResultOf<Name>>;
