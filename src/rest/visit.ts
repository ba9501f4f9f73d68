import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Admission, type Caller, type Core, type FhirError, isRelease, Waiter } from '../core';
import { INTERACTIONS, type Interaction } from './interaction-names';
import { jobTime } from './job-time';
import { requireAdmission, tellLimits } from './rate-limit';

/** Where data of a tenant are. */
export const DATA_ADDRESS = /^\/w\/([a-z0-9-]{1,63})\/api\/v1\/(?:fhir|graphql)\/(r4b?)(?=[/?]|$)/;
export const READING_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

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
  /** Undefined: nobody has asked yet who it is. */
  caller: Caller | undefined = undefined;
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

  /** Has it recorded that this request is answered with an error; to be awaited before that. Never rejects. */
  async recordRefusal(core: Core, request: FastifyRequest, error: FhirError): Promise<void> {
    const { method, url, headers, ip, id } = request;
    const [, tenant = '', release = ''] = DATA_ADDRESS.exec(url) ?? [];
    if (!isRelease(release)) return;
    const refused = {
      ...{ tenant, release, address: ip, requestId: id, asked: url },
      caller: this.caller ?? jobTime.getStore()?.caller,
      mayChange: !READING_METHODS.includes(method),
      authorization: headers.authorization,
    };
    await core.recordRefusal(refused, error);
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
