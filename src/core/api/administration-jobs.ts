/** Jobs of administration: work on a whole tenant that takes long, and that an administrator watches. */
import type { JsonObject } from '../fhir/json';

/** The kinds of jobs. */
export const ADMINISTRATION_JOBS = ['import-package', 'reindex'] as const;
export type AdministrationJobKind = (typeof ADMINISTRATION_JOBS)[number];

/** The administrator of a tenant who has begun a job. What the job writes is attributed to it. */
export interface JobBeginner {
  /** Id of the ClientApplication. */
  readonly client: string;
  /** The person of the client: a relative reference, or the id of an account. */
  readonly person?: string | undefined;
  /** Network address and id of the request. */
  readonly address?: string | undefined;
  readonly requestId: string;
}

export interface AdministrationJob {
  readonly id: string;
  /** One of `ADMINISTRATION_JOBS`, or `export` or `import` of bulk data. */
  readonly kind: string;
  readonly state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  /** True: it was cancelled, and runs for some moments longer. */
  readonly isBeingCancelled: boolean;
  readonly request: JsonObject;
  /** Undefined: the operator has begun it. */
  readonly by: JobBeginner | undefined;
  /** The last report of a job that has begun. */
  readonly progress: object | undefined;
  /** The result of a job that is done. */
  readonly result: object | undefined;
  /** Why it failed. */
  readonly failure: string | undefined;
  /** Milliseconds since 1970, as the following ones. */
  readonly created: number;
  readonly started: number | undefined;
  readonly ended: number | undefined;
}

export interface NewAdministrationJob {
  readonly kind: AdministrationJobKind;
  /** The request, which its executor reads and administrators see. */
  readonly request: JsonObject;
  /** Undefined: the operator. */
  readonly by?: JobBeginner | undefined;
  /** Bytes that belong to the request. */
  readonly content?: Buffer | undefined;
}

/** A job that a process executes. */
export interface AdministrationJobRun {
  readonly id: string;
  /** The name of the tenant. */
  readonly tenant: string;
  readonly request: JsonObject;
  readonly by: JobBeginner | undefined;
  /** The last report of an earlier run, which ended before the job did. */
  readonly earlier: JsonObject | undefined;
  /** The bytes of the request in pieces; undefined: it has none. */
  readonly content: AsyncIterable<Buffer> | undefined;
  /** Aborted when the job is cancelled, or this process stops; the executor then throws its reason. */
  readonly signal: AbortSignal;
  /** Stores a short report of the progress, which JSON has, within a second. Cost: nothing that the executor waits for. */
  report(progress: JsonObject): void;
  /** Counts an outgoing request for the tenant. False: it has sent too many within a minute. */
  admitFetch(): Promise<boolean>;
}

/**
 * Executes a job, and returns its result, which JSON has: less than a megabyte. It must be repeatable: after the end of the process another one begins again.
 * Throws AdministrationJobError, or a FhirError, whose text administrators see.
 */
export type AdministrationJobExecutor = (run: AdministrationJobRun) => Promise<object>;

/** A job cannot be done; the message says why, in a sentence for administrators. */
export class AdministrationJobError extends Error {}

/**
 * The jobs of all tenants, which any process executes. Ended ones are kept for seven days, at most 100 of a tenant. All
 * functions throw `unknownTenant`.
 */
export interface AdministrationJobs {
  /**
   * Queues a job. Throws `jobUnderWay` while the tenant has another one of the kind, `tenantBusy` while it is not active; a
   * disabled one can be reindexed.
   */
  submit(tenant: string, job: NewAdministrationJob): Promise<AdministrationJob>;
  /** The newest first. Of exports and imports, at most the newest 100 of each release. */
  list(tenant: string): Promise<readonly AdministrationJob[]>;
  /** Undefined: there is no such job. */
  find(tenant: string, id: string): Promise<AdministrationJob | undefined>;
  /**
   * Cancels a job that has not ended, and returns it; removes one that has, and returns `removed`. Exports and imports are
   * removed in any state. Undefined: there is no such job.
   */
  cancel(tenant: string, id: string): Promise<AdministrationJob | 'removed' | undefined>;
  /** Sets the function that executes the jobs of a kind in this process. */
  serve(kind: AdministrationJobKind, execute: AdministrationJobExecutor): void;
}
