/** Messages between the main thread and the worker thread. They are cloned, so they are plain values. */
import type { Invocation, InvocationResult } from '../api/operation';
import type { Log, RequestContext, Space } from '../context';
import { FhirError, type ErrorKey, type Issue } from '../errors';
import { ExceededParameterError } from '../indexing/exceeded-parameter';
import type { CompactCodeSystem } from '../fhir/terminology/compact-code-system';
import type { Limits } from '../limits/size-limits';
import type { StructureSource } from '../validation/structure-source';
import type { OperationStorage, TerminologyStorage } from '../operation-types/environment';
import type { BundleOutline, BundleTask, PreparedVersions, VersionsTask } from './bundle';
import { answerCall, type Answer, type Call } from './calls';
import type { CodeInformant } from './content';
import type { Preparer } from './preparer';

/** The part of a request's context that can be sent to another thread. */
type OperationContext = Omit<RequestContext, 'log'>;

/** The start settings of a worker thread. */
export interface WorkerSettings {
  readonly hashKey: Buffer;
  readonly ownAddresses: readonly string[];
  readonly extensionBase: string;
  readonly limits: Limits;
}

/** The tasks of the worker thread: those of a preparer, and others. */
export interface ThreadTasks extends Omit<Preparer, 'bundle'> {
  invoke(context: OperationContext, invocation: Invocation): Promise<InvocationResult>;
  /** Reads the text of a CodeSystem. */
  codeSystem(text: string): CompactCodeSystem;
  /** Returns as soon as the thread has loaded everything that tasks need. */
  warmUp(): void;
  /** Parses a Bundle and stores it under its unique number. */
  bundle(number: number, task: BundleTask): Promise<BundleOutline>;
  /** Prepares a stored Bundle; `again`: the Bundle itself, in case the thread no longer holds it. */
  versions(number: number, task: VersionsTask, again?: BundleTask): Promise<PreparedVersions | 'evicted'>;
}

export type Task = Call<ThreadTasks>;

export type TaskResult = Answer<ThreadTasks>;

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
type DatabaseCalls = StructureSource & Pick<CodeInformant, 'checkCodes' | 'answerCodes'>;

/** The calls of the worker thread in the main thread, which has the database. */
export type HostCalls = DatabaseCalls & OperationStorage;

const TERMINOLOGY: Readonly<Record<keyof TerminologyStorage, boolean>> = {
  findCanonical: false,
  findCanonicalKey: false,
  listCanonicalVersions: false,
  findSystemOfValueSet: false,
  terminologyVersion: false,
  findConceptSet: false,
  readConcepts: false,
  listConcepts: false,
  scanConcepts: false,
  findConcepts: false,
  findSubsumed: false,
};

/** Each call of the worker thread. True: it may change what is stored. */
export const MAY_WRITE: {
  readonly terminology: Readonly<Record<keyof TerminologyStorage, boolean>>;
  readonly informant: Readonly<Record<keyof DatabaseCalls, boolean>>;
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
    startClosure: true,
    readClosure: false,
    addToClosure: true,
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
  | { readonly kind: 'informant'; readonly call: Call<HostCalls, keyof DatabaseCalls> }
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
  readonly informant: DatabaseCalls;
  storage(context: OperationContext): OperationStorage;
  terminology(space: Space): TerminologyStorage;
}

export async function answerRequest(
  targets: RequestTargets,
  request: WorkerRequest,
): Promise<Answer<HostCalls>> {
  switch (request.kind) {
    case 'informant':
      return answerCall<HostCalls, keyof DatabaseCalls>(targets.informant, request.call);
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
