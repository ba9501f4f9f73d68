import { randomUUID } from 'node:crypto';
import type { OfTenant } from '../storage/client-applications';
import type { PublicSigningKey, SigningKey, SigningKeyStore } from '../storage/signing-keys';
import { loadJose } from './jose';
import { Recent } from './recent';

export const SIGNING_ALGORITHM = 'ES256';

/** A key that has signed nothing for so long has signed nothing that is still good: no token lives for a day. */
const KEPT_MS = 24 * 3_600_000;

interface Keys {
  readonly list: readonly PublicSigningKey[];
}

/** A key that can be used now, as jose takes it. */
export type UsableKey = CryptoKey | Uint8Array;

/** The keys of each tenant: made when the first is needed, known to all processes within 2 s. */
export class SigningKeys {
  readonly #recent = new Recent<Keys>(1_000);
  readonly #private = new Map<number, { readonly id: string; readonly key: UsableKey }>();
  readonly #imported = new WeakMap<PublicSigningKey, Promise<UsableKey>>();

  constructor(private readonly store: SigningKeyStore) {}

  /** The public keys of a tenant, the newest first; the first one is made by this. */
  async publicKeys(space: OfTenant): Promise<readonly PublicSigningKey[]> {
    const known = await this.#list(space);
    if (known.some(({ retired }) => retired === undefined)) return known;
    await this.signer(space);
    return this.#list(space);
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

  /** What signs. Cost: one look-up, once a connection of the owner's. */
  async signer(space: OfTenant): Promise<{ readonly id: string; readonly key: UsableKey }> {
    const { tenantNumber } = space;
    const known = this.#private.get(tenantNumber);
    if (known !== undefined) {
      const current = await this.find(space, known.id);
      if (current !== undefined && current.retired === undefined) return known;
    }
    const stored = await this.store.current(space, makeKey);
    const jose = await loadJose();
    const made = { id: stored.id, key: await jose.importJWK(stored.privateKey, stored.algorithm) };
    this.#private.set(tenantNumber, made);
    this.forget();
    return made;
  }

  /** What was signed before stays good until it expires; `revokes`: nothing of it is. */
  async rotate(space: OfTenant, revokes: boolean): Promise<string> {
    const made = await makeKey();
    await this.store.rotate(space, made, revokes ? undefined : KEPT_MS);
    this.#private.delete(space.tenantNumber);
    this.forget();
    return made.id;
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

async function makeKey(): Promise<SigningKey> {
  const jose = await loadJose();
  const pair = await jose.generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  const id = randomUUID();
  const said = { kid: id, alg: SIGNING_ALGORITHM, use: 'sig' };
  return {
    id,
    algorithm: SIGNING_ALGORITHM,
    publicKey: { ...(await jose.exportJWK(pair.publicKey)), ...said },
    privateKey: { ...(await jose.exportJWK(pair.privateKey)), ...said },
  };
}
