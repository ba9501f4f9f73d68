import { fhirError } from '../errors';
import type { Counted, RateLimiter } from '../limits/rate-limiter';
import type { Rate } from '../limits/rate';
import type { OfTenant } from '../storage/client-applications';

const MINUTE_MS = 60_000;

/** Wrong secrets of one client or user from one network: five, then one a minute. */
const OF_ONE: readonly Rate[] = [{ quota: 5, windowMs: 5 * MINUTE_MS }];
/** Of all that comes from one network, behind which there may be a hospital. */
const OF_NETWORK: readonly Rate[] = [{ quota: 100, windowMs: 10 * MINUTE_MS }];
/** Of one user from everywhere: passwords are short enough to be guessed by many at once. */
const OF_USER: readonly Rate[] = [{ quota: 50, windowMs: 60 * MINUTE_MS }];

/** Who somebody says to be. */
export interface Claimed {
  readonly kind: 'client' | 'user';
  /** Id or name, as it was sent. */
  readonly name: string;
}

/**
 * Who guesses is slowed down, over all processes: what was wrong is counted by who it was for and by where it came from, in
 * the counters that all processes share, and once there are too many nothing is looked at for a while, right or wrong.
 * Nothing that was proven before, such as a token, is counted or waits.
 */
export class Guesses {
  constructor(private readonly rates: RateLimiter) {}

  /**
   * What `check` gives; undefined, a wrong guess, stays counted. Throws `tooManyRequests` without asking it where there were
   * too many. Cost: a round trip to Redis.
   */
  async attempt<T>(
    space: OfTenant,
    claimed: Claimed,
    address: string,
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const admission = await this.rates.take(countedFor(space, claimed, address));
    if (!admission.isAdmitted) throw tooMany(admission.retryAfterSeconds);
    let found: T | undefined;
    let isWrong = false;
    try {
      found = await check();
      isWrong = found === undefined;
    } finally {
      if (!isWrong) admission.giveBack();
    }
    return found;
  }
}

function countedFor({ tenantNumber: tenant }: OfTenant, { kind, name }: Claimed, address: string): Counted[] {
  const network = networkOf(address);
  const counted = [
    { tenant, kind: 'guess', name: `${kind} ${network} ${name}`, rates: OF_ONE },
    { tenant, kind: 'guess', name: `network ${network}`, rates: OF_NETWORK },
  ];
  if (kind === 'user') counted.push({ tenant, kind: 'guess', name: `user ${name}`, rates: OF_USER });
  return counted;
}

function tooMany(seconds: number): Error {
  const reason = `Too many wrong credentials came from here; try again in ${seconds} s`;
  return fhirError('tooManyRequests', { reason }).after(seconds);
}

/** Of an IPv6 address the network: whoever has one has all of its addresses. */
function networkOf(address: string): string {
  return address.includes(':') && !address.includes('.') ? address.split(':').slice(0, 4).join(':') : address;
}
