import type { RequestContext } from '../context';
import type { JobOutcome, JobRequest, JobState, StoredRequest } from '../storage/jobs/async-jobs';

/** Asynchronous requests. */
export interface Jobs {
  /** Queues a request and returns its id. Throws `tooManyJobs`. */
  submit(context: RequestContext, request: JobRequest): Promise<string>;
  /**
   * Returns the state of a job that the caller has submitted in this space. Undefined: the job does not exist or has
   * expired. Administrators of the tenant can find all jobs.
   */
  find(context: RequestContext, id: string): Promise<JobState | undefined>;
  /** Stops a job if it runs, and deletes it. False: there is no such job. */
  cancel(context: RequestContext, id: string): Promise<boolean>;
  /** Sets the function that executes requests in this process. */
  serve(execute: JobExecutor): void;
  /** Counts the jobs of this process, of all tenants. Cost: no statement. */
  counts(): JobCounts;
  /** Accepts no more jobs; resolves when this process runs none. */
  stop(): Promise<void>;
}

/** Executes a request; `signal` is aborted when the result is no longer needed. */
export type JobExecutor = (request: StoredRequest, signal: AbortSignal) => Promise<JobOutcome>;

/** The jobs that a process holds, without those of other processes. */
export interface JobCounts {
  readonly running: number;
  /** Executed, with a result that is not in the database yet. */
  readonly unsaved: number;
}
