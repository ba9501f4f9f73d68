import type {
  ClientApplication,
  ClientChanges,
  Clients as ClientAdministration,
  Caller,
  Issuers,
  Tokens,
} from '../api/access';
import type { SignIn, User, Users as UserAdministration } from '../api/sign-in';
import type { Interactions } from '../api/interactions';
import type { Log, TenantSpace } from '../context';
import { fhirError } from '../errors';
import { loadDefinitions } from '../fhir/definitions';
import { parseStoredObject } from '../fhir/json';
import type { Release } from '../fhir/release';
import type { DefinitionServices, ReadServices } from '../ports';
import type { SearchTypeContext } from '../search/types/search-type';
import { Outbound } from '../outbound/outbound';
import type { RateLimiter } from '../limits/rate-limiter';
import { registerCache } from '../memory/cache-registry';
import { ClientStore, type StoredClient } from '../storage/accounts/client-applications';
import type { Database, DatabaseOptions } from '../storage/connection/database';
import { SignInNetworkStore } from '../storage/accounts/sign-in-networks';
import { SigningKeyStore } from '../storage/accounts/signing-keys';
import { IssuerStore } from '../storage/accounts/token-issuers';
import { UserStore, type StoredUser } from '../storage/accounts/user-accounts';
import { GrantStore } from '../storage/accounts/user-grants';
import { AccessTokens } from '../oauth/access-tokens';
import { Authentication, type AuthMode } from '../oauth/authentication';
import type { Credentials } from '../api/credentials';
import { AuthorizationEndpoint } from '../oauth/authorization-endpoint';
import { requireChangeable, withAddresses } from '../oauth/console-client';
import { ClientAuthentication } from '../oauth/client-authentication';
import { changeDetails } from '../oauth/client-details';
import { Clients, makeSecret, type NewSecret } from '../oauth/clients';
import { CredentialThrottle } from '../oauth/credential-throttle';
import { DecoyKeys } from '../oauth/decoy-keys';
import { OutsideIssuers } from '../oauth/issuers';
import { LogoutEndpoint } from '../oauth/logout-endpoint';
import { RemoteKeys } from '../oauth/remote-keys';
import type { PatientSource } from '../authorization/patient-choice';
import { PersonPatients, type PersonSource } from '../authorization/person-patients';
import { SigningKeys } from '../oauth/signing-keys';
import { TokenEndpoint } from '../oauth/token-endpoint';
import type { CoreOptions } from './core-options';
import type { BaseServices } from './create-foundation';
import { UserGrants } from '../authorization/user-grants';
import { Users } from '../oauth/users';

export interface AccessOptions {
  readonly mode: AuthMode;
  readonly database: Database;
  readonly owner: DatabaseOptions;
  readonly publicUrls: readonly string[];
  /** As `CoreOptions.assertionBases`. */
  readonly assertionBases: () => readonly string[];
  /** HTTP client that fetches remote keys. */
  readonly outbound: Outbound;
  /** Lifetime of an access token in seconds. */
  readonly tokenSeconds: number;
  /** Longest lifetime of an external issuer's token in seconds. */
  readonly outsideTokenSeconds: number;
  readonly rates: RateLimiter;
  /** A hash with the key of the installation. */
  readonly digest: (text: string) => Buffer;
  /** The Patients that users select from. */
  readonly patients: PatientSource;
  /** The patients that a person may access. */
  readonly people: PersonSource;
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
  /** With all search parameters of the space. */
  searchContext(space: TenantSpace): SearchTypeContext;
  /** As `Core.decoy`. */
  decoy(tenant: string, release: Release): TenantSpace | undefined;
  /** Notifies the other processes of a change of the tenant. */
  changed(tenant: string): void;
  readonly log: Log;
}

/** Identification of callers, and its administration: clients, keys, tokens. */
export interface AccessParts {
  /** As `Core.decoy`. */
  decoy(tenant: string, release: Release): TenantSpace | undefined;
  identify(credentials: Credentials): Caller | Promise<Caller>;
  renewCaller(space: TenantSpace, caller: Caller): Promise<Caller>;
  readonly clients: ClientAdministration;
  readonly issuers: Issuers;
  readonly tokens: Tokens;
  readonly users: UserAdministration;
  readonly signIn: SignIn;
  /** Invalidates caches after a change in another process. */
  invalidate(): void;
  /**
   * Creates what the first sign-in of the tenant `system` needs (other tenants get theirs on demand), and logs, once,
   * the issuers that had no release.
   */
  start(): void;
  close(): Promise<void>;
}

