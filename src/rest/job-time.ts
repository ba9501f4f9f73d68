import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from '../core';

/** The context of an asynchronous request while it runs. */
interface JobTime {
  /** Milliseconds since 1970. */
  readonly deadline: number;
  /** Aborted when the job is cancelled or the caller loses access. */
  readonly signal: AbortSignal;
  /** Aborted when the caller loses access. */
  readonly revoked: AbortSignal;
  /** The caller that submitted the job. */
  readonly caller: Caller;
}

/** The context of the running asynchronous request; clients cannot set it. */
export const jobTime = new AsyncLocalStorage<JobTime>();
