import type { RequestContext } from '../context';
import type { Counted, RateLimiter } from './rate-limiter';
import type { Admission, LimitState } from '../api/process';
import type { RefusalDelay } from './refusal-delay';
import type { UnderWay } from './under-way';

/** The counters of requests. */
export interface RequestCounts {
  readonly rates: RateLimiter;
  readonly underWay: UnderWay;
  readonly refusals: RefusalDelay;
}

/** Seconds after which a client may retry when its tenant has too many concurrent requests. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Counts a request for its client and its tenant. Checks the tenant's concurrent requests, then the client's rates,
 * which cost other clients nothing, then the tenant's rates. Undefined: there are no limits. Repeated refusals are
 * delayed. Cost: a round trip to Redis now and then. Throws `storageUnavailable`.
 */
export function admitRequest(
  { rates, underWay, refusals }: RequestCounts,
  context: RequestContext,
): Promise<Admission> | undefined {
  const { limits, counted, tenant } = limitsOf(context);
  const admission =
    limits.maxRequests === undefined
      ? counted && rates.take(counted)
      : admitAmong(rates, underWay, { tenant, counted: counted ?? [], most: limits.maxRequests });
  return admission?.then((decided) => (decided.isAdmitted ? decided : withDelay(decided, refusals, context)));
}

function withDelay(refused: Admission, refusals: RefusalDelay, context: RequestContext): Admission {
  const client = `${context.space.tenantNumber} ${context.actor}`;
  const { windowSeconds = RETRY_AFTER_SECONDS } = refused.limits().at(-1) ?? {};
  return { ...refused, delay: () => refusals.wait(client, windowSeconds * 1000, context.cancellation) };
}

/**
 * Counts `requests` more of the same client and tenant, which an admitted request contained. Those that exceed the
 * limits are charged to later requests. Cost: nothing that a request waits for.
 */
export function chargeRequests({ rates }: RequestCounts, context: RequestContext, requests: number): void {
  const { counted } = limitsOf(context);
  if (counted !== undefined && requests > 0) rates.charge(counted, requests);
}

interface LimitedRequest {
  readonly tenant: number;
  readonly counted: readonly Counted[];
  readonly most: number;
}

async function admitAmong(
  rates: RateLimiter,
  underWay: UnderWay,
  { tenant, counted, most }: LimitedRequest,
): Promise<Admission> {
  const toState = (): LimitState => ({
    name: 'tenant-concurrent',
    quota: most,
    remaining: Math.max(0, most - underWay.count(tenant)),
  });
  const leave = underWay.enter(tenant, most);
  if (leave === undefined) {
    return {
      isAdmitted: false,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      limits: () => [...rates.peek(counted), toState()],
      giveBack: () => undefined,
      leave: () => undefined,
    };
  }
  try {
    const admission = await rates.take(counted);
    if (!admission.isAdmitted) leave();
    return {
      ...admission,
      // The exceeded limit is the last one.
      limits: () => (admission.isAdmitted ? [...admission.limits(), toState()] : admission.limits()),
      leave,
    };
  } catch (error) {
    leave();
    throw error;
  }
}

function limitsOf({ space, actor }: RequestContext): {
  readonly tenant: number;
  readonly limits: RequestContext['space']['settings']['limits'];
  /** Undefined: requests are not counted. */
  readonly counted: readonly Counted[] | undefined;
} {
  const { tenantNumber: tenant, settings } = space;
  const { limits } = settings;
  const { rates } = limits;
  const counted = rates && [
    { tenant, kind: 'client', name: actor, rates: rates.clients.get(actor) ?? rates.client },
    { tenant, kind: 'tenant', name: '', rates: rates.tenant },
  ];
  return { tenant, limits, counted };
}
