import { type FastifyReply, type FastifyRequest } from 'fastify';
import {
  ANONYMOUS_CALLER,
  type Caller,
  type Core,
  EMPTY_REQUEST_STATE,
  fhirError,
  isRelease,
  type Log,
  type RequestContext,
  type TenantSpace,
} from '../core/index';
import { upgradeOf } from '../upgrade';
import type { GatewayRequest } from './addresses';

export interface Identified {
  readonly space: TenantSpace;
  readonly caller: Caller;
}

/** Identifies and admits the callers of the gateway. */
export class Callers {
  constructor(
    private readonly core: Core,
    private readonly requestTimeoutMs: number,
    private readonly log: Log,
  ) {}

  /**
   * Takes tenant and release from the path only, so that no query can reach another tenant. Throws the errors of
   * `Core.identify`.
   */
  async identify(request: GatewayRequest): Promise<Identified> {
    const { core } = this;
    const { tenant, release } = request.params;
    if (!isRelease(release)) throw fhirError('unknownRelease', { release });
    // An address with a percent-encoded name is not valid.
    const isSpelledOut = ['graphql', 'fhir'].some((root) =>
      request.url.startsWith(`/w/${tenant}/api/v1/${root}/${release}`),
    );
    const space = isSpelledOut ? await core.access.findSpace(tenant, release) : undefined;
    const { authorization } = request.headers;
    const origin = { address: request.ip, requestId: request.id, requestLine: request.url };
    // A WebSocket may send its credentials in its first message, and is authenticated then (live-routes.ts).
    const isLater = isSpelledOut && authorization === undefined && upgradeOf(request.raw) !== undefined;
    const caller = isLater
      ? ANONYMOUS_CALLER
      : await core.access.identify({ tenant, space, authorization, ...origin });
    const served = space ?? (isLater ? core.access.decoy(tenant, release) : undefined);
    if (!served) throw isSpelledOut ? core.access.unknownTenant(tenant) : fhirError('unknownTenant');
    if (!isLater) request.logEntry.caller = caller;
    if (space) request.logEntry.tenant = tenant;
    request.logEntry.release = release;
    return { space: served, caller };
  }

  /**
   * Counts the request against the limits before reading it, and as a request in progress until `work` is done. Throws
   * tooManyRequests.
   */
  async admitted<Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    identified: Identified,
    work: (context: RequestContext) => Promise<Result>,
  ): Promise<Result> {
    const context = this.contextOf(request, identified);
    request.logEntry.begin();
    request.logEntry.changesNothing = true;
    try {
      const admission = this.core.access.admit(context);
      if (admission !== undefined) await request.logEntry.requireAdmission(admission, request, reply);
      return await work(context);
    } finally {
      request.logEntry.leave();
    }
  }

  contextOf(request: FastifyRequest, { space, caller }: Identified): RequestContext {
    const deadline = Date.now() + this.requestTimeoutMs;
    return {
      space,
      actor: caller.actor,
      deadline,
      cancellation: request.logEntry.waitUntil(deadline),
      bytes: request.logEntry.bytes,
      requestId: request.id,
      address: request.ip,
      hasStatementBudget: true,
      log: this.log,
      ...EMPTY_REQUEST_STATE,
      ...(caller.access === undefined ? {} : { access: caller.access }),
    };
  }
}
