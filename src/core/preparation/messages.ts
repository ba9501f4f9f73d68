/** Messages between the main thread and the worker thread. They are cloned, so they are plain values. */
import type { Invocation, InvocationResult } from '../api/operation';
import type { Log, RequestContext, Space } from '../context';
import { FhirError, type ErrorKey, type Issue } from '../errors';
import { ExceededParameterError } from '../indexing/exceeded-parameter';
import type { JsonOutline } from '../fhir/json/outline';
import type { CompactCodeSystem } from '../fhir/terminology/compact-code-system';
import type { IndexRows } from '../search/rows/index-rows';
import type { Limits } from '../limits/size-limits';
import type { StructureSource } from '../validation/structure-source';
import type { OperationStorage, TerminologyStorage } from '../operation-types/environment';
import type { BundleOutline, BundleTask, PreparedVersions, VersionsTask } from './bundle';
import { answerCall, type Answer, type Call } from './calls';
import type { CodeInformant } from './content';
import type { ValidationReport, ValidationTask } from '../operation-types/validation';
import type { PreparedVersion } from './prepare';
import type { DifferenceTask, OutlineTask, PatchTask, ResourceTask, RowsTask } from './preparer';

/** The part of a request's context that can be sent to another thread. */
type OperationContext = Omit<RequestContext, 'log'>;

/** An operation to run; plain values, so that it can be sent to another thread. */
export interface InvocationTask {
  readonly context: OperationContext;
  readonly invocation: Invocation;
}

/** The start settings of a worker thread. */
export interface WorkerSettings {
  readonly hashKey: Buffer;
  readonly ownAddresses: readonly string[];
  readonly extensionBase: string;
  readonly limits: Limits;
}

export type Task =
  | ({ readonly kind: 'resource' } & ResourceTask)
  | ({ readonly kind: 'patch' } & PatchTask)
  | ({ readonly kind: 'rows' } & RowsTask)
  | ({ readonly kind: 'validation' } & ValidationTask)
  | ({ readonly kind: 'invocation' } & InvocationTask)
  | ({ readonly kind: 'outline' } & OutlineTask)
  | ({ readonly kind: 'difference' } & DifferenceTask)
  /** The text of a CodeSystem to read. */
  | { readonly kind: 'code-system'; readonly text: string }
  /** An empty task: answered as soon as the thread has loaded everything that tasks need. */
  | { readonly kind: 'warm-up' }
  /** The parsed Bundle is stored under its unique number. */
  | ({ readonly kind: 'bundle'; readonly number: number } & BundleTask)
  /** `again`: the Bundle itself, in case the thread no longer holds it. */
  | ({ readonly kind: 'versions'; readonly number: number; readonly again?: BundleTask } & VersionsTask);

interface Results {
  readonly resource: PreparedVersion;
  readonly patch: PreparedVersion;
  readonly rows: IndexRows;
  readonly validation: ValidationReport;
  readonly invocation: InvocationResult;
  readonly outline: JsonOutline;
  readonly difference: string;
  readonly 'code-system': CompactCodeSystem;
  readonly 'warm-up': undefined;
  readonly bundle: BundleOutline;
  readonly versions: PreparedVersions | 'evicted';
}

interface ResultOf<Kind extends keyof Results> {
  readonly kind: Kind;
  readonly value: Results[Kind];
}

export type TaskResult = { [Kind in keyof Results]: ResultOf<Kind> }[keyof Results];

function isOfKind<Kind extends keyof Results>(
  result: TaskResult,
  kind: Kind,
): result is TaskResult & ResultOf<Kind> {
  return result.kind === kind;
}

/** Returns the result of a task of this kind. */
export function valueOf<Kind extends keyof Results>(kind: Kind, result: TaskResult): Results[Kind] {
  if (isOfKind(result, kind)) return result.value;
  throw new Error(`the preparation thread returned a result of the kind ${result.kind} for ${kind}`);
}

/** A message to the worker thread. */
export type ToWorker =
  | { readonly kind: 'task'; readonly number: number; readonly task: Task }
  /** The Bundle of this number is no longer needed. */
  | { readonly kind: 'evict'; readonly number: number }
  /** Data of these spaces was erased; the caches must be invalidated. */
  | { readonly kind: 'evict-spaces'; readonly spaces: readonly number[] }
  /** A part of the result of the task of this number was received. */
  | { readonly kind: 'received'; readonly number: number }
  | { readonly kind: 'answer'; readonly number: number; readonly value: Answer<HostCalls> }
  | { readonly kind: 'failure'; readonly number: number; readonly failure: Failure };

