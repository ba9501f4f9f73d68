/** The interactions of FHIR, and what else reads or writes what is stored. This is the one list of them. */
import type { BundleAnswer, BundleRequest } from './bundle';
import type { ChangeRequest, ChangeStream } from './change-stream';
import type { HistoryPage, HistoryRequest } from './history';
import type { Invocation, InvocationResult } from './operation';
import type { AggregateRequest, AggregateResult, SearchPage, SearchRequest } from './search';
import type { Criteria, DeleteResult, StoredVersion, VersionGuard, WriteResult } from './version';
import type { RequestContext } from '../context';
import type { ResourceInput } from '../preparation/resource-input';

export interface UpdateRequest {
  readonly type: string;
  readonly id: string;
  readonly input: ResourceInput;
  readonly guard?: VersionGuard;
}

export interface PatchRequest {
  readonly type: string;
  readonly id: string;
  /** A JSON Patch, an array of operations, or a FHIRPath Patch, a Parameters resource; not yet checked. */
  readonly patch: ResourceInput;
  readonly guard?: VersionGuard;
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

/** What writes one resource, or those that meet criteria: a request by itself, or an entry of a batch. */
export interface SingleWrites {
  create(context: RequestContext, type: string, input: ResourceInput): Promise<WriteResult>;
  update(context: RequestContext, request: UpdateRequest): Promise<WriteResult>;
  patch(context: RequestContext, request: PatchRequest): Promise<WriteResult>;
  delete(context: RequestContext, type: string, id: string, guard?: VersionGuard): Promise<DeleteResult>;
  /** As `create`, unless a resource meets the criteria: then that one, as it is (`created` is false). */
  createIfNoneExist(
    context: RequestContext,
    type: string,
    input: ResourceInput,
    criteria: Criteria,
  ): Promise<WriteResult>;
  /** As `update`, of the one resource that meets the criteria; a new one if none does. */
  updateWhere(context: RequestContext, request: ConditionalUpdateRequest): Promise<WriteResult>;
  /** As `patch`, of the one resource that meets the criteria. */
  patchWhere(context: RequestContext, request: ConditionalPatchRequest): Promise<WriteResult>;
  /** The deletions of what met the criteria: one at most, but in tenants that let one request delete several. */
  deleteWhere(
    context: RequestContext,
    type: string,
    criteria: Criteria,
    guard?: VersionGuard,
  ): Promise<readonly StoredVersion[]>;
}

/** What of core somebody may ask for of what is stored: each is an access. */
export interface Interactions extends SingleWrites {
  read(context: RequestContext, type: string, id: string): Promise<StoredVersion>;
  /** Like read, but absent and deleted are undefined. All reads of one turn of the event loop are one statement. */
  find(context: RequestContext, type: string, id: string): Promise<StoredVersion | undefined>;
  vread(context: RequestContext, type: string, id: string, versionId: string): Promise<StoredVersion>;
  /** The version that was current at a moment, milliseconds since 1970. */
  readAsOf(context: RequestContext, type: string, id: string, moment: number): Promise<StoredVersion>;
  /** The JSON Patch, as JSON text, that makes one version of another; what the server says of them aside. */
  difference(context: RequestContext, request: DifferenceRequest): Promise<string>;
  /** A transaction, all of it or nothing, or a batch, each entry by itself (http.html#transaction). */
  bundle(context: RequestContext, request: BundleRequest): Promise<BundleAnswer>;
  history(context: RequestContext, request: HistoryRequest): Promise<HistoryPage>;
  search(context: RequestContext, request: SearchRequest): Promise<SearchPage>;
  /**
   * Several searches of one type each, of one moment: what they do alike goes together in one statement. In the order of
   * the requests; one that fails fails for itself.
   */
  searchBatch(
    context: RequestContext,
    requests: readonly (SearchRequest & { readonly type: string })[],
  ): Promise<readonly (SearchPage | Error)[]>;
  /**
   * Counts what a search of the same criteria finds, exactly. Throws as that, and tooCostly where more would have to be
   * looked at than one request may: by a grouping 1,000,000 index rows of the parameter or as many matches, where those are
   * more than 10,000. Cost: a search; by a grouping up to a second of the database.
   */
  aggregate(context: RequestContext, request: AggregateRequest): Promise<AggregateResult>;
  /**
   * Follows the changes of the space, until the stream is closed. Throws what is wrong with the criteria, invalidValue
   * for an `after` that has not been, tooManySubscriptions.
   */
  follow(context: RequestContext, request: ChangeRequest): Promise<ChangeStream>;
  invoke(context: RequestContext, invocation: Invocation): Promise<InvocationResult>;
}

/** The arguments of an interaction without its context. */
export type ArgumentsOf<Name extends keyof Interactions> = Interactions[Name] extends (
  context: RequestContext,
  ...of: infer Arguments
) => unknown
  ? Arguments
  : never;

export type ResultOf<Name extends keyof Interactions> = Awaited<ReturnType<Interactions[Name]>>;
