/**
 * The two places at which the table of administration (routes.ts) is served: the operator's, for all tenants, and each
 * tenant's own, for its administrators. Both have the same handlers.
 */
import type { AdministrationRoute } from './routes';

export interface Mount {
  readonly name: 'operator' | 'tenant';
  /** Pattern of the router for the address below which its routes are. */
  readonly root: string;
  /** Returns the path of a route below `root`, as in `AdministrationRoute.address`; undefined: it is not served here. */
  pathOf(route: Pick<AdministrationRoute, 'address' | 'who'>): string | undefined;
  /** Returns the tenant whose administrators are admitted; `named`: the tenant in the address. */
  adminOf(named: string): string;
  /** Returns the address below which the administration of one tenant is. */
  addressOf(tenant: string): string;
}

/** The tenant whose administrators are the operator. */
export const SYSTEM = 'system';
const ONE_TENANT = '/tenants/{tenant}';

function pathIn(address: string): string {
  return address.replace(/^\w+ /, '');
}

export const OPERATOR: Mount = {
  name: 'operator',
  root: `/w/${SYSTEM}/api/v1`,
  pathOf: ({ address }) => pathIn(address),
  adminOf: () => SYSTEM,
  addressOf: (tenant) => `/w/${SYSTEM}/api/v1/tenants/${tenant}`,
};

/** The addresses are shorter, because the tenant is in front: `/w/acme/api/v1/users`. Itself it is `/w/acme/api/v1/tenant`. */
export const TENANT: Mount = {
  name: 'tenant',
  root: '/w/:tenant/api/v1',
  pathOf({ address, who }) {
    if (who === 'operator') return undefined;
    const path = pathIn(address);
    return path === ONE_TENANT ? '/tenant' : path.replace(`${ONE_TENANT}/`, '/');
  },
  adminOf: (named) => named,
  addressOf: (tenant) => `/w/${tenant}/api/v1`,
};
