import type { OfTenant } from '../storage/client-applications';
import type { GrantStore } from '../storage/user-grants';
import { Recent } from './recent';

interface Good {
  readonly isGood: true;
}

/** Which grants of people stand, as known for at most 1.5 s: access tokens are good as long as theirs does. */
export class UserGrants {
  readonly #recent = new Recent<Good>(20_000);

  constructor(private readonly store: GrantStore) {}

  /** Cost: a look-up; a statement after 1.5 s. */
  async isGood(space: OfTenant, id: string): Promise<boolean> {
    const known = await this.#recent.get(`${space.tenantNumber} ${id}`, async () =>
      (await this.store.isGood(space, id)) ? { isGood: true } : undefined,
    );
    return known !== undefined;
  }

  /** Something of a grant was changed. */
  forget(): void {
    this.#recent.forget();
  }
}