const SYSTEM = 'system';

/** Creates access with the services and interactions of core. */
export function createCoreAccess(
  options: CoreOptions,
  { database, rates, digest, spaces }: BaseServices,
  {
    services,
    interactions,
  }: { readonly services: PersonServices; readonly interactions: Pick<Interactions, 'search' | 'read'> },
): AccessParts {
  const { authMode, log, publicUrls, assertionBases, tokenSeconds, outsideTokenSeconds } = options;
  return createAccess({
    ...{ database, rates, digest, log, publicUrls, assertionBases, tokenSeconds, outsideTokenSeconds },
    mode: authMode,
    owner: options.database,
    outbound: new Outbound(options.outboundAllowedHosts),
    findSpace: (tenant, release) => spaces.find(tenant, release),
    decoy: (tenant, release) => (authMode === 'enforced' ? spaces.decoy(tenant, release) : undefined),
    changed: (tenant) => spaces.changed(tenant),
    people: createPersonSource(services),
    patients: interactions,
    searchContext: (space) => services.searchContext(space),
  });
}

type PersonServices = Pick<ReadServices, 'reader' | 'keys'> &
  Pick<DefinitionServices, 'references' | 'searchContext'>;

function createPersonSource(services: Omit<PersonServices, 'searchContext'>): PersonSource {
  return {
    references: (space) => services.references(space),
    async find({ number, release }, type, id) {
      const typeNumber = loadDefinitions(release).typeNumber(type);
      if (typeNumber === undefined) return undefined;
      const key = { type: typeNumber, key: services.keys.keyOf(type, id) };
      const row = await services.reader.current(number, key);
      return row === undefined || row.change === 'delete' ? undefined : parseStoredObject(row.body);
    },
  };
}

