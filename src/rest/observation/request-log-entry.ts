import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Admission,
  type Caller,
  type Core,
  type FhirError,
  type HeldBytes,
  isRelease,
  Cancellation,
} from '../../core';
import { INTERACTIONS, type Interaction } from '../interaction-names';
import { jobTime } from '../job-time';
import type { ErrorCode, Metrics } from './metrics';
import { requireAdmission, setLimitHeaders } from '../connections/rate-limit';

/** Addresses with data of a tenant. */
export const DATA_ADDRESS = /^\/w\/([a-z0-9-]{1,63})\/api\/v1\/(?:fhir|graphql)\/(r4b?)(?=[/?]|$)/;
export const READING_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

/**
 * The state of one request for its log line and its metrics. Tenant, release and type are set only when they exist, so
 * that no text made up by a client gets into a log.
 */
export class RequestLogEntry {
  readonly startedAt = performance.now();
  interaction: Interaction = INTERACTIONS.none;
  tenant: string | undefined = undefined;
  release: string | undefined = undefined;
  type: string | undefined = undefined;
  /** Undefined: the request is not traced. */
  traceId: string | undefined = undefined;
  /** Undefined: the caller is not identified yet. */
  caller: Caller | undefined = undefined;
  /** Milliseconds since 1970 after which the request gets an error response (deadlines.ts). */
  deadline = Infinity;
  /** Index among the open requests (deadlines.ts). */
  place = 0;
  /** True: the request has changed nothing so far, and will say so before it does. */
  changesNothing = false;
  /** True when the deadline caused the response. */
  isOverdue = false;
  #cancellation: Cancellation | undefined;
  #isOver = false;
  #admission: Admission | undefined;
  #isWorkedOn = false;
  #sentBytes = 0;

  constructor(
    /** Memory that the body and the response use. */
    readonly bytes: HeldBytes,
    private readonly count: Metrics['countError'],
  ) {}

  /** Counts an error for the metrics. */
  readonly countError = (code: ErrorCode): void => this.count(code, this.tenant);

  /** Marks work for this request, which continues until `leave` even after the client has disconnected. */
  begin(): void {
    this.#isWorkedOn = true;
  }

  /** Counts the bytes of the response, which are being sent to the client. */
  sends(bytes: number): void {
    this.#sentBytes = bytes;
    if (!this.#isWorkedOn) this.bytes.become(bytes);
  }

  /** Sets the deadline, in milliseconds since 1970; the returned cancellation also covers a disconnect of the client. */
  waitUntil(deadline: number): Cancellation {
    this.deadline = deadline;
    this.#cancellation = new Cancellation(deadline);
    if (this.#isOver) this.#cancellation.cancel();
    return this.#cancellation;
  }

  /**
   * Sets the headers of the limits. Throws tooManyRequests when this request is refused, after the delay of the
   * refusal.
   */
  async requireAdmission(
    admission: Promise<Admission>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    this.#admission = await admission;
    const { delay } = this.#admission;
    if (delay !== undefined) {
      // The body is not needed any more; it would take memory while the refusal is delayed.
      request.body = undefined;
      this.bytes.release();
      await delay();
    }
    requireAdmission(this.#admission, reply);
  }

  /** Sets the headers again, because more than one request was counted. */
  setLimitHeaders(reply: FastifyReply): void {
    if (this.#admission !== undefined) setLimitHeaders(this.#admission, reply);
  }

  /** Counts and records a response with an error; await it before sending the response. Never rejects. */
  async recordRefusal(core: Core, request: FastifyRequest, error: FhirError): Promise<void> {
    this.countError(error.key);
    const { method, url, headers, ip, id } = request;
    const [, tenant = '', release = ''] = DATA_ADDRESS.exec(url) ?? [];
    if (!isRelease(release)) return;
    const refused = {
      ...{ tenant, release, address: ip, requestId: id, requestLine: url },
      caller: this.caller ?? jobTime.getStore()?.caller,
      mayChange: !READING_METHODS.includes(method),
      authorization: headers.authorization,
    };
    const recorded = core.access.recordRefusal(refused, error);
    // The cause of the delay may delay the recording too.
    if (!this.isOverdue) await recorded;
  }

  /** Marks the end of the work for this request. */
  leave(): void {
    this.#admission?.leave();
    this.#isWorkedOn = false;
    this.bytes.become(this.#isOver ? 0 : this.#sentBytes);
  }

  /** Marks that the response was sent, or the client has disconnected. */
  end(): void {
    this.#isOver = true;
    this.#cancellation?.cancel();
    if (!this.#isWorkedOn) this.bytes.release();
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    logEntry: RequestLogEntry;
  }
}
