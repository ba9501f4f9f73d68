import type { JWTVerifyGetKey } from 'jose' with { 'resolution-mode': 'import' };
import { LRUCache } from 'lru-cache';
import { fhirError } from '../errors';
import { loadJose } from './jose';

const MAX_ADDRESSES = 1_000;
const TIMEOUT_MS = 5_000;
/** A key that is not known makes us look again, but not more often than this. */
const COOLDOWN_MS = 10_000;
const MAX_AGE_MS = 10 * 60_000;

/** Key sets that others keep under an address: fetched when needed, again for an unknown key and after ten minutes. */
export class RemoteKeys {
  readonly #sets = new LRUCache<string, Promise<JWTVerifyGetKey>>({ max: MAX_ADDRESSES });

  constructor(private readonly cooldownMs = COOLDOWN_MS) {}

  /** What it gives throws `issuerUnavailable` while the keys cannot be had. */
  of(address: string): Promise<JWTVerifyGetKey> {
    let set = this.#sets.get(address);
    if (set === undefined) {
      set = remoteSet(address, this.cooldownMs);
      this.#sets.set(address, set);
    }
    return set;
  }
}

async function remoteSet(address: string, cooldownMs: number): Promise<JWTVerifyGetKey> {
  const { createRemoteJWKSet, errors } = await loadJose();
  const find = createRemoteJWKSet(new URL(address), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: cooldownMs,
    cacheMaxAge: MAX_AGE_MS,
  });
  return async (header, token) => {
    try {
      return await find(header, token);
    } catch (error) {
      // No such key, or several that fit: the token's fault. All else is a key set that we did not get.
      const { JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported } = errors;
      for (const kind of [JWKSNoMatchingKey, JWKSMultipleMatchingKeys, JOSENotSupported])
        if (error instanceof kind) throw error;
      throw fhirError('issuerUnavailable');
    }
  };
}
