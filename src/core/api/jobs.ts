import type { JobExecutor } from '../jobs/async-jobs';
import type { RequestContext } from '../context';
import type { JobRequest, JobState } from '../storage/jobs/async-jobs';

/** Requests that are answered later. */
export interface Jobs {
  /** Takes a request for later; its id. Throws tooManyJobs. */
  submit(context: RequestContext, request: JobRequest): Promise<string>;
  /**
   * The state of a job that the caller has submitted in this space. Undefined: there is none of this id, or it has
   * expired. Administrators of the tenant find all jobs.
   */
  find(context: RequestContext, id: string): Promise<JobState | undefined>;
  /** Stops it and forgets it, done or not. False: there was none. */
  cancel(context: RequestContext, id: string): Promise<boolean>;
  /** Who carries requests out in this process. */
  serve(execute: JobExecutor): void;
  /** Takes no more; resolves when nothing is under way in this process. */
  stop(): Promise<void>;
}
