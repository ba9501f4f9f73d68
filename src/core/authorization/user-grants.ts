import type { TenantReference } from '../storage/accounts/client-applications';
import type { GrantHolder, GrantStore } from '../storage/accounts/user-grants';
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
  find(space: TenantReference, id: string): GrantHolder | undefined | Promise<GrantHolder | undefined> {
    return this.#recent.get(`${space.tenantNumber} ${id}`, () => this.store.findHolder(space, id));
  }

  /** Called after a change of a grant or an account. */
  invalidate(): void {
    this.#recent.invalidate();
  }
}
