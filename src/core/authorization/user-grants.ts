import type { GrantHolder, GrantSpace, GrantStore } from '../storage/accounts/user-grants';
import { RefreshingCache } from '../memory/refreshing-cache';

/**
 * Validity of users' grants and the rights of their accounts, cached for at most 1.5 s. An access token is valid only
 * while its grant is.
 */
export class UserGrants {
  readonly #recent = new RefreshingCache<GrantHolder>('user-grants', 20_000);

  constructor(private readonly store: GrantStore) {}

  /**
   * Returns the account of a grant and its rights; undefined: the grant is not valid. The object stays the same while
   * the result does. Cost: a lookup; a statement after 1.5 s.
   */
  find(space: GrantSpace, id: string): GrantHolder | undefined | Promise<GrantHolder | undefined> {
    // Another rule about second factors is another question.
    const key = `${space.tenantNumber} ${space.settings.secondFactor} ${id}`;
    return this.#recent.get(key, () => this.store.findHolder(space, id));
  }

  /** Called after a change of a grant or an account. */
  invalidate(): void {
    this.#recent.invalidate();
  }
}
