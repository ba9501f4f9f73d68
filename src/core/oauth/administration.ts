/** What administrators do with the clients, issuers and users of a tenant. */
import type {
  ClientApplication,
  ClientChanges,
  Clients as ClientAdministration,
  Issuers,
} from '../api/access';
import type { User, Users as UserAdministration } from '../api/sign-in';
import type { UserGrants } from '../authorization/user-grants';
import type { TenantSpace } from '../context';
import { fhirError } from '../errors';
import type { Destinations } from '../outbound/destinations';
import type { SearchTypeContext } from '../search/types/search-type';
import type { AdministeredTenant } from '../storage/accounts/administrators';
import type { ClientStore, StoredClient } from '../storage/accounts/client-applications';
import type { SecondFactorStore } from '../storage/accounts/second-factors';
import type { StoredUser } from '../storage/accounts/user-accounts';
import { changeDetails } from './client-details';
import { type ClientSurroundings, clientWarnings } from './client-warnings';
import { type Clients, makeSecret, type NewSecret } from './clients';
import { requireChangeable, withAddresses } from './console-client';
import type { Invitations } from './invitations';
import type { OutsideIssuers } from './issuers';
import type { Users } from './users';

/** The tenants that are administered. Clients, keys and users are shared by both releases, so either space stands for one. */
export interface AdministeredTenants {
  /** Throws `unknownTenant`. */
  spaceOf(tenant: string): Promise<TenantSpace & AdministeredTenant>;
  /** Notifies the other processes of a change of the tenant. */
  changed(tenant: string): void;
}

export interface ClientAdministrationParts {
  readonly tenants: AdministeredTenants;
  readonly clients: Clients;
  readonly store: ClientStore;
  readonly destinations: Destinations;
  readonly publicUrls: readonly string[];
  /** Returns how searches of the tenant are read, for each of its releases. */
  searchContexts(tenant: string): Promise<readonly SearchTypeContext[]>;
}

export function administerClients(parts: ClientAdministrationParts): ClientAdministration {
  const { clients, store, destinations, publicUrls } = parts;
  const { spaceOf, changed } = parts.tenants;
  const surroundingsOf = async (
    tenant: string,
    { policies = [] }: TenantSpace,
  ): Promise<ClientSurroundings> => ({
    policies: policies.map(({ name }) => name),
    contexts: await parts.searchContexts(tenant),
  });
  const toShown = async (
    client: StoredClient,
    tenant: string,
    surroundings: ClientSurroundings,
  ): Promise<ClientApplication> => ({
    ...withoutHashes(withAddresses(client, publicUrls, tenant)),
    warnings: await clientWarnings(client, surroundings),
  });

  async function create(
    tenant: string,
    details: ClientChanges,
    secret?: NewSecret,
  ): Promise<ClientApplication> {
    const space = await spaceOf(tenant);
    const id = await clients.create(space, changeDetails(details, destinations), secret);
    changed(tenant);
    const made = await store.find(space, id);
    if (made === undefined) throw fhirError('storageUnavailable');
    return toShown(made, tenant, await surroundingsOf(tenant, space));
  }

  return {
    async list(tenant) {
      const space = await spaceOf(tenant);
      const surroundings = await surroundingsOf(tenant, space);
      const listed = await clients.list(space);
      return Promise.all(listed.map((client) => toShown(client, tenant, surroundings)));
    },
    async find(tenant, id) {
      const space = await spaceOf(tenant);
      const found = await clients.read(space, id);
      return found && toShown(found, tenant, await surroundingsOf(tenant, space));
    },
    create: (tenant, details) => create(tenant, details),
    async createWithSecret(tenant, details, expires) {
      const secret = makeSecret(expires);
      return { client: await create(tenant, details, secret), secret };
    },
    async change(tenant, id, changes) {
      const space = await spaceOf(tenant);
      const after = await clients.update(space, id, (before) => {
        requireChangeable(id, changes);
        return changeDetails(changes, destinations, before);
      });
      if (after === undefined) return undefined;
      changed(tenant);
      return toShown(after, tenant, await surroundingsOf(tenant, space));
    },
    async addSecret(tenant, id, expires) {
      const made = await clients.addSecret(await spaceOf(tenant), id, expires);
      changed(tenant);
      return made;
    },
    async removeSecret(tenant, id, secret) {
      const removed = await clients.removeSecret(await spaceOf(tenant), id, secret);
      changed(tenant);
      return removed;
    },
  };
}

export function administerIssuers(
  issuers: OutsideIssuers,
  { spaceOf, changed }: AdministeredTenants,
): Issuers {
  return {
    list: async (tenant) => issuers.list(await spaceOf(tenant)),
    async put(tenant, issuer) {
      await issuers.put(await spaceOf(tenant), issuer);
      changed(tenant);
    },
    async remove(tenant, issuer) {
      const removed = await issuers.remove(await spaceOf(tenant), issuer);
      changed(tenant);
      return removed;
    },
  };
}

export interface UserAdministrationParts {
  readonly users: Users;
  readonly invitations: Invitations;
  readonly secondFactors: SecondFactorStore;
  readonly grants: UserGrants;
}

export function administerUsers(
  { users, invitations, secondFactors, grants }: UserAdministrationParts,
  { spaceOf, changed }: AdministeredTenants,
): UserAdministration {
  return {
    canMail: invitations.canMail,
    list: async (tenant) => (await users.list(await spaceOf(tenant))).map(toShownUser),
    async find(tenant, id) {
      const found = await users.find(await spaceOf(tenant), id);
      return found && toShownUser(found);
    },
    async create(tenant, details) {
      const space = await spaceOf(tenant);
      const made = await users.find(space, await users.create(space, details));
      if (made === undefined) throw fhirError('storageUnavailable');
      return toShownUser(made);
    },
    async change(tenant, id, changes) {
      const space = await spaceOf(tenant);
      if (!(await users.change(space, id, changes))) return undefined;
      grants.invalidate();
      changed(tenant);
      const after = await users.find(space, id);
      return after && toShownUser(after);
    },
    async remove(tenant, id) {
      const removed = await users.remove(await spaceOf(tenant), id);
      grants.invalidate();
      changed(tenant);
      return removed;
    },
    async removeSecondFactor(tenant, id) {
      const removed = await secondFactors.remove(await spaceOf(tenant), id);
      grants.invalidate();
      changed(tenant);
      return removed;
    },
    invite: async (tenant, account) => invitations.invite(await spaceOf(tenant), account),
  };
}

/** Returns a client without the hashes of its secrets. */
function withoutHashes({ secrets, ...client }: StoredClient): Omit<ClientApplication, 'warnings'> {
  return { ...client, secrets: secrets.map(({ hash: _hash, ...secret }) => secret) };
}

function toShownUser({ hash: _hash, ...user }: StoredUser): User {
  return user;
}