/** Cost: nothing; keys and clients are read on demand. */
export function createAccess(options: AccessOptions): AccessParts {
  const { database, owner, publicUrls, findSpace } = options;
  const store = new ClientStore(database, owner);
  const throttle = new CredentialThrottle(options.rates);
  const clients = new Clients(store, throttle);
  const keys = new SigningKeys(new SigningKeyStore(database, owner));
  const decoys = new DecoyKeys(options.digest);
  const tokens = new AccessTokens(keys, publicUrls);
  const remoteKeys = new RemoteKeys(options.outbound, options.log);
  const { destinations } = options.outbound;
  const issuers = new OutsideIssuers({
    store: new IssuerStore(database, owner),
    keys: remoteKeys,
    destinations,
    longestSeconds: options.outsideTokenSeconds,
  });
  const grantStore = new GrantStore(database);
  const grants = new UserGrants(grantStore);
  const patients = registerCache(new PersonPatients(options.people));
  const networks = new SignInNetworkStore(database, options.digest);
  const users = new Users(new UserStore(database, owner), throttle, networks);
  const authentication = new Authentication(options.mode, {
    ...{ clients, keys, tokens, issuers, grants, patients, publicUrls },
    findSpace,
    decoy: (tenant, release) => options.decoy(tenant, release),
  });
  const searchContext = (space: TenantSpace): SearchTypeContext => options.searchContext(space);
  const endpoint = new TokenEndpoint({
    ...{ tokens, users, findSpace, searchContext },
    authentication: new ClientAuthentication({
      clients,
      store,
      remoteKeys,
      assertionBases: options.assertionBases,
    }),
    grants: grantStore,
    userGrants: grants,
    seconds: options.tokenSeconds,
  });
  const authorization = new AuthorizationEndpoint({
    ...{ clients, users, publicUrls, findSpace, searchContext },
    grants: grantStore,
    patients: options.patients,
    people: patients,
    seconds: options.tokenSeconds,
  });

  const logout = new LogoutEndpoint({
    ...{ clients, users, tokens, publicUrls },
    grants: grantStore,
    userGrants: grants,
  });
  const toShown = (client: StoredClient, tenant: string): ClientApplication =>
    withoutHashes(withAddresses(client, publicUrls, tenant));

  /** Clients and keys are shared by both releases, so either space stands for the tenant. */
  async function spaceOf(tenant: string): Promise<TenantSpace> {
    const space = await findSpace(tenant, 'r4');
    if (space === undefined) throw fhirError('unknownTenant');
    return space;
  }

  async function createClient(
    tenant: string,
    details: ClientChanges,
    secret?: NewSecret,
  ): Promise<ClientApplication> {
    const space = await spaceOf(tenant);
    const id = await clients.create(space, changeDetails(details, destinations), secret);
    options.changed(tenant);
    const made = await store.find(space, id);
    if (made === undefined) throw fhirError('storageUnavailable');
    return toShown(made, tenant);
  }

  async function makeFirstKeys(): Promise<void> {
    try {
      await keys.publicKeys(await spaceOf(SYSTEM));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      options.log.warn(
        { reason },
        'signing keys could not be created at the start: they are created when they are needed',
      );
    }
  }

  async function nameReleases(): Promise<void> {
    try {
      for (const { tenant, issuer } of await issuers.nameReleases())
        options.log.warn(
          { tenant, issuer },
          'this issuer had no release: it is set to r4, to which the ids in its tokens belong (change it with andiron issuer put … --release)',
        );
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      options.log.warn({ reason }, 'issuers without a release could not be read at the start');
    }
  }
  let starting: Promise<unknown> | undefined;

  return {
    start() {
      starting ??= Promise.all([nameReleases(), options.mode === 'enforced' ? makeFirstKeys() : undefined]);
    },
    async close() {
      await starting;
    },
    decoy: (tenant, release) => options.decoy(tenant, release),
    identify: (credentials) => authentication.identify(credentials),
    renewCaller: (space, caller) => authentication.renew(space, caller),
    clients: {
      async list(tenant) {
        return (await clients.list(await spaceOf(tenant))).map((client) => toShown(client, tenant));
      },
      async find(tenant, id) {
        const found = await clients.read(await spaceOf(tenant), id);
        return found && toShown(found, tenant);
      },
      create: (tenant, details) => createClient(tenant, details),
      async createWithSecret(tenant, details, expires) {
        const secret = makeSecret(expires);
        return { client: await createClient(tenant, details, secret), secret };
      },
      async change(tenant, id, changes) {
        const space = await spaceOf(tenant);
        const before = await clients.read(space, id);
        if (before === undefined) return undefined;
        requireChangeable(id, changes);
        const details = changeDetails(changes, destinations, before);
        if (!(await clients.update(space, id, details))) return undefined;
        options.changed(tenant);
        return toShown({ ...before, ...details }, tenant);
      },
      async addSecret(tenant, id, expires) {
        const made = await clients.addSecret(await spaceOf(tenant), id, expires);
        options.changed(tenant);
        return made;
      },
      async removeSecret(tenant, id, secret) {
        const removed = await clients.removeSecret(await spaceOf(tenant), id, secret);
        options.changed(tenant);
        return removed;
      },
    },
    issuers: {
      list: async (tenant) => issuers.list(await spaceOf(tenant)),
      async put(tenant, issuer) {
        await issuers.put(await spaceOf(tenant), issuer);
        options.changed(tenant);
      },
      async remove(tenant, issuer) {
        const removed = await issuers.remove(await spaceOf(tenant), issuer);
        options.changed(tenant);
        return removed;
      },
    },
    tokens: {
      grant: (request) => endpoint.grant(request),
      revoke: (request) => endpoint.revoke(request),
      introspect: (request) => endpoint.introspect(request),
      async publicKeys(tenant) {
        const space = await findSpace(tenant, 'r4');
        if (space !== undefined) return (await keys.publicKeys(space)).map(({ publicKey }) => publicKey);
        if (options.decoy(tenant, 'r4') === undefined) throw fhirError('unknownTenant');
        return decoys.of(tenant);
      },
      async rotateKeys(tenant, revokes) {
        const ids = await keys.rotate(await spaceOf(tenant), revokes);
        options.changed(tenant);
        return ids;
      },
    },
    users: {
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
        options.changed(tenant);
        const changed = await users.find(space, id);
        return changed && toShownUser(changed);
      },
      async remove(tenant, id) {
        const removed = await users.remove(await spaceOf(tenant), id);
        grants.invalidate();
        options.changed(tenant);
        return removed;
      },
    },
    signIn: {
      step: (visit) => authorization.step(visit),
      launch: (space, context) => authorization.launch(space, context),
      signOut: (visit) => logout.signOut(visit),
    },
    invalidate() {
      clients.invalidate();
      grants.invalidate();
      keys.invalidate();
      issuers.invalidate();
    },
  };
}

/** Returns a client without the hashes of its secrets. */
function withoutHashes({ secrets, ...client }: StoredClient): ClientApplication {
  return { ...client, secrets: secrets.map(({ hash: _hash, ...secret }) => secret) };
}

function toShownUser({ hash: _hash, ...user }: StoredUser): User {
  return user;
}
