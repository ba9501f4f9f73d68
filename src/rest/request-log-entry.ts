import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Admission,
  type Caller,
  type Core,
  type FhirError,
  type HeldBytes,
  isRelease,
  Cancellation,
} from '../core';
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
export class RequestLogEntry {
  readonly startedAt = performance.now();
  interaction: Interaction = INTERACTIONS.none;
  tenant: string | undefined = undefined;
  release: string | undefined = undefined;
  type: string | undefined = undefined;
  /** Undefined: nobody has asked yet who it is. */
  caller: Caller | undefined = undefined;
  /** Milliseconds since 1970 after which it is answered whatever it waits for (deadlines.ts). */
  deadline = Infinity;
  /** Where it stands among those that are open (deadlines.ts). */
  place = 0;
  /** It was answered because its deadline was over. */
  isOverdue = false;
  #cancellation: Cancellation | undefined;
  #isOver = false;
  #admission: Admission | undefined;
  #isWorkedOn = false;
  #sentBytes = 0;

  constructor(
    /** What its body and its answer hold. */
    readonly bytes: HeldBytes,
  ) {}

  /** Something is done for it until it leaves, also where the client is gone before. */
  begin(): void {
    this.#isWorkedOn = true;
  }

  /** So many bytes were put together, and are on their way to the client. */
  sends(bytes: number): void {
    this.#sentBytes = bytes;
    if (!this.#isWorkedOn) this.bytes.become(bytes);
  }

  /** Sets the deadline, in milliseconds since 1970; the returned cancellation also covers a disconnect of the client. */
  waitUntil(deadline: number): Cancellation {
    this.deadline = deadline;
    this.#cancellation = new Cancellation(deadline);
    if (this.#isOver) this.#cancellation.leave();
    return this.#cancellation;
  }

  /** Tells in the answer what limits requests. Throws tooManyRequests where this one is refused, after the delay of the refusal. */
  async requireAdmission(
    admission: Promise<Admission>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    this.#admission = await admission;
    const { delay } = this.#admission;
    if (delay !== undefined) {
      // Nobody looks at the body any more; it would take memory while the refusal waits.
      request.body = undefined;
      this.bytes.release();
      await delay();
    }
    requireAdmission(this.#admission, reply);
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
    const recorded = core.recordRefusal(refused, error);
    // What keeps the request waiting may keep this waiting too.
    if (!this.isOverdue) await recorded;
  }

  /** Nothing is done for it any more. */
  leave(): void {
    this.#admission?.leave();
    this.#isWorkedOn = false;
    this.bytes.become(this.#isOver ? 0 : this.#sentBytes);
  }

  /** The answer is out, or the client is gone. */
  end(): void {
    this.#isOver = true;
    this.#cancellation?.leave();
    if (!this.#isWorkedOn) this.bytes.release();
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    visit: RequestLogEntry;
  }
}
