import type { FastifyReply } from 'fastify';
import { type Admission, Waiter } from '../core';
import { INTERACTIONS, type Interaction } from './interaction-names';
import { requireAdmission, tellLimits } from './rate-limit';

/**
 * What is known of one request for its log line and its metrics. Tenant, release and type are set only after they
 * were found to exist, so that nothing a client made up reaches a log.
 */
export class Visit {
  readonly startedAt = performance.now();
  interaction: Interaction = INTERACTIONS.none;
  tenant: string | undefined = undefined;
  release: string | undefined = undefined;
  type: string | undefined = undefined;
  #waiter: Waiter | undefined;
  #isOver = false;
  #admission: Admission | undefined;

  /** Whoever waits for the answer, until a deadline in milliseconds since 1970. */
  waitUntil(deadline: number): Waiter {
    this.#waiter = new Waiter(deadline);
    if (this.#isOver) this.#waiter.leave();
    return this.#waiter;
  }

  /** Tells in the answer what limits requests. Throws tooManyRequests where this one is refused. */
  requireAdmission(admission: Admission, reply: FastifyReply): void {
    this.#admission = admission;
    requireAdmission(admission, reply);
  }

  /** The same again, because more than one request was counted. */
  tellLimits(reply: FastifyReply): void {
    if (this.#admission !== undefined) tellLimits(this.#admission, reply);
  }

  /** Nothing is done for it any more. */
  leave(): void {
    this.#admission?.leave();
  }

  /** The answer is out, or the client is gone. */
  end(): void {
    this.#isOver = true;
    this.#waiter?.leave();
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    visit: Visit;
  }
}
