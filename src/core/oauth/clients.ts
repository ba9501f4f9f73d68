import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { fhirError } from '../errors';
import type { AdministeredTenant } from '../storage/accounts/administrators';
import {
  MAX_SECRETS,
  type ClientDetails,
  type ClientStore,
  type NewStoredSecret,
  type TenantReference,
  type StoredClient,
} from '../storage/accounts/client-applications';
import { asInProgram, CONSOLE, CONSOLE_DETAILS } from './console-client';
import type { CredentialThrottle } from './credential-throttle';
import { RefreshingCache } from '../memory/refreshing-cache';
import { hashSecret, isSecretOf, isDecoySecret } from './secret-hash';
import { createCache } from '../memory/create-cache';
import { isValidId } from '../fhir/resource';

const LONGEST_ID = 64;

/** Cached verified secrets. */
const MAX_VERIFIED = 10_000;
/** A prefix that scanners for leaked secrets can look for. */
const SECRET_PREFIX = 'andiron_';
const SECRET_BYTES = 32;

/** The result of client authentication. */
export type Proof =
  | { readonly kind: 'proven'; readonly client: StoredClient }
  /** No such client, or a wrong secret; neither the answer nor its time shows which. */
  | { readonly kind: 'refused' };

/** A new secret, which is shown only once. */
export interface NewSecret {
  readonly id: string;
  readonly secret: string;
  /** Milliseconds since 1970. */
  readonly expires?: number;
}

/** The ClientApplications of all tenants, cached for at most 1.5 s, and their secrets. */
export class Clients {
  readonly #recent = new RefreshingCache<StoredClient>('clients', 10_000);
  /** Verifications in progress; concurrent ones of the same secret share a result. */
  readonly #proving = new Map<string, Promise<Proof>>();
  /** Ids of secrets by a keyed hash of the secret, so that a memory dump reveals no secret. */
  readonly #verified = createCache<string, string>({
    name: 'client-secrets',
    scope: 'data',
    max: MAX_VERIFIED,
  });
  readonly #key = randomBytes(32);

  constructor(
    private readonly store: ClientStore,
    private readonly throttle: CredentialThrottle,
  ) {}

  /** As `RefreshingCache.changes`. */
  get changes(): number {
    return this.#recent.changes;
  }

  /** Undefined: there is no such client. Disabled clients are returned; that of the console always exists. */
  find(space: TenantReference, id: string): StoredClient | undefined | Promise<StoredClient | undefined> {
    if (!isValidId(id)) return undefined;
    return this.#recent.get(`${space.tenantNumber} ${id}`, async () =>
      asInProgram(id, await this.store.find(space, id)),
    );
  }

  /**
   * Verifies a secret of a client. Cost: a hash of some microseconds for a secret verified before; otherwise `isSecretOf`
   * for each secret of the client, and once where there is none. Throws `tooManyRequests` after too many wrong secrets.
   *
   * @param address network address of the client: wrong secrets of one client from one address are throttled
   */
  async prove(space: TenantReference, id: string, secret: string, address: string): Promise<Proof> {
    const client = await this.find(space, id);
    const now = Date.now();
    const secrets = client?.secrets ?? [];
    const usable = secrets.filter(({ expires }) => expires === undefined || expires > now);
    const key = createHmac('sha256', this.#key)
      .update(`${space.tenantNumber} ${id} ${secret}`)
      .digest('base64url');
    const verifiedSecret = this.#verified.get(key);
    if (client !== undefined && usable.some((each) => each.id === verifiedSecret)) return toProof(client);
    const attempt = `${key} ${address}`;
    const begun = this.#proving.get(attempt);
    if (begun !== undefined) return begun;
    const proving = this.throttle
      .attempt(space, { kind: 'client', name: id.slice(0, LONGEST_ID) }, address, async () => {
        if (usable.length === 0) await isDecoySecret(secret);
        for (const each of usable)
          if (await isSecretOf(secret, each.hash)) {
            this.#verified.set(key, each.id);
            return each;
          }
        return undefined;
      })
      .then((found) => (found === undefined || client === undefined ? REFUSED : toProof(client)))
      .finally(() => this.#proving.delete(attempt));
    this.#proving.set(attempt, proving);
    return proving;
  }

  /** All clients, oldest first. */
  async list(space: TenantReference): Promise<readonly StoredClient[]> {
    await this.storeConsole(space);
    return (await this.store.list(space)).map((client) => asInProgram(client.id, client) ?? client);
  }

  /** As `find`, without the cache. */
  async read(space: TenantReference, id: string): Promise<StoredClient | undefined> {
    if (id === CONSOLE) await this.storeConsole(space);
    return asInProgram(id, await this.store.find(space, id));
  }

  /** Adds the row of the console's client, to which grants refer, where it is missing. Cost: a statement. */
  async storeConsole(space: TenantReference): Promise<void> {
    if ((await this.store.find(space, CONSOLE)) !== undefined) return;
    await this.store.createBuiltIn(space, CONSOLE, CONSOLE_DETAILS);
    this.invalidate();
  }

  /** Creates a client, with its first `secret` or not at all, and returns its id. Throws `invalidValue`. */
  async create(space: TenantReference, details: ClientDetails, secret?: NewSecret): Promise<string> {
    const id = randomUUID();
    if (!(await this.store.create(space, id, details, secret && (await toStored(secret)))))
      throw fhirError('invalidValue', { reason: 'The tenant has as many clients as it may have' });
    return id;
  }

  /**
   * Undefined: there is no such client. Takes effect in this process at once; the caller notifies the others. Throws
   * `lastAdministrator`.
   */
  async update(
    space: AdministeredTenant,
    id: string,
    decide: (before: StoredClient) => ClientDetails,
  ): Promise<StoredClient | undefined> {
    if (id === CONSOLE) await this.storeConsole(space);
    const changed = await this.store.update(space, id, (before) => decide(asInProgram(id, before) ?? before));
    this.invalidate();
    return changed;
  }

  /** Undefined: there is no such client. Throws `invalidValue` where it may have no more secrets. */
  async addSecret(space: TenantReference, id: string, expires?: number): Promise<NewSecret | undefined> {
    if (id === CONSOLE)
      throw fhirError('invalidValue', { reason: `The client ${CONSOLE} is public: it has no secrets` });
    if ((await this.store.find(space, id)) === undefined) return undefined;
    const made = makeSecret(expires);
    if (!(await this.store.addSecret(space, id, await toStored(made))))
      throw fhirError('invalidValue', { reason: `A client has at most ${MAX_SECRETS} secrets; remove one` });
    this.invalidate();
    return made;
  }

  /** False: there is no such secret. Throws `lastAdministrator`. */
  async removeSecret(space: AdministeredTenant, id: string, secret: string): Promise<boolean> {
    const removed = await this.store.removeSecret(space, id, secret);
    this.invalidate();
    return removed;
  }

  /** Invalidates the cache after a change of a tenant. */
  invalidate(): void {
    this.#recent.invalidate();
  }
}

/** 256 random bits. `expires`: milliseconds since 1970. */
export function makeSecret(expires?: number): NewSecret {
  const secret = SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
  return { id: randomUUID(), secret, ...(expires === undefined ? {} : { expires }) };
}

async function toStored({ secret, ...rest }: NewSecret): Promise<NewStoredSecret> {
  return { ...rest, hash: await hashSecret(secret) };
}

const REFUSED: Proof = { kind: 'refused' };

function toProof(client: StoredClient): Proof {
  return client.isDisabled ? { kind: 'refused' } : { kind: 'proven', client };
}
