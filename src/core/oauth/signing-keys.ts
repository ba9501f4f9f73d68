import { randomUUID, type webcrypto } from 'node:crypto';
import {
  ID_TOKEN_ALGORITHMS,
  type IdTokenAlgorithm,
  type TenantReference,
} from '../storage/accounts/client-applications';
import type { PublicSigningKey, SigningKey, SigningKeyStore } from '../storage/accounts/signing-keys';
import { loadJose } from './jose';
import { RefreshingCache } from '../memory/refreshing-cache';

/** Algorithm of access tokens, which only this server verifies. */
export const ACCESS_ALGORITHM = 'ES256';
/** A tenant has a key for each algorithm. */
export type SigningAlgorithm = IdTokenAlgorithm;
const ALGORITHMS: readonly SigningAlgorithm[] = ID_TOKEN_ALGORITHMS;

/** A retired key is neither published nor needed after this time, because no token lives for a day. */
const RETENTION_MS = 24 * 3_600_000;

interface Keys {
  readonly list: readonly PublicSigningKey[];
}

/** An imported key for jose. */
export type UsableKey = webcrypto.CryptoKey | Uint8Array;

/** A signing key, and the id by which verifiers find its public key. */
export interface Signer {
  readonly id: string;
  readonly key: UsableKey;
}

/** The keys of each tenant, one for each algorithm: created when needed, visible to all processes within 2 s. */
export class SigningKeys {
  readonly #recent = new RefreshingCache<Keys>('signing-keys', 1_000);
  readonly #private = new Map<string, Signer>();
  readonly #imported = new WeakMap<PublicSigningKey, Promise<UsableKey>>();

  constructor(private readonly store: SigningKeyStore) {}

  /**
   * Returns the public keys of a tenant that can still verify tokens, ordered by id so that the order reveals
   * nothing. Creates the first keys, so that they are published before they sign.
   */
  async publicKeys(space: TenantReference): Promise<readonly PublicSigningKey[]> {
    const longAgo = Date.now() - RETENTION_MS;
    const keys = (await this.#signing(space)).filter(({ retired = Infinity }) => retired > longAgo);
    return keys.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Returns all keys of a tenant, including an active signing key for each algorithm. */
  async #signing(space: TenantReference): Promise<readonly PublicSigningKey[]> {
    const keys = await this.#list(space);
    const signs = (wanted: SigningAlgorithm): boolean =>
      keys.some(({ algorithm, retired }) => algorithm === wanted && retired === undefined);
    const missing = ALGORITHMS.filter((algorithm) => !signs(algorithm));
    if (missing.length === 0) return keys;
    for (const algorithm of missing) await this.signer(space, algorithm);
    return this.#list(space);
  }

  /** As `RefreshingCache.changes`. */
  get changes(): number {
    return this.#recent.changes;
  }

  /** Undefined: the tenant has no such key, or no longer. */
  find(
    space: TenantReference,
    id: unknown,
  ): PublicSigningKey | undefined | Promise<PublicSigningKey | undefined> {
    const keysOfTenant = this.listKnown(space);
    const pick = (keys: Keys | undefined): PublicSigningKey | undefined =>
      keys?.list.find((key) => key.id === id);
    return keysOfTenant instanceof Promise ? keysOfTenant.then(pick) : pick(keysOfTenant);
  }

  async toUsable(key: PublicSigningKey): Promise<UsableKey> {
    let imported = this.#imported.get(key);
    if (imported === undefined) {
      imported = loadJose().then((jose) => jose.importJWK(key.publicKey, key.algorithm));
      this.#imported.set(key, imported);
    }
    return imported;
  }

  /**
   * Returns the signing key. Cost: a lookup, the first time an owner connection; the first RS256 key takes some 0.2 s
   * in a thread.
   */
  async signer(space: TenantReference, algorithm: SigningAlgorithm): Promise<Signer> {
    const name = `${space.tenantNumber} ${algorithm}`;
    const cached = this.#private.get(name);
    if (cached !== undefined) {
      const current = await this.find(space, cached.id);
      if (current !== undefined && current.retired === undefined) return cached;
    }
    const stored = await this.store.current(space, algorithm, () => makeKey(algorithm));
    const jose = await loadJose();
    const made = { id: stored.id, key: await jose.importJWK(stored.privateKey, stored.algorithm) };
    this.#private.set(name, made);
    this.invalidate();
    return made;
  }

  /**
   * Creates new keys for all algorithms and returns their ids. Earlier tokens stay valid until they expire; with
   * `revokes` they become invalid.
   */
  async rotate(space: TenantReference, revokes: boolean): Promise<readonly string[]> {
    const made = await Promise.all(ALGORITHMS.map(makeKey));
    await this.store.rotate(space, made, revokes ? undefined : RETENTION_MS);
    for (const algorithm of ALGORITHMS) this.#private.delete(`${space.tenantNumber} ${algorithm}`);
    this.invalidate();
    return made.map(({ id }) => id);
  }

  /** Invalidates the cache after a change of a tenant. */
  invalidate(): void {
    this.#recent.invalidate();
  }

  async #list(space: TenantReference): Promise<readonly PublicSigningKey[]> {
    return (await this.listKnown(space))?.list ?? [];
  }

  listKnown(space: TenantReference): Keys | undefined | Promise<Keys | undefined> {
    const load = async (): Promise<Keys> => ({ list: await this.store.list(space) });
    return this.#recent.get(String(space.tenantNumber), load);
  }
}

async function makeKey(algorithm: SigningAlgorithm): Promise<SigningKey> {
  const jose = await loadJose();
  const pair = await jose.generateKeyPair(algorithm, { extractable: true });
  const id = randomUUID();
  const parameters = { kid: id, alg: algorithm, use: 'sig' };
  return {
    id,
    algorithm,
    publicKey: { ...(await jose.exportJWK(pair.publicKey)), ...parameters },
    privateKey: { ...(await jose.exportJWK(pair.privateKey)), ...parameters },
  };
}
