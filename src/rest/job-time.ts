import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from '../core';

/** Known of a request while it is carried out that is answered later. */
interface JobTime {
  /** Milliseconds since 1970. */
  readonly deadline: number;
  /** Aborted when nobody wants the answer any more. */
  readonly signal: AbortSignal;
  /** Aborted when whoever asked for it may not any more. */
  readonly revoked: AbortSignal;
  /** Who asked for it. */
  readonly caller: Caller;
}

/** What belongs to such a request, and to nothing that a client can send. */
export const jobTime = new AsyncLocalStorage<JobTime>();
