import type { JobExecutor } from '../async-jobs';
import type { RequestContext } from '../context';
import type { JobRequest, JobState } from '../storage/async-jobs';

/** Requests that are answered later. */
export interface Jobs {
  /** Takes a request for later; its id. Throws tooManyJobs. */
  submit(context: RequestContext, request: JobRequest): Promise<string>;
  /**
   * Undefined: there is none of this id in the space that whoever asks has begun, or it has expired. Administrators of
   * the tenant find all.
   */
  find(context: RequestContext, id: string): Promise<JobState | undefined>;
  /** Stops it and forgets it, done or not. False: there was none. */
  cancel(context: RequestContext, id: string): Promise<boolean>;
  /** Who carries requests out in this process. */
  serve(execute: JobExecutor): void;
  /** Takes no more; resolves when nothing is under way in this process. */
  stop(): Promise<void>;
}
