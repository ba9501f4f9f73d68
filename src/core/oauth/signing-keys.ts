import { randomUUID } from 'node:crypto';
import {
  ID_TOKEN_ALGORITHMS,
  type IdTokenAlgorithm,
  type OfTenant,
} from '../storage/accounts/client-applications';
import type { PublicSigningKey, SigningKey, SigningKeyStore } from '../storage/accounts/signing-keys';
import { loadJose } from './jose';
import { RefreshingCache } from './refreshing-cache';

/** Of access tokens, which nobody verifies but this server. */
export const ACCESS_ALGORITHM = 'ES256';
/** A tenant has a key for each. */
export type SigningAlgorithm = IdTokenAlgorithm;
const ALGORITHMS: readonly SigningAlgorithm[] = ID_TOKEN_ALGORITHMS;

/** A key that has signed nothing for so long has signed nothing that is still good: no token lives for a day. */
const KEPT_MS = 24 * 3_600_000;

interface Keys {
  readonly list: readonly PublicSigningKey[];
}

/** A key that can be used now, as jose takes it. */
export type UsableKey = CryptoKey | Uint8Array;

/** What signs, and the name by which those who verify find its public half. */
export interface Signer {
  readonly id: string;
  readonly key: UsableKey;
}

/** The keys of each tenant, one for each algorithm: made when they are needed, known to all processes within 2 s. */
export class SigningKeys {
  readonly #recent = new RefreshingCache<Keys>(1_000);
  readonly #private = new Map<string, Signer>();
  readonly #imported = new WeakMap<PublicSigningKey, Promise<UsableKey>>();

  constructor(private readonly store: SigningKeyStore) {}

  /**
   * The public keys of a tenant that verify something, in the order of their ids, so that it tells nothing. The first ones are made by
   * this, so that they are known before they sign.
   */
  async publicKeys(space: OfTenant): Promise<readonly PublicSigningKey[]> {
    const longAgo = Date.now() - KEPT_MS;
    const keys = (await this.#signing(space)).filter(({ retired = Infinity }) => retired > longAgo);
    return keys.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** All keys of a tenant, one of each algorithm among them that signs. */
  async #signing(space: OfTenant): Promise<readonly PublicSigningKey[]> {
    const known = await this.#list(space);
    const signs = (wanted: SigningAlgorithm): boolean =>
      known.some(({ algorithm, retired }) => algorithm === wanted && retired === undefined);
    const missing = ALGORITHMS.filter((algorithm) => !signs(algorithm));
    if (missing.length === 0) return known;
    for (const algorithm of missing) await this.signer(space, algorithm);
    return this.#list(space);
  }

  /** As `RefreshingCache.changes`. */
  get changes(): number {
    return this.#recent.changes;
  }

  /** Undefined: the tenant has no such key, or not any more. */
  find(space: OfTenant, id: unknown): PublicSigningKey | undefined | Promise<PublicSigningKey | undefined> {
    const known = this.#known(space);
    const pick = (keys: Keys | undefined): PublicSigningKey | undefined =>
      keys?.list.find((key) => key.id === id);
    return known instanceof Promise ? known.then(pick) : pick(known);
  }

  async toUsable(key: PublicSigningKey): Promise<UsableKey> {
    let imported = this.#imported.get(key);
    if (imported === undefined) {
      imported = loadJose().then((jose) => jose.importJWK(key.publicKey, key.algorithm));
      this.#imported.set(key, imported);
    }
    return imported;
  }

  /** What signs. Cost: one look-up, once a connection of the owner's; for the first key of RS256 some 0.2 s in a thread. */
  async signer(space: OfTenant, algorithm: SigningAlgorithm): Promise<Signer> {
    const name = `${space.tenantNumber} ${algorithm}`;
    const known = this.#private.get(name);
    if (known !== undefined) {
      const current = await this.find(space, known.id);
      if (current !== undefined && current.retired === undefined) return known;
    }
    const stored = await this.store.current(space, algorithm, () => makeKey(algorithm));
    const jose = await loadJose();
    const made = { id: stored.id, key: await jose.importJWK(stored.privateKey, stored.algorithm) };
    this.#private.set(name, made);
    this.forget();
    return made;
  }

  /** New keys for all algorithms; their ids. What was signed before stays good until it expires; `revokes`: nothing of it is. */
  async rotate(space: OfTenant, revokes: boolean): Promise<readonly string[]> {
    const made = await Promise.all(ALGORITHMS.map(makeKey));
    await this.store.rotate(space, made, revokes ? undefined : KEPT_MS);
    for (const algorithm of ALGORITHMS) this.#private.delete(`${space.tenantNumber} ${algorithm}`);
    this.forget();
    return made.map(({ id }) => id);
  }

  /** Something of a tenant was changed. */
  forget(): void {
    this.#recent.forget();
  }

  async #list(space: OfTenant): Promise<readonly PublicSigningKey[]> {
    return (await this.#known(space))?.list ?? [];
  }

  #known(space: OfTenant): Keys | undefined | Promise<Keys | undefined> {
    const load = async (): Promise<Keys> => ({ list: await this.store.list(space) });
    return this.#recent.get(String(space.tenantNumber), load);
  }
}

async function makeKey(algorithm: SigningAlgorithm): Promise<SigningKey> {
  const jose = await loadJose();
  const pair = await jose.generateKeyPair(algorithm, { extractable: true });
  const id = randomUUID();
  const said = { kid: id, alg: algorithm, use: 'sig' };
  return {
    id,
    algorithm,
    publicKey: { ...(await jose.exportJWK(pair.publicKey)), ...said },
    privateKey: { ...(await jose.exportJWK(pair.privateKey)), ...said },
  };
}
