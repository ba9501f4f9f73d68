import type { OfTenant } from '../storage/accounts/client-applications';
import type { GrantStore } from '../storage/accounts/user-grants';
import { RefreshingCache } from '../oauth/refreshing-cache';

interface Good {
  readonly isGood: true;
}

/** Validity of users' grants, cached for at most 1.5 s. An access token is valid only while its grant is. */
export class UserGrants {
  readonly #recent = new RefreshingCache<Good>(20_000);

  constructor(private readonly store: GrantStore) {}

  /** True if the grant is valid. Cost: a lookup; a statement after 1.5 s. */
  async isGood(space: OfTenant, id: string): Promise<boolean> {
    const grant = await this.#recent.get(`${space.tenantNumber} ${id}`, async () =>
      (await this.store.isGood(space, id)) ? { isGood: true } : undefined,
    );
    return grant !== undefined;
  }

  /** Called after a change of a grant. */
  invalidate(): void {
    this.#recent.invalidate();
  }
}