/** Profiles and codes of a space; each thread has it. */
export type WorkerHost = StructureSource & CodeInformant;

/** The part of it that needs the database. The rest runs in each thread, with `TerminologyStorage`. */
type Informant = StructureSource & Pick<CodeInformant, 'checkCodes' | 'answerCodes'>;

/** The calls of the worker thread in the main thread, which has the database. */
export type HostCalls = Informant & OperationStorage;

const TERMINOLOGY: Readonly<Record<keyof TerminologyStorage, boolean>> = {
  findCanonical: false,
  findCanonicalKey: false,
  findSystemOfValueSet: false,
  terminologyVersion: false,
};

/** Each call of the worker thread. True: it may change what is stored. */
export const MAY_WRITE: {
  readonly terminology: Readonly<Record<keyof TerminologyStorage, boolean>>;
  readonly informant: Readonly<Record<keyof Informant, boolean>>;
  readonly storage: Readonly<Record<keyof OperationStorage, boolean>>;
} = {
  terminology: TERMINOLOGY,
  informant: {
    version: false,
    find: false,
    findQuestionnaire: false,
    listCodes: false,
    checkCodes: false,
    answerCodes: false,
  },
  storage: {
    ...TERMINOLOGY,
    read: false,
    locate: false,
    summarizeMeta: false,
    changeLabels: true,
    makeDocument: false,
    storeDocument: true,
    search: false,
    findConceptMaps: false,
    readRecord: false,
    searchParameterProgress: false,
    restartSearchParameters: true,
    purge: true,
    subscriptionStatuses: false,
    subscriptionEvents: false,
    issueBindingToken: false,
    cachedAnswer: false,
    cacheAnswer: false,
  },
};

/** A call of the worker thread, and for whom it is. */
export type WorkerRequest =
  | { readonly kind: 'informant'; readonly call: Call<HostCalls, keyof Informant> }
  | {
      readonly kind: 'terminology';
      readonly space: Space;
      readonly call: Call<HostCalls, keyof TerminologyStorage>;
    }
  | {
      readonly kind: 'storage';
      readonly context: OperationContext;
      readonly call: Call<HostCalls, keyof OperationStorage>;
    };

/** The objects of the main thread whose functions the worker thread calls. */
export interface RequestTargets {
  readonly informant: Informant;
  storage(context: OperationContext): OperationStorage;
  terminology(space: Space): TerminologyStorage;
}

export async function answerRequest(
  targets: RequestTargets,
  request: WorkerRequest,
): Promise<Answer<HostCalls>> {
  switch (request.kind) {
    case 'informant':
      return answerCall<HostCalls, keyof Informant>(targets.informant, request.call);
    case 'terminology':
      return answerCall<HostCalls, keyof TerminologyStorage>(
        targets.terminology(request.space),
        request.call,
      );
    case 'storage':
      return answerCall<HostCalls, keyof OperationStorage>(targets.storage(request.context), request.call);
  }
}

/** Texts of a result, each with its index. */
export type ResultPart = readonly (readonly [place: number, text: string])[];

/** A message from the worker thread. */
export type FromWorker =
  /** It has loaded its program. */
  | { readonly kind: 'ready'; readonly timesFile: string | undefined }
  | { readonly kind: 'done'; readonly number: number; readonly value: TaskResult }
  /** A part of the result; the next one follows after `taken`. */
  | { readonly kind: 'part'; readonly number: number; readonly part: ResultPart }
  | { readonly kind: 'failed'; readonly number: number; readonly failure: Failure }
  | { readonly kind: 'request'; readonly number: number; readonly request: WorkerRequest }
  | { readonly kind: 'log'; readonly level: keyof Log; readonly details: object; readonly message: string };

/** An error as a plain value. */
export type Failure =
  | { readonly key: ErrorKey; readonly issues: readonly Issue[] }
  | { readonly exceededParameter: number }
  | { readonly message: string; readonly stack: string };

export function toFailure(error: unknown): Failure {
  if (error instanceof FhirError) return { key: error.key, issues: error.issues };
  if (error instanceof ExceededParameterError) return { exceededParameter: error.number };
  return error instanceof Error
    ? { message: error.message, stack: error.stack ?? '' }
    : { message: String(error), stack: '' };
}

export function toError(failure: Failure): Error {
  if ('key' in failure) return new FhirError(failure.key, failure.issues);
  if ('exceededParameter' in failure) return new ExceededParameterError(failure.exceededParameter);
  const error = new Error(failure.message);
  error.stack = failure.stack;
  return error;
}
