/** What the server's thread and the preparation worker say to each other. Plain values: they are cloned. */
import type { Space, TenantSpace } from '../context';
import { FhirError, type ErrorKey, type Issue } from '../errors';
import type { Finding, PendingCode } from '../fhir/validate';
import type { IndexRows } from '../search/index-rows';
import type { Limits } from '../services';
import type { StructureSource } from '../validation/structure-source';
import type { Judgement, JudgementTask } from './judgement';
import type { PreparedVersion } from './prepare';
import type { Inspection, InspectionTask, PatchTask, ResourceTask, RowsTask } from './preparer';

/** What a worker is started with. */
export interface WorkerSettings {
  readonly hashKey: Buffer;
  readonly publicUrls: readonly string[];
  readonly extensionBase: string;
  readonly limits: Limits;
}

export type Task =
  | ({ readonly kind: 'resource' } & ResourceTask)
  | ({ readonly kind: 'patch' } & PatchTask)
  | ({ readonly kind: 'rows' } & RowsTask)
  | ({ readonly kind: 'inspection' } & InspectionTask)
  | ({ readonly kind: 'judgement' } & JudgementTask);

export type TaskResult = PreparedVersion | IndexRows | Inspection | Judgement;

/** To the worker. */
export type ToWorker =
  | { readonly kind: 'task'; readonly number: number; readonly task: Task }
  | { readonly kind: 'answer'; readonly number: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly number: number; readonly failure: Failure };

/** What the worker asks of the server's thread, which has the database. */
export type Question =
  | { readonly kind: 'judge'; readonly space: TenantSpace; readonly pending: readonly PendingCode[] }
  | { readonly kind: 'version'; readonly space: Space; readonly of: 'structures' | 'terminology' }
  | { readonly kind: 'structure'; readonly space: Space; readonly canonical: string }
  | { readonly kind: 'codes'; readonly space: Space; readonly valueSet: string };

/** Whoever has the database; how it answers each kind of question. */
export interface Informant extends StructureSource {
  judge(space: TenantSpace, pending: readonly PendingCode[]): Promise<readonly Finding[]>;
}

export function answerQuestion(informant: Informant, question: Question): Promise<unknown> {
  switch (question.kind) {
    case 'judge':
      return informant.judge(question.space, question.pending);
    case 'version':
      return informant.version(question.space, question.of);
    case 'structure':
      return informant.find(question.space, question.canonical);
    case 'codes':
      return informant.listCodes(question.space, question.valueSet);
  }
}

/** From the worker. */
export type FromWorker =
  | { readonly kind: 'done'; readonly number: number; readonly value: TaskResult }
  | { readonly kind: 'failed'; readonly number: number; readonly failure: Failure }
  | { readonly kind: 'question'; readonly number: number; readonly question: Question };

/** An error as a plain value. */
export type Failure =
  | { readonly key: ErrorKey; readonly issues: readonly Issue[] }
  | { readonly message: string; readonly stack: string };

export function toFailure(error: unknown): Failure {
  if (error instanceof FhirError) return { key: error.key, issues: error.issues };
  return error instanceof Error
    ? { message: error.message, stack: error.stack ?? '' }
    : { message: String(error), stack: '' };
}

export function toError(failure: Failure): Error {
  if ('key' in failure) return new FhirError(failure.key, failure.issues);
  const error = new Error(failure.message);
  error.stack = failure.stack;
  return error;
}
