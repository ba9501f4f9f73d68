import type { JWTVerifyGetKey } from 'jose' with { 'resolution-mode': 'import' };
import type { Log } from '../context';
import { fhirError } from '../errors';
import type { RateLimiter } from '../limits/rate-limiter';
import type { Rate } from '../memory/rate';
import { OutboundError, type Outbound } from '../outbound/outbound';
import type { TenantReference } from '../storage/accounts/client-applications';
import { loadJose } from './jose';
import { createCache } from '../memory/create-cache';

const MAX_ADDRESSES = 1_000;
const TIMEOUT_MS = 5_000;
/** An unknown key id causes a new fetch, at most this often. */
const COOLDOWN_MS = 10_000;
const MAX_AGE_MS = 10 * 60_000;
const MAX_BYTES = 1024 * 1024;
/** Interval between warnings about one address. */
const WARNING_MS = 60_000;

/** Fetches of key sets by one tenant, over all processes: more than its issuers and clients need. */
const PER_TENANT: readonly Rate[] = [{ quota: 120, windowMs: 60_000 }];

export interface RemoteKeysOptions {
  readonly outbound: Outbound;
  readonly log: Log;
  readonly rates: Pick<RateLimiter, 'take'>;
  readonly cooldownMs?: number;
}

/**
 * Remote key sets of tenants: fetched when needed, again for an unknown key, and after ten minutes. Each tenant has its
 * own, and a limit on its fetches, because its administrators choose the addresses.
 */
export class RemoteKeys {
  readonly #sets = createCache<string, Promise<JWTVerifyGetKey>>({
    name: 'remote-keys',
    scope: 'program',
    max: MAX_ADDRESSES,
  });
  readonly #warned = createCache<string, true>({
    name: 'remote-key-warnings',
    scope: 'program',
    max: MAX_ADDRESSES,
    ttl: WARNING_MS,
  });

  constructor(private readonly options: RemoteKeysOptions) {}

  /** The returned function throws `issuerUnavailable` while the keys cannot be fetched. */
  of({ tenantNumber }: Pick<TenantReference, 'tenantNumber'>, address: string): Promise<JWTVerifyGetKey> {
    const name = `${tenantNumber} ${address}`;
    let set = this.#sets.get(name);
    if (set === undefined) {
      set = this.#remoteSet(tenantNumber, address);
      this.#sets.set(name, set);
    }
    return set;
  }

  async #remoteSet(tenant: number, address: string): Promise<JWTVerifyGetKey> {
    const { outbound, rates, cooldownMs = COOLDOWN_MS } = this.options;
    const { createRemoteJWKSet, customFetch, errors } = await loadJose();
    const find = createRemoteJWKSet(new URL(address), {
      timeoutDuration: TIMEOUT_MS,
      cooldownDuration: cooldownMs,
      cacheMaxAge: MAX_AGE_MS,
      // The address as it was configured: a URL would normalize the spelling of its host.
      [customFetch]: async (_url: string, { headers, signal }: { headers: Headers; signal: AbortSignal }) => {
        const { isAdmitted } = await rates.take([{ tenant, kind: 'key-sets', name: '', rates: PER_TENANT }]);
        if (!isAdmitted) throw new OutboundError('the tenant has fetched too many key sets within a minute');
        return outbound.get({
          ...{ url: address, signal, maxBytes: MAX_BYTES },
          accept: headers.get('accept') ?? 'application/json',
        });
      },
    });
    return async (header, token) => {
      try {
        return await find(header, token);
      } catch (error) {
        // No matching key, or several: the token is wrong. Every other error means that the key set was not
        // available.
        const { JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported } = errors;
        for (const kind of [JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported])
          if (error instanceof kind) throw error;
        this.#warn(address, error);
        throw fhirError('issuerUnavailable');
      }
    };
  }

  #warn(address: string, error: unknown): void {
    if (this.#warned.has(address)) return;
    this.#warned.set(address, true);
    const reason = error instanceof Error ? error.message : String(error);
    this.options.log.warn({ address, reason }, 'a key set could not be fetched');
  }
}
