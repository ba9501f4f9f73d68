import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from '../core';

/** Known of a request while it is carried out that is answered later. */
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

/** What belongs to such a request, and to nothing that a client can send. */
export const jobTime = new AsyncLocalStorage<JobTime>();
