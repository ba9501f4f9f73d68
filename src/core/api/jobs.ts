import type { RequestContext } from '../context';

/** A request in the form in which its edge can run it later. */
export interface JobRequest {
  /** Values for the edge, stored as JSON. */
  readonly details: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** Text, or its bytes in UTF-8. */
  readonly body?: string | Buffer;
  /** True if a repeated run changes nothing. */
  readonly isRepeatable: boolean;
}

/** A request as it is stored, with the bytes of its body. */
export interface StoredRequest extends JobRequest {
  readonly body?: Buffer;
}

/** The result: the HTTP status and the resource of the answer, as text or its bytes in UTF-8. */
export interface JobOutcome {
  readonly status: number;
  readonly body: string | Buffer;
}

export type JobState =
  | {
      readonly state: 'waiting' | 'running';
      /** Milliseconds since it was accepted. */
      readonly age: number;
    }
  | {
      readonly state: 'done';
      /** Milliseconds since 1970. */
      readonly expires: number;
      readonly status: number;
      readonly body: Buffer;
    };

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
  /**
   * Begins no more jobs of any kind in this process, and hands those over to other processes that can be repeated; resolves when
   * this process runs none.
   */
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
