import type { JWTVerifyGetKey } from 'jose' with { 'resolution-mode': 'import' };
import { LRUCache } from 'lru-cache';
import { loadJose } from './jose';

const MAX_ADDRESSES = 1_000;
const TIMEOUT_MS = 5_000;
/** A key that is not known makes us look again, but not more often than this. */
const COOLDOWN_MS = 30_000;
const MAX_AGE_MS = 10 * 60_000;

/** Key sets that others keep under an address: fetched when needed, again for an unknown key and after ten minutes. */
export class RemoteKeys {
  readonly #sets = new LRUCache<string, Promise<JWTVerifyGetKey>>({ max: MAX_ADDRESSES });

  of(address: string): Promise<JWTVerifyGetKey> {
    let set = this.#sets.get(address);
    if (set === undefined) {
      set = loadJose().then((jose) =>
        jose.createRemoteJWKSet(new URL(address), {
          timeoutDuration: TIMEOUT_MS,
          cooldownDuration: COOLDOWN_MS,
          cacheMaxAge: MAX_AGE_MS,
        }),
      );
      this.#sets.set(address, set);
    }
    return set;
  }
}
