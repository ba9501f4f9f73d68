import { fhirError } from '../errors';
import type { Counted, RateLimiter } from '../limits/rate-limiter';
import type { Admission } from '../api/process';
import type { Rate } from '../memory/rate';
import { networkOf } from '../network/ip-address';
import type { TenantReference } from '../storage/accounts/client-applications';

const MINUTE_MS = 60_000;

/** Wrong secrets of one client or user from one network: five at once, then one a minute. */
const PER_NAME_AND_NETWORK: readonly Rate[] = [{ quota: 5, windowMs: 5 * MINUTE_MS }];
/** All wrong secrets from one network, which may be a whole hospital. */
const PER_NETWORK: readonly Rate[] = [{ quota: 100, windowMs: 10 * MINUTE_MS }];
/**
 * Wrong passwords of one user from all networks, because passwords are short enough to be guessed from many networks
 * at once. It refills faster than one network may guess, so that one network alone never uses it up.
 */
const PER_USER: readonly Rate[] = [{ quota: 100, windowMs: 60 * MINUTE_MS }];

/** Wrong codes of one user from all networks: six digits are guessed sooner than a password. */
const PER_CODE: readonly Rate[] = [{ quota: 10, windowMs: 60 * MINUTE_MS }];

/** The identity that credentials are sent for. */
export interface Claimed {
  readonly kind: 'client' | 'user' | 'code' | 'invitation';
  /** Id or name, as it was sent; of an invitation the hash of its secret. */
  readonly name: string;
}

/** An attempt to sign in with a password, or with a code after it. */
export interface SignInAttempt {
  readonly kind: 'user' | 'code';
  /** Name of the user, as it was sent. */
  readonly name: string;
  /** IP address that it came from. */
  readonly address: string;
  /**
   * True: the user has signed in from the network (`networkOf`) before. Called only where the budget of the user is
   * used up.
   */
  isKnownNetwork(network: string): Promise<boolean>;
}

/**
 * Throttles guesses over all processes: wrong credentials are counted by identity and by network, in PostgreSQL, so that
 * no process grants guesses of its own while Redis is away.
 * Beyond the limits, credentials are refused without a check for a while. Proof from earlier, such as a token, is
 * neither counted nor delayed.
 */
export class CredentialThrottle {
  constructor(private readonly rates: RateLimiter) {}

  /**
   * Returns the result of `check`; undefined means a wrong guess, which stays counted. **Throws** `tooManyRequests`
   * without calling `check` where there were too many. **Cost**: two statements.
   */
  async attempt<T>(
    space: TenantReference,
    claimed: Claimed,
    address: string,
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const admission = await this.rates.take(countersOf(space, claimed, networkOf(address)));
    if (!admission.isAdmitted) throw tooMany(admission.retryAfterSeconds);
    return count(admission, check);
  }

  /**
   * As `attempt` for a user, but also counted over all networks. Where others have used up that budget, a network
   * from which the user has signed in before may continue within its own limits. **Cost**: another
   * statement, and `isKnownNetwork` where the budget is used up.
   */
  async attemptSignIn<T>(
    space: TenantReference,
    { kind, name, address, isKnownNetwork }: SignInAttempt,
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const network = networkOf(address);
    const rates = kind === 'user' ? PER_USER : PER_CODE;
    return this.attempt(space, { kind, name }, address, async () => {
      const { tenantNumber: tenant } = space;
      const admission = await this.rates.take([{ tenant, kind: 'guess', name: `${kind} ${name}`, rates }]);
      if (admission.isAdmitted) return count(admission, check);
      if (await isKnownNetwork(network)) return check();
      throw tooMany(admission.retryAfterSeconds);
    });
  }
}

/** Returns the result of `check`; everything except a wrong guess is removed from the counters. */
async function count<T>(admission: Admission, check: () => Promise<T | undefined>): Promise<T | undefined> {
  let isWrong = false;
  try {
    const found = await check();
    isWrong = found === undefined;
    return found;
  } finally {
    if (!isWrong) admission.giveBack();
  }
}

function countersOf(
  { tenantNumber: tenant }: TenantReference,
  { kind, name }: Claimed,
  network: string,
): Counted[] {
  return [
    { tenant, kind: 'guess', name: `${kind} ${network} ${name}`, rates: PER_NAME_AND_NETWORK },
    { tenant, kind: 'guess', name: `network ${network}`, rates: PER_NETWORK },
  ];
}

function tooMany(seconds: number): Error {
  const reason = `Too many wrong credentials came from here; try again in ${seconds} s`;
  return fhirError('tooManyRequests', { reason }).after(seconds);
}
