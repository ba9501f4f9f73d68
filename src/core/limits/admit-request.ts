import type { RequestContext } from '../context';
import type { Admission, Counted, RateLimiter } from './rate-limiter';

/**
 * Counts a request for its client and its tenant, the client's limit first: what it has used up costs the others of the
 * tenant nothing. Undefined: nothing limits it. Cost: a round trip to Redis now and then. Throws storageUnavailable.
 */
export function admitRequest(
  limiter: RateLimiter,
  { space, actor }: RequestContext,
): Promise<Admission> | undefined {
  const { rates } = space.settings.limits;
  if (rates === undefined) return undefined;
  const tenant = space.tenantNumber;
  const counted: Counted[] = [
    { tenant, kind: 'client', name: actor, rates: rates.clients.get(actor) ?? rates.client },
    { tenant, kind: 'tenant', name: '', rates: rates.tenant },
  ];
  return limiter.take(counted);
}
